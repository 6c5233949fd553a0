"""Choose the greatest values that a pane keeps for one φ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.qlove.query import SPARSE

if TYPE_CHECKING:
    from chronosketch.sketch.qlove.query import Query
    from chronosketch.sketch.rank import Phi

# The most values that a pane keeps for a φ without a budget.
_MOST = 4096


class FewK(NamedTuple):
    """The number of kept values, and their ranks from the top.

    Attributes
    ----------
    top : int
        The number of greatest values kept with weight 1.
    sampled : int
        The number of sampled values below them, with the weight `interval`, at the ranks
        top + ⌈interval / 2⌉ + j · interval.
    interval : int
        The distance between sampled ranks.

    Notes
    -----
    Lim, Hassan, Jin, Volos and Jeon, "Approximate quantiles for datacenter telemetry monitoring", 2019, §4.2;
    departs from it as docs/algorithms.md, QLOVE, says.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from chronosketch.sketch.qlove.few_k import few_k
    >>> from chronosketch.sketch.qlove.query import SPARSE, Query
    >>> few_k(Query((Decimal("0.99"),), 4, None, 0), SPARSE, 0, 500)
    FewK(top=11, sampled=0, interval=0)
    """

    top: int
    sampled: int
    interval: int

    def ranks(self) -> list[int]:
        """Return the kept ranks, counted from the top."""
        first = self.top + (self.interval + 1) // 2
        return [*range(1, self.top + 1), *(first + j * self.interval for j in range(self.sampled))]


def need(phi: Phi, n: int) -> int:
    """Return the rank of the φ-quantile of n elements, counted from the greatest."""
    return n - phi.rank(n) + 1


def few_k(query: Query, rule: int, i: int, elements: int) -> FewK | None:
    """Return what a pane of n elements keeps for the i-th φ, or None for nothing."""
    if not query.is_high(i):
        return None
    panes = query.panes
    needed = need(query.phi(i), min(MOST_LONG, elements * panes))
    each = needed // panes + min(1, needed % panes)
    budget = query.budget
    if budget is None:
        budget = _unnamed(query, rule, i, elements, needed, each)
    if budget == 0:
        return None
    # a budget below `each` cannot answer by top values alone, so half of it is spent on samples
    top = (budget + 1) // 2 if each >= budget else min(budget, _spared(each))
    rest = budget - top
    interval = 0 if rest == 0 or needed <= top else (needed - top + rest - 1) // rest
    first = top + (interval + 1) // 2
    within = 0 if interval == 0 or first > elements else (elements - first) // interval + 1
    return FewK(min(top, elements), min(rest, within), interval)


def _spared(each: int) -> int:
    """Return `each` with a margin: three times its root, but at most `each` again, and 2."""
    return each + min(each, 3 * math.ceil(math.sqrt(float(each)))) + 2


def _unnamed(query: Query, rule: int, i: int, elements: int, needed: int, each: int) -> int:
    """Return the budget if the query names none; 0 to keep nothing."""
    half = needed // 2 + needed % 2
    sparse = half if query.is_sparse(i, elements) else 0
    if rule == SPARSE:
        return sparse
    # a single pane answers exactly by itself
    if query.panes == 1:
        return 0
    tops = min(needed, _spared(each))
    # for two or three panes, half of what is needed is less than the top values with their margin
    enough = needed if half < tops else half
    budget = min(enough, _MOST, (elements - 1) // 10)
    return budget if tops <= budget else sparse
