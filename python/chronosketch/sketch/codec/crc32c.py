"""The checksum of stored sketches: CRC32C, as in RFC 3720."""

from __future__ import annotations

import sys
from array import array
from functools import cache

_POLYNOMIAL = 0x82F63B78

# For n bytes or more, building a table for two bytes at once pays off.
_LONG = 1 << 14


def crc32c(data: bytes) -> int:
    """Return the CRC32C of some bytes.

    Examples
    --------
    >>> from chronosketch.sketch.codec.crc32c import crc32c
    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    crc = 0xFFFFFFFF
    at = 0
    if len(data) >= _LONG:
        at = len(data) & ~1
        pairs = _pairs()
        for pair in _little_endian(data[:at]):
            crc = pairs[(crc ^ pair) & 0xFFFF] ^ (crc >> 16)
    table = _bytes()
    for byte in data[at:]:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _little_endian(data: bytes) -> array[int]:
    pairs = array("H", data)
    if sys.byteorder == "big":
        pairs.byteswap()
    return pairs


@cache
def _bytes() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (_POLYNOMIAL if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


@cache
def _pairs() -> tuple[int, ...]:
    one = _bytes()
    halves = [(one[low] >> 8, one[low] & 0xFF) for low in range(256)]
    return tuple(rest ^ one[first ^ high] for high in range(256) for rest, first in halves)
