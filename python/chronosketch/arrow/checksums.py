"""CRC32C checksums of many rows at once: eight bytes of every row in each step."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.hashes import crc32c

if TYPE_CHECKING:
    import numpy.typing as npt

    from chronosketch.arrow.column import Bytes, Longs

_MASK = 0xFFFFFFFF
# Fewer rows of similar length are processed one by one.
_FEWEST = 32


def checksums(data: Bytes, words: npt.NDArray[np.uint64], start: Longs, end: Longs) -> npt.NDArray[np.uint32]:
    """Return the CRC32C of each row.

    Parameters
    ----------
    data : array of uint8
        The bytes of all rows. At least eight bytes come before the first row.
    words : array of uint64
        The eight bytes from each position of `data`, in little-endian order.
    start, end : array of int64
        Where each row begins and ends. Rows have at least eight bytes.

    Notes
    -----
    Tables for several bytes at once: Kounavis and Berry, "Novel table lookup-based algorithms for
    high-performance CRC generation", IEEE Transactions on Computers 57(11), 2008.
    """
    lengths = end - start
    sums = np.zeros(len(start), np.uint32)
    order = np.argsort(-lengths, kind="stable")
    # process much longer rows separately: most steps would have only them
    usual = 2 * lengths[order[_FEWEST - 1]] if len(order) >= _FEWEST else -1
    alone = int(np.count_nonzero(lengths > usual))
    for i in order[:alone]:
        sums[i] = crc32c(data[start[i] : end[i]].tobytes())
    together = order[alone:]
    if len(together):
        sums[together] = _checksums_in_step(words, start[together], end[together])
    return sums


def _checksums_in_step(words: npt.NDArray[np.uint64], start: Longs, end: Longs) -> npt.NDArray[np.uint32]:
    """Return the checksums of rows that are sorted by decreasing length."""
    whole, head = np.divmod(end - start, 8)
    # Starting with 32 ones in the register is the same as starting with zeros and inverting the first four
    # bytes. Zero bytes leave a zero register as it is, so the head can be padded with zeros.
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
    """Return 32 ones at a row's first four bytes, in the word that ends 0 to 15 bytes after its start."""
    words = []
    for after in range(16):
        shift = 8 * (8 - after)
        ones = _MASK << shift if shift >= 0 else _MASK >> -shift
        words.append(ones & (2**64 - 1))
    return np.array(words, np.uint64)


@cache
def _heads() -> npt.NDArray[np.uint64]:
    """Return masks that keep the last 0 to 7 bytes of a word."""
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
    """Return the register after two bytes followed by six, four, two and zero zero bytes."""
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
