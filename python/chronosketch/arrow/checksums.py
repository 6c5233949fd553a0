"""The checksums of many rows at once: CRC32C of the same eight bytes of each row, then of the next."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.crc32c import crc32c

if TYPE_CHECKING:
    import numpy.typing as npt

    from chronosketch.arrow.column import Bytes, Longs

_MASK = 0xFFFFFFFF
# Fewer rows of a length are done one by one.
_FEWEST = 32


def checksums(data: Bytes, words: npt.NDArray[np.uint64], start: Longs, end: Longs) -> npt.NDArray[np.uint32]:
    """Return the CRC32C of each row.

    Parameters
    ----------
    data : array of uint8
        Holds all rows; eight bytes or more stand before the first.
    words : array of uint64
        The eight bytes from each place of `data` on, the first as the least.
    start, end : array of int64
        Where each row begins and ends; rows have eight bytes or more.

    Notes
    -----
    Tables for several bytes at once: Kounavis and Berry, "Novel table lookup-based algorithms for
    high-performance CRC generation", IEEE Transactions on Computers 57(11), 2008.
    """
    lengths = end - start
    sums = np.zeros(len(start), np.uint32)
    order = np.argsort(-lengths, kind="stable")
    # the few that are much longer than the rest would be alone in most of the steps
    usual = 2 * lengths[order[_FEWEST - 1]] if len(order) >= _FEWEST else -1
    alone = int(np.count_nonzero(lengths > usual))
    for i in order[:alone]:
        sums[i] = crc32c(data[start[i] : end[i]].tobytes())
    together = order[alone:]
    if len(together):
        sums[together] = _together(words, start[together], end[together])
    return sums


def _together(words: npt.NDArray[np.uint64], start: Longs, end: Longs) -> npt.NDArray[np.uint32]:
    """Return the checksums of rows of which none is longer than the one before."""
    whole, head = np.divmod(end - start, 8)
    # 32 ones in the register are zeros there and the first four bytes inverted; of zeros, zeros make zeros
    state = _step(words[start + head - 8] & _heads()[head] ^ _firsts()[head]) ^ _firsts()[head + 8]
    steps = np.arange(int(whole[0]), 0, -1)
    for left, rows in zip(steps, np.searchsorted(-whole, -steps, "right"), strict=True):
        taken = words[end[:rows] - 8 * left]
        taken ^= state[:rows]
        state[:rows] = _step(taken)
    sums: npt.NDArray[np.uint32] = (state ^ np.uint64(_MASK)).astype(np.uint32)
    return sums


@cache
def _firsts() -> npt.NDArray[np.uint64]:
    """Return ones for the first four bytes of a row, in the word that ends 0 to 15 bytes after its begin."""
    words = []
    for after in range(16):
        shift = 8 * (8 - after)
        ones = _MASK << shift if shift >= 0 else _MASK >> -shift
        words.append(ones & (2**64 - 1))
    return np.array(words, np.uint64)


@cache
def _heads() -> npt.NDArray[np.uint64]:
    """Return what leaves the last 0 to 7 bytes of a word."""
    return np.array([(2**64 - 1) << (64 - 8 * n) & (2**64 - 1) for n in range(8)], np.uint64)


def _step(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    pairs = words.astype("<u8", copy=False).view("<u2").reshape(-1, 4)
    first, second, third, fourth = _tables()
    state: npt.NDArray[np.uint64] = first[pairs[:, 0]]
    state ^= second[pairs[:, 1]]
    state ^= third[pairs[:, 2]]
    state ^= fourth[pairs[:, 3]]
    return state


@cache
def _tables() -> tuple[npt.NDArray[np.uint64], ...]:
    """Return what two bytes leave in the register after six, four, two and no more bytes."""
    one = np.array([crc32c(bytes([byte])) ^ crc32c(b"\0") for byte in range(256)], np.uint64)
    high, low = np.divmod(np.arange(1 << 16), 256)

    def zero(state: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        after: npt.NDArray[np.uint64] = one[(state & np.uint64(0xFF)).astype(np.int64)] ^ state >> np.uint64(
            8
        )
        return after

    tables = [zero(one[low]) ^ one[high]]
    for _ in range(3):
        tables.append(zero(zero(tables[-1])))
    return tuple(reversed(tables))
