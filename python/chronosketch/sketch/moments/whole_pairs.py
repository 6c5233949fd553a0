"""Tallies of pairs of integers, or of decimals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from chronosketch.sketch.codec.wire import corrupt
from chronosketch.sketch.moments.sum_checks import read_whole, require_two_powers, write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.sketch.codec.wire import Reader, Writer

    Ends = tuple[int, int]


class WholeSide(NamedTuple):
    """The ends of one side of pairs, the sum of its numbers and the sum of their squares."""

    least: int
    greatest: int
    total: int
    squares: int

    @staticmethod
    def read(r: Reader, n: int, least: int, greatest: int) -> WholeSide:
        """Read what `write` wrote, for n numbers between these ends."""
        if least == greatest:
            return WholeSide(least, greatest, n * least, n * least**2)
        total, squares = read_whole(r, 16), read_whole(r, 24)
        require_two_powers(n, least, greatest, total, squares)
        return WholeSide(least, greatest, total, squares)

    def write(self, w: Writer) -> None:
        """Write everything that does not follow from the ends."""
        if self.varies:
            write_whole(w, self.total)
            write_whole(w, self.squares)

    @property
    def varies(self) -> bool:
        """Whether the values differ, so that more than the ends is stored."""
        return self.least < self.greatest

    def plus(self, that: WholeSide) -> WholeSide:
        """Return the union of two sides."""
        return WholeSide(
            min(self.least, that.least),
            max(self.greatest, that.greatest),
            self.total + that.total,
            self.squares + that.squares,
        )


@dataclass(frozen=True)
class WholePairs:
    """The exact tally of some pairs of integers.

    Attributes
    ----------
    n : int
        The number of pairs, at least one.
    y, x : WholeSide
        The tallies of y and of x.
    products : int
        The sum of x·y.

    Notes
    -----
    n²·covar_pop = n·Sxy − Sx·Sy, and so on, so all are quotients of integers. Each answer is the nearest
    double, and a correlation is within 1 ulp.

    Examples
    --------
    >>> from chronosketch.sketch.moments.whole_pairs import WholePairs, WholeSide
    >>> p = WholePairs(2, WholeSide(1, 3, 4, 10), WholeSide(0, 1, 1, 1), 3)
    >>> p.slope(1, 1), p.intercept(1, 1), p.corr()
    (2.0, 1.0, 1.0)
    """

    n: int
    y: WholeSide
    x: WholeSide
    products: int

    @staticmethod
    def read(r: Reader, n: int, ends: Sequence[Ends]) -> WholePairs:
        """Read what `write` wrote, for pairs between these ends of y and of x."""
        y, x = (WholeSide.read(r, n, least, greatest) for least, greatest in ends)
        if not y.varies:
            products = x.total * y.least
        elif not x.varies:
            products = y.total * x.least
        else:
            products = read_whole(r, 24)
        pairs = WholePairs(n, y, x, products)
        if pairs._xy**2 > pairs._xx * pairs._yy:
            raise corrupt("no such pairs have its sum of products")
        return pairs

    def write(self, w: Writer) -> None:
        """Write everything that does not follow from the ends."""
        self.y.write(w)
        self.x.write(w)
        if self.y.varies and self.x.varies:
            write_whole(w, self.products)

    def plus(self, that: WholePairs) -> WholePairs:
        """Return the tally of both sets of values."""
        return WholePairs(
            self.n + that.n, self.y.plus(that.y), self.x.plus(that.x), self.products + that.products
        )

    # the mean products of distances, times n²
    @property
    def _yy(self) -> int:
        return self.n * self.y.squares - self.y.total**2

    @property
    def _xx(self) -> int:
        return self.n * self.x.squares - self.x.total**2

    @property
    def _xy(self) -> int:
        return self.n * self.products - self.x.total * self.y.total

    def covar(self, y_unit: int, x_unit: int, *, population: bool) -> float | None:
        """Return the covariance, or None for a sample of one pair."""
        if self.n == 1 and not population:
            return None
        return self._xy / (self.n * (self.n if population else self.n - 1) * y_unit * x_unit)

    def products_of_distances(self, y_unit: int, x_unit: int) -> float:
        """Return the sum of products of distances from the means, like Spark's ``regr_sxy``."""
        return self._xy / (self.n * y_unit * x_unit)

    def corr(self) -> float | None:
        """Return the correlation, or None for one pair and if all x or all y are equal."""
        if self.n == 1 or self._xx == 0 or self._yy == 0:
            return None
        return math.copysign(math.sqrt(self._xy**2 / (self._xx * self._yy)), self._xy)

    def slope(self, y_unit: int, x_unit: int) -> float | None:
        """Return the slope of the regression line, or None if all x are equal."""
        return None if self._xx == 0 else self._xy * x_unit / (self._xx * y_unit)

    def intercept(self, y_unit: int, x_unit: int) -> float | None:
        """Return the regression line's y at x = 0, or None if all x are equal."""
        if self._xx == 0:
            return None
        above = self.y.total * self._xx - self._xy * self.x.total
        return above / (self.n * self._xx * y_unit)

    def r2(self) -> float | None:
        """Return the share of the variance of y that the line explains; 1 if all y are equal."""
        if self._xx == 0:
            return None
        return 1.0 if self._yy == 0 else self._xy**2 / (self._xx * self._yy)

    def totals(self, y_unit: int, x_unit: int) -> tuple[float, float]:
        """Return the sums of y and of x."""
        return self.y.total / y_unit, self.x.total / x_unit

    def means(self, y_unit: int, x_unit: int) -> tuple[float, float]:
        """Return the means of y and of x."""
        return self.y.total / (self.n * y_unit), self.x.total / (self.n * x_unit)

    def squares(self, y_unit: int, x_unit: int) -> tuple[float, float]:
        """Return the sums of squared distances from the mean, of y and of x."""
        return self._yy / (self.n * y_unit**2), self._xx / (self.n * x_unit**2)
