"""CRC32C checksums of many rows at once: eight bytes of many pieces in each step."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.hashes import crc32c

if TYPE_CHECKING:
    import numpy.typing as npt

    Longs = npt.NDArray[np.int64]
    Words = npt.NDArray[np.uint64]
    Sums = npt.NDArray[np.uint32]

_MASK = 0xFFFFFFFF
# Rows are cut into pieces of this many bytes. The sums of the pieces of a row are then put together.
_PIECE = 512


def checksums(words: Words, start: Longs, end: Longs) -> Sums:
    """Return the CRC32C of each row.

    Parameters
    ----------
    words : array of uint64
        The eight bytes from each position of some bytes, in little-endian order. At least eight bytes come
        before the first row.
    start, end : array of int64
        Where each row begins and ends. Rows have at least eight bytes.

    Notes
    -----
    Tables for several bytes at once: Kounavis and Berry, "Novel table lookup-based algorithms for
    high-performance CRC generation", IEEE Transactions on Computers 57(11), 2008.
    """
    if not len(start):
        return np.zeros(0, np.uint32)
    # the first piece of a row, which has at least eight bytes, is shorter than the others
    pieces = np.maximum(1, (end - start - 8) // _PIECE + 1)
    head = end - (pieces - 1) * _PIECE
    state = _in_step(words, start, head)
    left = pieces - 1
    if not left.any():
        return ~state
    first = np.cumsum(left) - left
    begin = np.repeat(head - first * _PIECE, left) + np.arange(int(left.sum())) * _PIECE
    sums = _whole_pieces(words, begin)
    order = np.argsort(-left, kind="stable")
    steps = np.arange(int(left.max()))
    for step, rows in zip(steps, np.searchsorted(-left[order], -steps), strict=True):
        at = order[:rows]
        state[at] = _shifted(state[at]) ^ sums[first[at] + step]
    return ~state


def _in_step(words: Words, start: Longs, end: Longs) -> Sums:
    """Return the registers after the first pieces of rows, which have from 8 bytes on."""
    lengths = end - start
    order = np.argsort(-lengths, kind="stable")
    start, end = start[order], end[order]
    whole, head = np.divmod(end - start, 8)
    # Starting with 32 ones in the register is the same as starting with zeros and inverting the first four
    # bytes. Zero bytes leave a zero register as it is, so the head can be padded with zeros.
    state = _step(words[start + head - 8] & _heads()[head] ^ _firsts()[head]) ^ _firsts()[head + 8]
    steps = np.arange(int(whole[0]), 0, -1)
    for left, rows in zip(steps, np.searchsorted(-whole, -steps, "right"), strict=True):
        taken = words[end[:rows] - 8 * left]
        taken ^= state[:rows]
        state[:rows] = _step(taken)
    sums = np.empty(len(order), np.uint32)
    sums[order] = state
    return sums


def _whole_pieces(words: Words, begin: Longs) -> Sums:
    """Return the registers after whole pieces, from a register of zeros."""
    state = np.zeros(len(begin), np.uint32)
    for at in range(0, _PIECE, 8):
        taken = words[begin + at]
        taken ^= state
        state = _step(taken)
    return state


@cache
def _firsts() -> Words:
    """Return 32 ones at a row's first four bytes, in the word that ends 0 to 15 bytes after its start."""
    words = []
    for after in range(16):
        shift = 8 * (8 - after)
        ones = _MASK << shift if shift >= 0 else _MASK >> -shift
        words.append(ones & (2**64 - 1))
    return np.array(words, np.uint64)


@cache
def _heads() -> Words:
    """Return masks that keep the last 0 to 7 bytes of a word."""
    return np.array([(2**64 - 1) << (64 - 8 * n) & (2**64 - 1) for n in range(8)], np.uint64)


def _step(words: Words) -> Sums:
    first, second, third, fourth = _tables()
    half = np.uint64(0xFFFF)
    # masked indexes are never out of bounds: "clip" only saves the check
    state: Sums = first.take((words & half).view(np.int64), mode="clip")
    state ^= second.take((words >> np.uint64(16) & half).view(np.int64), mode="clip")
    state ^= third.take((words >> np.uint64(32) & half).view(np.int64), mode="clip")
    state ^= fourth.take((words >> np.uint64(48)).view(np.int64), mode="clip")
    return state


def _shifted(state: Sums) -> Sums:
    """Return registers after as many zero bytes as a piece has."""
    low, high = _piece_tables()
    shifted: Sums = low[state & np.uint32(0xFFFF)] ^ high[state >> np.uint32(16)]
    return shifted


@cache
def _one() -> Sums:
    return np.array([crc32c(bytes([byte])) ^ crc32c(b"\0") for byte in range(256)], np.uint32)


def _zero(state: Sums) -> Sums:
    """Return registers after a zero byte."""
    after: Sums = _one()[state & np.uint32(0xFF)] ^ state >> np.uint32(8)
    return after


@cache
def _tables() -> tuple[Sums, ...]:
    """Return the register after two bytes followed by six, four, two and zero zero bytes."""
    high, low = np.divmod(np.arange(1 << 16), 256)
    tables = [_zero(_one()[low]) ^ _one()[high]]
    for _ in range(3):
        tables.append(_zero(_zero(tables[-1])))
    return tuple(reversed(tables))


@cache
def _piece_tables() -> tuple[Sums, Sums]:
    """Return what a piece of zeros makes of the lower and of the upper half of a register."""
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    for _ in range(_PIECE):
        bits = _zero(bits)
    numbers = np.arange(1 << 16)
    halves = []
    for half in (bits[:16], bits[16:]):
        table = np.zeros(1 << 16, np.uint32)
        for i, image in enumerate(half):
            table ^= np.where(numbers >> i & 1, image, np.uint32(0)).astype(np.uint32)
        halves.append(table)
    return halves[0], halves[1]
