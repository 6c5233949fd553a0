"""Choose the keys of sketches whose rank error falls towards a tail of the values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.quantile.summaries import FEW_EXACT, Steps, shares
from chronosketch.sketch.quantile.tuples import NO_TUPLES, Tuples, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.sketch.quantile.tuples import Longs

# A built sketch uses this share of its tolerance, so that merges have the rest.
BUILT = 0.5

# The targets for the number of tuples of a union, as multiples of the size of a built sketch. The first is
# taken that uses at most a part of the tolerance that is left. A union above the last one is thinned to it,
# with the whole tolerance if necessary.
_AIMS = (1.8, 2.0, 2.5, 3.0, 4.0)
_PART = 0.6
_LARGE = 5.0

# No product with a factor that is rounded down so far is above the exact one.
_ROUNDED_DOWN = 1 - 2.0**-40

# The halvings that look for the smallest share of the tolerance that reaches a target.
_HALVINGS = 10


@dataclass(frozen=True)
class Tail:
    """The end of the values near which the rank error is a share of the elements from there on.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tail_thinning import Tail
    >>> Tail("high", is_high=True, is_low=False).nearer(900, 100)
    100
    """

    name: str
    is_high: bool
    is_low: bool

    def nearer(self, below: Longs, above: Longs) -> Longs:
        """Return the number of elements on the certain side of a gap, which its width is in proportion to."""
        if self.is_high and self.is_low:
            return np.minimum(below, above)
        return above if self.is_high else below

    def size(self, epsilon: float, n: int) -> float:
        """Return about the number of tuples of a built sketch of n elements."""
        sides = self.is_high + self.is_low
        return sides * (1 + math.log1p(epsilon * n / sides)) / epsilon

    def are_valid(self, tuples: Tuples, epsilon: float) -> bool:
        """Return whether no gap between tuples is wider than the tail allows."""
        first = ~tuples.seconds
        ranks = np.cumsum(tuples.gs)
        below = (ranks - tuples.gs)[first]
        above = (ranks[-1] - ranks - tuples.deltas)[first] + 1
        half = (tuples.gs + tuples.deltas)[first] // 2
        total = self.nearer(below, above) + half
        return bool((half <= shares(np.full(len(total), epsilon), total)).all())


def widest_gap(epsilon: float, n: int) -> int:
    """Return how large g + Δ may be anywhere in a sketch of n elements."""
    return 2 * share(epsilon, n) + 1


def spare(epsilon: float, part: float, near: Longs) -> Longs:
    """Return the largest excess of gaps with `near` elements on their certain side.

    It is within a part of the tolerance, at most 2·⌊εw/(1 − ε)⌋ of w elements, and never rounded up.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.sketch.quantile.tail_thinning import spare
    >>> spare(0.01, 1.0, np.array([98, 99, 100])).tolist()
    [0, 0, 2]
    """
    half = epsilon / (1 - epsilon) * _ROUNDED_DOWN
    near = near.astype(np.float64)
    return np.minimum(2 * (half * near).astype(np.int64), (2 * half * part * near).astype(np.int64))


def ranks_of(tail: Tail, epsilon: float, n: int) -> Longs:
    """Return the ranks from 1 to n that are as far apart as a built sketch allows.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tail_thinning import Tail, ranks_of
    >>> ranks_of(Tail("high", is_high=True, is_low=False), 0.3, 20).tolist()
    [1, 3, 9, 13, 16, 18, 19, 20]
    """
    half = epsilon / (1 - epsilon) * _ROUNDED_DOWN

    def from_end(last: int) -> list[int]:
        found, rank = [], 1
        while rank < last:
            found.append(rank)
            rank += 1 + min(2 * int(half * rank), int(2 * half * BUILT * rank))
        return found

    middle = n if not tail.is_high else 1 if not tail.is_low else (n + 1) // 2
    falling = [n + 1 - rank for rank in from_end(n + 1 - middle)]
    return np.array([*from_end(middle), middle, *reversed(falling)], np.int64)


def merged_tuples(lists: Sequence[Tuples], tail: Tail, epsilon: float) -> Tuples:
    """Return the union of the tuples of several sketches, the largest epsilon of which is given."""
    full = [tuples for tuples in lists if len(tuples)]
    if len(full) < 2:
        return full[0] if full else NO_TUPLES
    columns = [tuples.steps() for tuples in full]
    sizes = np.array([len(keys) for keys, _, _ in columns])
    parts = Steps(sizes, *(np.concatenate(column) for column in zip(*columns, strict=True)))
    union = Steps.united(sizes.sum(keepdims=True), parts.keys, *parts.increments())
    return _Gaps(union, tail, epsilon).thinned()


class _Gaps:
    """The gaps between the keys of a union, of which those within a share of the tolerance are joined."""

    def __init__(self, steps: Steps, tail: Tail, epsilon: float) -> None:
        self._tail = tail
        self._epsilon = epsilon
        self._keys, self._low = steps.keys, steps.low
        # the greatest rank that the first element of a key can have
        self._reach = np.append(0, steps.high[:-1]) + 1
        self._count = int(self._low[-1])
        self._above = self._count - self._reach + 1

    def thinned(self) -> Tuples:
        """Return fewer tuples, as far as the tolerance allows."""
        whole = self._tuples(np.arange(len(self._keys)))
        size = self._tail.size(self._epsilon, self._count) if self._epsilon else math.inf
        if len(whole) <= max(_AIMS[0] * size, FEW_EXACT / self._epsilon if self._epsilon else 0):
            return whole
        used = self._used()
        limit = used + _PART * (1 - used)
        least = len(self._kept(limit))
        aim = next((aim * size for aim in _AIMS if least <= aim * size), None)
        if aim is None:
            if len(whole) <= _LARGE * size:
                return whole
            aim, limit = _LARGE * size, 1.0
        low, high = used, limit
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if len(self._kept(middle)) <= aim else (middle, high)
        return self._tuples(self._kept(high))

    def _used(self) -> float:
        """Return the largest share of the tolerance that a gap uses."""
        before = np.append(0, self._low[:-1])
        excess = (self._reach - before - 1).astype(np.float64)
        near = self._tail.nearer(before, self._above).clip(1)
        return min(1.0, float((excess / (2 * self._epsilon / (1 - self._epsilon) * near)).max()))

    def _kept(self, share: float) -> Longs:
        """Return the positions of the fewest keys between which no gap is above a share of the tolerance."""
        nearest = np.zeros(len(self._keys), np.int64)
        if self._tail.is_high:
            least = self._reach - 1 - spare(self._epsilon, share, self._above)
            nearest = np.searchsorted(self._low, least)
        if self._tail.is_low:
            farthest = self._low + spare(self._epsilon, share, self._low)
            nearest = np.maximum(nearest, np.searchsorted(farthest, self._reach - 1))
        # a gap that is above it already stays
        before = np.minimum(nearest, np.arange(len(nearest)) - 1).tolist()
        at = len(before) - 1
        kept = [at]
        while at > 0:
            at = max(0, before[at])
            kept.append(at)
        return np.array(kept[::-1])

    def _tuples(self, at: Longs) -> Tuples:
        """Return the tuples of the keys at some positions."""
        low, reach = self._low[at], self._reach[at]
        before = np.append(0, low[:-1])
        pairs = low > reach
        copies = 1 + pairs
        second = (np.cumsum(copies) - 1)[pairs]
        gs = np.repeat(low - before, copies)
        gs[second] = (low - reach)[pairs]
        gs[second - 1] = (reach - before)[pairs]
        return Tuples(np.repeat(self._keys[at], copies), gs, np.repeat(np.maximum(reach - low, 0), copies))
