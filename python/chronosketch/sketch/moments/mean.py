"""A mean of doubles with twice a double's precision."""

from __future__ import annotations

import math
from typing import NamedTuple

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import corrupt
from chronosketch.sketch.moments import ieee


class Mean(NamedTuple):
    """A mean as the unevaluated sum of two doubles.

    Attributes
    ----------
    high : float
        The double nearest to it.
    low : float
        The remainder, at most half an ulp of `high`.

    Notes
    -----
    Ogita, Rump and Oishi, "Accurate sum and dot product", 2005, Sum2 and Dot2; the same operations as in the
    JVM.

    Examples
    --------
    >>> from chronosketch.sketch.moments.mean import Mean
    >>> Mean(0.1).times(10), Mean(1.0).united(1, 3, Mean(2.0))[0]
    (1.0, Mean(high=1.75, low=0.0))
    """

    high: float
    low: float = 0.0

    def times(self, n: int) -> float:
        """Return the sum of n values with this mean; infinite beyond the greatest double."""
        count = float(n)
        product = self.high * count
        if math.isinf(product):
            return product
        rest = self.high * ieee.count_rest(n, count) + self.low * count
        return product + (ieee.fma(self.high, count, -product) + rest)

    def united(self, a: int, b: int, that: Mean) -> tuple[Mean, float, float]:
        """Return the mean of this mean's a elements and another's b elements.

        Also return the distance between the two means, times a / (a + b) and times b / (a + b).
        """
        n = float(a + b)
        apart = that.high - self.high
        if math.isinf(apart):
            middle = self.high * (float(a) / n) + that.high * (float(b) / n)
            return _normal(middle, 0.0), apart, apart
        apart_rest = ieee.two_sum_rest(that.high, -self.high, apart) + (that.low - self.low)
        other = float(b)
        share = other / n
        share_rest = (
            ieee.fma(-share, n, other) + (ieee.count_rest(b, other) - share * ieee.count_rest(a + b, n))
        ) / n
        step = apart * share
        step_rest = ieee.fma(apart, share, -step) + (apart * share_rest + apart_rest * share)
        total = self.high + step
        rest = ieee.two_sum_rest(self.high, step, total) + (self.low + step_rest)
        whole = apart + apart_rest
        return _normal(total, rest), whole * (float(a) / n), whole * share

    def clamped(self, least: int, greatest: int) -> Mean:
        """Limit the mean to the range between two keys, which rounding may exceed."""
        low, high = doubles.value(least), doubles.value(greatest)
        if low == high or self.high < low:
            return Mean(low)
        return Mean(high) if self.high > high else self

    def require_between(self, least: int, greatest: int) -> None:
        """Refuse what cannot be a mean of doubles between these."""
        if not doubles.value(least) <= self.high <= doubles.value(greatest):
            raise corrupt(f"its mean, {doubles.text(self.high)}, is not between its least and greatest value")
        if not self.high + self.low == self.high:
            raise corrupt(f"its mean is {doubles.text(self.high)} and {doubles.text(self.low)}")


ZERO = Mean(0.0)


def _normal(total: float, rest: float) -> Mean:
    high = total + rest
    return Mean(high, ieee.two_sum_rest(total, rest, high))


def is_finite(least: int, greatest: int) -> bool:
    """Return whether all doubles between these keys are finite."""
    return least > doubles.NEGATIVE_INFINITY and greatest < doubles.POSITIVE_INFINITY


def special(least: int, greatest: int) -> float:
    """Return the IEEE 754 sum of doubles that are not all finite."""
    if greatest >= doubles.POSITIVE_INFINITY:
        edge = -math.inf if least == doubles.NEGATIVE_INFINITY else 0.0
        return doubles.value(greatest) + edge
    return doubles.value(least)
