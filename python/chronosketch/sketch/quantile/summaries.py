"""Merge and thin the summaries of many quantile sketches, which lie in a few arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from chronosketch.sketch.quantile.segments import order_within, starts_of, sums_within
from chronosketch.sketch.quantile.tuples import Longs, Tuples, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Flags: TypeAlias = npt.NDArray[np.bool_]
    Doubles: TypeAlias = npt.NDArray[np.float64]

# If every rank is certain, up to this many tuples, times epsilon, are all kept.
FEW_EXACT = 2.0

# If ranks are uncertain and there are up to this many tuples, times epsilon, thinning uses only half of the
# error.
_FEW = 8.0

# The targets for the number of tuples, times epsilon. The first is taken that uses at most a part of the
# error that is left, or else the last.
_AIMS = (2.8, 3.0, 4.0, 6.0)
_PART = 0.6
_LAST_AIM = 8.0

# If at most this share of a tuple's elements have the key itself, these do not get a tuple of their own.
_FOLDED = 0.25

# The rounds in which one key is put back into each gap that is too wide. After them all of its keys are.
_REPAIRS = 4

# The largest relative error of a product of doubles, with room to spare.
_PRODUCT = 2.0**-50
_WHOLE_DOUBLES = 1 << 53


@dataclass(frozen=True)
class Summaries:
    """The summaries of many sketches, one after the other.

    Attributes
    ----------
    exact : array of bool
        Which of them consist of keys and their counts. The others consist of tuples (v, g, Δ).
    sizes : array of int64
        The number of keys or tuples of each.
    keys, gs, deltas : array of int64
        The tuples; of exact ones the keys, the counts and 0.
    """

    exact: Flags
    sizes: Longs
    keys: Longs
    gs: Longs
    deltas: Longs

    def tuples(self, i: int) -> Tuples:
        """Return the tuples of one of them."""
        start = int(starts_of(self.sizes)[i])
        part = slice(start, start + int(self.sizes[i]))
        if self.exact[i]:
            return Tuples.counted(self.keys[part], self.gs[part])
        return Tuples(self.keys[part], self.gs[part], self.deltas[part])


@dataclass(frozen=True)
class Steps:
    """The rank bounds of many sketches, one after the other. None of them is empty.

    Attributes
    ----------
    sizes : array of int64
        The number of keys of each.
    keys : array of int64
        The keys, ascending within each.
    low, high : array of int64
        Bounds of the number of elements at or below each key. One array if all ranks are certain.
    """

    sizes: Longs
    keys: Longs
    low: Longs
    high: Longs

    @staticmethod
    def united(sizes: Longs, keys: Longs, more_low: Longs, more_high: Longs) -> Steps:
        """Return the sums of the rank bounds of several sketches each, which lie one after the other.

        Parameters
        ----------
        sizes : array of int64
            How many keys the sketches of each union have together.
        keys : array of int64
            The keys of all.
        more_low, more_high : array of int64
            What a key adds to the bounds of its sketch.
        """
        order, keys = order_within(keys, sizes)
        low = sums_within(more_low[order], sizes)
        high = low if more_high is more_low else sums_within(more_high[order], sizes)
        last = np.append(keys[1:] != keys[:-1], True)
        last[np.cumsum(sizes) - 1] = True
        if last.all():
            return Steps(sizes, keys, low, high)
        at = np.flatnonzero(last)
        lasts = np.add.reduceat(last, starts_of(sizes), dtype=np.int64)
        low_there = low[at]
        return Steps(lasts, keys[at], low_there, low_there if high is low else high[at])

    @property
    def counts(self) -> Longs:
        """The number of elements of each."""
        counts: Longs = self.low[np.cumsum(self.sizes) - 1]
        return counts

    def increments(self) -> tuple[Longs, Longs]:
        """Return what each key adds to the two bounds."""
        low = _differences(self.low, self.sizes)
        return low, low if self.high is self.low else _differences(self.high, self.sizes)

    def thinned(self, epsilons: Doubles, *, unions: Flags | None = None, is_last: bool = True) -> Summaries:
        """Return summaries with about 2.8/ε tuples, or more if the error must not grow so far.

        `unions` says which of them are unions of several sketches; the others keep what they have.
        `is_last` is whether nothing will be merged with the result soon.
        """
        thinning = _Thinning(self, epsilons, unions)
        return thinning.summaries(*thinning.kept(is_last=is_last))


class _Thinning:
    """Chooses the keys of summaries that are kept.

    The gap between two neighbours a < b that are kept is A⁺(b−) + 1 − A⁻(a). A⁻ and A⁺ bound the number of
    elements at or below a key, and b− is the key before b. No gap may exceed ⌊2εn⌋.
    """

    def __init__(self, steps: Steps, epsilons: Doubles, unions: Flags | None) -> None:
        self._steps = steps
        self._unions = unions
        self._epsilons = epsilons
        self._counts = steps.counts
        self._limits = np.maximum(1, shares(2 * epsilons, self._counts))

    def kept(self, *, is_last: bool) -> tuple[Longs | None, Doubles]:
        """Return the positions of the keys to keep, or None for all, and the most elements between two.

        The second is one number for each sketch. It is 0 for those that are not thinned.
        """
        all_keys = None, np.zeros(len(self._epsilons))
        steps, sizes = self._steps, self._steps.sizes
        is_certain = steps.high is steps.low
        # a key takes two tuples at most
        if is_certain and (2 * sizes * self._epsilons <= FEW_EXACT).all():
            return all_keys
        first = starts_of(sizes)
        before = shifted(steps.low, first)
        reach = shifted(steps.high, first)
        reach += 1
        gaps = reach - before
        certain = (
            np.ones(len(sizes), np.bool_)
            if is_certain
            else np.logical_and.reduceat(steps.low == steps.high, first)
        )
        tuples = sizes + np.add.reduceat(steps.low > reach, first, dtype=np.int64)
        large = tuples * self._epsilons
        # what will be merged again leaves the error to later unions
        many = large > np.where(certain, FEW_EXACT, 0.0 if is_last else _FEW)
        if self._unions is not None:
            many &= self._unions
        if not many.any():
            return all_keys
        widest = np.maximum.reduceat(gaps, first)
        # the outermost keys are always kept
        rooms = self._rooms(certain, widest, is_last=is_last)
        some = ~certain & (large <= _FEW)
        half = np.maximum(1, shares(self._epsilons, self._counts))
        between = np.where(many, np.where(some, half, rooms), 0.0)
        room = np.repeat(between, sizes)
        limit = np.repeat(self._limits, sizes)
        more = steps.low - before
        # the part of a gap that a key fills
        parts = np.minimum(1.0, more / np.minimum(room, limit - gaps).clip(1.0))
        cell = np.floor(np.cumsum(parts))
        keep = np.append(cell[1:] != cell[:-1], True)
        keep |= (more > room) | np.repeat(~many, sizes)
        keep[first] = True
        keep[np.cumsum(sizes) - 1] = True
        for i in np.flatnonzero(some & many).tolist():
            part = slice(first[i], first[i] + sizes[i])
            keep[part] = _fewest(steps.low[part], reach[part], int(half[i]))
        return self._repaired(keep, limit, reach), between

    def _rooms(self, certain: Flags, widest: Longs, *, is_last: bool) -> Doubles:
        allowed = self._epsilons * self._counts
        left = (self._limits - widest).astype(np.float64)
        rooms = np.minimum(allowed / _LAST_AIM, left)
        if is_last:
            for aim in reversed(_AIMS):
                rooms = np.where(allowed / aim <= _PART * left, allowed / aim, rooms)
        return np.where(certain, np.floor(allowed), rooms)

    def _repaired(self, keep: Flags, limit: Longs, reach: Longs) -> Longs:
        """Put back keys wherever a gap would be above its limit."""
        low, sizes = self._steps.low, self._steps.sizes
        first = np.zeros(len(low), np.bool_)
        first[starts_of(sizes)] = True
        for repair in range(_REPAIRS + 1):
            at = np.flatnonzero(keep)
            gap = reach[at] - np.where(first[at], 0, np.append(0, low[at[:-1]]))
            wide = np.flatnonzero(gap > limit[at])
            wide = wide[at[wide] - np.append(-1, at)[wide] > 1]
            if not len(wide):
                break
            if repair < _REPAIRS:
                keep[at[wide] - 1] = True
            else:
                change = np.zeros(len(low) + 1, np.int64)
                np.add.at(change, at[wide - 1], 1)
                np.add.at(change, at[wide], -1)
                keep |= np.cumsum(change)[:-1] > 0
        return np.flatnonzero(keep)

    def summaries(self, kept: Longs | None, between: Doubles) -> Summaries:
        """Return the tuples of the keys that `kept` gives."""
        steps, sizes = self._steps, self._steps.sizes
        keys, low, high = steps.keys, steps.low, steps.high
        if kept is None and high is low:
            counts = _differences(low, sizes)
            return Summaries(np.ones(len(sizes), np.bool_), sizes, keys, counts, np.zeros_like(counts))
        if kept is not None:
            owner = np.repeat(np.arange(len(sizes)), sizes)[kept]
            sizes = np.bincount(owner, minlength=len(sizes))
            # below the next key that is kept: at most what is below it in the whole
            high = np.append(high[kept[1:] - 1], high[-1])
            keys, low = keys[kept], low[kept]
        first = starts_of(sizes)
        reach = shifted(high, first) + 1
        if kept is not None:
            low = self._folded(low, reach, sizes, between)
        before = shifted(low, first)
        pairs = low > reach
        sure = ~pairs & (low == reach)
        exact = np.logical_and.reduceat((reach - before <= 1) & (pairs | sure), first)
        return _summaries(keys, low - before, reach - before, pairs, sizes, exact)

    def _folded(self, low: Longs, reach: Longs, sizes: Longs, between: Doubles) -> Longs:
        """Leave a few copies of a key to the next tuple, so that the key needs no second one."""
        excess = low - reach
        after = np.append(reach[1:], reach[-1]) - reach
        fold = (excess > 0) & (excess <= np.repeat(_FOLDED * between, sizes))
        fold &= after <= np.repeat(self._limits, sizes)
        fold[np.cumsum(sizes) - 1] = False
        return np.where(fold, reach, low)


def _summaries(keys: Longs, gs: Longs, reach: Longs, pairs: Flags, sizes: Longs, exact: Flags) -> Summaries:
    """Return tuples of keys with g elements each. The first of a key has at most `reach` with its Δ."""
    copies = 1 + (pairs & ~np.repeat(exact, sizes))
    total = np.cumsum(copies)
    second = (total - 1)[copies == 2]
    tuples = np.repeat(gs, copies)
    deltas = np.repeat(np.maximum(reach - gs, 0), copies)
    two = copies == 2
    tuples[second] = (gs - reach)[two]
    tuples[second - 1] = reach[two]
    deltas[np.repeat(np.repeat(exact, sizes), copies)] = 0
    return Summaries(
        exact,
        np.add.reduceat(copies, starts_of(sizes)),
        np.repeat(keys, copies),
        tuples,
        deltas,
    )


def _fewest(low: Longs, reach: Longs, limit: int) -> Flags:
    """Return which keys of a sketch to keep, so that as few as possible have no gap above a limit."""
    last = len(low) - 1
    farthest = np.searchsorted(reach, low + np.minimum(limit, low[-1] - low), "right").tolist()
    keep = np.zeros(len(low), np.bool_)
    at = 0
    kept = [at]
    while at < last:
        # the next key is kept even if its gap is above the limit already
        at = max(at + 1, min(farthest[at] - 1, last))
        kept.append(at)
    keep[kept] = True
    return keep


def merged_tuples(lists: Sequence[Tuples], epsilon: float) -> Tuples:
    """Return the union of the tuples of several sketches, the largest epsilon of which is given.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.summaries import merged_tuples
    >>> from chronosketch.sketch.quantile.tuples import Tuples
    >>> merged_tuples([Tuples.counted([1, 3], [1, 1]), Tuples.counted([2], [4])], 0.1).counts()
    (array([1, 2, 3]), array([1, 4, 1]))
    """
    full = [tuples for tuples in lists if len(tuples)]
    if len(full) < 2:
        return full[0] if full else Tuples.of([], [], [])
    columns = [tuples.steps() for tuples in full]
    sizes = np.array([len(keys) for keys, _, _ in columns])
    parts = Steps(sizes, *(np.concatenate(column) for column in zip(*columns, strict=True)))
    union = Steps.united(sizes.sum(keepdims=True), parts.keys, *parts.increments())
    return union.thinned(np.array([epsilon])).tuples(0)


def shares(epsilons: Doubles, n: Longs) -> Longs:
    """Return ⌊epsilon · n⌋ exactly."""
    product = epsilons * n
    whole = np.floor(product)
    near = (np.abs(product - np.rint(product)) <= product * _PRODUCT) | (n > _WHOLE_DOUBLES)
    found = np.where(near, 0, whole).astype(np.int64)
    for i in np.flatnonzero(near):
        found[i] = share(float(epsilons[i]), int(n[i]))
    return found


def shifted(values: Longs, first: Longs) -> Longs:
    """Return the values one position before, and 0 where a sketch begins."""
    before = np.empty_like(values)
    before[1:] = values[:-1]
    before[first] = 0
    return before


def _differences(values: Longs, sizes: Longs) -> Longs:
    """Return what each value is more than the one before it of the same sketch."""
    return values - shifted(values, starts_of(sizes))
