"""Sorts and running sums within consecutive segments of an array, one segment for each sketch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from chronosketch.sketch.quantile.tuples import Longs

# Longer segments are sorted one by one; shorter ones of similar lengths together, as rows of a matrix.
_LONG = 2048
_GREATEST = np.iinfo(np.int64).max


def starts_of(sizes: Longs) -> Longs:
    """Return where each segment begins."""
    return np.cumsum(sizes) - sizes


def places(starts: Longs, sizes: Longs) -> Longs:
    """Return the positions of all elements of some segments, one segment after the other."""
    total = int(sizes.sum())
    return np.repeat(starts - starts_of(sizes), sizes) + np.arange(total)


def sums_within(values: Longs, sizes: Longs) -> Longs:
    """Return the running sums within each segment. No segment is empty."""
    sums = np.cumsum(values)
    if len(sizes) > 1:
        past = np.cumsum(sizes)[:-1] - 1
        sums -= np.repeat(np.append(0, sums[past]), sizes)
    return sums


def sort_within(keys: Longs, sizes: Longs) -> Longs:
    """Return the keys, sorted within each segment."""
    if len(sizes) == 1:
        return np.sort(keys)
    keys = keys.copy()
    starts = starts_of(sizes)
    for i in np.flatnonzero(sizes > _LONG):
        keys[starts[i] : starts[i] + sizes[i]].sort()
    for at, width in _similar(sizes):
        part = places(starts[at], sizes[at])
        if (sizes[at] == width).all():
            keys[part] = np.sort(keys[part].reshape(-1, width), axis=1).reshape(-1)
            continue
        mask = np.arange(width) < sizes[at][:, None]
        rows = np.full(mask.shape, _GREATEST)
        rows[mask] = keys[part]
        keys[part] = np.sort(rows, axis=1)[mask]
    return keys


def order_within(keys: Longs, sizes: Longs) -> Longs:
    """Return the positions of the keys in ascending order within each segment."""
    if len(sizes) == 1:
        return np.argsort(keys, kind="stable")
    order = np.arange(len(keys))
    starts = starts_of(sizes)
    for i in np.flatnonzero(sizes > _LONG):
        start, end = int(starts[i]), int(starts[i] + sizes[i])
        order[start:end] = start + np.argsort(keys[start:end], kind="stable")
    for at, width in _similar(sizes):
        part = places(starts[at], sizes[at])
        mask = np.arange(width) < sizes[at][:, None]
        rows = np.full(mask.shape, _GREATEST)
        rows[mask] = keys[part]
        # stable, so that the padding comes after keys that are as great
        order[part] = (starts[at][:, None] + np.argsort(rows, axis=1, kind="stable"))[mask]
    return order


def _similar(sizes: Longs) -> list[tuple[Longs, int]]:
    """Return segments that are not long, in classes of similar lengths, and the greatest length of each."""
    short = np.flatnonzero((sizes > 1) & (sizes <= _LONG))
    classes = np.frexp(sizes[short] - 1)[1]
    alike = [short[classes == one] for one in np.unique(classes)]
    return [(at, int(sizes[at].max())) for at in alike]
