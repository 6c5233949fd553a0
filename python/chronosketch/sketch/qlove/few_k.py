"""Which of its greatest values a pane keeps for one φ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.qlove.query import SPARSE

if TYPE_CHECKING:
    from chronosketch.sketch.qlove.query import Query
    from chronosketch.sketch.rank.phi import Phi

# No pane keeps more for a φ unless it is told to.
_MOST = 4096


class FewK(NamedTuple):
    """How many values are kept, and of which ranks from the top.

    Attributes
    ----------
    top : int
        So many are kept with the weight 1.
    sampled : int
        Below them so many, of the ranks top + ⌈interval / 2⌉ + j · interval, with the weight `interval`.
    interval : int
        How far they are apart.

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
        """Return the ranks from the top that are kept."""
        first = self.top + (self.interval + 1) // 2
        return [*range(1, self.top + 1), *(first + j * self.interval for j in range(self.sampled))]


def need(phi: Phi, n: int) -> int:
    """Return the rank of the φ-quantile of n elements, from the greatest."""
    return n - phi.rank(n) + 1


def few_k(query: Query, rule: int, i: int, elements: int) -> FewK | None:
    """Return what a pane of so many elements keeps for the i-th φ; None where nothing."""
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
    # a budget that does not reach to `each` can't tell by tops alone: half of it is sampled
    top = (budget + 1) // 2 if each >= budget else min(budget, _spared(each))
    rest = budget - top
    interval = 0 if rest == 0 or needed <= top else (needed - top + rest - 1) // rest
    first = top + (interval + 1) // 2
    within = 0 if interval == 0 or first > elements else (elements - first) // interval + 1
    return FewK(min(top, elements), min(rest, within), interval)


def _spared(each: int) -> int:
    """Return `each` and three times its root and 2, if that is no more than twice as many."""
    return each + min(each, 3 * math.ceil(math.sqrt(float(each)))) + 2


def _unnamed(query: Query, rule: int, i: int, elements: int, needed: int, each: int) -> int:
    """Return the budget of one who named none; 0 where nothing is kept."""
    half = needed // 2 + needed % 2
    sparse = half if query.is_sparse(i, elements) else 0
    if rule == SPARSE:
        return sparse
    # nothing is put together from one pane
    if query.panes == 1:
        return 0
    tops = min(needed, _spared(each))
    # half of what is needed does not spare enough for two panes, or three
    enough = needed if half < tops else half
    budget = min(enough, _MOST, (elements - 1) // 10)
    return budget if tops <= budget else sparse
