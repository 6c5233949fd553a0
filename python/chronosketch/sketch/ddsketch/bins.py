"""Map numbers to bins, and bins to the range of their numbers."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.ddsketch.fdlibm import bits_of, cbrt, double_of, log1p, power

if TYPE_CHECKING:
    import numpy.typing as npt

    Longs = npt.NDArray[np.int64]

# The polynomial that approximates the logarithm of a significand.
_A, _B, _C = 6.0 / 35, -3.0 / 5, 10.0 / 7
_CORRECTION = 1 / (_C * math.log(2))
_MANTISSA = (1 << 52) - 1
_ONE = 1023 << 52

_MIN_NORMAL = 2.0**-1022
_MIN_VALUE = 2.0**-1074
_MAX_VALUE = (2 - 2.0**-52) * 2.0**1023

# Scale factors between subnormal numbers and numbers with full precision.
_UP, _DOWN = 2.0**200, 2.0**-200

# Numbers near an edge may be in either bin. So bins are reported wider, and made narrower than alpha allows.
_MARGIN = 2.0**-36
_SHARE = 1 - 2.0**-20


class Cubic:
    """The intervals of sketches-java's CubicallyInterpolatedMapping.

    Notes
    -----
    Masson, Rim and Lee, "DDSketch: a fast and fully-mergeable quantile sketch with relative-error
    guarantees", VLDB 2019, §2.
    """

    def __init__(self, alpha: float) -> None:
        gamma = power((1 + alpha) / (1 - alpha), 1 / _CORRECTION)
        self._factor = math.log(2) / log1p(gamma - 1)

    def index_of(self, bits: int) -> int:
        """Return the interval index of a positive normal number, given by its bits."""
        share = double_of(bits & _MANTISSA | _ONE) - 1.0
        log = ((_A * share + _B) * share + _C) * share + float((bits >> 52) - 1023)
        place = log * self._factor
        return int(place) if place >= 0 else int(place) - 1

    def indexes_of(self, bits: Longs) -> Longs:
        """Return what `index_of` does for many numbers."""
        shares = (bits & _MANTISSA | _ONE).view(np.float64) - 1.0
        logs = ((_A * shares + _B) * shares + _C) * shares + ((bits >> 52) - 1023).astype(np.float64)
        places = logs * self._factor
        return places.astype(np.int64) - (places < 0)

    def lower_bound(self, index: int) -> float:
        """Return the lower end of an interval, by Cardano's formula."""
        log = index / self._factor
        exponent = math.floor(log)
        d0 = -0.37469387755102035
        d1 = 0.8904489795918369 - 0.7934693877551021 * (log - exponent)
        p = cbrt((d1 - math.sqrt(d1 * d1 - -0.2104213399518907)) / 2.0)
        significand = -(-0.6 + p + d0 / p) / 0.5142857142857142 + 1.0
        return double_of((exponent + 1023 & 0x7FF) << 52 | bits_of(significand) & _MANTISSA)


class Bins:
    """Bins in ascending order of their numbers. Bin 0 holds 0, and bin -b the negatives of bin b.

    Examples
    --------
    >>> from chronosketch.sketch.ddsketch.bins import bins_of
    >>> bins = bins_of(0.01)
    >>> b = bins.of(100.0)
    >>> bins.least(b) <= 100.0 <= bins.greatest(b), bins.of(-100.0) == -b
    (True, True)
    """

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self._normal = Cubic(alpha * _SHARE)
        self._first = self._normal.index_of(bits_of(_MIN_NORMAL))
        last = self._normal.index_of(bits_of(_MAX_VALUE))
        self._last = last
        self._tiny = Cubic(alpha / 4)
        self._tiny_first = self._tiny.index_of(bits_of(_MIN_VALUE * _UP))
        self._tiny_last = self._tiny.index_of(bits_of(_MIN_NORMAL * _UP))
        self._first_normal = self._tiny_last - self._tiny_first + 2
        self._last_normal = self._first_normal + last - self._first
        #: The bins of +∞ and of NaN. The bin of −∞ is that of +∞, negated.
        self.infinity = self._last_normal + 1
        self.nan = self.infinity + 1

    def of(self, value: float) -> int:
        """Return the bin of a double."""
        if value != value:
            return self.nan
        bin_ = self._of_magnitude(abs(value))
        return bin_ if value >= 0 else -bin_

    def of_all(self, values: npt.NDArray[np.float64]) -> Longs:
        """Return the bins of many doubles."""
        sizes = np.abs(values)
        bins = np.zeros(len(values), np.int64)
        tiny = (sizes > 0) & (sizes < _MIN_NORMAL)
        if tiny.any():
            indexes = self._tiny.indexes_of((sizes[tiny] * _UP).view(np.int64))
            bins[tiny] = 1 - self._tiny_first + np.clip(indexes, self._tiny_first, self._tiny_last)
        normal = (sizes >= _MIN_NORMAL) & (sizes < math.inf)
        indexes = self._normal.indexes_of(sizes[normal].view(np.int64))
        bins[normal] = self._first_normal - self._first + np.minimum(self._last, indexes)
        bins[sizes == math.inf] = self.infinity
        bins[values < 0] *= -1
        bins[np.isnan(values)] = self.nan
        return bins

    def _of_magnitude(self, value: float) -> int:
        if value == 0:
            return 0
        if value < _MIN_NORMAL:
            index = self._tiny.index_of(bits_of(value * _UP))
            return 1 - self._tiny_first + max(self._tiny_first, min(self._tiny_last, index))
        if math.isinf(value):
            return self.infinity
        return self._first_normal - self._first + min(self._last, self._normal.index_of(bits_of(value)))

    def least(self, number: int) -> float:
        """Return the least double that can be in a bin. It is above `greatest` if the bin holds none."""
        return -self._greatest(-number) if number < 0 else self._least(number)

    def greatest(self, number: int) -> float:
        """Return the greatest double that can be in a bin."""
        return -self._least(-number) if number < 0 else self._greatest(number)

    def _least(self, number: int) -> float:
        if number >= self.infinity:
            return self._beyond(number)
        if number > self._first_normal:
            return self._normal.lower_bound(number - self._first_normal + self._first) * (1 - _MARGIN)
        if number == self._first_normal:
            return _MIN_NORMAL
        if number == 0:
            return 0.0
        edge = self._tiny.lower_bound(number - 1 + self._tiny_first) * (1 - _MARGIN)
        nearest = edge * _DOWN
        return max(_MIN_VALUE, math.nextafter(nearest, math.inf) if nearest * _UP < edge else nearest)

    def _greatest(self, number: int) -> float:
        if number >= self.infinity:
            return self._beyond(number)
        if number == self._last_normal:
            return _MAX_VALUE
        if number >= self._first_normal:
            return self._normal.lower_bound(number - self._first_normal + self._first + 1) * (1 + _MARGIN)
        if number == 0:
            return 0.0
        edge = self._tiny.lower_bound(number + self._tiny_first) * (1 + _MARGIN)
        nearest = edge * _DOWN
        below = math.nextafter(_MIN_NORMAL, 0.0)
        return min(below, math.nextafter(nearest, -math.inf) if nearest * _UP > edge else nearest)

    def _beyond(self, number: int) -> float:
        return math.inf if number == self.infinity else math.nan


@lru_cache(maxsize=16)
def bins_of(alpha: float) -> Bins:
    """Return the bins of an alpha, from a cache if possible."""
    return Bins(alpha)


def middle(least: float, greatest: float) -> float:
    """Return the number with the smallest worst-case relative error for all numbers between two ends."""
    if least == greatest or doubles.key(least) == doubles.key(greatest):
        return least
    if greatest < 0:
        return -middle(-greatest, -least)
    if least < _MIN_NORMAL:
        return middle(least * _UP, greatest * _UP) * _DOWN
    return least * (2 / (1 + least / greatest))
