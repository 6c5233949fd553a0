"""IEEE 754 arithmetic as in the JVM, where Python raises errors or lacks an operation."""

from __future__ import annotations

import math
from fractions import Fraction

MOST = 1.7976931348623157e308
LEAST_NORMAL_EXPONENT = -1022
TINIEST = 5e-324


def divide(a: float, b: float) -> float:
    """Return a / b, which is infinite or NaN if b is 0.

    Examples
    --------
    >>> from chronosketch.sketch.moments import ieee
    >>> ieee.divide(1.0, 0.0), ieee.divide(-1.0, 0.0), ieee.divide(0.0, 0.0)
    (inf, -inf, nan)
    """
    if b != 0:
        return a / b
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def root(value: float) -> float:
    """Return the square root, or NaN if the value is below 0."""
    return math.sqrt(value) if not value < 0 else math.nan


def fma(a: float, b: float, c: float) -> float:
    """Return a · b + c with a single rounding.

    Examples
    --------
    >>> from chronosketch.sketch.moments import ieee
    >>> ieee.fma(0.1, 10.0, -1.0), 0.1 * 10.0 - 1.0
    (5.551115123125783e-17, 0.0)
    """
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return a * b + c if exact == 0 else nearest(exact)


def nearest(exact: Fraction) -> float:
    """Return the nearest double, which is infinite beyond the greatest one."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def two_sum_rest(a: float, b: float, total: float) -> float:
    """Return the rounding error of a + b. It is exact if the sum is finite (Knuth's TwoSum)."""
    added = total - a
    return (a - (total - added)) + (b - added)


def scale(value: float, exponent: int) -> float:
    """Return value · 2**exponent."""
    try:
        return math.ldexp(value, exponent)
    except OverflowError:
        return math.copysign(math.inf, value)


def exponent(value: float) -> int:
    """Return the exponent of a finite double other than 0; −1023 if it is subnormal."""
    return max(math.frexp(value)[1] - 1, LEAST_NORMAL_EXPONENT - 1)


def greater(a: float, b: float) -> float:
    """Return the greater of two, or NaN if one is NaN."""
    return math.nan if a != a or b != b else max(a, b)


def lesser(a: float, b: float) -> float:
    """Return the lesser of two, or NaN if one is NaN."""
    return math.nan if a != a or b != b else min(a, b)


def count_rest(count: int, near: float) -> float:
    """Return the difference between a count and the double nearest to it."""
    return float(count - int(near))


def order(value: float) -> tuple[bool, float, bool]:
    """Return a sort key that orders doubles like Java's ``Double.compare``: −0.0 below 0.0, NaN above all."""
    if value != value:
        return True, 0.0, False
    return False, value, math.copysign(1.0, value) > 0
