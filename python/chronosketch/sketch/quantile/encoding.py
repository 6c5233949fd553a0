"""Write many quantile sketches at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.checksums import PADDING, checksums
from chronosketch.sketch.codec.wire import MOST_BYTES, MOST_LONG
from chronosketch.sketch.quantile.segments import picked, put, starts_of
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from chronosketch.sketch.quantile.summaries import Doubles, Summaries
    from chronosketch.sketch.quantile.tuples import Longs

    Bytes = npt.NDArray[np.uint8]
    Words = npt.NDArray[np.uint64]

# See docs/format.md.
_MAGIC_AND_VERSION = b"CHRS\x01"
_LENGTH_AT = 5
_FAMILY_AT = 9
_DOMAIN_AT = 10
_PARAMETERS_AT = 13
_EPSILON_AT = 14
_FORM_AT = 22
_CHECKSUM = 4
_FAMILY = 1
_WORD = 8
_MOST_OF_A_BYTE = 0x7F
# The numbers that a cache holds.
_IN_CACHE = 1 << 14


def encode(summaries: Summaries, domains: Longs, epsilons: Doubles) -> tuple[Bytes, Longs]:
    """Return the stored bytes of all, one after the other, and where each begins, with the end of the last.

    `domains` has a type's kind and its two parameters, one byte each.
    """
    sizes, exact = summaries.sizes, summaries.exact
    sections = [(sizes, np.ones_like(sizes)), (differences(summaries.keys, sizes), sizes)]
    sections.append((summaries.gs, sizes))
    if not exact.all():
        deltas = np.where(exact, 0, sizes)
        sections.append((picked(summaries.deltas, starts_of(sizes), deltas), deltas))
    return rows_with(_FAMILY, (~exact).astype(np.uint8), sections, domains, epsilons)


def differences(keys: Longs, sizes: Longs) -> Longs:
    """Return the varints of numbers that rise within each sketch: the first of each, then the differences."""
    numbers: Longs = keys.copy()
    numbers[1:] -= keys[:-1]
    head = starts_of(sizes)[sizes > 0]
    numbers[head] = zigzag(keys[head])
    return numbers


def zigzag(values: Longs) -> Longs:
    """Return signed numbers as unsigned ones, so that small magnitudes are short."""
    return values << 1 ^ values >> 63


def unzigzag(numbers: Longs) -> Longs:
    """Return the signed numbers that `zigzag` wrote."""
    return (numbers >> 1 & MOST_LONG) ^ -(numbers & 1)


def rows_with(
    family: int,
    forms: Bytes | None,
    sections: Sequence[tuple[Longs, Longs]],
    domains: Longs,
    parameters: Doubles,
) -> tuple[Bytes, Longs]:
    """Return the bytes of sketches of a family with one parameter, as `encode` does.

    `forms` is the first byte of each payload, if the family has one. The sections of a payload follow: each
    is given as the numbers of all sketches, and how many of them each sketch has.
    """
    written = [_Section.of(numbers.view(np.uint64), sizes) for numbers, sizes in sections]
    payload_at = _FORM_AT + (forms is not None)
    rows = sum((section.bytes for section in written), np.full(len(domains), payload_at + _CHECKSUM))
    if len(rows) and int(rows.max()) > MOST_BYTES:
        raise Refusal("SKETCH_TOO_LARGE", limit=MOST_BYTES)
    bounds = np.append(0, np.cumsum(rows))
    data = np.zeros(int(bounds[-1]) + PADDING + _WORD, np.uint8)
    begin = bounds[:-1] + PADDING
    end = bounds[1:] + PADDING - _CHECKSUM
    at = begin + payload_at
    # what a number overwrites after it is written later: the next section, the checksum, the next header
    for section in written:
        section.write(data, at)
        at = at + section.bytes
    for i, byte in enumerate(_MAGIC_AND_VERSION):
        data[begin + i] = byte
    _put(data, begin + _LENGTH_AT, rows, 4)
    data[begin + _FAMILY_AT] = family
    _put(data, begin + _DOMAIN_AT, domains, 3)
    data[begin + _PARAMETERS_AT] = 1
    _put(data, begin + _EPSILON_AT, parameters.view(np.int64), _WORD)
    if forms is not None:
        data[begin + _FORM_AT] = forms
    _put(data, end, checksums(data, begin, end).astype(np.int64), _CHECKSUM)
    return data[PADDING : len(data) - _WORD], bounds


@dataclass(frozen=True)
class _Section:
    """Numbers that are written as varints: how many each sketch has, and how many bytes they take."""

    numbers: Words
    lengths: npt.NDArray[np.uint8] | None
    sizes: Longs
    bytes: Longs

    @staticmethod
    def of(numbers: Words, sizes: Longs) -> _Section:
        if not len(numbers) or int(numbers.max()) <= _MOST_OF_A_BYTE:
            return _Section(numbers, None, sizes, sizes)
        lengths = varint_lengths(numbers)
        taken = np.zeros_like(sizes)
        full = sizes > 0
        taken[full] = np.add.reduceat(lengths, starts_of(sizes)[full], dtype=np.int64)
        return _Section(numbers, lengths, sizes, taken)

    def write(self, data: Bytes, at: Longs) -> None:
        """Write the numbers of each sketch from a position on. Up to seven bytes after are overwritten."""
        if self.lengths is None:
            put(data, at, self.sizes, self.numbers.astype(np.uint8))
            return
        before = np.cumsum(self.lengths, dtype=np.int64) - self.lengths
        shift = np.repeat(at - starts_of(self.bytes), self.sizes)
        write_varints(data, before + shift, self.numbers, self.lengths)


def varint_lengths(numbers: Words) -> npt.NDArray[np.uint8]:
    """Return how many bytes each number takes as a varint."""
    lengths = np.ones(len(numbers), np.uint8)
    most = int(numbers.max()) if len(numbers) else 0
    for digits in range(7, max(7, most.bit_length()), 7):
        lengths += numbers >= np.uint64(1 << digits)
    return lengths


def write_varints(data: Bytes, at: Longs, numbers: Words, lengths: npt.NDArray[np.uint8]) -> None:
    """Write numbers of these lengths at ascending positions. Up to seven bytes after each are overwritten."""
    for start in range(0, len(numbers), _IN_CACHE):
        part = slice(start, start + _IN_CACHE)
        _write(data, at[part], numbers[part], lengths[part])


def _write(data: Bytes, at: Longs, numbers: Words, lengths: npt.NDArray[np.uint8]) -> None:
    # 56 bits as eight digits of 7 bits: halves of 28, quarters of 14, eighths of 7
    x = numbers & np.uint64(0x00FFFFFFFFFFFFFF)
    x = x & np.uint64(0x0FFFFFFF) | (x & np.uint64(0x00FFFFFFF0000000)) << np.uint64(4)
    x = x & np.uint64(0x00003FFF00003FFF) | (x & np.uint64(0x0FFFC0000FFFC000)) << np.uint64(2)
    x = x & np.uint64(0x007F007F007F007F) | (x & np.uint64(0x3F803F803F803F80)) << np.uint64(1)
    x |= _MORE[lengths]
    words: Words = np.ndarray((len(data) - _WORD + 1,), "<u8", data, strides=(1,))
    # in ascending order, so that each number overwrites the zeros after the one before it
    words[at] = x
    for digit in (_WORD, _WORD + 1):
        long = np.flatnonzero(lengths > digit)
        rest = numbers[long] >> np.uint64(7 * digit)
        byte = (rest & np.uint64(0x7F)) | np.where(lengths[long] > digit + 1, 0x80, 0).astype(np.uint64)
        data[at[long] + digit] = byte.astype(np.uint8)


# The bits of the digits that another follows, for numbers of 0 to 10 digits.
_MORE = np.array(
    [sum(0x80 << 8 * digit for digit in range(min(max(length - 1, 0), _WORD))) for length in range(11)],
    np.uint64,
)


def _put(data: Bytes, at: Longs, values: Longs, width: int) -> None:
    """Write numbers with the most significant byte first."""
    for i in range(width):
        data[at + i] = (values >> 8 * (width - 1 - i) & 0xFF).astype(np.uint8)
