"""Count the rows that are newer than those of a bucket."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.sketch.window.buckets import Bucket


class Newer:
    """Bounds of the number of rows, of all classes and up to a time, that are newer than a bucket's rows.

    Rows at one position are ordered by class. A larger bucket that ends there may belong before or after any
    class.

    Examples
    --------
    >>> from chronosketch.sketch.window.buckets import Bucket
    >>> from chronosketch.sketch.window.newer import Newer
    >>> old, new = Bucket(1, 0, 0, 5), Bucket(2, 0, 0, 7)
    >>> Newer([[old, new]], 2).least(0, old), Newer([[old, new]], 2).most(0, new)
    (7, 0)
    """

    def __init__(self, classes: Sequence[Sequence[Bucket]], end: int) -> None:
        self._end = end
        self._classes = len(classes)
        all_of = [(c, bucket) for c, buckets in enumerate(classes) for bucket in buckets]
        # for lower bounds: buckets that lie completely before the end
        starts = sorted(((*b.first, c), b.count) for c, b in all_of if b.last_time <= end)
        # for upper bounds: buckets that begin before the end
        ends = sorted(((*b.last, self._end_class(c, b)), b.count) for c, b in all_of if b.time <= end)
        self._starts = [place for place, _ in starts]
        self._from_start = _from_here(starts)
        self._ends = [place for place, _ in ends]
        self._from_end = _from_here(ends)

    def _end_class(self, c: int, bucket: Bucket) -> int:
        return c if bucket.level == 0 else self._classes

    def least(self, c: int, bucket: Bucket) -> int:
        """Return a lower bound of the number of rows after all of the bucket's rows."""
        place = (*bucket.last, self._end_class(c, bucket))
        return self._from_start[bisect_right(self._starts, place)]

    def most(self, c: int, bucket: Bucket) -> int:
        """Return an upper bound of the number of other rows after the bucket's last row but one."""
        place = (*bucket.first, c if bucket.level == 0 else -1)
        reaching = self._from_end[bisect_left(self._ends, place)]
        return reaching - (bucket.count if bucket.time <= self._end else 0)

    def since(self, time: int) -> int:
        """Return a lower bound of the number of rows after a time."""
        return self._from_start[bisect_right(self._starts, time, key=lambda place: place[0])]


def _from_here(placed: list[tuple[tuple[int, int, int], int]]) -> list[int]:
    return [*accumulate((count for _, count in reversed(placed)), initial=0)][::-1]
