"""Confidence intervals of the population's quantiles, widened by what a sketch does not know of its values.

The answers are those of SQL's ``sketch_quantile_interval`` and ``sketch_quantile_difference``. Ends of
intervals are equal. Ends of differences contain a root, and may differ in the last digit.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from chronosketch.sketch.answering import Estimates, answer, each_phi, target_type
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.comparison.arguments import require_confidence, require_effect
from chronosketch.sketch.comparison.binomial import BinomialRanks
from chronosketch.sketch.comparison.pairs import SketchPair, require_bounded
from chronosketch.sketch.domain.conversion import Rounding
from chronosketch.sketch.refusal import Refusal, question

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chronosketch.sketch.answering import Bounded
    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.domain.values import Value
    from chronosketch.sketch.rank import Phi, Share

# More rows than a double counts make no difference.
_MOST_ROWS = 2.0**53
# A p-value below this is not told from it.
_LEAST_P = 1e-15
_STEPS = 30


@dataclass(frozen=True)
class Interval:
    """A quantile, with a confidence interval of the population's.

    Attributes
    ----------
    value : value
        The quantile of the values.
    low, high : value or None
        The interval. An end is None if there are too few values.
    """

    value: Value
    low: Value | None
    high: Value | None


@dataclass(frozen=True)
class Difference:
    """The difference of two quantiles, with a confidence interval of that of the populations.

    Attributes
    ----------
    value : float
        The difference.
    low, high : float or None
        The interval. An end is None if there are too few values, and NaN if a quantile may be NaN there.
    p_value : float
        The least 1 - confidence whose interval leaves out 0, and at least 1e-15.
    """

    value: float
    low: float | None
    high: float | None
    p_value: float


@overload
def quantile_interval(
    sketch: Sketch,
    phi: Share,
    confidence: float = 0.95,
    design_effect: float = 1.0,
    type: str | None = None,
) -> Interval | None: ...
@overload
def quantile_interval(
    sketch: Sketch,
    phi: Iterable[Share],
    confidence: float = 0.95,
    design_effect: float = 1.0,
    type: str | None = None,
) -> list[Interval | None]: ...
@question
def quantile_interval(
    sketch: Sketch,
    phi: Share | Iterable[Share],
    confidence: float = 0.95,
    design_effect: float = 1.0,
    type: str | None = None,  # noqa: A002
) -> Any:
    """Return a confidence interval of the phi-quantile of the population behind a sketch.

    Parameters
    ----------
    sketch : Sketch
        A sketch that certifies ranks, whose number of values is certain.
    phi : float, Decimal or iterable of these
        The share, from 0 to 1, of the population that is at most the quantile.
    confidence : float, default 0.95
        The probability that the interval contains the population's quantile, if the values are independent:
        from 0.5 to 0.999999999.
    design_effect : float, default 1.0
        How many values are worth one independent value. Those of one user are alike: then it is above 1.
    type : str, optional
        The SQL type of the answer; by default that of the sketch. Ends that it cannot hold exactly are
        rounded outward.

    Returns
    -------
    Interval, or list of Interval
        A list for several φ; None for an empty sketch.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch, comparison
    >>> comparison.quantile_interval(Sketch.build(range(1, 101)), 0.5)
    Interval(value=50, low=40, high=61)
    """
    tail = (1 - require_confidence(confidence)) / 2
    effect = require_effect(design_effect)
    bounded = require_bounded(sketch)
    to = target_type(bounded.domain, type)

    def one(p: Phi) -> Interval | None:
        sampled = _Sampled.of(bounded, p, effect)
        if sampled is None:
            return None
        call = f"quantile_interval(sketch, {p}, type='{{}}')"
        low, high = sampled.ends(tail)
        return Interval(
            answer(sampled.value, bounded.domain, to, call),
            None if low is None else answer(low, bounded.domain, to, call, Rounding.DOWN),
            None if high is None else answer(high, bounded.domain, to, call, Rounding.UP),
        )

    return each_phi(phi, one)


@overload
def quantile_difference(
    a: Sketch, b: Sketch, phi: Share, confidence: float = 0.95, design_effect: float = 1.0
) -> Difference | None: ...
@overload
def quantile_difference(
    a: Sketch, b: Sketch, phi: Iterable[Share], confidence: float = 0.95, design_effect: float = 1.0
) -> list[Difference | None]: ...
@question
def quantile_difference(
    a: Sketch,
    b: Sketch,
    phi: Share | Iterable[Share],
    confidence: float = 0.95,
    design_effect: float = 1.0,
) -> Any:
    """Return the phi-quantile of one population less that of another, with an interval and a p-value.

    Parameters
    ----------
    a, b : Sketch
        Sketches of numbers that certify ranks, whose numbers of values are certain.
    phi : float, Decimal or iterable of these
        The share, from 0 to 1, of each population that is at most its quantile.
    confidence : float, default 0.95
        The probability that the interval contains the difference, if the values are independent.
    design_effect : float, default 1.0
        How many values are worth one independent value, in both samples.

    Returns
    -------
    Difference, or list of Difference
        A list for several φ; None if one of the sketches is empty.

    Notes
    -----
    Woodruff, "Confidence intervals for medians and other position measures", 1952; combined as by Zou and
    Donner, "Construction of confidence limits about effect measures", 2008.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch, comparison
    >>> a, b = Sketch.build(range(1, 101)), Sketch.build(range(21, 121))
    >>> found = comparison.quantile_difference(a, b, 0.5)
    >>> found.value, round(found.p_value, 4)
    (-20.0, 0.0066)
    """
    tail = (1 - require_confidence(confidence)) / 2
    effect = require_effect(design_effect)
    pair = SketchPair.of(a, b)
    left, right = require_bounded(a), require_bounded(b)

    def one(p: Phi) -> Difference | None:
        if pair is None:
            return None
        for sketch in (left, right):
            if not sketch.domain.is_numeric:
                raise Refusal("NOT_NUMBERS", type=sketch.domain.sql)
        of_a, of_b = _Sampled.of(left, p, effect), _Sampled.of(right, p, effect)
        if of_a is None or of_b is None:
            return None
        sides = _Sides(of_a, of_b, pair)
        return Difference(sides.value, sides.low(tail), sides.high(tail), _p_value(sides))

    return each_phi(phi, one)


class _Sampled:
    """The φ-quantile of a sketch as an estimate of the population's.

    A design effect d says that the rows are worth n/d independent ones. The ranks are those of ⌊n/d⌋ rows,
    scaled up to n and rounded outward.
    """

    def __init__(self, sketch: Bounded, phi: Phi, effect: float) -> None:
        profile = self._profile = sketch.profile
        estimate = sketch.estimate(phi) if isinstance(sketch, Estimates) else None
        self.value = sketch._estimates.quantile(phi) if estimate is None else estimate.key
        self.least, self.greatest = profile.quantile_bounds(phi)
        n = self._n = profile.count_low
        self._independent = n
        if effect != 1:
            self._independent = int(max(1.0, math.floor(min(n / effect, _MOST_ROWS))))
        self._ranks = BinomialRanks(self._independent, phi)

    @staticmethod
    def of(sketch: Bounded, phi: Phi, effect: float) -> _Sampled | None:
        """Return the quantile, or None if the sketch is empty. Refuse an uncertain count."""
        profile = sketch.profile
        if profile.count_low != profile.count_high:
            raise Refusal("COUNT_IN_DOUBT", least=profile.count_low, most=profile.count_high)
        return None if profile.is_empty else _Sampled(sketch, phi, effect)

    def ends(self, tail: float) -> tuple[int | None, int | None]:
        """Return the keys of the interval that is missed on either side with at most this probability."""
        profile, n, m = self._profile, self._n, self._independent
        low, high = self._ranks.low(tail), self._ranks.high(tail)
        if m != n:
            # the next rank above those of the smaller quantile among n/d rows
            low = low and math.floor(float(n) * (float(low - 1) / float(m))) + 1
            high = n + 1 if high > m else math.ceil(float(n) * (float(high) / float(m)))
        last = len(profile.keys) - 1
        return (
            None if low < 1 else profile.keys[min(last, bisect_left(profile.at_most_high, low))],
            None if high > n else profile.keys[min(last, bisect_left(profile.at_most_low, high))],
        )


class _Sides:
    """The difference, and the two ends of its interval, each for the probability to miss it.

    Every term is taken where the certificates make the interval widest.
    """

    def __init__(self, a: _Sampled, b: _Sampled, pair: SketchPair) -> None:
        self._a, self._b, self._pair = a, b, pair
        self._least_a, self._greatest_a = pair.left_key(a.least), pair.left_key(a.greatest)
        self._least_b, self._greatest_b = pair.right_key(b.least), pair.right_key(b.greatest)

    @property
    def value(self) -> float:
        """The difference."""
        return _minus(
            self._pair.left_key(self._a.value), self._pair.right_key(self._b.value), self._pair.domain
        )

    def low(self, tail: float) -> float | None:
        """Return the lower end, or None if an interval lacks the end that it needs."""
        return self._end(-1, self._least_a, self._a.ends(tail)[0], self._greatest_b, self._b.ends(tail)[1])

    def high(self, tail: float) -> float | None:
        """Return the upper end, or None if an interval lacks the end that it needs."""
        return self._end(1, self._greatest_a, self._a.ends(tail)[1], self._least_b, self._b.ends(tail)[0])

    def _end(self, sign: int, a: int, end_a: int | None, b: int, end_b: int | None) -> float | None:
        """Return the difference of two keys, moved by the root of the squares of how far their ends are."""
        if end_a is None or end_b is None:
            return None
        domain = self._pair.domain
        end_a, end_b = self._pair.left_key(end_a), self._pair.right_key(end_b)

        def moved(scale: float) -> float:
            # in this order max keeps NaN
            reach = math.hypot(
                max(sign * _minus(end_a, a, domain, scale), 0.0),
                max(sign * _minus(b, end_b, domain, scale), 0.0),
            )
            return _minus(a, b, domain, scale) + sign * reach

        whole = moved(1.0)
        if math.isfinite(whole):
            return whole
        # of finite numbers only what is computed on the way may be too large
        if all(math.isfinite(doubles.value(key)) for key in (a, end_a, b, end_b)):
            return 4 * moved(0.25)
        # the difference of the ends is at least as far out, and defined for more infinite values
        outer = _minus(end_a, end_b, domain)
        if math.isnan(outer) and doubles.NAN not in (end_a, end_b):
            return sign * math.inf
        return outer


def _minus(key: int, that: int, domain: Domain, scale: float = 1.0) -> float:
    """Return the difference of the numbers of two keys, rounded once.

    Only differences of floating-point numbers may be too large, so only those are scaled.
    """
    if domain.is_floating:
        return doubles.value(key) * scale - doubles.value(that) * scale
    return float((key - that) / 10**domain.scale)


def _p_value(sides: _Sides) -> float:
    """Halve the range of log(p) that the p-value lies in: intervals grow with the confidence."""

    def leaves_out_zero(p: float) -> bool:
        low, high = sides.low(p / 2), sides.high(p / 2)
        return (low is not None and low > 0) or (high is not None and high < 0)

    if not leaves_out_zero(1.0):
        return 1.0
    if leaves_out_zero(_LEAST_P):
        return _LEAST_P
    within, without = math.log(_LEAST_P), 0.0
    for _ in range(_STEPS):
        middle = (within + without) / 2
        if leaves_out_zero(math.exp(middle)):
            without = middle
        else:
            within = middle
    return math.exp(without)
