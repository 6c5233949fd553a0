"""Statistics of keys: whether two samples come from one distribution, and the mean."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.description import Estimate
from chronosketch.sketch.domain.domain import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.sketch.domain.domain import Domain


def mann_whitney(x: Sequence[int], y: Sequence[int]) -> float:
    """Return the two-sided p of the normal approximation; 1 if a sample is empty or all values are equal.

    Notes
    -----
    Mann and Whitney 1947; the variance under ties: Lehmann, "Nonparametrics", 1975, §1.4.

    Examples
    --------
    >>> from chronosketch.sketch.qlove.statistics import mann_whitney
    >>> mann_whitney([1, 2, 3], [1, 2, 3]), mann_whitney(range(20), range(100, 120)) < 1e-6
    (1.0, True)
    """
    n, m = len(x), len(y)
    if n == 0 or m == 0:
        return 1.0
    # twice the number of pairs in which x is greater; a tie counts as one half
    twice_wins = ties = 0.0
    passed = 0
    both = sorted([(key, 0) for key in x] + [(key, 1) for key in y], reverse=True)
    for _, alike in groupby(both, key=lambda pair: pair[0]):
        sides = [side for _, side in alike]
        in_y = sum(sides)
        in_x = len(sides) - in_y
        passed += in_y
        twice_wins += in_x * (in_y + 2.0 * (m - passed))
        t = float(in_x + in_y)
        ties += t * t * t - t
    a, b = float(n), float(m)
    whole = a + b
    variance = a * b / 12 * (whole + 1 - ties / (whole * (whole - 1)))
    if not variance > 0:
        return 1.0
    return min(1.0, 2 * _above(abs(twice_wins - a * b) / 2 / math.sqrt(variance)))


def _above(z: float) -> float:
    """Return the share of the standard normal distribution above z ≥ 0.

    Abramowitz and Stegun, "Handbook of mathematical functions", 1964, 26.2.11 and 26.2.14.
    """
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    if z < 3:
        term = total = z
        k = 1
        while term > 1e-17 * total:
            term *= z * z / (2 * k + 1)
            total += term
            k += 1
        return 0.5 - density * total
    # evaluate the continued fraction from the inside
    fraction = z
    for k in range(120, 0, -1):
        fraction = z + k / fraction
    return density / fraction


# Java's MathContext.DECIMAL128, and enough digits for an exact mean before rounding to it.
_DECIMAL128 = Context(prec=34, rounding=ROUND_HALF_EVEN)
_WIDE = Context(prec=60, rounding=ROUND_HALF_UP)


def mean(keys: list[int], domain: Domain) -> Estimate:
    """Return the mean value of keys, exact except for its last digit and never outside of their range.

    Examples
    --------
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.qlove.statistics import mean
    >>> mean([1, 2], domain_named("int")), mean([125, 250], domain_named("decimal(9, 2)"))
    (Estimate(key=2, value=1.5), Estimate(key=188, value=1.875))
    """
    if domain.is_floating:
        value = _floating([doubles.value(key) for key in keys])
        stored = doubles.nearest_float(value) if domain.kind == Kind.FLOAT else value
        return Estimate(doubles.key(stored), value)
    exact = _DECIMAL128.divide(Decimal(sum(keys)), Decimal(len(keys)))
    key = int(exact.quantize(Decimal(1), context=_WIDE))
    return Estimate(key, float(exact.scaleb(-_scale(domain), context=_WIDE)))


def difference(low: int, high: int, domain: Domain) -> float:
    """Return the difference between the values of two keys."""
    if low == high:
        return 0.0
    if domain.is_floating:
        return doubles.value(high) - doubles.value(low)
    return (high - low) / int(10 ** _scale(domain))


def _scale(domain: Domain) -> int:
    return domain.second if domain.is_numeric else 0


def _floating(values: list[float]) -> float:
    if not all(map(math.isfinite, values)):
        return sum(value for value in values if not math.isfinite(value))
    # -0.0 becomes 0.0
    return float(sum(map(Fraction, values)) / len(values)) + 0.0
