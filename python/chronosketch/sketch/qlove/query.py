"""The query that a window of panes is built for."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.rank import Phi
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer

#: The SQL aggregate that panes come from, and its arguments.
AGGREGATE = ("qlove_sketch_agg", "value", "event_time", "phis", "panes")

MOST_PANES = 1 << 24
_MOST_DIGITS = 17
_MOST_INT = (1 << 31) - 1
_SMALLEST_PHI = 2
_LONGEST_PHI = 400
_PHI = re.compile(r"[01](\.[0-9]*[1-9])?")
# The least φ for which values are kept.
_TAIL = Decimal("0.9")
# A pane's own quantile is robust if at least this many elements lie above it (Lim et al. 2019, §4.3).
_ENOUGH = 10
# The rule for keeping values is stored in the byte of the digits, as a multiple of this.
_RULE_UNIT = 32

#: The rules for panes to keep values without a budget. SPARSE: if few elements lie above their own quantile.
#: TENTH: also if less than a tenth of their elements is enough. EACH_ITS_OWN: each pane stores its rule.
SPARSE, TENTH, EACH_ITS_OWN = range(3)


@dataclass(frozen=True)
class Query:
    """The query that a window of panes is built for.

    Attributes
    ----------
    phis : tuple of Decimal
        The quantiles, ascending.
    panes : int
        The number of panes in a full window.
    budget : int or None
        The number of values that a pane keeps for each φ from 0.9 on; None to keep as many as needed.
    digits : int
        The number of significant digits that values are rounded to; 0 for no rounding.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from chronosketch.sketch.qlove.query import Query
    >>> query = Query((Decimal("0.5"), Decimal("0.99")), 4, None, 0)
    >>> str(query), query.is_high(0), query.is_sparse(1, 999), query.is_sparse(1, 1000)
    ('phis 0.5, 0.99, panes 4', False, True, False)
    """

    phis: tuple[Decimal, ...]
    panes: int
    budget: int | None
    digits: int

    def __str__(self) -> str:
        kept = "" if self.budget is None else f", budget {self.budget}"
        rounded = f", {self.digits} digits" if self.digits else ""
        return f"phis {', '.join(f'{phi:f}' for phi in self.phis)}, panes {self.panes}{kept}{rounded}"

    def phi(self, i: int) -> Phi:
        """Return the i-th φ."""
        return Phi(self.phis[i])

    def index_of(self, phi: Phi) -> int:
        """Return the index of a φ. Refuse one that the query does not have."""
        for i in range(len(self.phis)):
            if str(self.phi(i)) == str(phi):
                return i
        budget = "" if self.budget is None else f", budget => {self.budget}"
        named = ", ".join(f"{named:f}" for named in self.phis)
        raise Refusal("PHI_NOT_NAMED", phi=phi, named=named, panes=f"{self.panes}{budget}")

    def is_high(self, i: int) -> bool:
        """Return whether kept values may answer the i-th φ."""
        return self.phis[i] >= _TAIL

    def is_sparse(self, i: int, elements: int) -> bool:
        """Return whether a pane of n elements has too few of them above its own φ-quantile."""
        above = 1 - Fraction(self.phis[i])
        if above == 0:
            return elements < MOST_LONG
        return elements < min(MOST_LONG, -(-_ENOUGH * above.denominator // above.numerator))

    def write(self, w: Writer, mark: int) -> None:
        """Write the query, with the mark of the rule."""
        w.varint(self.panes)
        w.varint(0 if self.budget is None else self.budget + 1)
        w.byte(self.digits + _RULE_UNIT * mark)
        w.varint(len(self.phis))
        for phi in self.phis:
            text = f"{phi:f}".encode()
            w.varint(len(text))
            w.raw(text)

    @staticmethod
    def read(r: Reader) -> tuple[Query, int]:
        """Read what `write` wrote."""
        panes = _number(r, _MOST_INT)
        budget = _number(r, _MOST_INT + 1)
        mark, digits = divmod(r.byte(), _RULE_UNIT)
        phis = tuple(_read_phi(r) for _ in range(r.size(_SMALLEST_PHI)))
        if not phis:
            raise refused("NO_PHIS")
        for name, value, least, most in (
            ("panes", panes, 1, MOST_PANES),
            ("digits", digits, 0, _MOST_DIGITS),
        ):
            if not least <= value <= most:
                parameters = {"parameter": name, "range": f"[{least}, {most}]", "value": str(value)}
                raise refused("PARAMETER_OUT_OF_RANGE", **parameters)
        if any(phi <= before for before, phi in itertools.pairwise(phis)):
            raise corrupt("its phis are not in increasing order")
        if mark > EACH_ITS_OWN:
            raise corrupt(f"its panes have the unknown rule {mark}")
        if mark > 0 and budget > 0:
            raise corrupt("it has a budget and also a rule, which only belongs where there is no budget")
        return Query(phis, panes, budget - 1 if budget else None, digits), mark

    def rule(self, mark: int) -> int:
        """Return the rule of a mark. With a budget there is only one."""
        if self.budget is not None:
            return TENTH
        if mark > TENTH:
            raise corrupt(f"its panes have the unknown rule {mark}")
        return mark


def refused(condition: str, **parameters: str) -> Refusal:
    """Refuse bytes whose query a user could not have built. The error is that of corrupt bytes."""
    filled = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return corrupt(f"[CHRONOSKETCH_{condition}] {filled}")


def _number(r: Reader, most: int) -> int:
    value = r.long()
    if not 0 <= value <= most:
        raise corrupt(f"it has the number {value} where a smaller one belongs")
    return value


def _read_phi(r: Reader) -> Decimal:
    length = r.size(1)
    if length > _LONGEST_PHI:
        raise corrupt(f"one of its phis has {length} digits")
    text = r.raw(length).decode("latin-1")
    if not _PHI.fullmatch(text):
        raise corrupt("one of its phis is not a number")
    if Decimal(text) > 1:
        raise refused("INVALID_PHI", phi=text)
    return Decimal(text)
