"""Exact shares of counts."""

from __future__ import annotations

from fractions import Fraction


def share(epsilon: float, n: int) -> int:
    """Return ⌊epsilon · n⌋, computed exactly.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.share import share
    >>> share(0.1, 10), share(0.3, 10)
    (1, 2)
    """
    exact = Fraction(epsilon)
    return exact.numerator * n // exact.denominator
