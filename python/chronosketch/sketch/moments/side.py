"""The tally of one side of pairs of doubles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.moments.floating import tidy_even
from chronosketch.sketch.moments.mean import ZERO, Mean, is_finite, special
from chronosketch.sketch.moments.possible import require_squares

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
    >>> from chronosketch.sketch.moments.side import DoubleSide
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
