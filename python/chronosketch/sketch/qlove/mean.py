"""The mean of some keys."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from chronosketch.sketch.domain import double_keys
from chronosketch.sketch.domain.domain import Kind
from chronosketch.sketch.estimates import Estimate

if TYPE_CHECKING:
    from chronosketch.sketch.domain.domain import Domain

# Java's MathContext.DECIMAL128, and enough digits for an exact mean before rounding to it.
_DECIMAL128 = Context(prec=34, rounding=ROUND_HALF_EVEN)
_WIDE = Context(prec=60, rounding=ROUND_HALF_UP)


def mean(keys: list[int], domain: Domain) -> Estimate:
    """Return the mean value of keys, exact except for its last digit and never outside of their range.

    Examples
    --------
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.qlove.mean import mean
    >>> mean([1, 2], domain_named("int")), mean([125, 250], domain_named("decimal(9, 2)"))
    (Estimate(key=2, value=1.5), Estimate(key=188, value=1.875))
    """
    if domain.is_floating:
        value = _floating([double_keys.value(key) for key in keys])
        stored = double_keys.nearest_float(value) if domain.kind == Kind.FLOAT else value
        return Estimate(double_keys.key(stored), value)
    exact = _DECIMAL128.divide(Decimal(sum(keys)), Decimal(len(keys)))
    key = int(exact.quantize(Decimal(1), context=_WIDE))
    return Estimate(key, float(exact.scaleb(-_scale(domain), context=_WIDE)))


def difference(low: int, high: int, domain: Domain) -> float:
    """Return the difference between the values of two keys."""
    if low == high:
        return 0.0
    if domain.is_floating:
        return double_keys.value(high) - double_keys.value(low)
    return (high - low) / int(10 ** _scale(domain))


def _scale(domain: Domain) -> int:
    return domain.second if domain.is_numeric else 0


def _floating(values: list[float]) -> float:
    if not all(map(math.isfinite, values)):
        return sum(value for value in values if not math.isfinite(value))
    # -0.0 becomes 0.0
    return float(sum(map(Fraction, values)) / len(values)) + 0.0
