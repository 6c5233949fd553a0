"""The unfinished pane: counts of the values of a pane that still receives rows."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.base import Sketch
from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.domain.domain import Domain
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.qlove.few_k import few_k
from chronosketch.sketch.qlove.panes import FinishedPane, Tail, high_rank, low_rank
from chronosketch.sketch.qlove.query import AGGREGATE, Query, refused
from chronosketch.sketch.qlove.sketch import PaneSettings, QloveSketch
from chronosketch.sketch.refusal import Refusal, question

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast

# A limit, because a forged budget with a few counts could ask for any amount of memory.
_MOST_KEPT = 1 << 24


class QlovePane(Sketch):
    """The counted values of a pane. Questions are answered by its `finish`.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from chronosketch.sketch.qlove.pane import QlovePane
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.qlove.query import TENTH
    >>> whole, query = domain_named("int"), Query((Decimal("0.5"),), 1, None, 0)
    >>> rows = QlovePane(Header(whole, ()), PaneSettings(whole, query), TENTH, (0, 9), {7: 3, 8: 1})
    >>> rows.count, rows.finish().quantile(0.5)
    (4, 7.0)
    """

    number: ClassVar[int] = 4
    family: ClassVar[str] = "unfinished qlove pane"
    aggregate: ClassVar[tuple[str, ...]] = AGGREGATE

    def __init__(
        self, header: Header, window: PaneSettings, rule: int, times: tuple[int, int], counts: dict[int, int]
    ) -> None:
        super().__init__(header)
        self.query = window.query
        self.time_domain = window.time_domain
        self._window = window
        self._rule = rule
        self._times = times
        self._counts = counts

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        time_domain = Domain.read_time(r, "times")
        query, mark = Query.read(r)
        rule = query.rule(mark)
        window = PaneSettings(time_domain, query)
        if query.digits and not header.domain.is_numeric:
            raise refused("NO_DIGITS", type=header.domain.sql)
        n = r.size(2)
        if n == 0:
            return cls(header, window, rule, (0, 0), {})
        first = r.zigzag()
        last = first + r.varint()
        if last > MOST_LONG:
            raise corrupt("its latest row is before its earliest")
        keys = [r.zigzag()]
        for _ in range(n - 1):
            keys.append(keys[-1] + r.varint())
            if not keys[-2] < keys[-1] <= MOST_LONG:
                raise corrupt("its keys are not in increasing order")
        if not header.domain.holds_all(keys):
            raise corrupt(f"it has a key that is not of type {header.domain.sql}")
        counts: dict[int, int] = {}
        total = 0
        for key in keys:
            counts[key] = r.varint()
            total += counts[key]
            if counts[key] == 0 or total > MOST_LONG:
                raise corrupt("its counts are not valid")
        return cls(header, window, rule, (first, last), counts)

    def write(self, w: Writer) -> None:
        """Write the payload."""
        self.time_domain.write(w)
        self.query.write(w, self._rule if self.query.budget is None else 0)
        w.varint(self.distinct)
        if self._counts:
            w.zigzag(self._times[0])
            w.varint(self._times[1] - self._times[0])
            keys = sorted(self._counts)
            w.rising(keys)
            for key in keys:
                w.varint(self._counts[key])

    @property
    def count(self) -> int:
        """The number of rows."""
        return sum(self._counts.values())

    @property
    def distinct(self) -> int:
        """The number of distinct values after rounding."""
        return len(self._counts)

    def _require_alike(self, that: Self) -> None:
        """Refuse another query, and time types without a common type."""
        self._window.require(that._window)

    def _cast_by(self, cast: Cast) -> Self:
        """Return the pane of the cast values. Keys that become equal are counted together."""
        counts: dict[int, int] = {}
        keys = sorted(self._counts)
        for key, made in zip(keys, cast.each(keys), strict=True):
            counts[made] = counts.get(made, 0) + self._counts[key]
        return type(self)(Header(cast.to, ()), self._window, self._rule, self._times, counts)

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union with another part of the same pane: counts add up."""
        # ignore a part without rows
        full = [part for part in (self, that) if part._counts] or [self, that]
        counts = dict(self._counts)
        for key, copies in that._counts.items():
            counts[key] = counts.get(key, 0) + copies
        times = min(part._times[0] for part in full), max(part._times[1] for part in full)
        rule = min(part._rule for part in full)
        window = self._window.widened(that._window)
        return type(self)(Header(wider, ()), window, rule, times, counts)

    @question
    def finish(self) -> QloveSketch:
        """Return the finished pane: its quantiles and a few of its values.

        Raises
        ------
        ChronosketchError
            If the query would keep more than 16 777 216 values.
        """
        finished = [self._finished()] if self._counts else []
        return QloveSketch(self.header, self._window, finished)

    def _finished(self) -> FinishedPane:
        keys = sorted(self._counts)
        ranks = list(accumulate(self._counts[key] for key in keys))
        n = ranks[-1]

        def key_at(rank: int) -> int:
            return keys[bisect_left(ranks, rank)]

        phis = [self.query.phi(i) for i in range(len(self.query.phis))]
        few = [few_k(self.query, self._rule, i, n) for i in range(len(phis))]
        values = sum(kept.top + kept.sampled for kept in few if kept)
        if values > _MOST_KEPT:
            raise Refusal("PANES_KEEP_TOO_MUCH", values=values, limit=_MOST_KEPT)
        tails: list[Tail | None] = [
            kept and Tail([key_at(n - rank + 1) for rank in kept.ranks()], kept) for kept in few
        ]
        return FinishedPane(
            *self._times,
            n,
            self._rule,
            [key_at(phi.rank(n)) for phi in phis],
            [key_at(low_rank(phi, n)) for phi in phis],
            [key_at(high_rank(phi, n)) for phi in phis],
            tails,
        )
