"""Any bytes are a sketch or refused, and use no more memory than their length explains."""

import math
import random
import tracemalloc

import golden
import mutations
import pytest
from chronosketch.sketch import ChronosketchError, DDSketch, Sketch, envelope
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.ddsketch.bins import bins_of
from chronosketch.sketch.ddsketch.wire import write
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.envelope import FORMAT_VERSION, Header
from hostile import ask_everything, opened
from hypothesis import given, settings
from hypothesis import strategies as st

FILES = mutations.files()


@settings(max_examples=600)
@given(st.integers(0, 2**64))
def test_changed_bytes_are_a_sketch_or_refused(seed):
    sketch, _ = opened(mutations.changed(random.Random(seed), FILES))
    if sketch is not None:
        ask_everything(sketch)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data):
    assert opened(data)[1]
    assert opened(b"CHRS" + data)[1]


@pytest.mark.parametrize("data", FILES[::7])
def test_a_part_of_a_sketch_is_refused(data):
    for n in range(len(data)):
        assert opened(data[:n])[1]
    assert opened(data + b"\0")[1]


def with_byte(at, value):
    data = bytearray(FILES[0])
    data[at] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "condition"),
    [
        (b"", "NOT_A_SKETCH"),
        (b"CHR", "NOT_A_SKETCH"),
        (b"PK\x03\x04 and more", "NOT_A_SKETCH"),
        (FILES[0][:8], "TRUNCATED_SKETCH"),
        (FILES[0][:-1], "TRUNCATED_SKETCH"),
        (FILES[0] + b"x", "CORRUPT_SKETCH"),
        (with_byte(20, FILES[0][20] ^ 1), "CORRUPT_SKETCH"),
        (mutations.sealed(with_byte(4, FORMAT_VERSION + 1)), "NEWER_FORMAT"),
        (mutations.sealed(with_byte(4, 0)), "CORRUPT_SKETCH"),
        (mutations.sealed(with_byte(9, 99)), "UNKNOWN_FAMILY"),
    ],
)
def test_errors_have_their_conditions(data, condition):
    with pytest.raises(ChronosketchError, match=f"CHRONOSKETCH_{condition}"):
        Sketch.from_bytes(data)


def test_a_bin_between_the_greatest_float_and_infinity_is_refused():
    bins, greatest = bins_of(0.01), (2 - 2.0**-23) * 2.0**127
    last = bins.of(greatest)

    def stored(numbers, least, most):
        header = Header(Domain(Kind.FLOAT), (0.01,))
        ends = doubles.key(least), doubles.key(most)
        return envelope.seal(DDSketch._stored(), header, lambda w: write(w, *ends, dict.fromkeys(numbers, 1)))

    whole, _ = opened(stored((last, bins.infinity), greatest, math.inf))
    ask_everything(whole)
    for between in (last + 2, bins.infinity - 1):
        for data in (
            stored((last, between, bins.infinity), greatest, math.inf),
            stored((-bins.infinity, -between, -last), -math.inf, -greatest),
        ):
            assert opened(data)[1].condition == "CHRONOSKETCH_CORRUPT_SKETCH"


def test_a_claim_of_many_items_takes_no_memory():
    data = golden.stored()["empty"]
    body = bytearray(data[:22]) + b"\x00" + b"\xff\xff\xff\xff\x07" + bytes(100) + b"\0\0\0\0"
    tracemalloc.start()
    assert opened(mutations.sealed(body))[1]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
