"""The encoding of numbers, and the checksum."""

import struct

import pytest
from chronosketch.sketch.codec.hashes import crc32c
from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG, Reader, Writer
from chronosketch.sketch.refusal import Refusal
from hypothesis import given
from hypothesis import strategies as st

LONGS = st.integers(LEAST_LONG, MOST_LONG) | st.sampled_from([LEAST_LONG, MOST_LONG, 0, -1, 127, 128])


def reader(data):
    return Reader(data, 0, len(data))


@given(st.lists(LONGS))
def test_numbers_round_trip(values):
    w = Writer()
    for value in values:
        w.zigzag(value)
        w.varint(value)
        w.int32(value)
    r = reader(w.result())
    for value in values:
        assert r.zigzag() == value
        assert r.long() == value
        assert r.int32() == struct.unpack(">i", struct.pack(">Q", value & (1 << 64) - 1)[4:])[0]
    r.require_end()


@given(st.lists(LONGS).map(sorted))
def test_increasing_numbers_round_trip(values):
    w = Writer()
    w.rising(values)
    assert reader(w.result()).rising(len(values), distinct=False) == values


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "its payload ends early"),
        (b"\x80" * 9, "its payload ends early"),
        (b"\xff" * 9 + b"\x02", "a number has more than 64 bits"),
        (b"\xff" * 9 + b"\x80\x00", "a number has more than 64 bits"),
    ],
)
def test_invalid_numbers_are_rejected(data, reason):
    with pytest.raises(Refusal) as refused:
        reader(data).varint()
    assert refused.value.parameters == {"reason": reason}


@pytest.mark.parametrize("claim", [b"\x03\0\0\0\0", b"\xff" * 9 + b"\x01\0\0\0\0"])
def test_more_items_than_bytes_are_refused(claim):
    with pytest.raises(Refusal, match="it claims"):
        reader(claim).size(2)


def bit_by_bit(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize("n", [0, 1, 2, 31, (1 << 14) - 1, 1 << 14, (1 << 14) + 1])
def test_the_checksum_is_the_one_of_its_definition(n):
    data = bytes(i * i % 251 for i in range(n))
    assert crc32c(data) == bit_by_bit(data)


# RFC 3720, B.4
@pytest.mark.parametrize(
    ("data", "crc"), [(bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E)]
)
def test_the_checksum_is_the_one_of_the_standard(data, crc):
    assert crc32c(data) == crc
