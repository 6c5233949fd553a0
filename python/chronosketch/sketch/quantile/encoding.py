"""Write many quantile sketches at once."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.checksums import checksums
from chronosketch.sketch.codec.wire import MOST_BYTES
from chronosketch.sketch.quantile.segments import starts_of
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
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
# Padding around all rows, for eight-byte words that begin or end there.
_PADDING = 8
_WORD = 8
# The numbers that a cache holds.
_IN_CACHE = 1 << 14


def encode(summaries: Summaries, domains: Longs, epsilons: Doubles) -> tuple[Bytes, Longs]:
    """Return the stored bytes of all, one after the other, and where each begins, with the end of the last.

    `domains` has a type's kind and its two parameters, one byte each.
    """
    numbers, sizes = _numbers(summaries)
    return rows_with(_FAMILY, (~summaries.exact).astype(np.uint8), numbers, sizes, domains, epsilons)


def rows_with(
    family: int, forms: Bytes | None, numbers: Words, sizes: Longs, domains: Longs, parameters: Doubles
) -> tuple[Bytes, Longs]:
    """Return the bytes of sketches of a family with one parameter, as `encode` does.

    `forms` is the first byte of each payload, if the family has one. `numbers` are the varints of
    all payloads after it, and `sizes` says how many each has.
    """
    payload_at = _FORM_AT + (forms is not None)
    lengths = varint_lengths(numbers)
    payloads = np.add.reduceat(lengths, starts_of(sizes), dtype=np.int64) if len(sizes) else sizes
    rows = payload_at + payloads + _CHECKSUM
    if len(rows) and int(rows.max()) > MOST_BYTES:
        raise Refusal("SKETCH_TOO_LARGE", limit=MOST_BYTES)
    bounds = np.append(0, np.cumsum(rows))
    data = np.zeros(int(bounds[-1]) + 2 * _PADDING, np.uint8)
    begin = bounds[:-1] + _PADDING
    end = bounds[1:] + _PADDING - _CHECKSUM
    before = np.cumsum(lengths, dtype=np.int64) - lengths
    payload_starts = before[starts_of(sizes)] if len(sizes) else sizes
    shift = np.repeat(begin + payload_at - payload_starts, sizes)
    write_varints(data, before + shift, numbers, lengths)
    for i, byte in enumerate(_MAGIC_AND_VERSION):
        data[begin + i] = byte
    _put(data, begin + _LENGTH_AT, rows, 4)
    data[begin + _FAMILY_AT] = family
    _put(data, begin + _DOMAIN_AT, domains, 3)
    data[begin + _PARAMETERS_AT] = 1
    _put(data, begin + _EPSILON_AT, parameters.view(np.int64), _WORD)
    if forms is not None:
        data[begin + _FORM_AT] = forms
    words: Words = np.ndarray((len(data) - _WORD + 1,), "<u8", data, strides=(1,))
    _put(data, end, checksums(words, begin, end).astype(np.int64), _CHECKSUM)
    return data[_PADDING : len(data) - _PADDING], bounds


def _numbers(summaries: Summaries) -> tuple[Words, Longs]:
    """Return the varints of all payloads after the form, and how many each payload has."""
    sizes, exact = summaries.sizes, summaries.exact
    sections = np.where(exact, 2, 3)
    each = 1 + sections * sizes
    numbers = np.empty(int(each.sum()), np.int64)
    first = starts_of(each)
    numbers[first] = sizes
    full = sizes > 0
    at = np.repeat(first + 1 - starts_of(sizes), sizes) + np.arange(len(summaries.keys))
    head = starts_of(sizes)[full]
    keys = summaries.keys.copy()
    keys[1:] -= summaries.keys[:-1]
    least = summaries.keys[head]
    keys[head] = least << 1 ^ least >> 63
    numbers[at] = keys
    step = np.repeat(sizes, sizes)
    numbers[at + step] = summaries.gs
    if not exact.all():
        tuples = np.repeat(~exact, sizes)
        numbers[(at + 2 * step)[tuples]] = summaries.deltas[tuples]
    return numbers.view(np.uint64), each


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


def rows_of(data: Bytes, bounds: Longs) -> list[bytes]:
    """Return the bytes of each row."""
    whole = data.tobytes()
    ends = bounds.tolist()
    return [whole[start:end] for start, end in pairwise(ends)]
