"""Count the rows of each bucket that are in a window, with bounds."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from chronosketch.sketch.domain.values import value_of
from chronosketch.sketch.refusal import Refusal
from chronosketch.sketch.window.constraint import span_text
from chronosketch.sketch.window.newer import Newer
from chronosketch.sketch.window.reach import Longer, Reach, Rows, Shorter, Span, earlier, reach, reaches_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chronosketch.sketch.window.buckets import Bucket, StoredRows
    from chronosketch.sketch.window.constraint import Condition


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
        if isinstance(first, Rows) and self.as_of is None and all(r == first for r in self.reaches):
            return min(first.rows, self._rows.held)
        return None

    def __iter__(self) -> Iterator[tuple[Bucket, int, int]]:
        """Yield every bucket that may have selected rows, with bounds of their number."""
        for c, buckets in enumerate(self._rows.classes):
            if self.reaches[c] is False:
                continue
            for bucket in buckets:
                least, most = self._meant(self.reaches[c], c, bucket)
                if most > 0 and bucket.time <= self._end:
                    yield bucket, 0 if bucket.last_time > self._end else least, most

    def _meant(self, of: Reach, c: int, bucket: Bucket) -> tuple[int, int]:
        if isinstance(of, Shorter | Longer):
            left, right = self._meant(of.left, c, bucket), self._meant(of.right, c, bucket)
            better = min if isinstance(of, Shorter) else max
            return better(left[0], right[0]), better(left[1], right[1])
        if isinstance(of, Rows):
            least = of.rows - self._newer.most(c, bucket)
            most = of.rows - self._newer.least(c, bucket)
            return max(0, min(bucket.count, least)), max(0, min(bucket.count, most))
        if isinstance(of, Span):
            before, is_all = earlier(self._from, of.span), reaches_all(self._from, of.span)
            least = bucket.count if is_all or bucket.time > before else 0
            return least, bucket.count if is_all or bucket.last_time > before else 0
        return (bucket.count, bucket.count) if of else (0, 0)

    def _require_kept(self) -> None:
        """Refuse a window with rows that may have been forgotten."""
        rows = self._rows
        if rows.keeps_all or rows.held == 0 or all(map(self._is_kept, self.reaches)):
            return
        as_of = "the newest row" if self.as_of is None else str(value_of(self.as_of, rows.time_domain))
        raise Refusal("BEYOND_RETENTION", retention=span_text(rows.retention, rows.time_domain), asOf=as_of)

    def _is_kept(self, of: Reach) -> bool:
        if isinstance(of, Shorter):
            return self._is_kept(of.left) or self._is_kept(of.right)
        if isinstance(of, Longer):
            return self._is_kept(of.left) and self._is_kept(of.right)
        horizon = earlier(self._rows.newest, self._rows.retention)
        if isinstance(of, Span):
            return earlier(self._from, of.span) >= horizon
        if isinstance(of, Rows):
            return self._rows.forgotten == 0 or self._newer.since(horizon) >= of.rows
        return not of or self._rows.forgotten == 0
