"""Computes the k of KLL for an ε, by the formula that datasketches-java publishes for its double sketches.

It is the single-sided error, of one rank or quantile, which favours KLL: for the double-sided error, of a share
between two points, k would be larger by a third. Both hold with 99 % confidence.
"""

from __future__ import annotations

from math import ceil

_COEFFICIENT, _EXPONENT = 2.296, 0.9723


def error_of(k: int) -> float:
    """Return the single-sided rank error of a k."""
    return float(_COEFFICIENT / k**_EXPONENT)


def k_of(epsilon: float) -> int:
    """Return the least k whose error is at most ε."""
    return ceil(float((_COEFFICIENT / epsilon) ** (1 / _EXPONENT)))
