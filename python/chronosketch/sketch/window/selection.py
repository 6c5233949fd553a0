"""Count the rows of each bucket that are in a window, with bounds."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from chronosketch.sketch.domain.values import value_of
from chronosketch.sketch.refusal import Refusal
from chronosketch.sketch.window.constraint import span_text
from chronosketch.sketch.window.reach import (
    Longer,
    Reach,
    RowReach,
    Shorter,
    TimeReach,
    earlier,
    reach,
    reaches_all,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from chronosketch.sketch.window.buckets import Bucket, StoredRows
    from chronosketch.sketch.window.constraint import Condition


class Newer:
    """Bounds of the number of rows, of all classes and up to a time, that are newer than a bucket's rows.

    Rows at one position are ordered by class. A larger bucket that ends there may belong before or after any
    class.

    Examples
    --------
    >>> from chronosketch.sketch.window.buckets import Bucket
    >>> from chronosketch.sketch.window.selection import Newer
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


class Selection:
    """The rows up to a time that meet a condition. The window ends at that time or at the newest row."""

    def __init__(self, rows: StoredRows, condition: Condition, as_of: int | None) -> None:
        self._rows = rows
        self.as_of = as_of
        self._end = rows.newest if as_of is None else min(rows.newest, as_of)
        self._from = rows.newest if as_of is None else as_of
        self.reaches = [reach(condition, c, rows.time_domain, rows.filters) for c in range(len(rows.classes))]
        self._require_kept()

    @cached_property
    def _newer(self) -> Newer:
        return Newer(self._rows.classes, self._end)

    @property
    def rows(self) -> int | None:
        """The number of rows, if it is certain; else None."""
        first = self.reaches[0]
        if isinstance(first, RowReach) and self.as_of is None and all(r == first for r in self.reaches):
            return min(first.rows, self._rows.held)
        return None

    def __iter__(self) -> Iterator[tuple[Bucket, int, int]]:
        """Yield every bucket that may have selected rows, with bounds of their number."""
        for c, buckets in enumerate(self._rows.classes):
            if self.reaches[c] is False:
                continue
            for bucket in buckets:
                least, most = self._row_bounds(self.reaches[c], c, bucket)
                if most > 0 and bucket.time <= self._end:
                    yield bucket, 0 if bucket.last_time > self._end else least, most

    def _row_bounds(self, extent: Reach, c: int, bucket: Bucket) -> tuple[int, int]:
        if isinstance(extent, Shorter | Longer):
            left, right = self._row_bounds(extent.left, c, bucket), self._row_bounds(extent.right, c, bucket)
            better = min if isinstance(extent, Shorter) else max
            return better(left[0], right[0]), better(left[1], right[1])
        if isinstance(extent, RowReach):
            least = extent.rows - self._newer.most(c, bucket)
            most = extent.rows - self._newer.least(c, bucket)
            return max(0, min(bucket.count, least)), max(0, min(bucket.count, most))
        if isinstance(extent, TimeReach):
            before, is_all = earlier(self._from, extent.span), reaches_all(self._from, extent.span)
            least = bucket.count if is_all or bucket.time > before else 0
            return least, bucket.count if is_all or bucket.last_time > before else 0
        return (bucket.count, bucket.count) if extent else (0, 0)

    def _require_kept(self) -> None:
        """Refuse a window with rows that may have been forgotten."""
        rows = self._rows
        if rows.keeps_all or rows.held == 0 or all(map(self._is_kept, self.reaches)):
            return
        as_of = "the newest row" if self.as_of is None else str(value_of(self.as_of, rows.time_domain))
        raise Refusal("BEYOND_RETENTION", retention=span_text(rows.retention, rows.time_domain), asOf=as_of)

    def _is_kept(self, extent: Reach) -> bool:
        if isinstance(extent, Shorter):
            return self._is_kept(extent.left) or self._is_kept(extent.right)
        if isinstance(extent, Longer):
            return self._is_kept(extent.left) and self._is_kept(extent.right)
        horizon = earlier(self._rows.newest, self._rows.retention)
        if isinstance(extent, TimeReach):
            return earlier(self._from, extent.span) >= horizon
        if isinstance(extent, RowReach):
            return self._rows.forgotten == 0 or self._newer.since(horizon) >= extent.rows
        return not extent or self._rows.forgotten == 0
