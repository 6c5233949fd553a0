"""How few buckets are enough for the rows of those there are."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.quantile.share import share
from chronosketch.sketch.window.buckets import Bucket, Cell, first_from

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Ranks are whole, which costs up to two elements more, and half of those that straddle may make an answer
# wrong: so many fewer pay for that.
_SPARED = 6


def most_around(epsilon: float, after: int) -> int:
    """Return how many elements may straddle a position that so many stand after."""
    return max(0, share(epsilon, after) - _SPARED)


def most_single(epsilon: float) -> int:
    """Return of how many elements no two positions may be one bucket, wherever they are."""
    if epsilon == 0:
        return MOST_LONG // 4
    after = int(min(8 / epsilon, float(MOST_LONG))) + 2
    while most_around(epsilon, after) >= 2:
        after -= 1
    return after + 2


class Joining:
    """Buckets that are joined as far as the promise of a sketch allows.

    Top down: all that lies inside a cell becomes one bucket, if it and the buckets of larger cells around it
    keep the promise; else the bucket of that very cell stays, and its halves are looked at.

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
        """Return the buckets, in order."""
        self._visit(0, len(self._buckets), 0, 0)
        return self._joined

    def _count(self, start: int, end: int) -> int:
        return self._before[end] - self._before[start]

    def _visit(self, start: int, end: int, around: int, after: int) -> None:
        """Join the buckets from one to another.

        `around` is how many elements the buckets have whose cells have these inside, and `after` is how many
        begin after them.
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
