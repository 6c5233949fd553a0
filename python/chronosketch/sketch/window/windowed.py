"""The base class of sketches that windows are taken from."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chronosketch.sketch.base import Sketch
from chronosketch.sketch.codec.envelope import Header
from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG
from chronosketch.sketch.domain.values import Value, domain_of, example_of, key_of, value_of
from chronosketch.sketch.refusal import Refusal, question
from chronosketch.sketch.window.buckets import forget
from chronosketch.sketch.window.constraint import Condition, condition_of, span_text
from chronosketch.sketch.window.reach import earlier
from chronosketch.sketch.window.selection import Selection

if TYPE_CHECKING:
    from datetime import date

    from typing_extensions import Self

    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.window.buckets import Bucket
    from chronosketch.sketch.window.constraint import Span
    from chronosketch.sketch.window.holding import Holding

MOST_FILTERS = 6


@dataclass
class Rows:
    """The stored rows of a sketch, whatever it keeps of their values.

    Attributes
    ----------
    time_domain : Domain
        The type of the times.
    retention : int
        How far back windows may reach, in units of the times; 2**63 - 1 without a limit.
    filters : tuple of str
        The names of the filters.
    newest : int
        The latest time.
    forgotten : int
        The number of forgotten rows.
    classes : list of lists of Bucket
        The buckets of each class of rows, in order. Classes whose number has bit i set pass filter i.
    """

    time_domain: Domain
    retention: int
    filters: tuple[str, ...]
    newest: int
    forgotten: int
    classes: list[list[Bucket]]


class Windowed(Sketch):
    """A sketch that gives any window that ends at the newest row, or earlier."""

    def __init__(self, header: Header, rows: Rows) -> None:
        super().__init__(header)
        self.time_domain = rows.time_domain
        self.retention = rows.retention
        self.filters = rows.filters
        self.newest = rows.newest
        self.forgotten = rows.forgotten
        self.classes = rows.classes
        if not self.keeps_all and self.newest >= LEAST_LONG + self.retention:
            settled = [forget(buckets, earlier(self.newest, self.retention)) for buckets in rows.classes]
            self.classes = [kept for kept, _ in settled]
            self.forgotten = min(self.forgotten + sum(n for _, n in settled), MOST_LONG)

    @property
    def bucket_epsilon(self) -> float:
        """The greatest share of the rows after an edge that may straddle it in buckets."""
        return self.header.numbers[0]

    @abstractmethod
    def holding(self, domain: Domain, epsilon: float) -> Holding:
        """Return the kind of content that buckets of this type keep."""

    def require_alike(self, that: Self) -> None:
        """Refuse other filters, and time types without a common type."""
        self.time_domain.widen_or_refuse(that.time_domain, self.built_with_second, "TIME_TYPES_DIFFER")
        if self.filters != that.filters:
            left, right = (", ".join(names) or "none" for names in (self.filters, that.filters))
            raise Refusal("FILTERS_DIFFER", left=left, right=right)

    def unite(self, that: Self, wider: Domain) -> Self:
        """Return the union of both."""
        header = Header(wider, max(self.header.numbers, that.header.numbers))
        return type(self)(header, self.united_rows(that, wider))

    def united_rows(self, that: Self, wider: Domain) -> Rows:
        """Return the rows of both. The larger epsilon and the shorter retention count."""
        holding = self.holding(wider, max(self.bucket_epsilon, that.bucket_epsilon))
        return Rows(
            self.time_domain.widen_or_refuse(that.time_domain, self.built_with_second, "TIME_TYPES_DIFFER"),
            min(self.retention, that.retention),
            self.filters,
            max(self.newest, that.newest),
            min(self.forgotten + that.forgotten, MOST_LONG),
            [
                holding.merged(ours, theirs) if theirs else ours
                for ours, theirs in zip(self.classes, that.classes, strict=True)
            ],
        )

    @abstractmethod
    def restrict(self, selection: Selection) -> Sketch:
        """Return the sketch of the selected rows."""

    @property
    def keeps_all(self) -> bool:
        """Whether no row is ever forgotten."""
        return self.retention == MOST_LONG

    @property
    def count(self) -> int:
        """The number of stored rows."""
        return sum(bucket.count for buckets in self.classes for bucket in buckets)

    def description_fields(self) -> dict[str, Any]:
        """Return the fields of `describe` that only this family has."""
        return {
            **super().description_fields(),
            "time_type": self.time_domain.sql,
            "retention": None if self.keeps_all else span_text(self.retention, self.time_domain),
            "filters": self.filters,
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
        return self.restrict(Selection(self, condition_of(window), time))

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

    def time_text(self, time: int) -> str:
        """Write a time as a user would."""
        return str(value_of(time, self.time_domain))
