"""Decode the quantile sketches of a batch all at once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.arrow import validity
from chronosketch.sketch.codec.checksums import PADDING, checksums
from chronosketch.sketch.quantile.encoding import unzigzag
from chronosketch.sketch.quantile.segments import picked, starts_of
from chronosketch.sketch.quantile.sketch import EPSILON, QuantileSketch

if TYPE_CHECKING:
    import numpy.typing as npt

    from chronosketch.arrow.column import Batch, Bytes, Flags, Longs
    from chronosketch.arrow.profiles import Profiles
    from chronosketch.sketch.envelope import Parameter


MOST_BYTES = 10
_IN_A_WORD = 8
_DIGITS = 0x7F7F7F7F7F7F7F7F


class Varints:
    """The positions of all varints in some bytes.

    Parameters
    ----------
    data : array of uint8
        The bytes. Varints that are read must begin after the first byte, after a byte that ends one, and
        end sixteen bytes or more before the last.

    Attributes
    ----------
    ends : array of int64
        The last byte of each number.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.arrow.decoding import Varints
    >>> numbers = Varints(np.array([0, 7, 0xAC, 0x02, 1, *[0] * 16], np.uint8))
    >>> numbers.values(np.array([1, 3]), np.array([2, 1]))[0].tolist()
    [7, 300, 1]
    """

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self._words: npt.NDArray[np.uint64] = words_of(data)
        self.ends: Longs = np.flatnonzero(data < 0x80)

    def values(self, first: Longs, sizes: Longs) -> tuple[Longs, Flags]:
        """Return several runs of numbers as signed integers, and which of them have more than 64 bits.

        `first` is the position of the first number of each run among all varints. No run is empty.
        """
        begin = self.ends[first - 1] + 1
        if ((self.ends[first + sizes - 1] - begin) < sizes).all():
            short = picked(self._data, begin, sizes)
            return short.astype(np.int64), np.zeros(len(short), np.bool_)
        end = picked(self.ends, first, sizes)
        start = np.empty_like(end)
        start[1:] = end[:-1]
        start += 1
        start[starts_of(sizes)] = begin
        return self._decoded(start, end - start)

    def _decoded(self, start: Longs, more: Longs) -> tuple[Longs, Flags]:
        """Return numbers that have `more` bytes after the first."""
        x: npt.NDArray[np.uint64] = self._words[start]
        x &= _MASKS.take(more, mode="clip")
        # join groups of 7 bits into 14, then into 28, then into 56
        for low, high, shift in _JOINED:
            above = x & high
            above >>= shift
            x &= low
            x |= above
        bad = np.zeros(len(x), np.bool_)
        longer = np.flatnonzero(more >= _IN_A_WORD)
        if len(longer):
            start, more = start[longer], more[longer]
            bad[longer] = more >= MOST_BYTES
            for place in (_IN_A_WORD, _IN_A_WORD + 1):
                has = more >= place
                digit = self._data[start[has] + place] & 0x7F
                x[longer[has]] |= digit.astype(np.uint64) << np.uint64(7 * place)
            # the last of ten digits has one bit
            tenth = more == MOST_BYTES - 1
            bad[longer[tenth]] = self._data[start[tenth] + MOST_BYTES - 1] > 1
        return x.view(np.int64), bad

    def single(self, which: Longs) -> tuple[Longs, Flags]:
        """Return some of the numbers, as `values` does."""
        return self.values(which, np.ones_like(which))


def words_of(data: Bytes) -> npt.NDArray[np.uint64]:
    """Return the eight bytes from each position as little-endian integers, without copying."""
    words: npt.NDArray[np.uint64] = np.ndarray((len(data) - 7,), "<u8", data, strides=(1,))
    return words


# Masks of the digits in the first eight bytes of numbers with one to eight bytes or more.
_MASKS = np.array([_DIGITS & ((1 << 8 * n) - 1) for n in range(1, _IN_A_WORD + 1)], np.uint64)
_JOINED = [
    (np.uint64(0x007F007F007F007F), np.uint64(0x7F007F007F007F00), np.uint64(1)),
    (np.uint64(0x00003FFF00003FFF), np.uint64(0x3FFF00003FFF0000), np.uint64(2)),
    (np.uint64(0x000000000FFFFFFF), np.uint64(0x0FFFFFFF00000000), np.uint64(4)),
]


# The positions of fields; see docs/format.md.
_MAGIC_AND_VERSION = np.uint64(int.from_bytes(b"CHRS\x01", "little"))
_LENGTH_AT = 5
_FAMILY_AT = 9
_DOMAIN_AT = 10
_EPSILON_AT = 14
# The family, three bytes of the type, the number of parameters.
_FAMILY_AND_PARAMETERS_MASK = np.uint64(0xFF_0000_00FF)
_FORM_AT = 22
CHECKSUM = 4
_SMALLEST = _FORM_AT + 2 + CHECKSUM

# Bytes after the last row, for eight-byte words that begin there.
_AFTER = 16


class Opened:
    """The intact rows of a batch that have a family with one parameter.

    Attributes
    ----------
    data : array of uint8
        The bytes of all rows, with padding.
    numbers : Varints
        The numbers in them.
    start, end : array of int64
        Where each row of the batch begins and ends.
    rows : array of int64
        The rows of the family.
    """

    def __init__(self, data: Bytes, start: Longs, end: Longs, rows: Longs) -> None:
        self.data = data
        self.start = start
        self.end = end
        self.rows = rows

    @staticmethod
    def of(batch: Batch, family: int, parameter: Parameter) -> Opened:
        """Return the rows with this family, whose parameter is within its range."""
        low, high = batch.bounds[0], batch.bounds[-1]
        places = batch.bounds - low + PADDING
        start, end = places[:-1], places[1:]
        rows = np.flatnonzero(batch.valid & (end - start >= _SMALLEST))
        rows = rows[batch.data[batch.bounds[rows] + _FAMILY_AT] == family]
        if not len(rows):
            return Opened(np.zeros(0, np.uint8), start, end, rows)
        data = np.zeros(int(high - low) + PADDING + _AFTER, np.uint8)
        data[PADDING : len(data) - _AFTER] = batch.data[low:high]
        words = words_of(data)
        rows = rows[_have_headers(data, words, start[rows], end[rows], family, parameter)]
        sums = checksums(data, start[rows], end[rows] - CHECKSUM)
        rows = rows[_big_endian(data, end[rows] - CHECKSUM) == sums]
        return Opened(data, start, end, rows)

    @cached_property
    def numbers(self) -> Varints:
        """The numbers of all rows."""
        return Varints(self.data)

    def numbers_from(self, at: int) -> tuple[Longs, Longs]:
        """Return the first number of each row from a position on, and the first after its payload."""
        start, end = self.start[self.rows], self.end[self.rows]
        ends = self.numbers.ends
        return np.searchsorted(ends, start + at), np.searchsorted(ends, end - CHECKSUM)

    def domains(self, at: Longs) -> Longs:
        """Return the types of rows that begin at some positions."""
        domains = self.data[at + _DOMAIN_AT].astype(np.int64)
        for i in (1, 2):
            domains = domains << 8 | self.data[at + _DOMAIN_AT + i]
        return domains


def decode(batch: Batch) -> list[Profiles]:
    """Return the intact, non-empty quantile sketches of a batch: first exact bags, then tuples.

    Rows that are in neither have another family, no values, or an error.
    """
    return profiles_of(Opened.of(batch, QuantileSketch.number, EPSILON))


def profiles_of(opened: Opened, payload_ends: Longs | None = None) -> list[Profiles]:
    """Return the intact, non-empty quantile sketches that the payloads of some rows begin with.

    Nothing may follow a sketch, unless `payload_ends` is given. It gets the position after each row's sketch.
    """
    rows, data = opened.rows, opened.data
    if not len(rows):
        return []
    forms = data[opened.start[rows] + _FORM_AT]
    found = [_of_form(form, opened, rows[forms == form], payload_ends) for form in (0, 1)]
    return [profiles for some in found for profiles in some if len(profiles.rows)]


def _have_headers(
    data: Bytes, words: npt.NDArray[np.uint64], start: Longs, end: Longs, family: int, parameter: Parameter
) -> Longs:
    """Return which rows have the header of a family with one parameter, and the row's length."""
    fits = words[start] & np.uint64(0xFF_FFFF_FFFF) == _MAGIC_AND_VERSION
    fits &= (words[start + _FAMILY_AT] & _FAMILY_AND_PARAMETERS_MASK) == np.uint64(family | 1 << 32)
    fits &= _big_endian(data, start + _LENGTH_AT) == end - start
    given = parameters_of(data, start)
    with np.errstate(invalid="ignore"):
        fits &= (given >= parameter.least) & (given <= parameter.greatest)
    return np.flatnonzero(fits)


def _big_endian(data: Bytes, at: Longs) -> Longs:
    numbers: npt.NDArray[np.uint32] = np.ndarray((len(data) - 3,), ">u4", data, strides=(1,))
    return numbers[at].astype(np.int64)


def parameters_of(data: Bytes, start: Longs) -> validity.Doubles:
    """Return the parameters of rows that begin at some positions."""
    words: validity.Doubles = np.ndarray((len(data) - 7,), ">f8", data, strides=(1,))
    with np.errstate(invalid="ignore"):
        # -0.0 becomes 0.0
        parameters: validity.Doubles = words[start + _EPSILON_AT].astype(np.float64) + 0.0
    return parameters


def _of_form(form: int, opened: Opened, rows: Longs, payload_ends: Longs | None) -> list[Profiles]:
    """Return the sketches of one form, as a list that is empty if there are none."""
    data, numbers, end = opened.data, opened.numbers, opened.end
    part = Opened(data, opened.start, end, rows)
    part.numbers = numbers
    first, past = part.numbers_from(_FORM_AT + 1)
    sections = 2 + form
    sizes, bad = numbers.single(first)
    fits = ~bad & (sizes > 0) & (sizes <= past - first)
    needed = np.where(fits, 1 + sections * sizes, 0)
    if payload_ends is None:
        # the last number ends before the checksum, and there are exactly as many numbers as m says
        fits &= (data[end[rows] - CHECKSUM - 1] < 0x80) & (needed == past - first)
    else:
        fits &= needed <= past - first
        payload_ends[rows[fits]] = numbers.ends[(first + needed - 1)[fits]] + 1
    rows, first, sizes = rows[fits], first[fits], sizes[fits]
    if not len(rows):
        return []
    at = opened.start[rows]
    tuples = validity.DecodedTuples(rows, opened.domains(at), parameters_of(data, at), sizes)
    keys, bad = numbers.values(first + 1, sizes)
    tuples.reject(bad)
    keys[tuples.first] = unzigzag(keys[tuples.first])
    keys = tuples.sums(keys)
    tuples.require_rising(keys, distinct=form == 0)
    tuples.require_valid_keys(keys)
    counts, bad = numbers.values(first + 1 + sizes, sizes)
    tuples.reject(bad | (counts < 1))
    ranks = tuples.sums(counts)
    tuples.require_rising(ranks, distinct=True)
    if form == 0:
        return [tuples.bag_profiles(keys, ranks)]
    deltas, bad = numbers.values(first + 1 + 2 * sizes, sizes)
    tuples.reject(bad)
    return [tuples.tuple_profiles(keys, counts, ranks, deltas)]
