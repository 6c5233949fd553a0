"""Tallies of pairs of doubles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.moments import ieee
from chronosketch.sketch.moments.double_tally import root_exponent, tidy_even, tidy_odd
from chronosketch.sketch.moments.mean import ZERO, Mean, is_finite, special
from chronosketch.sketch.moments.sum_checks import require_products, require_squares

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer


class DoubleSide(NamedTuple):
    """The ends, the mean and the squared distances of one side of pairs.

    Attributes
    ----------
    least, greatest : int
        The keys of the least and greatest value.
    center : Mean
        The mean, if all values are finite.
    m2 : float
        The sum of squared distances from the mean.

    Examples
    --------
    >>> from chronosketch.sketch.moments.double_pairs import DoubleSide
    >>> DoubleSide(0, doubles.key(2.0)).span
    2.0
    """

    least: int
    greatest: int
    center: Mean = ZERO
    m2: float = 0.0

    @staticmethod
    def read(r: Reader, n: int, least: int, greatest: int) -> DoubleSide:
        """Read what `write` wrote, for n values between these ends."""
        side = DoubleSide(least, greatest)
        if side.varies:
            side = side._replace(center=Mean(r.double(), r.double()), m2=r.double())
            side.center.require_between(least, greatest)
            require_squares(n, side.span, side.m2)
        elif side.is_finite:
            side = side._replace(center=Mean(doubles.value(least)))
        return side

    def write(self, w: Writer) -> None:
        """Write everything that does not follow from the ends."""
        if self.varies:
            for value in (*self.center, self.m2):
                w.double(value)

    @property
    def is_finite(self) -> bool:
        """Whether all values are finite."""
        return is_finite(self.least, self.greatest)

    @property
    def varies(self) -> bool:
        """Whether the values differ, so that more than the ends is stored."""
        return self.is_finite and self.least < self.greatest

    @property
    def span(self) -> float:
        """The distance between the ends."""
        return doubles.value(self.greatest) - doubles.value(self.least)

    def united(self, a: int, b: int, that: DoubleSide) -> tuple[DoubleSide, float, float]:
        """Return the union of these a elements and another's b, and the two distances of `Mean.united`."""
        least, greatest = min(self.least, that.least), max(self.greatest, that.greatest)
        if not is_finite(least, greatest):
            return DoubleSide(least, greatest), 0.0, 0.0
        center, p, q = self.center.united(a, b, that.center)
        m2 = self.m2 + that.m2 + float(a + b) * (p * q)
        side = DoubleSide(
            least, greatest, center.clamped(least, greatest), tidy_even(m2) if least < greatest else 0.0
        )
        return side, p, q

    def total(self, n: int) -> float:
        """Return the sum of its n values."""
        return self.center.times(n) if self.is_finite else special(self.least, self.greatest)

    @property
    def mean(self) -> float:
        """The mean."""
        return self.center.high if self.is_finite else special(self.least, self.greatest)

    @property
    def squares(self) -> float:
        """The sum of squared distances from the mean."""
        return self.m2 if self.is_finite else math.nan


if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.sketch.codec.wire import Reader, Writer

    Ends = tuple[int, int]


@dataclass(frozen=True)
class DoublePairs:
    """The tally of some pairs of doubles, computed with the same operations as in the JVM.

    Attributes
    ----------
    n : int
        The number of pairs, at least one.
    y, x : DoubleSide
        The tallies of y and of x.
    products : float
        The sum of products of distances from the means.

    Notes
    -----
    Pébay 2008, §4.
    """

    n: int
    y: DoubleSide
    x: DoubleSide
    products: float = 0.0

    @staticmethod
    def read(r: Reader, n: int, ends: Sequence[Ends]) -> DoublePairs:
        """Read what `write` wrote, for pairs between these ends of y and of x."""
        y, x = (DoubleSide.read(r, n, least, greatest) for least, greatest in ends)
        products = 0.0
        if y.varies and x.varies:
            products = r.double()
            require_products(n, y.span, x.span, products)
        return DoublePairs(n, y, x, products)

    def write(self, w: Writer) -> None:
        """Write everything that does not follow from the ends."""
        self.y.write(w)
        self.x.write(w)
        if self.y.varies and self.x.varies:
            w.double(self.products)

    def plus(self, that: DoublePairs) -> DoublePairs:
        """Return the tally of both sets of values."""
        # order the operands, so that merging is commutative
        first, second = (self, that) if self._order >= that._order else (that, self)
        y, p, _ = first.y.united(first.n, second.n, second.y)
        x, _, q = first.x.united(first.n, second.n, second.x)
        products = 0.0
        if y.varies and x.varies:
            products = tidy_odd(self.products + that.products + float(self.n + that.n) * (p * q))
        return DoublePairs(self.n + that.n, y, x, products)

    @property
    def _order(self) -> tuple[object, ...]:
        sides = (*self.y.center, self.y.m2, *self.x.center, self.x.m2)
        return (self.n, *map(ieee.order, (*sides, self.products)))

    @property
    def _products(self) -> float:
        return self.products if self.y.is_finite and self.x.is_finite else math.nan

    def covar(self, y_unit: int = 1, x_unit: int = 1, *, population: bool) -> float | None:
        """Return the covariance, or None for a sample of one pair."""
        if self.n == 1 and not population:
            return None
        return self._products / (float(self.n) - (0 if population else 1))

    def products_of_distances(self, y_unit: int = 1, x_unit: int = 1) -> float:
        """Return the sum of products of distances from the means, like Spark's ``regr_sxy``."""
        return self._products

    def corr(self) -> float | None:
        """Return the correlation, or None for one pair and if all x or all y are the same double."""
        c, mx, my = self._in_unit()
        divisor = ieee.root(mx * my)
        return None if self.n == 1 or divisor == 0 else _within_one(c / divisor)

    def slope(self, y_unit: int = 1, x_unit: int = 1) -> float | None:
        """Return the slope of the regression line, or None if all x are equal."""
        return None if self.x.squares == 0 else self._products / self.x.squares

    def intercept(self, y_unit: int = 1, x_unit: int = 1) -> float | None:
        """Return the regression line's y at x = 0, or None if all x are equal."""
        if self.x.squares == 0:
            return None
        return self.y.mean - self._products / self.x.squares * self.x.mean

    def r2(self) -> float | None:
        """Return the share of the variance of y that the line explains; 1 if all y are equal."""
        c, mx, my = self._in_unit()
        divisor = ieee.root(mx * my)
        if mx == 0 or (my != 0 and divisor == 0):
            return None
        corr = ieee.divide(c, divisor)
        return 1.0 if my == 0 else _within_one(corr * corr)

    def _in_unit(self) -> tuple[float, float, float]:
        """Return the sums, scaled so that no product overflows or underflows."""
        mx, my = self.x.squares, self.y.squares
        x, y = root_exponent(mx), root_exponent(my)
        return ieee.scale(self._products, -x - y), ieee.scale(mx, -2 * x), ieee.scale(my, -2 * y)

    def totals(self, y_unit: int = 1, x_unit: int = 1) -> tuple[float, float]:
        """Return the sums of y and of x."""
        return self.y.total(self.n), self.x.total(self.n)

    def means(self, y_unit: int = 1, x_unit: int = 1) -> tuple[float, float]:
        """Return the means of y and of x."""
        return self.y.mean, self.x.mean

    def squares(self, y_unit: int = 1, x_unit: int = 1) -> tuple[float, float]:
        """Return the sums of squared distances from the mean, of y and of x."""
        return self.y.squares, self.x.squares


def _within_one(value: float) -> float:
    """Limit a correlation to [-1, 1], as rounding may exceed it."""
    return ieee.greater(-1.0, ieee.lesser(1.0, value))
