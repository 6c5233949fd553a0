"""Ranks between which the population's quantile lies with a given confidence: a binomial distribution."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronosketch.sketch.rank import Phi

# Up to this variance the ranks are exact. With a standard deviation of 100 the terms that the expansion
# leaves out are far below one rank.
_MOST_VARIANCE = 1e4

# Counts that are this much less likely than the most likely one are left out.
_LEAST_WEIGHT = 1e-25


class BinomialRanks:
    """The ranks that an interval of the φ-quantile of n independent rows ends at.

    Examples
    --------
    >>> from chronosketch.sketch.rank import Phi
    >>> ranks = BinomialRanks(100, Phi(0.5))
    >>> ranks.low(0.025), ranks.high(0.025)
    (40, 61)

    Notes
    -----
    Thompson, "On confidence ranges for the median", 1936; David and Nagaraja, "Order statistics", 2003, §7.1.
    Exact while n·φ·(1 − φ) ≤ 10⁴; beyond that the ranks of the Cornish-Fisher expansion, one further out.
    """

    def __init__(self, n: int, phi: Phi) -> None:
        self._n = n
        # the smaller of the two shares keeps all digits of the counts
        self._is_mirrored = float(phi.share) > 0.5
        self._p = float(1 - phi.share if self._is_mirrored else phi.share)
        self._mean = float(n) * self._p
        self._variance = self._mean * (1 - self._p)

    def low(self, tail: float) -> int:
        """Return the greatest rank that is above the quantile with at most this probability, or 0."""
        return self._n + 1 - self._upper(tail) if self._is_mirrored else self._lower(tail)

    def high(self, tail: float) -> int:
        """Return the least rank that is below the quantile with at most this probability, or n + 1."""
        return self._n + 1 - self._lower(tail) if self._is_mirrored else self._upper(tail)

    @cached_property
    def _counts(self) -> _LikelyCounts:
        return _LikelyCounts(self._n, self._p)

    def _lower(self, tail: float) -> int:
        if self._variance <= _MOST_VARIANCE:
            return self._counts.lower(tail)
        return max(0, math.floor(self._expansion(-normal_quantile(tail)) - 0.5))

    def _upper(self, tail: float) -> int:
        if self._variance <= _MOST_VARIANCE:
            return self._counts.upper(tail)
        return min(self._n + 1, math.ceil(self._expansion(normal_quantile(tail)) + 1.5))

    def _expansion(self, z: float) -> float:
        return self._mean + z * math.sqrt(self._variance) + (z * z - 1) * (1 - 2 * self._p) / 6


class _LikelyCounts:
    """The likely counts, with the probabilities to be at most or at least there, as shares of a total."""

    def __init__(self, n: int, p: float) -> None:
        q = 1 - p
        mode = min(n, math.floor((n + 1.0) * p))
        # each weight follows from its neighbour's, so no factorial is needed
        below = _weights(mode, lambda k: 0.0 if k == 0 else k * q / ((n - k + 1) * p), -1)
        above = _weights(mode, lambda k: 0.0 if k == n else (n - k) * p / ((k + 1) * q), 1)
        each = [*reversed(below), 1.0, *above]
        self._least = mode - len(below)
        # sums from the ends to the middle keep the digits of small probabilities
        self._at_most = list(accumulate(each))
        self._at_least = list(accumulate(reversed(each)))[::-1]
        self._total = self._at_most[-1]

    def lower(self, tail: float) -> int:
        """Return the greatest r with P(X < r) ≤ tail."""
        return self._least + bisect_right(self._at_most, tail * self._total)

    def upper(self, tail: float) -> int:
        """Return the least r with P(X ≥ r) ≤ tail."""
        limit = tail * self._total
        return self._least + bisect_left(self._at_least, True, key=lambda share: share <= limit)


def _weights(k: int, ratio: Callable[[int], float], step: int) -> list[float]:
    found = []
    weight = ratio(k)
    while weight > _LEAST_WEIGHT:
        found.append(weight)
        k += step
        weight *= ratio(k)
    return found


def normal_quantile(tail: float) -> float:
    """Return the z that a standard normal variable exceeds with this probability, which is at most one half.

    Notes
    -----
    Newton's steps on the logarithm of the probability, which is concave: from a z that is too great they only
    fall.

    Examples
    --------
    >>> round(normal_quantile(0.025), 12)
    1.95996398454
    """
    target = math.log(tail)
    z = math.sqrt(max(0.0, -2 * (target + math.log(2))))
    for _ in range(50):
        above = _normal_tail(z)
        step = (target - math.log(above)) * above / _density(z)
        z -= step
        if step <= 1e-13 * (1 + z):
            break
    return max(0.0, z)


def _density(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def _normal_tail(z: float) -> float:
    """Return the probability to be above z ≥ 0."""
    if z < 3:
        # z + z³/3 + z⁵/(3·5) + …
        term = total = z
        k = 3
        while term > total * 1e-17:
            term *= z * z / k
            total += term
            k += 2
        return 0.5 - _density(z) * total
    # 1/(z + 1/(z + 2/(z + 3/(z + …))))
    fraction = z
    for k in range(120, 0, -1):
        fraction = z + k / fraction
    return _density(z) / fraction
