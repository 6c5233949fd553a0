"""The base class of sketches that windows are taken from."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from chronosketch.sketch.base import Sketch
from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.domain.values import Value, domain_of, example_of, key_of
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.refusal import Refusal, question
from chronosketch.sketch.window.buckets import StoredRows
from chronosketch.sketch.window.constraint import Condition, condition_of, span_text
from chronosketch.sketch.window.selection import Selection

if TYPE_CHECKING:
    from datetime import date

    from typing_extensions import Self

    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.window.constraint import Span
    from chronosketch.sketch.window.holding import Holding


class Windowed(Sketch):
    """A sketch that gives any window that ends at the newest row, or earlier."""

    def __init__(self, header: Header, rows: StoredRows) -> None:
        super().__init__(header)
        self.rows = rows.within_retention()

    @property
    def time_domain(self) -> Domain:
        """The type of the times."""
        return self.rows.time_domain

    @property
    def bucket_epsilon(self) -> float:
        """The greatest share of the rows after an edge that may straddle it in buckets."""
        return self.header.numbers[0]

    @abstractmethod
    def holding(self, domain: Domain, epsilon: float) -> Holding:
        """Return the kind of content that buckets of this type keep."""

    def _require_alike(self, that: Self) -> None:
        """Refuse other filters, and time types without a common type."""
        self.time_domain.widen_or_refuse(that.time_domain, self._built_with_second, "TIME_TYPES_DIFFER")
        if self.rows.filters != that.rows.filters:
            left, right = (", ".join(rows.filters) or "none" for rows in (self.rows, that.rows))
            raise Refusal("FILTERS_DIFFER", left=left, right=right)

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union of both."""
        header = Header(wider, max(self.header.numbers, that.header.numbers))
        return type(self)(header, self._united_rows(that, wider))

    def _united_rows(self, that: Self, wider: Domain) -> StoredRows:
        """Return the rows of both. The larger epsilon and the shorter retention count."""
        holding = self.holding(wider, max(self.bucket_epsilon, that.bucket_epsilon))
        mine, others = self.rows, that.rows
        return StoredRows(
            self.time_domain.widen_or_refuse(that.time_domain, self._built_with_second, "TIME_TYPES_DIFFER"),
            min(mine.retention, others.retention),
            mine.filters,
            max(mine.newest, others.newest),
            min(mine.forgotten + others.forgotten, MOST_LONG),
            [
                holding.merged(ours, theirs) if theirs else ours
                for ours, theirs in zip(mine.classes, others.classes, strict=True)
            ],
        )

    @abstractmethod
    def restrict(self, selection: Selection) -> Sketch:
        """Return the sketch of the selected rows."""

    @property
    def count(self) -> int:
        """The number of stored rows."""
        return self.rows.held

    @property
    def _held(self) -> int:
        """The number of stored rows, which must fit into 63 bits."""
        return self.rows.held

    def _description_fields(self) -> dict[str, Any]:
        """Return the fields of `describe` that only this family has."""
        rows = self.rows
        return {
            **super()._description_fields(),
            "time_type": rows.time_domain.sql,
            "retention": None if rows.keeps_all else span_text(rows.retention, rows.time_domain),
            "filters": rows.filters,
        }

    @question
    def window(self, window: Span | Condition, as_of: date | int | None = None) -> Sketch:
        """Return the sketch of one window, which answers the same questions as the whole.

        Parameters
        ----------
        window : str, timedelta, int or Condition
            Such as ``"10 minutes"``; or `within_last`, `among_last`, `passing`, combined by ``&`` and ``|``.
        as_of : datetime, date or int, optional
            The end of the window, of the type of the sketch's times. Later rows do not count.

        Returns
        -------
        Sketch
            Its bytes are those of SQL's sketch_window.

        Raises
        ------
        ChronosketchError
            For an unknown filter, a window that reaches back further than the retention, and a span or time
            that does not have the type of the sketch's times.
        """
        time = None if as_of is None else self._time(as_of)
        return self.restrict(Selection(self.rows, condition_of(window), time))

    def _time(self, as_of: Value) -> int:
        given = domain_of(as_of)
        if given.widen(self.time_domain) is None:
            raise Refusal(
                "TIME_NOT_COMPARABLE",
                asOf=as_of,
                times=self.time_domain.sql,
                example=example_of(self.time_domain),
            )
        return key_of(as_of, given)
