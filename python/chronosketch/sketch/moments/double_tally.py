"""Tallies of doubles: the moments about their mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.moments import ieee
from chronosketch.sketch.moments.bounds import MomentBounds, down, up
from chronosketch.sketch.moments.mean import ZERO, Mean, is_finite, special
from chronosketch.sketch.moments.sum_checks import require_moments

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast


@dataclass(frozen=True)
class DoubleTally:
    """The tally of one column of doubles, computed with the same operations as in the JVM.

    Attributes
    ----------
    n : int
        The number of values, at least one.
    least, greatest : int
        The keys of the least and greatest value. If one is NaN or infinite, the other fields have no meaning.
    center : Mean
        The mean.
    m2, m3, m4 : float
        The sums of the second, third and fourth powers of the distances from the mean.

    Notes
    -----
    Pébay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical
    moments", 2008, §3; Chan, Golub and LeVeque 1983.

    Examples
    --------
    >>> from chronosketch.sketch.codec import doubles
    >>> from chronosketch.sketch.moments.double_tally import DoubleTally
    >>> one, two = (DoubleTally.equal(1, doubles.key(x)) for x in (1.5, 2.5))
    >>> one.plus(two).mean(), one.plus(two).variance(population=False)
    (2.0, 0.5)
    """

    n: int
    least: int
    greatest: int
    center: Mean = ZERO
    m2: float = 0.0
    m3: float = 0.0
    m4: float = 0.0

    @staticmethod
    def equal(n: int, key: int) -> DoubleTally:
        """Return the tally of n copies of a double."""
        return DoubleTally(n, key, key, Mean(doubles.value(key) if is_finite(key, key) else 0.0))

    @staticmethod
    def read(r: Reader, n: int, least: int, greatest: int) -> DoubleTally:
        """Read what `write` wrote, for values between these ends."""
        if least == greatest:
            return DoubleTally.equal(n, least)
        if not is_finite(least, greatest):
            return DoubleTally(n, least, greatest)
        center = Mean(r.double(), r.double())
        m2, m3, m4 = r.double(), r.double(), r.double()
        center.require_between(least, greatest)
        require_moments(n, doubles.value(greatest) - doubles.value(least), m2, m3, m4)
        return DoubleTally(n, least, greatest, center, m2, m3, m4)

    def write(self, w: Writer) -> None:
        """Write the sums, unless they follow from the count and the ends."""
        if self.least < self.greatest and self.is_finite:
            for value in (*self.center, self.m2, self.m3, self.m4):
                w.double(value)

    def is_cast_exact(self, cast: Cast) -> bool:
        """Return whether a cast changes no value."""
        return cast.keeps_keys

    def cast_by(self, cast: Cast) -> DoubleTally:
        """Return the tally of the same values in another type."""
        return self

    @property
    def is_finite(self) -> bool:
        """Whether all values are finite."""
        return is_finite(self.least, self.greatest)

    def plus(self, that: DoubleTally) -> DoubleTally:
        """Return the tally of both sets of values."""
        least, greatest = min(self.least, that.least), max(self.greatest, that.greatest)
        if not is_finite(least, greatest):
            return DoubleTally(self.n + that.n, least, greatest)
        # order the operands, so that merging is commutative
        first, second = (self, that) if self._order >= that._order else (that, self)
        return first._combined(second, least, greatest)

    @property
    def _order(self) -> tuple[object, ...]:
        return (self.n, *map(ieee.order, (*self.center, self.m2, self.m3, self.m4)))

    def _combined(self, that: DoubleTally, least: int, greatest: int) -> DoubleTally:
        center, p, q = self.center.united(self.n, that.n, that.center)
        n, pq = float(self.n + that.n), p * q
        of_fourth = n * (pq * (p * p - pq + q * q)) + 6 * (p * p * that.m2 + q * q * self.m2)
        m4 = self.m4 + that.m4 + (of_fourth + 4 * (p * that.m3 - q * self.m3))
        m3 = self.m3 + that.m3 + (n * (pq * (p - q)) + 3 * (p * that.m2 - q * self.m2))
        m2 = self.m2 + that.m2 + n * pq
        both = self.n + that.n
        if least == greatest:
            return DoubleTally(both, least, greatest, center.clamped(least, greatest))
        return DoubleTally(
            both,
            least,
            greatest,
            center.clamped(least, greatest),
            tidy_even(m2),
            tidy_odd(m3),
            tidy_even(m4),
        )

    def total(self, unit: int = 1) -> float:
        """Return the sum."""
        return self.center.times(self.n) if self.is_finite else special(self.least, self.greatest)

    def mean(self, unit: int = 1) -> float:
        """Return the mean."""
        return self.center.high if self.is_finite else special(self.least, self.greatest)

    def variance(self, unit: int = 1, *, population: bool) -> float | None:
        """Return the variance, or None for a sample of one value."""
        if self.n == 1 and not population:
            return None
        return self.squares() / (float(self.n) - (0 if population else 1))

    def squares(self, unit: int = 1) -> float:
        """Return the sum of squared distances from the mean."""
        return self.m2 if self.is_finite else math.nan

    def skewness(self) -> float | None:
        """Return the skewness, or None if all values are equal or their variance rounds to 0."""
        m2, m3, _ = self._in_unit()
        divisor = ieee.root(m2 * m2 * m2)
        return None if divisor == 0 else ieee.root(float(self.n)) * m3 / divisor

    def kurtosis(self) -> float | None:
        """Return the excess kurtosis, or None as for `skewness`."""
        m2, _, m4 = self._in_unit()
        divisor = m2 * m2
        return None if divisor == 0 else float(self.n) * m4 / divisor - 3

    def _in_unit(self) -> tuple[float, float, float]:
        """Return the moments, scaled so that no power overflows. Skewness and kurtosis stay the same."""
        if not self.is_finite:
            return math.nan, math.nan, math.nan
        unit = root_exponent(self.m2)
        return (
            ieee.scale(self.m2, -2 * unit),
            ieee.scale(self.m3, -3 * unit),
            ieee.scale(self.m4, -4 * unit),
        )

    def bounds(self, moment: str, answer: float, unit: int = 1) -> MomentBounds:
        """Return the bounds of a computed moment.

        They follow from the guarantee for any number of merged blocks of rows, which is at most the number of
        elements. All errors count twice, to allow for rounding in this method.
        """
        if moment == "count":
            return MomentBounds.of_count(self.n)
        if not self.is_finite or (self.least == self.greatest and moment != "sum"):
            return MomentBounds.exactly(answer)
        n = float(self.n)
        least, greatest = doubles.value(self.least), doubles.value(self.greatest)
        of_mean = 2 * ((n + 65536) * 2.0**-102 * max(abs(least), abs(greatest)) + ieee.TINIEST)
        if moment == "sum":
            return _around(answer, n * of_mean, -math.inf)
        if moment == "mean":
            return _around(answer, of_mean, -math.inf)
        name, _, population = moment.partition("_")
        divisor = n if population else n - 1
        # M2 / divisor: an absolute error of 4n·e·D, next to a relative one
        off = 4 * n * of_mean * (greatest - least) / divisor
        variance = self.m2 / divisor
        near = _around(variance, variance * (32 * (n + 256) * 2.0**-53) + off, 0.0)
        if name == "variance":
            return MomentBounds(answer, near.lower, near.upper)
        low, high = math.sqrt(near.lower), math.sqrt(near.upper)
        return MomentBounds(answer, max(0.0, down(low)), up(high))


def tidy_even(value: float) -> float:
    """Normalise a number that cannot be below 0: +∞ if no double holds it."""
    return max(value, 0.0) if value <= ieee.MOST else math.inf


def tidy_odd(value: float) -> float:
    """Normalise a number of any sign: NaN if no double holds it."""
    return value + 0.0 if abs(value) <= ieee.MOST else math.nan


def root_exponent(squares: float) -> int:
    """Return roughly the exponent of the root of a sum of squares, or 0 if it has none."""
    return int(ieee.exponent(squares) / 2) if 0 < squares <= ieee.MOST else 0


def _around(value: float, off: float, lowest: float) -> MomentBounds:
    """Return the bounds of a value with an absolute error. A value that overflowed may really be smaller."""
    if not math.isfinite(value) or math.isnan(off):
        return MomentBounds(value, max(0.0, lowest) if value > 0 else lowest, math.inf)
    wide = off + 4 * math.ulp(value)
    return MomentBounds(value, max(lowest, value - wide), value + wide)
