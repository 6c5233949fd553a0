"""The QLOVE sketch: chosen quantiles of a window of finished panes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from chronosketch.sketch.answering import Estimates
from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.description import Estimate, NamedAnswer
from chronosketch.sketch.domain.domain import Domain
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.qlove.few_k import need
from chronosketch.sketch.qlove.panes import FinishedPane, Tail, high_rank, low_rank
from chronosketch.sketch.qlove.query import AGGREGATE, EACH_ITS_OWN, SPARSE, TENTH, Query
from chronosketch.sketch.qlove.statistics import difference, mann_whitney, mean
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.rank import Phi

# The significance level for bursts, divided by the number of neighbouring pairs.
_BURST_LEVEL = 0.01
# The upper 1/80 quantile of the standard normal distribution: z_{1−a/4} for a = 5 %.
_UPPER_EIGHTIETH = 2.241402727604947

_ONE_PANE = "one pane has rows, and its own quantile is the window's"
_NOT_HIGH = "phi is below 0.9"
_BUDGET_ZERO = "the budget is 0"
_DENSE = "no budget was given, and a pane has 10 or more elements above its quantile"
_DEAR = "no budget was given, and few-k would have to keep a tenth of a pane or more than 4096 values"
_TOO_SMALL = "the values kept do not reach down to the quantile"
_SPARSE = "each pane has less than 10 elements above its quantile: P(1 - phi) < 10"
_CHEAP = (
    "no budget was given, and few-k keeps less than a tenth of each pane that has 10 or more elements above"
    " its quantile"
)
_BUDGET = "a budget was given"


@dataclass(frozen=True)
class PaneSettings:
    """The properties that panes and windows must share to be merged."""

    time_domain: Domain
    query: Query

    def require(self, that: PaneSettings) -> None:
        """Refuse another query, and time types without a common type."""
        self._wider_times(that)
        if self.query != that.query:
            raise Refusal("QUERIES_DIFFER", left=self.query, right=that.query)

    def widened(self, that: PaneSettings) -> PaneSettings:
        """Return the window with a time type that holds the times of both."""
        return PaneSettings(self._wider_times(that), self.query)

    def _wider_times(self, that: PaneSettings) -> Domain:
        function, value, time, *others = AGGREGATE

        def built(sql_type: str) -> str:
            return f"{function}({', '.join((value, f'CAST({time} AS {sql_type})', *others))})"

        return self.time_domain.widen_or_refuse(that.time_domain, built, "TIME_TYPES_DIFFER")


class QloveAnswer(NamedTuple):
    """A window's answer for one φ, and its method.

    Attributes
    ----------
    phi : Phi
        The φ.
    estimate : Estimate
        The answer.
    method : str
        ``"mean"`` of the panes' own quantiles, or ``"few-k"`` of the values that panes kept.
    reason : str
        The reason for this method.
    need : int
        The rank of the window's φ-quantile, counted from the top.
    reached : int
        The number of greatest elements that the kept values represent.
    """

    phi: Phi
    estimate: Estimate
    method: str
    reason: str
    need: int
    reached: int


class QloveSketch(Estimates):
    """A window of finished panes. It answers only the quantiles that it was built for.

    Notes
    -----
    Lim, Hassan, Jin, Volos and Jeon, "Approximate quantiles for datacenter telemetry monitoring", 2019.
    """

    number: ClassVar[int] = 5
    family: ClassVar[str] = "qlove sketch"
    aggregate: ClassVar[tuple[str, ...]] = AGGREGATE

    def __init__(self, header: Header, window: PaneSettings, panes: list[FinishedPane]) -> None:
        super().__init__(header)
        self.query = window.query
        self.time_domain = window.time_domain
        self._window = window
        self._panes = panes

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        time_domain = Domain.read_time(r, "times")
        query, mark = Query.read(r)
        n = r.size(3)
        if n > query.panes:
            raise corrupt(f"it has {n} panes, but its window has {query.panes}")
        panes: list[FinishedPane] = []
        total = 0
        for i in range(n):
            first = panes[-1].last + r.varint() if i else r.zigzag()
            if i and not panes[-1].last < first <= MOST_LONG:
                raise corrupt("its panes overlap")
            last = first + r.varint()
            if last > MOST_LONG:
                raise corrupt("its latest row is before its earliest")
            count = r.varint()
            total += count
            if count == 0 or total > MOST_LONG:
                raise corrupt("its count is not valid")
            rule = query.rule(r.byte() if mark == EACH_ITS_OWN else mark)
            panes.append(FinishedPane.read(r, header.domain, query, rule, (first, last), count))
        return cls(header, PaneSettings(time_domain, query), panes)

    def write(self, w: Writer) -> None:
        """Write the payload."""
        self.time_domain.write(w)
        mark = self._mark()
        self.query.write(w, mark)
        w.varint(len(self._panes))
        before: FinishedPane | None = None
        for pane in self._panes:
            if before is None:
                w.zigzag(pane.first)
            else:
                w.varint(pane.first - before.last)
            w.varint(pane.last - pane.first)
            w.varint(pane.count)
            if mark == EACH_ITS_OWN:
                w.byte(pane.rule)
            before = pane
            pane.write(w)

    def _mark(self) -> int:
        rules = {pane.rule for pane in self._panes}
        if self.query.budget is not None or not rules:
            return SPARSE
        return rules.pop() if len(rules) == 1 else EACH_ITS_OWN

    @property
    def count(self) -> int:
        """The number of rows of its panes."""
        return sum(pane.count for pane in self._panes)

    @property
    def panes(self) -> int:
        """The number of panes that have rows."""
        return len(self._panes)

    def _require_alike(self, that: Self) -> None:
        """Refuse another query, and time types without a common type."""
        self._window.require(that._window)

    def _cast_by(self, cast: Cast) -> Self:
        """Return the window of the cast values."""
        return type(self)(Header(cast.to, ()), self._window, [pane.cast_by(cast) for pane in self._panes])

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the window with the panes of both, in order of time."""
        panes = sorted(self._panes + that._panes, key=lambda pane: pane.first)
        for left, right in itertools.pairwise(panes):
            if left.last >= right.first:
                raise Refusal(
                    "PANES_OVERLAP",
                    leftFirst=left.first,
                    leftLast=left.last,
                    rightFirst=right.first,
                    rightLast=right.last,
                )
        if len(panes) > self.query.panes:
            raise Refusal("TOO_MANY_PANES", count=len(panes), panes=self.query.panes)
        return type(self)(Header(wider, ()), self._window.widened(that._window), panes)

    def estimate(self, phi: Phi) -> Estimate | None:
        """Return the φ-quantile, or None without rows. Refuse a φ that the query does not have."""
        i = self.query.index_of(phi)
        return self._answer(i).estimate if self._panes else None

    @property
    def answers(self) -> list[QloveAnswer]:
        """The answers for all φ, in order; empty without rows."""
        return [self._answer(i) for i in range(len(self.query.phis))] if self._panes else []

    def _answer(self, i: int) -> QloveAnswer:
        phi = self.query.phi(i)
        needed = need(phi, self.count)
        why = self._why_mean(i)
        reached = 0
        if why is None:
            found, reached = self._sought(i, needed)
            if found is not None:
                estimate = Estimate.of(found, self.domain)
                return QloveAnswer(phi, estimate, "few-k", self._why_few_k(i), needed, reached)
            why = _TOO_SMALL
        middle = mean([pane.quantiles[i] for pane in self._panes], self.domain)
        return QloveAnswer(phi, middle, "mean", why, needed, reached)

    def _why_mean(self, i: int) -> str | None:
        if len(self._panes) == 1:
            return _ONE_PANE
        if not self.query.is_high(i):
            return _NOT_HIGH
        if self.query.budget == 0:
            return _BUDGET_ZERO
        missing = {pane.rule for pane in self._panes if pane.tails[i] is None}
        return _DENSE if SPARSE in missing else _DEAR if TENTH in missing else None

    def _why_few_k(self, i: int) -> str:
        if self.query.budget is not None:
            return _BUDGET
        is_sparse = all(self.query.is_sparse(i, pane.count) for pane in self._panes)
        return _SPARSE if is_sparse else _CHEAP

    def _sought(self, i: int, needed: int) -> tuple[int | None, int]:
        """Return the key at which the weights of the kept values reach `needed`, and the weight reached."""
        kept = [one for tail in self._tails(i) if tail for one in tail.weighted()]
        reached = 0
        for key, weight in sorted(kept, reverse=True):
            reached += weight
            if reached >= needed:
                return key, needed
        return None, reached

    def _tails(self, i: int) -> list[Tail | None]:
        return [pane.tails[i] for pane in self._panes]

    def is_bursty(self, i: int) -> bool | None:
        """Return whether the greatest values of some neighbouring panes differ significantly.

        None if no two neighbours keep values for the i-th φ. Answers do not depend on it.
        """
        tails = self._tails(i)
        ps = [
            mann_whitney(left.keys, right.keys) for left, right in itertools.pairwise(tails) if left and right
        ]
        return any(p < _BURST_LEVEL / (len(self._panes) - 1) for p in ps) if ps else None

    def bound(self, i: int) -> float:
        """Return a bound, at 95 % confidence, of the distance between the mean and the exact i-th quantile.

        It assumes independent elements from one continuous distribution. NaN if no pane has a density.
        """
        phi = self.query.phi(i)
        total, dense = 0.0, 0
        for pane in self._panes:
            ranks = high_rank(phi, pane.count) - low_rank(phi, pane.count)
            if ranks > 0:
                apart = difference(pane.lows[i], pane.highs[i], self.domain)
                total += apart * (float(pane.count) / float(ranks))
                dense += 1
        p = float(self.query.phis[i])
        if dense == 0:
            return math.nan
        return 2 * _UPPER_EIGHTIETH * math.sqrt(p * (1 - p) / float(self.count)) * (total / dense)

    def _description_fields(self) -> dict[str, Any]:
        """Return the fields of `describe` that only this family has."""
        query = self.query
        parameters = {"panes": float(query.panes)}
        if query.budget is not None:
            parameters["budget"] = float(query.budget)
        return {
            **super()._description_fields(),
            "parameters": parameters,
            "time_type": self.time_domain.sql,
            "panes": self.panes,
            "answers": tuple(self._named_answers()),
        }

    def _named_answers(self) -> list[NamedAnswer]:
        if not self._panes:
            return [NamedAnswer(float(phi)) for phi in self.query.phis]
        named = []
        for i, found in enumerate(self.answers):
            bound = self.bound(i)
            named.append(
                NamedAnswer(
                    float(self.query.phis[i]),
                    found.method,
                    found.reason,
                    found.need,
                    found.reached,
                    self.is_bursty(i),
                    None if math.isnan(bound) else bound,
                )
            )
        return named
