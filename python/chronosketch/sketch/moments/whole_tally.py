"""Tallies of integers, or of decimals with one scale: sums of powers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from chronosketch.sketch.domain.domain import Kind
from chronosketch.sketch.moments.bounds import MomentBounds, down, up
from chronosketch.sketch.moments.double_tally import DoubleTally
from chronosketch.sketch.moments.mean import Mean
from chronosketch.sketch.moments.sum_checks import read_whole, require_powers, write_whole

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast


_POWERS = 4


@dataclass(frozen=True)
class WholeTally:
    """The exact tally of one column of integers.

    Attributes
    ----------
    n : int
        The number of values, at least one.
    least, greatest : int
        The least and greatest value.
    sums : tuple of int
        The sums of the first four powers.

    Notes
    -----
    N(p) = n^(p−1)·M(p) by the binomial theorem: N2 = n·S2 − S1², N3 = n²·S3 − 3n·S1·S2 + 2·S1³ and
    N4 = n³·S4 − 4n²·S1·S3 + 6n·S1²·S2 − 3·S1⁴ are integers. An answer is the nearest double. A root is
    rounded twice, and within 1 ulp.

    Examples
    --------
    >>> from chronosketch.sketch.moments.whole_tally import WholeTally
    >>> WholeTally.equal(3, 7).plus(WholeTally.equal(1, 11)).variance(10, population=True)
    0.03
    """

    n: int
    least: int
    greatest: int
    sums: tuple[int, ...]

    @staticmethod
    def equal(n: int, value: int) -> WholeTally:
        """Return the tally of n copies of a number."""
        return WholeTally(n, value, value, tuple(n * value**power for power in range(1, _POWERS + 1)))

    @staticmethod
    def read(r: Reader, n: int, least: int, greatest: int) -> WholeTally:
        """Read what `write` wrote, for values between these ends."""
        if least == greatest:
            return WholeTally.equal(n, least)
        sums = tuple(read_whole(r, 8 * (power + 1)) for power in range(1, _POWERS + 1))
        require_powers(n, least, greatest, sums)
        return WholeTally(n, least, greatest, sums)

    def write(self, w: Writer) -> None:
        """Write the sums, unless they follow from the count and the ends."""
        if self.least < self.greatest:
            for total in self.sums:
                write_whole(w, total)

    def plus(self, that: WholeTally) -> WholeTally:
        """Return the tally of both sets of values."""
        return WholeTally(
            self.n + that.n,
            min(self.least, that.least),
            max(self.greatest, that.greatest),
            tuple(a + b for a, b in zip(self.sums, that.sums, strict=True)),
        )

    def is_cast_exact(self, cast: Cast) -> bool:
        """Return whether a cast changes no value."""
        if not cast.to.is_floating:
            return not cast.given.is_floating and cast.to.scale >= cast.given.scale
        # floating-point numbers have every whole number up to this one
        most = 1 << (53 if cast.to.kind == Kind.DOUBLE else 24)
        return cast.given.scale == 0 and -most <= self.least and self.greatest <= most

    def cast_by(self, cast: Cast) -> WholeTally | DoubleTally:
        """Return the tally of the same values in another type."""
        least, greatest = cast.key(self.least), cast.key(self.greatest)
        if cast.to.is_floating:
            return self._doubles(least, greatest)
        factor = int(10 ** (cast.to.scale - cast.given.scale))
        sums = tuple(total * factor**power for power, total in enumerate(self.sums, 1))
        return WholeTally(self.n, least, greatest, sums)

    def _doubles(self, least: int, greatest: int) -> DoubleTally:
        """Return the nearest doubles to the moments."""
        if least == greatest:
            return DoubleTally.equal(self.n, least)
        n = self.n
        high = self.sums[0] / n
        center = Mean(high, float(Fraction(self.sums[0], n) - Fraction(high))).clamped(least, greatest)
        return DoubleTally(
            n, least, greatest, center, self._n2 / n, self._n3 / n**2 if self._n3 else 0.0, self._n4 / n**3
        )

    @property
    def _n3(self) -> int:
        s1, s2, s3, _ = self.sums
        return self.n * (self.n * s3 - 3 * s1 * s2) + 2 * s1**3

    @property
    def _n4(self) -> int:
        n, (s1, s2, s3, s4) = self.n, self.sums
        return n * (n * (n * s4 - 4 * s1 * s3) + 6 * s1**2 * s2) - 3 * s1**4

    @property
    def _n2(self) -> int:
        return self.n * self.sums[1] - self.sums[0] ** 2

    def total(self, unit: int) -> float:
        """Return the sum of numbers in units of 1 / unit."""
        return self.sums[0] / unit

    def mean(self, unit: int) -> float:
        """Return the mean."""
        return self.sums[0] / (self.n * unit)

    def variance(self, unit: int, *, population: bool) -> float | None:
        """Return the variance, or None for a sample of one value."""
        if self.n == 1 and not population:
            return None
        return self._n2 / (self.n * (self.n if population else self.n - 1) * unit**2)

    def squares(self, unit: int) -> float:
        """Return the sum of squared distances from the mean."""
        return self._n2 / (self.n * unit**2)

    def skewness(self) -> float | None:
        """Return the skewness, or None if all values are equal."""
        # √n·M3 / √M2³ = N3 / √N2³: counts and units cancel
        n2, n3 = self._n2, self._n3
        if n2 == 0:
            return None
        return math.copysign(math.sqrt(n3**2 / n2**3), n3) if n3 else 0.0

    def kurtosis(self) -> float | None:
        """Return the excess kurtosis, or None if all values are equal."""
        n2, n4 = self._n2, self._n4
        return None if n2 == 0 else (n4 - 3 * n2**2) / n2**2

    def bounds(self, moment: str, answer: float, unit: int) -> MomentBounds:
        """Return the bounds of a computed moment."""
        if moment == "count":
            return MomentBounds.of_count(self.n)
        if moment == "sum":
            return _nearest(answer, Fraction(self.sums[0], unit))
        if moment == "mean":
            return _nearest(answer, Fraction(self.sums[0], self.n * unit))
        name, _, population = moment.partition("_")
        exact = Fraction(self._n2, self.n * (self.n if population else self.n - 1) * unit**2)
        return _nearest(answer, exact) if name == "variance" else _root(answer, exact)


def _nearest(value: float, exact: Fraction) -> MomentBounds:
    if Fraction(value) == exact:
        return MomentBounds.exactly(value)
    return MomentBounds(value, down(value), up(value))


def _root(value: float, square: Fraction) -> MomentBounds:
    """Return the bounds of a root with an error of 1 ulp, which is two doubles just above a power of two."""
    if Fraction(value) ** 2 == square:
        return MomentBounds.exactly(value)
    return MomentBounds(value, down(down(value)), up(value))
