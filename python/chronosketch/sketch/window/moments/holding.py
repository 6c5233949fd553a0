"""Define the sums that buckets store, and which buckets are merged."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.moments import ieee
from chronosketch.sketch.window.buckets import Bucket, Cell, first_from
from chronosketch.sketch.window.holding import Holding
from chronosketch.sketch.window.moments.directed import add_down, add_up
from chronosketch.sketch.window.moments.sums import Sums

if TYPE_CHECKING:
    from collections.abc import Sequence


# Variance below this is ignored.
_LEAST_VARIANCE = 1e-300

# The part of ε that is reserved for rounding, and for means that are far from 0 but close to each other.
_ROUNDING = 1e-6
_FAR = 1e-15


class Allowance:
    """Limits the elements that straddle a position, relative to those after it.

    Let R be the straddling elements, A those after, and c = √((1 + ε)/(1 − ε)) − 1. R has at most
    c·(count of A − 1) elements. The sum of its magnitudes is at most 2ε times that of A. Σ(x − μ)² over R is
    at most c·Σ((x − μ)² + 10⁻³⁰⁰) over A, for every μ. R may have NaN or infinities only if A has them too.

    Examples
    --------
    >>> from chronosketch.sketch.window.moments.holding import Allowance
    >>> Allowance(0.1).most_around(1000)
    105
    """

    def __init__(self, epsilon: float) -> None:
        promised = epsilon * (1 - _ROUNDING)
        self._share = math.sqrt((1 + promised) / (1 - promised)) - 1
        self._magnitudes = 2 * promised

    def most_around(self, after: int) -> int:
        """Return how many elements may straddle a position with `after` elements after it."""
        return 0 if after < 2 else int(self._share * float(after - 1))

    def allows(self, around: Sums, after: Sums) -> bool:
        """Return whether these elements may straddle a position. Their count is not checked."""
        if around.specials & ~after.specials:
            return False
        if after.specials:
            return True
        return self._has_few_magnitudes(around, after) and self._is_near(around, after)

    def _has_few_magnitudes(self, around: Sums, after: Sums) -> bool:
        if not after.magnitude_high <= ieee.MOST:
            return True
        return around.magnitude_high <= self._magnitudes * after.magnitude_low

    def _is_near(self, around: Sums, after: Sums) -> bool:
        """Return whether the minimum of a parabola in μ is not below 0.

        The parabola is c·Σ(x − μ)² over A, minus Σ(x − μ)² over R.
        """
        if not after.has_spread:
            return True
        n = float(around.count)
        weight = self._share * float(after.count)
        if not weight > n:
            return False
        apart = _distance(around, after)
        most = self._share * (after.spread_low + float(after.count) * _LEAST_VARIANCE)
        return around.spread_high + apart * apart * n * (weight / (weight - n)) <= most


def _distance(a: Sums, b: Sums) -> float:
    """Return an upper bound of the distance between the means."""
    n, m = float(a.count), float(b.count)
    high = (add_up(a.anchor, -b.anchor) + a.distance_high / n) - b.distance_low / m
    low = (add_down(a.anchor, -b.anchor) + a.distance_low / n) - b.distance_high / m
    rounding = (abs(a.distance_high / n) + abs(b.distance_high / m)) * _FAR
    # NaN counts as greater
    most = high + low if high != high or low != low else max(abs(high), abs(low))
    return most + rounding


class HoldsMoments(Holding):
    """Stores sums of the elements and of their squared distances."""

    def __init__(self, epsilon: float, *, is_floating: bool) -> None:
        self._allowance = Allowance(epsilon)
        self._is_floating = is_floating

    def both(self, a: object, b: object) -> object:
        """Merge the contents of two buckets of one cell."""
        return plus(a, b)

    def joined(self, buckets: list[Bucket]) -> list[Bucket]:
        """Merge buckets as far as the guarantee allows."""
        return MomentsJoining(buckets, self._allowance, is_floating=self._is_floating).result()


def plus(a: object, b: object) -> Sums:
    """Return the sums of the elements of both."""
    assert isinstance(a, Sums)
    assert isinstance(b, Sums)
    both = a.copy()
    both.add(b)
    return both


class MomentsJoining:
    """Merges buckets as far as an allowance permits, from the newest to the oldest.

    So the elements after a bucket are known when it is visited.
    """

    def __init__(self, buckets: list[Bucket], allowance: Allowance, *, is_floating: bool) -> None:
        self._buckets = buckets
        self._allowance = allowance
        self._is_floating = is_floating
        self._before = list(accumulate((bucket.count for bucket in buckets), initial=0))
        # in order from the newest to the oldest
        self._joined: list[Bucket] = []
        self._after = Sums()

    def result(self) -> list[Bucket]:
        """Return the merged buckets, in order."""
        self._visit(0, len(self._buckets), Sums())
        return self._joined[::-1]

    def _keep(self, bucket: Bucket) -> None:
        self._joined.append(bucket)
        self._after.add_bucket(bucket, bucket.count, is_floating=self._is_floating)

    def _visit(self, start: int, end: int, around: Sums) -> None:
        """Merge the buckets of a range. `around` are the sums of buckets whose cells contain the range."""
        if end - start <= 1:
            for bucket in self._buckets[start:end]:
                self._keep(bucket)
            return
        cell = Cell.around(self._buckets[start], self._buckets[end - 1])
        count = self._before[end] - self._before[start]
        whole = None
        if around.count + count <= self._allowance.most_around(self._after.count):
            whole = self._allowed(self._buckets[start:end], around)
        if whole is not None:
            self._joined.append(Bucket(cell.time, cell.tie, cell.level, count, whole))
            self._after.add(whole)
            return
        first = self._buckets[start]
        is_own = first.level == cell.level
        if is_own:
            around = plus(around, first.content)
            start += 1
        middle = first_from(self._buckets, start, end, cell.middle)
        self._visit(middle, end, around)
        self._visit(start, middle, around)
        if is_own:
            self._keep(first)

    def _allowed(self, buckets: Sequence[Bucket], around: Sums) -> Sums | None:
        """Return the sums of buckets, or None if they must not be merged."""
        whole = self._gathered(buckets)
        straddling = plus(around, whole) if around.count else whole
        return whole if self._allowance.allows(straddling, self._after) else None

    def _gathered(self, buckets: Sequence[Bucket]) -> Sums:
        whole = Sums(anchor=self._anchor(buckets))
        for bucket in buckets:
            if bucket.level:
                assert isinstance(bucket.content, Sums)
                whole.add_near(bucket.content)
            else:
                whole.add_copies_near(bucket.key, bucket.count, is_floating=self._is_floating)
        whole.recenter()
        return whole

    def _anchor(self, buckets: Sequence[Bucket]) -> float:
        """Return a double near the mean. For integer values it is an integer."""
        least, most, total, n = math.inf, -math.inf, 0.0, 0.0
        for bucket in buckets:
            value = self._value(bucket)
            if math.isfinite(value):
                least, most = min(least, value), max(most, value)
                total += value * float(bucket.count)
                n += float(bucket.count)
        if n == 0:
            return 0.0
        mean = total / n
        within = max(least, min(most, mean)) if math.isfinite(mean) else least
        return within if self._is_floating else float(round(within))

    def _value(self, bucket: Bucket) -> float:
        """Return the element of a bucket with one position, or the mean of another bucket."""
        if bucket.level == 0:
            return doubles.value(bucket.key) if self._is_floating else float(bucket.key)
        assert isinstance(bucket.content, Sums)
        return bucket.content.mean
