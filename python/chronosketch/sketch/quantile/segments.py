"""Sorts and running sums within consecutive segments of an array, one segment for each sketch."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from chronosketch.sketch.quantile.tuples import Longs

    Flags = npt.NDArray[np.bool_]

D = TypeVar("D", bound=np.generic)

# Longer segments are sorted one by one; shorter ones of similar lengths together, as rows of a matrix.
_LONG = 2048
_GREATEST = np.iinfo(np.int64).max
# From this mean length on, segments are copied one by one.
_COPIED = 64


def starts_of(sizes: Longs) -> Longs:
    """Return where each segment begins."""
    return np.cumsum(sizes) - sizes


def places(starts: Longs, sizes: Longs) -> Longs:
    """Return the positions of all elements of some segments, one segment after the other."""
    total = int(sizes.sum())
    return np.repeat(starts - starts_of(sizes), sizes) + np.arange(total)


def picked(values: npt.NDArray[D], starts: Longs, sizes: Longs) -> npt.NDArray[D]:
    """Return the elements of some segments, one segment after the other."""
    total = int(sizes.sum())
    if total < _COPIED * len(sizes) or not total:
        return values[places(starts, sizes)]
    ends = (starts + sizes).tolist()
    return np.concatenate([values[a:b] for a, b in zip(starts.tolist(), ends, strict=True)])


def put(values: npt.NDArray[D], starts: Longs, sizes: Longs, elements: npt.NDArray[D]) -> None:
    """Set the elements of some segments, which are given one segment after the other."""
    if len(elements) < _COPIED * len(sizes):
        values[places(starts, sizes)] = elements
        return
    before = 0
    for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
        values[start : start + size] = elements[before : before + size]
        before += size


def sums_within(values: Longs, sizes: Longs) -> Longs:
    """Return the running sums within each segment. No segment is empty."""
    sums = np.cumsum(values)
    if len(sizes) > 1:
        past = np.cumsum(sizes)[:-1] - 1
        sums -= np.repeat(np.append(0, sums[past]), sizes)
    return sums


def sort_within(keys: Longs, sizes: Longs) -> Longs:
    """Return the keys, sorted within each segment."""
    found: Longs = keys.copy()
    starts = starts_of(sizes)
    for at, width in _alike(sizes):
        rows, mask = _rows(keys, starts[at], sizes[at], width)
        rows = np.sort(rows, axis=1)
        put(found, starts[at], sizes[at], rows.reshape(-1) if mask is None else rows[mask])
    return found


def order_within(keys: Longs, sizes: Longs) -> tuple[Longs, Longs]:
    """Return the positions of the keys in ascending order within each segment, and the keys in that order."""
    order, found = np.arange(len(keys)), keys.copy()
    starts = starts_of(sizes)
    for at, width in _alike(sizes):
        rows, mask = _rows(keys, starts[at], sizes[at], width)
        here, rows = _order_of_rows(rows, mask)
        here += starts[at][:, None]
        if mask is None:
            put(order, starts[at], sizes[at], here.reshape(-1))
            put(found, starts[at], sizes[at], rows.reshape(-1))
        else:
            put(order, starts[at], sizes[at], here[mask])
            put(found, starts[at], sizes[at], rows[mask])
    return order, found


def _alike(sizes: Longs) -> Iterator[tuple[Longs, int]]:
    """Yield segments of several keys, those of similar lengths together, and the greatest length of each."""
    if len(sizes) and (sizes == sizes[0]).all() and 1 < sizes[0] <= _LONG:
        yield np.arange(len(sizes)), int(sizes[0])
        return
    for i in np.flatnonzero(sizes > _LONG):
        yield np.array([i]), int(sizes[i])
    short = np.flatnonzero((sizes > 1) & (sizes <= _LONG))
    classes = np.frexp(sizes[short] - 1)[1]
    for one in np.unique(classes):
        at = short[classes == one]
        yield at, int(sizes[at].max())


def _rows(keys: Longs, starts: Longs, sizes: Longs, width: int) -> tuple[Longs, Flags | None]:
    """Return segments as rows of a matrix. If they have several lengths, say which elements are keys."""
    if (sizes == width).all():
        return picked(keys, starts, sizes).reshape(-1, width), None
    mask = np.arange(width) < sizes[:, None]
    rows = np.full(mask.shape, _GREATEST)
    rows[mask] = picked(keys, starts, sizes)
    return rows, mask


def _order_of_rows(rows: Longs, mask: Flags | None) -> tuple[Longs, Longs]:
    """Return the stable order of the keys of each row, and the keys in that order.

    Numbers are sorted twice as fast as their positions, so each key is joined with its position to one
    number. Of keys far apart the last bits have no room; rows that this disorders are sorted once more.
    """
    width = rows.shape[1]
    bits = width.bit_length()
    above = (rows - rows.min(axis=1, keepdims=True)).view(np.uint64)
    if mask is not None:
        above[~mask] = 0
    dropped = max(0, int(above.max()).bit_length() + bits - 64)
    if dropped:
        above >>= np.uint64(dropped)
    above <<= np.uint64(bits)
    above |= np.arange(width, dtype=np.uint64)
    if mask is not None:
        above[~mask] = np.iinfo(np.uint64).max
    above.sort(axis=1)
    above &= np.uint64((1 << bits) - 1)
    order = above.view(np.int64)
    if mask is not None:
        # the padding of a row is as great as its last element
        np.minimum(order, width - 1, out=order)
    found = rows.reshape(-1).take(order + np.arange(0, rows.size, width)[:, None])
    if dropped:
        again = np.flatnonzero((found[:, 1:] < found[:, :-1]).any(axis=1))
        order[again] = np.argsort(rows[again], axis=1, kind="stable")
        found[again] = np.take_along_axis(rows[again], order[again], axis=1)
    return order, found
