"""Whatever the bytes, there is a sketch or a refusal, and never more memory than they explain."""

import random
import tracemalloc

import golden
import mutations
import pytest
from chronosketch.sketch import ChronosketchError, Sketch
from chronosketch.sketch.codec.envelope import FORMAT_VERSION
from hypothesis import given, settings
from hypothesis import strategies as st

FILES = mutations.files()


def ask_everything(sketch):
    """What is accepted must also answer."""
    sketch.describe()
    again = Sketch.from_bytes(sketch.to_bytes())
    assert again.to_bytes() == sketch.to_bytes()
    golden.answers(sketch)


def opened(data):
    try:
        return Sketch.from_bytes(data)
    except ChronosketchError as refused:
        assert refused.condition.startswith("CHRONOSKETCH_")
        assert "Sketch.from_bytes" in str(refused)
        return None


@settings(max_examples=600)
@given(st.integers(0, 2**64))
def test_changed_bytes_are_a_sketch_or_refused(seed):
    sketch = opened(mutations.changed(random.Random(seed), FILES))
    if sketch is not None:
        ask_everything(sketch)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data):
    assert opened(data) is None
    assert opened(b"CHRS" + data) is None


@pytest.mark.parametrize("data", FILES[::7])
def test_a_part_of_a_sketch_is_refused(data):
    for n in range(len(data)):
        assert opened(data[:n]) is None
    assert opened(data + b"\0") is None


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
def test_what_is_wrong_is_named(data, condition):
    with pytest.raises(ChronosketchError, match=f"CHRONOSKETCH_{condition}"):
        Sketch.from_bytes(data)


def test_a_claim_of_many_items_takes_no_memory():
    data = golden.stored()["empty"]
    body = bytearray(data[:22]) + b"\x00" + b"\xff\xff\xff\xff\x07" + bytes(100) + b"\0\0\0\0"
    tracemalloc.start()
    assert opened(mutations.sealed(body)) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
