"""Decide which elements may straddle a position, given those after it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from chronosketch.sketch.moments import ieee
from chronosketch.sketch.window.moments.directed import add_down, add_up

if TYPE_CHECKING:
    from chronosketch.sketch.window.moments.sums import Sums

# Variance below this is ignored.
_LEAST_VARIANCE = 1e-300

# The part of ε that is reserved for rounding, and for means that are far from 0 but close to each other.
_ROUNDING = 1e-6
_FAR = 1e-15


class Allowance:
    """Limits the elements that straddle a position, relative to those after it.

    Let R be the straddling elements, A those after, and c = √((1 + ε)/(1 − ε)) − 1. R has at most
    c·(count of A − 1) elements. The sum of its magnitudes is at most 2ε times that of A. Σ(x − μ)² over R is
    at most c·Σ((x − μ)² + 10⁻³⁰⁰) over A, for every μ. R may have NaN or infinities only if A has them too.

    Examples
    --------
    >>> from chronosketch.sketch.window.moments.allowance import Allowance
    >>> Allowance(0.1).most_around(1000)
    105
    """

    def __init__(self, epsilon: float) -> None:
        promised = epsilon * (1 - _ROUNDING)
        self._share = math.sqrt((1 + promised) / (1 - promised)) - 1
        self._magnitudes = 2 * promised

    def most_around(self, after: int) -> int:
        """Return how many elements may straddle a position with `after` elements after it."""
        return 0 if after < 2 else int(self._share * float(after - 1))

    def allows(self, around: Sums, after: Sums) -> bool:
        """Return whether these elements may straddle a position. Their count is not checked."""
        if around.specials & ~after.specials:
            return False
        if after.specials:
            return True
        return self._has_few_magnitudes(around, after) and self._is_near(around, after)

    def _has_few_magnitudes(self, around: Sums, after: Sums) -> bool:
        if not after.magnitude_high <= ieee.MOST:
            return True
        return around.magnitude_high <= self._magnitudes * after.magnitude_low

    def _is_near(self, around: Sums, after: Sums) -> bool:
        """Return whether the minimum of a parabola in μ is not below 0.

        The parabola is c·Σ(x − μ)² over A, minus Σ(x − μ)² over R.
        """
        if not after.has_spread:
            return True
        n = float(around.count)
        weight = self._share * float(after.count)
        if not weight > n:
            return False
        apart = _distance(around, after)
        most = self._share * (after.spread_low + float(after.count) * _LEAST_VARIANCE)
        return around.spread_high + apart * apart * n * (weight / (weight - n)) <= most


def _distance(a: Sums, b: Sums) -> float:
    """Return an upper bound of the distance between the means."""
    n, m = float(a.count), float(b.count)
    high = (add_up(a.anchor, -b.anchor) + a.distance_high / n) - b.distance_low / m
    low = (add_down(a.anchor, -b.anchor) + a.distance_low / n) - b.distance_high / m
    rounding = (abs(a.distance_high / n) + abs(b.distance_high / m)) * _FAR
    # NaN counts as greater
    most = high + low if high != high or low != low else max(abs(high), abs(low))
    return most + rounding
