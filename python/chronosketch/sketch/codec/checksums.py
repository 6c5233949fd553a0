"""CRC32C checksums of many rows at once: eight bytes of many pieces in each step."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.hashes import crc32c

if TYPE_CHECKING:
    import numpy.typing as npt

    Bytes = npt.NDArray[np.uint8]
    Flags = npt.NDArray[np.bool_]
    Longs = npt.NDArray[np.int64]
    Words = npt.NDArray[np.uint64]
    Sums = npt.NDArray[np.uint32]

_WORD = 8
# Rows are cut into pieces of this many bytes, from their ends. The first one of a row may have a word more.
_PIECE = 256
# As many bytes must come before the first row.
PADDING = _PIECE + _WORD
# The pieces that are taken at once: their words are about what a cache holds.
_TOGETHER = 4096


def checksums(data: Bytes, start: Longs, end: Longs) -> Sums:
    """Return the CRC32C of rows of eight bytes and more.

    Parameters
    ----------
    data : array of uint8
        The bytes of all rows, and `PADDING` bytes before the first.
    start, end : array of int64
        Where each row begins and ends.

    Notes
    -----
    Tables for several bytes at once: Kounavis and Berry, "Novel table lookup-based algorithms for
    high-performance CRC generation", IEEE Transactions on Computers 57(11), 2008. The sum of a row is put
    together from those of its pieces, two neighbours at a time, because a CRC is linear.
    """
    pieces = np.maximum(1, (end - start - _WORD) // _PIECE + 1)
    first = np.cumsum(pieces) - pieces
    ends = np.repeat(end - (pieces - 1 + first) * _PIECE, pieces) + np.arange(int(pieces.sum())) * _PIECE
    lengths = np.full(len(ends), _PIECE)
    lengths[first] = end - start - (pieces - 1) * _PIECE
    begins_row = np.zeros(len(ends), np.bool_)
    begins_row[first] = True
    sums = _registers(data, ends, lengths, begins_row)
    zeros = _PIECE
    while len(sums) > len(start):
        # where the number of pieces is odd, one of zeros comes first and changes nothing
        odd = pieces & 1
        doubled = np.zeros(len(sums) + int(odd.sum()), np.uint32)
        doubled[np.arange(len(sums)) + np.repeat(np.cumsum(odd), pieces)] = sums
        sums = _after_zeros(doubled[::2], zeros) ^ doubled[1::2]
        pieces = (pieces + odd) // 2
        zeros *= 2
    return ~sums


def _registers(data: Bytes, ends: Longs, lengths: Longs, begins_row: Flags) -> Sums:
    """Return the register after each piece, which was all ones before one that begins a row, else zero."""
    words = -(-lengths // _WORD)
    # those that have as many words lie side by side
    order = np.argsort(-words.astype(np.int16), kind="stable")
    sums = np.empty(len(ends), np.uint32)
    for block in range(0, len(ends), _TOGETHER):
        at = order[block : block + _TOGETHER]
        columns = _columns(data, ends[at], lengths[at], words[at], begins_row[at])
        entered = np.searchsorted(-words[at], np.arange(-len(columns), 0), "right")
        state = np.zeros(len(at), np.uint32)
        for column, n in zip(columns, entered.tolist(), strict=True):
            taken = column[:n]
            taken ^= state[:n]
            state[:n] = _step(taken)
        sums[at] = state
    return sums


def _columns(data: Bytes, ends: Longs, lengths: Longs, words: Longs, begins_row: Flags) -> Words:
    """Return the n-th words of all pieces in the n-th row. Pieces end together, the first is the longest."""
    width = int(words[0])
    windows = np.ndarray((len(data) - _WORD * width + 1,), f"V{_WORD * width}", data, strides=(1,))
    matrix: Words = windows[ends - _WORD * width].view("<u8").reshape(-1, width)
    # A register of ones is one of zeros after the first four bytes were inverted. Zero bytes leave it zero.
    rows = np.flatnonzero(begins_row)
    skipped = (_WORD * words - lengths)[rows]
    head = rows * width + width - words[rows]
    flat = matrix.reshape(-1)
    flat[head] = flat[head] & _KEPT[skipped] ^ _ONES[skipped]
    straddling = skipped > _WORD // 2
    flat[head[straddling] + 1] ^= _ONES_LEFT[skipped[straddling]]
    return np.ascontiguousarray(matrix.T)


# For a word whose first 0 to 7 bytes come before a row: a mask of the others, and 32 ones after them.
_MASK = (1 << 64) - 1
_KEPT = np.array([_MASK << 8 * n & _MASK for n in range(_WORD)], np.uint64)
_ONES = np.array([0xFFFFFFFF << 8 * n & _MASK for n in range(_WORD)], np.uint64)
_ONES_LEFT = np.array([0xFFFFFFFF << 8 * n >> 64 for n in range(_WORD)], np.uint64)


def _step(words: Words) -> Sums:
    """Return registers of zero after eight bytes."""
    halves = words.view("<u2").reshape(-1, 4).T.astype(np.int64)
    tables = _tables()
    # no index is out of bounds: "clip" only saves the check
    state: Sums = tables[0].take(halves[0], mode="clip")
    for table, half in zip(tables[1:], halves[1:], strict=True):
        state ^= table.take(half, mode="clip")
    return state


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


def _after_zeros(state: Sums, n: int) -> Sums:
    """Return registers after n zero bytes, a power of two."""
    after = np.zeros_like(state)
    for place, table in enumerate(_tables_of_zeros(n)):
        after ^= table[state >> np.uint32(8 * place) & np.uint32(0xFF)]
    return after


@cache
def _tables_of_zeros(n: int) -> Sums:
    """Return what n zero bytes make of each byte of a register."""
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    half = bits if n == 1 else _after_zeros(bits, n // 2)
    images = _zero(bits) if n == 1 else _after_zeros(half, n // 2)
    numbers = np.arange(256)[:, None] >> np.arange(8) & 1
    tables = np.where(numbers[None], images.reshape(4, 1, 8), 0)
    found: Sums = np.bitwise_xor.reduce(tables, axis=2).astype(np.uint32)
    return found
