"""Merge buckets until there are as few as the guarantee allows."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.quantile.tuples import share
from chronosketch.sketch.window.buckets import Bucket, Cell, first_from

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# The margin of elements that may straddle a position: ranks are integers, which costs up to two elements, and
# half of the straddling elements may make an answer wrong.
_MARGIN = 6


def most_around(epsilon: float, after: int) -> int:
    """Return how many elements may straddle a position with `after` elements after it."""
    return max(0, share(epsilon, after) - _MARGIN)


def most_single(epsilon: float) -> int:
    """Return the greatest number of newest elements among which no two positions may share a bucket."""
    if epsilon == 0:
        return MOST_LONG // 4
    after = int(min(8 / epsilon, float(MOST_LONG))) + 2
    while most_around(epsilon, after) >= 2:
        after -= 1
    return after + 2


class Joining:
    """Merges buckets as far as the guarantee of a sketch allows.

    It works top down. The buckets inside a cell are merged into one if this and the larger buckets around it
    keep the guarantee. Otherwise the bucket of the cell itself stays, and both halves are visited.

    Examples
    --------
    >>> from chronosketch.sketch.window.joining import Joining
    >>> single = [Bucket(time, 0, 0, 1) for time in range(100)]
    >>> joined = Joining(single, 0.5, lambda _: None).result()
    >>> len(joined), sum(bucket.count for bucket in joined)
    (26, 100)
    """

    def __init__(
        self, buckets: list[Bucket], epsilon: float, content: Callable[[Sequence[Bucket]], object]
    ) -> None:
        self._buckets = buckets
        self._epsilon = epsilon
        self._content = content
        self._most_single = most_single(epsilon)
        self._before = list(accumulate((bucket.count for bucket in buckets), initial=0))
        self._joined: list[Bucket] = []

    def result(self) -> list[Bucket]:
        """Return the merged buckets, in order."""
        self._visit(0, len(self._buckets), 0, 0)
        return self._joined

    def _count(self, start: int, end: int) -> int:
        return self._before[end] - self._before[start]

    def _visit(self, start: int, end: int, around: int, after: int) -> None:
        """Merge the buckets of a range.

        `around` is the number of elements in buckets whose cells contain the range, and `after` the number of
        elements that begin after it.
        """
        count = self._count(start, end)
        if end - start <= 1 or after + count <= self._most_single:
            self._joined += self._buckets[start:end]
            return
        cell = Cell.around(self._buckets[start], self._buckets[end - 1])
        if around + count <= most_around(self._epsilon, after):
            content = self._content(self._buckets[start:end])
            self._joined.append(Bucket(cell.time, cell.tie, cell.level, count, content))
            return
        first = self._buckets[start]
        if first.level == cell.level:
            self._joined.append(first)
            around += first.count
            start += 1
        middle = first_from(self._buckets, start, end, cell.middle)
        self._visit(start, middle, around, after + self._count(middle, end))
        self._visit(middle, end, around, after)
