"""Estimate the moments of a window, with bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronosketch.sketch.moments import ieee
from chronosketch.sketch.moments.bounds import MomentBounds
from chronosketch.sketch.window.moments.directed import (
    add_down,
    add_up,
    div_down,
    div_up,
    mul_up,
    root_down,
    root_up,
    whole_down,
    whole_up,
)
from chronosketch.sketch.window.moments.sums import Sums, sum_of

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class MomentEstimates:
    """Moments of a window. The bounds hold whichever of the doubtful elements are in the window.

    Attributes
    ----------
    inside : Sums
        The elements that are certainly in the window.
    doubtful : Sums
        The elements of which `least` to `most` are in the window.
    least, most : int
        Bounds of the number of doubtful elements in the window.
    scale : int
        The number of decimal digits after the point.

    Examples
    --------
    >>> from chronosketch.sketch.window.moments.estimates import MomentEstimates
    >>> from chronosketch.sketch.window.moments.sums import Sums
    >>> inside, doubtful = Sums(), Sums()
    >>> inside.add_copies(4, 3, is_floating=False)
    >>> doubtful.add_copies(8, 1, is_floating=False)
    >>> MomentEstimates(inside, doubtful, 0, 1, 0).of("sum")
    MomentBounds(value=15.0, lower=12.0, upper=20.0)
    """

    inside: Sums
    doubtful: Sums
    least: int
    most: int
    scale: int

    @property
    def fewest(self) -> int:
        """The least possible number of elements."""
        return self.inside.count + self.least

    @property
    def greatest(self) -> int:
        """The greatest possible number of elements."""
        return self.inside.count + self.most

    @property
    def count(self) -> int:
        """The middle of the bounds of the number of elements."""
        return self.fewest + (self.most - self.least) // 2

    @property
    def _is_certain(self) -> bool:
        return self.doubtful.count == 0

    @property
    def _unit(self) -> float:
        return float(10**self.scale)

    def of(self, moment: str) -> MomentBounds | None:
        """Return a moment and its bounds, or None if it is not defined."""
        if self.greatest == 0:
            return MomentBounds.exactly(0.0) if moment == "count" else None
        if moment == "count":
            return MomentBounds(float(self.count), whole_down(self.fewest), whole_up(self.greatest))
        if moment in ("sum", "mean"):
            return self._finite(sum_of, -math.inf, self._sum if moment == "sum" else self._mean)
        name, _, population = moment.partition("_")
        less = 0 if population else 1
        if less and self.greatest == 1:
            return None
        spread = self._variance if name == "variance" else self._stddev
        return self._finite(lambda _: math.nan, 0.0, lambda: spread(less))

    def _finite(
        self, special: Callable[[int], float], lowest: float, bounds: Callable[[], MomentBounds]
    ) -> MomentBounds:
        """Return the result if elements are not finite. If only doubtful ones are, value is NaN."""
        known = self.inside.specials
        possible = known | self.doubtful.specials if self.most > 0 else known
        if possible == 0:
            return bounds()
        if known and ieee.order(special(known)) == ieee.order(special(possible)):
            return MomentBounds.exactly(special(known))
        return MomentBounds(math.nan, lowest, math.nan)

    # the following are in units of keys
    @property
    def _sum_low(self) -> float:
        return add_down(self.inside.sum_low, -self.doubtful.negative_high)

    @property
    def _sum_high(self) -> float:
        return add_up(self.inside.sum_high, self.doubtful.positive_high)

    @property
    def _is_of_one_sign(self) -> bool:
        inside, doubtful = self.inside, self.doubtful
        return (inside.positive_high == 0 and doubtful.positive_high == 0) or (
            inside.negative_high == 0 and doubtful.negative_high == 0
        )

    def _sum(self) -> MomentBounds:
        return self._between(self._sum_low, self._sum_high)

    def _mean(self) -> MomentBounds:
        few, many = whole_down(max(1, self.fewest)), whole_up(self.greatest)
        low, high = self._sum_low, self._sum_high
        start = div_down(low, many if low >= 0 else few)
        end = div_up(high, few if high >= 0 else many)
        if self.inside.count > 0:
            near_low, near_high = self._mean_about_anchor()
            start, end = max(start, near_low), min(end, near_high)
        if not self._is_certain:
            return self._between(start, end)
        if self.inside.sum_low == self.inside.sum_high:
            value = self.inside.sum_low / (whole_down(self.greatest) * self._unit)
        else:
            value = _middle(start, end) / self._unit
        return self._scaled(start, end, value)

    def _mean_about_anchor(self) -> tuple[float, float]:
        """Bound the mean by distances from the anchor of the certain elements.

        A subset of m doubtful elements moves the mean by at most √(m·Σ(x − mean)²) / (elements).
        """
        inside, n = self.inside, self.inside.count
        low = _div_over(inside.distance_low, n, is_up=False)
        high = _div_over(inside.distance_high, n, is_up=True)
        moved = 0.0
        if not self._is_certain:
            around = self.doubtful.copy()
            around.move_to(inside.anchor)
            off = max(abs(low), abs(high))
            # √Σ(x − mean)² ≤ √Σ(x − anchor)² + √n·|mean − anchor|
            root = add_up(root_up(around.square_high), mul_up(root_up(whole_up(self.doubtful.count)), off))
            moved = div_up(mul_up(root_up(whole_up(self.most)), root), whole_down(n))
        return add_down(add_down(inside.anchor, low), -moved), add_up(add_up(inside.anchor, high), moved)

    def _variance(self, less: int) -> MomentBounds:
        """Bound the variance. The divisor is the count minus `less`."""
        every = self.inside.copy()
        if not self._is_certain:
            every.add(self.doubtful)
        low, high = self.inside.spread_low, every.spread_high
        few = whole_down(max(1, self.fewest - less))
        many = whole_up(max(1, self.greatest - less))
        start, end = div_down(low, many), div_up(high, few)
        value = _middle(low, high) / few if self._is_certain else _harmonic(start, end)
        unit = self._unit
        return _within(
            max(0.0, div_down(max(0.0, div_down(start, unit)), unit)),
            div_up(div_up(end, unit), unit),
            value / unit / unit,
        )

    def _stddev(self, less: int) -> MomentBounds:
        variance = self._variance(less)
        low, high = root_down(variance.lower), root_up(variance.upper)
        return _within(low, high, ieee.root(variance.value) if self._is_certain else _harmonic(low, high))

    def _between(self, low: float, high: float) -> MomentBounds:
        value = _harmonic(low, high) if self._is_of_one_sign else _middle(low, high)
        return self._scaled(low, high, value / self._unit)

    def _scaled(self, low: float, high: float, value: float) -> MomentBounds:
        return _within(div_down(low, self._unit), div_up(high, self._unit), value)


def _div_over(a: float, n: int, *, is_up: bool) -> float:
    if is_up:
        return div_up(a, whole_down(n) if a >= 0 else whole_up(n))
    return div_down(a, whole_up(n) if a >= 0 else whole_down(n))


def _within(low: float, high: float, value: float) -> MomentBounds:
    """Return a value with its bounds. If sums overflow, one of the bounds is infinite."""
    if low == -math.inf and high == math.inf:
        return MomentBounds(math.nan, low, math.nan)
    if high == math.inf:
        return MomentBounds(high, low, high)
    if low == -math.inf:
        return MomentBounds(low, low, high)
    return MomentBounds(ieee.greater(low, ieee.lesser(high, value)), low, high)


def _middle(low: float, high: float) -> float:
    return low if low == high else low / 2 + high / 2


def _harmonic(low: float, high: float) -> float:
    """Return the number between two of one sign that has the smallest worst-case relative error."""
    if low == high:
        return low
    if low <= 0 <= high:
        return low / 2 + high / 2
    return ieee.divide(low, low / 2 + high / 2) * high
