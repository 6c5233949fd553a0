"""Decode all varints (base 128) of a batch at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from chronosketch.arrow.column import Bytes, Flags, Longs

MOST_BYTES = 10
_IN_A_WORD = 8
_DIGITS = 0x7F7F7F7F7F7F7F7F


class Varints:
    """The positions of all varints in some bytes.

    Parameters
    ----------
    data : array of uint8
        The bytes. Varints that are read must end sixteen bytes or more before their end.
    words : array of uint64
        The eight bytes from each position, in little-endian order.

    Attributes
    ----------
    ends : array of int64
        The last byte of each number.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.arrow.varints import Varints, words_of
    >>> data = np.array([7, 0xAC, 0x02, 1, *[0] * 16], np.uint8)
    >>> Varints(data, words_of(data)).values(np.arange(3))[0].tolist()
    [7, 300, 1]
    """

    def __init__(self, data: Bytes, words: npt.NDArray[np.uint64]) -> None:
        self._data = data
        self._words = words
        self.ends: Longs = np.flatnonzero(data < 0x80)

    def values(self, which: Longs) -> tuple[Longs, Flags]:
        """Return some of the numbers as signed integers, and which of them have more than 64 bits.

        `which` gives their positions among all varints. Bytes before the first end count as one varint.
        """
        end = self.ends[which]
        more = end - self.ends[which - 1] - 1
        more[which == 0] = end[which == 0]
        values: Longs = self._data[end].astype(np.int64)
        bad: Flags = np.zeros(len(which), np.bool_)
        longer = np.flatnonzero(more)
        if len(longer):
            end, more = end[longer], more[longer]
            values[longer] = self._several(end - more, more + 1).view(np.int64)
            bad[longer] = more >= MOST_BYTES
            tenth = more == MOST_BYTES - 1
            bad[longer[tenth]] = self._data[end[tenth]] > 1
        return values, bad

    def _several(self, first: Longs, n: Longs) -> npt.NDArray[np.uint64]:
        x: npt.NDArray[np.uint64] = self._words[first]
        x &= _MASKS[np.minimum(n, _IN_A_WORD)]
        # join groups of 7 bits into 14, then into 28, then into 56
        x = x & np.uint64(0x007F007F007F007F) | (x & np.uint64(0x7F007F007F007F00)) >> np.uint64(1)
        x = x & np.uint64(0x00003FFF00003FFF) | (x & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2)
        x = x & np.uint64(0x0FFFFFFF) | (x >> np.uint64(4)) & np.uint64(0x00FFFFFFF0000000)
        for place in (_IN_A_WORD, _IN_A_WORD + 1):
            long = np.flatnonzero(n > place)
            digit = (self._data[first[long] + place] & 0x7F).astype(np.uint64)
            x[long] |= digit << np.uint64(7 * place)
        return x


def words_of(data: Bytes) -> npt.NDArray[np.uint64]:
    """Return the eight bytes from each position as little-endian integers, without copying."""
    words: npt.NDArray[np.uint64] = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))
    return words


_MASKS = np.array([_DIGITS & ((1 << 8 * n) - 1) for n in range(_IN_A_WORD + 1)], np.uint64)
