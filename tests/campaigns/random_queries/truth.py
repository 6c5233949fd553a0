"""Exact ranks and quantiles by sorting, and checks of answers against them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from math import ceil, floor, inf, isnan, nan


class WrongAnswerError(Exception):
    """An answer is wrong. The text says why."""


class Sorted:
    """Sorted values without NULLs. NaN is the greatest, as in Spark.

    Parameters
    ----------
    values : iterable
        Values of one type; None is left out.
    copies : iterable of int, optional
        How often each value counts; None is 0.
    """

    def __init__(self, values, copies=None):
        if copies is not None:
            values = [v for v, n in zip(values, copies, strict=True) for _ in range(n or 0)]
        there = [v for v in values if v is not None]
        self._plain = sorted(v for v in there if v == v)
        self.count = len(there)

    def at(self, rank):
        """Return the value at a rank, counted from 1."""
        return self._plain[rank - 1] if rank <= len(self._plain) else nan

    def span(self, value):
        """Return how many values are below this one, and how many are at or below it."""
        if value != value:
            return len(self._plain), self.count
        return bisect_left(self._plain, value), bisect_right(self._plain, value)

    def first(self, n):
        """Return the n least values, ascending."""
        return [self.at(i) for i in range(1, min(n, self.count) + 1)]

    def last(self, n):
        """Return the n greatest values, descending."""
        return [self.at(i) for i in range(self.count, max(0, self.count - n), -1)]

    def rank(self, phi):
        """Return the rank of the phi-quantile."""
        return max(1, ceil(Fraction(phi) * self.count))

    def quantile(self, phi):
        """Return the exact quantile."""
        return self.at(self.rank(phi))

    def linear(self, phi, shift=0):
        """Return the exact linear quantile, rounded once. `shift` moves its position."""
        place = min(max(Fraction(phi) * (self.count - 1) + shift, 0), self.count - 1)
        left, right = self.at(floor(place) + 1), self.at(min(floor(place) + 2, self.count))
        share = place - floor(place)
        if share == 0 or left == right:
            return float(left)
        if isnan(left) or isnan(right) or (left == -inf and right == inf):
            return nan
        if left == -inf or right == inf:
            return float(left) if left == -inf else inf
        between = Fraction(left) + share * (Fraction(right) - Fraction(left))
        return between.numerator / between.denominator

    def check_quantile(self, phi, answer, allowed, is_one=True):
        """Check a quantile against these values.

        Parameters
        ----------
        allowed : number
            The allowed rank error.
        is_one : bool
            Whether it must be one of the values. A value that has just left a large frame may still be the answer.
        """
        if self.count == 0:
            need(answer is None, f"{answer} of no values")
            return
        need(answer is not None, f"NULL of {self.count} values")
        below, up_to = self.span(answer)
        need(below < up_to or not is_one, f"{answer!r} is none of the values")
        rank = self.rank(phi)
        off = max(0, below + 1 - rank, rank - up_to)
        need(
            off <= allowed,
            f"phi {phi}: {answer!r} is {off} ranks off, {float(allowed)} allowed, of {self.count}; "
            f"exact is {self.quantile(phi)!r}",
        )

    def check_bounds(self, phi, bounds):
        """Check that bounds contain the exact quantile."""
        if self.count == 0:
            need(bounds is None, f"bounds {bounds} of no values")
            return
        need(bounds is not None, f"no bounds of {self.count} values")
        check_between(self.quantile(phi), bounds, f"phi {phi}")

    def check_linear(self, phi, answer, allowed):
        """Check a linear quantile against these values."""
        if self.count == 0:
            need(answer is None, f"{answer} of no values")
            return
        low, high = self.linear(phi, -allowed), self.linear(phi, allowed)
        check_between(answer, (low, high), f"linear phi {phi} of {self.count}")

    def check_linear_bounds(self, phi, bounds):
        """Check that bounds contain the exact linear quantile."""
        if self.count == 0:
            need(bounds is None, f"bounds {bounds} of no values")
        else:
            check_between(self.linear(phi), bounds, f"linear phi {phi}")

    def check_extremes(self, least, greatest):
        """Check a minimum and a maximum against these values."""
        exact = (self.at(1), self.at(self.count)) if self.count else (None, None)
        need(same(least, exact[0]) and same(greatest, exact[1]), f"{least}, {greatest} and not {exact}")


def need(holds, why):
    """Raise an error if a condition does not hold."""
    if not holds:
        raise WrongAnswerError(why)


def same(a, b):
    """Return whether two values are equal, where NaN equals itself and −0.0 equals 0.0."""
    return a == b or (a is not None and b is not None and a != a and b != b)


def at_most(a, b):
    """Return whether a value is at most another, where NaN is the greatest."""
    return b != b or (a == a and a <= b)


def check_between(value, bounds, what):
    """Check that bounds contain a value."""
    low, high = bounds
    need(at_most(low, value) and at_most(value, high), f"{what}: {value!r} is not in [{low!r}, {high!r}]")
