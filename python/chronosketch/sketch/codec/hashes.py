"""Two functions that mix bits: the CRC-32C of bytes, and SplitMix64, a bijection of 64 bits."""

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
    >>> from chronosketch.sketch.codec.hashes import crc32c
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


_WORD = (1 << 64) - 1
_SIGN = 1 << 63
_GAMMA = 0x9E3779B97F4A7C15
_FIRST = 0xBF58476D1CE4E5B9
_SECOND = 0x94D049BB133111EB


def signed(bits: int) -> int:
    """Return 64 bits as a signed number."""
    return ((bits & _WORD) ^ _SIGN) - _SIGN


def mix(bits: int) -> int:
    """Return the output for a state. It adds the increment first, because the finalizer maps 0 to 0.

    Examples
    --------
    >>> from chronosketch.sketch.codec.hashes import mix, unmix
    >>> mix(0), unmix(mix(-42))
    (-2152535657050944081, -42)
    """
    return finish(bits + _GAMMA)


def finish(bits: int) -> int:
    """Apply only the finalizer."""
    z = bits & _WORD
    z = (z ^ z >> 30) * _FIRST & _WORD
    z = (z ^ z >> 27) * _SECOND & _WORD
    return signed(z ^ z >> 31)


def unmix(mixed: int) -> int:
    """Invert `mix`."""
    z = mixed & _WORD
    z ^= z >> 31 ^ z >> 62
    z = z * _SECOND_INVERSE & _WORD
    z ^= z >> 27 ^ z >> 54
    z = z * _FIRST_INVERSE & _WORD
    return signed((z ^ z >> 30 ^ z >> 60) - _GAMMA)


_FIRST_INVERSE = pow(_FIRST, -1, 1 << 64)
_SECOND_INVERSE = pow(_SECOND, -1, 1 << 64)
