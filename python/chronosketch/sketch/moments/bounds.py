"""Moments of values, with bounds that contain the exact ones."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import NamedTuple

from chronosketch.sketch.base import Sketch
from chronosketch.sketch.refusal import Refusal, question

#: The names of the moments.
MOMENTS = ("count", "sum", "mean", "variance", "variance_pop", "stddev", "stddev_pop")

# Integers up to this are exact doubles.
_WHOLE = 1 << 53


class MomentBounds(NamedTuple):
    """A moment, with a lower and an upper bound that always contain the exact one.

    If the exact answer is NaN or infinite, all three are. If it may be, value and upper are NaN.

    Attributes
    ----------
    value, lower, upper : float
        The answer, and lower ≤ exact ≤ upper.

    Examples
    --------
    >>> from chronosketch.sketch.moments.bounds import MomentBounds
    >>> MomentBounds.of_count(2**53 + 1)
    MomentBounds(value=9007199254740992.0, lower=9007199254740991.0, upper=9007199254740994.0)
    """

    value: float
    lower: float
    upper: float

    @staticmethod
    def exactly(value: float) -> MomentBounds:
        """Return the bounds of an exact answer."""
        return MomentBounds(value, value, value)

    @staticmethod
    def of_count(n: int) -> MomentBounds:
        """Return the bounds of the double nearest to an exact count."""
        if n <= _WHOLE:
            return MomentBounds.exactly(float(n))
        return MomentBounds(float(n), down(float(n)), up(float(n)))


def down(value: float) -> float:
    """Return the next double below a value."""
    return math.nextafter(value, -math.inf)


def up(value: float) -> float:
    """Return the next double above a value."""
    return math.nextafter(value, math.inf)


class Moments(Sketch):
    """A sketch that knows the count, sum, mean, variance and standard deviation of its values."""

    @abstractmethod
    def bounds_of(self, moment: str) -> MomentBounds | None:
        """Return a moment and its bounds."""

    def _value(self, moment: str) -> float | None:
        bounds = self.bounds_of(moment)
        return None if bounds is None else bounds.value

    @question
    def sum(self) -> float | None:
        """Return the sum of the values, or None for an empty sketch.

        For whole numbers and decimals it is the double nearest to the exact sum, except for a window sketch.
        """
        return self._value("sum")

    @question
    def mean(self) -> float | None:
        """Return the mean of the values, or None for an empty sketch."""
        return self._value("mean")

    @question
    def variance(self, population: bool = False) -> float | None:
        """Return the variance of the values.

        Parameters
        ----------
        population : bool, default False
            Whether the rows are the whole population. Otherwise they are a sample, and the divisor is one
            less than their count.

        Returns
        -------
        float
            None for an empty sketch, and for a sample of one value.
        """
        return self._value("variance_pop" if population else "variance")

    @question
    def stddev(self, population: bool = False) -> float | None:
        """Return the standard deviation of the values.

        Parameters
        ----------
        population : bool, default False
            Whether the rows are the whole population. Otherwise they are a sample.
        """
        return self._value("stddev_pop" if population else "stddev")

    @question
    def moment_bounds(self, moment: str) -> MomentBounds | None:
        """Return a moment of the values, with a lower and an upper bound that always contain the exact one.

        Parameters
        ----------
        moment : str
            ``"count"``, ``"sum"``, ``"mean"``, ``"variance"``, ``"variance_pop"``, ``"stddev"`` or
            ``"stddev_pop"``.

        Returns
        -------
        MomentBounds
            value, lower and upper; None if the moment is. If the exact answer may be NaN or infinite, value
            and upper are NaN.

        Raises
        ------
        ChronosketchError
            If there is no moment of this name.
        """
        if moment not in MOMENTS:
            raise Refusal("UNKNOWN_MOMENT", moment=moment, known=", ".join(MOMENTS))
        return self.bounds_of(moment)
