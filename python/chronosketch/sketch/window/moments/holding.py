"""Define the sums that buckets store, and which buckets are merged."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import TYPE_CHECKING

from chronosketch.sketch.domain import double_keys
from chronosketch.sketch.window.buckets import Bucket, Cell, first_from
from chronosketch.sketch.window.holding import Holding
from chronosketch.sketch.window.moments.allowance import Allowance
from chronosketch.sketch.window.moments.sums import Sums

if TYPE_CHECKING:
    from collections.abc import Sequence


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
        whole.settle()
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
            return double_keys.value(bucket.key) if self._is_floating else float(bucket.key)
        assert isinstance(bucket.content, Sums)
        return bucket.content.mean
