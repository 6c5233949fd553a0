"""How far apart the values of two sketches are, with bounds that contain the exact distance.

The answers are those of SQL's ``sketch_ks``, ``sketch_ks_p_value``, ``sketch_psi`` and
``sketch_wasserstein``. The distances are equal to the last bit. The index and the p-value contain logarithms
and powers of e, which may differ in the last digit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from chronosketch.sketch.answering import answer, target_type
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.comparison.arguments import require_bins
from chronosketch.sketch.comparison.pairs import (
    ERROR,
    SketchPair,
    estimated_share,
    high_share,
    low_share,
    minus,
)
from chronosketch.sketch.domain.conversion import require_allowed
from chronosketch.sketch.rank import Phi
from chronosketch.sketch.refusal import Refusal, question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.comparison.pairs import Gap
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.domain.values import Value
    from chronosketch.sketch.rank import RankProfile

# More than the errors of a gap, a length and their product.
_SLACK = 2e-15


@dataclass(frozen=True)
class BoundedNumber:
    """A number with bounds of the exact one. All are NaN if the exact number is undefined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Distance:
    """The distance of Kolmogorov and Smirnov, with bounds of the exact one.

    Attributes
    ----------
    distance, low, high : float
        The distance, and its bounds.
    at : value or None
        The least value where the difference is greatest; None if it is 0.
    """

    distance: float
    low: float
    high: float
    at: Value | None


@question
def ks(a: Sketch, b: Sketch, type: str | None = None) -> Distance | None:  # noqa: A002
    """Return the Kolmogorov-Smirnov distance of two sketches: the greatest difference of their shares.

    Parameters
    ----------
    a, b : Sketch
        Sketches that certify ranks, whose values have one type or types that one type holds exactly.
    type : str, optional
        The SQL type of the field `at`; by default the common type of the values.

    Returns
    -------
    Distance
        None if one of the sketches is empty.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch, comparison
    >>> comparison.ks(Sketch.build(range(1, 101)), Sketch.build(range(21, 121)))
    Distance(distance=0.2, low=0.2, high=0.2, at=20)
    """
    pair = SketchPair.of(a, b)
    if pair is None:
        return None
    to = target_type(pair.domain, type)
    call = "ks(a, b, '{}')"
    require_allowed(pair.domain, to, call)
    distance, at = _greatest_gap(pair)
    found = None if at is None else answer(at, pair.domain, to, call)
    return Distance(distance.value, distance.low, distance.high, found)


def _greatest_gap(pair: SketchPair) -> tuple[BoundedNumber, int | None]:
    """Return the distance, and the least key where it is; None if it is 0."""
    low = high = 0.0
    bounds, estimates = pair.gaps
    for gap in bounds:
        low, high = max(low, gap.least), max(high, gap.greatest)
    if not pair.is_certain:
        low, high = max(0.0, low - ERROR), min(1.0, high + ERROR)
    widest = max(estimates, key=lambda gap: gap.estimate)
    at = widest.start if widest.estimate > 0 else None
    return BoundedNumber(_within(widest.estimate, low, high), low, high), at


@question
def ks_p_value(a: Sketch, b: Sketch) -> BoundedNumber | None:
    """Return the asymptotic p-value of the Kolmogorov-Smirnov distance of two sketches.

    Parameters
    ----------
    a, b : Sketch
        As of `ks`. Their rows are taken as independent.

    Returns
    -------
    BoundedNumber
        The p-value at the distance, at its upper and at its lower bound. None if one of the sketches is
        empty.

    Notes
    -----
    Smirnov 1939, with the correction of Vrbik, "Small-sample corrections to Kolmogorov-Smirnov test
    statistic", 2018. With ties the p-value is too large. The errors of both sketches may add to the
    distance, which makes the value too small: decide by high.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch, comparison
    >>> round(comparison.ks_p_value(Sketch.build(range(1, 101)), Sketch.build(range(21, 121))).value, 3)
    0.032
    """
    pair = SketchPair.of(a, b)
    if pair is None:
        return None
    (distance, _), profiles = _greatest_gap(pair), (pair.left, pair.right)
    least = _effective(*(float(profile.count_low) for profile in profiles))
    most = _effective(*(float(profile.count_high) for profile in profiles))
    middle = _effective(*((float(one.count_low) + float(one.count_high)) / 2 for one in profiles))
    low = min(_p_value(distance.high, size) for size in (least, most))
    high = max(_p_value(distance.low, size) for size in (least, most))
    return BoundedNumber(_within(_p_value(distance.value, middle), low, high), low, high)


def _effective(n: float, m: float) -> float:
    """Return the number of values that a test of two samples is worth."""
    return 0.0 if n == 0 or m == 0 else n * (m / (n + m))


def _p_value(distance: float, size: float) -> float:
    if distance == 0 or size == 0:
        return 1.0
    root = math.sqrt(size)
    t = root * distance
    return _limiting_tail(t + 1 / (6 * root) + (t - 1) / (4 * size))


def _limiting_tail(t: float) -> float:
    """Return the probability that the limiting variable of Kolmogorov is above t."""
    if t <= 0:
        return 1.0
    total = 0.0
    if t < 1:
        # each series needs few terms on its own side
        for odd in (1, 3, 5, 7, 9):
            total += math.exp(-odd * odd * math.pi * math.pi / (8 * t * t))
        return 1 - math.sqrt(2 * math.pi) / t * total
    for k in range(1, 7):
        total += (2 if k % 2 else -2) * math.exp(-2.0 * k * k * t * t)
    return min(1.0, total)


@question
def psi(a: Sketch, b: Sketch, bins: int = 10) -> BoundedNumber | None:
    """Return the population stability index of two sketches, over bins of the first one.

    Parameters
    ----------
    a, b : Sketch
        As of `ks`. The bins end at the quantiles of `a`; equal edges are one.
    bins : int, default 10
        From 2 to 10000.

    Returns
    -------
    BoundedNumber
        None if one of the sketches is empty.

    Notes
    -----
    A sketch without values in a bin counts as if it had half a value there. A bin that is empty in both adds
    nothing.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch, comparison
    >>> round(comparison.psi(Sketch.build(range(1, 101)), Sketch.build(range(21, 121))).value, 3)
    0.789
    """
    bins = require_bins(bins)
    pair = SketchPair.of(a, b)
    if pair is None:
        return None
    shares = (Phi(Decimal(i * 10**30 // bins).scaleb(-30)) for i in range(1, bins))
    edges = sorted({pair.left_estimates.quantile(phi) for phi in shares})
    value = low = high = 0.0
    left = _binned(pair.left, pair.left_estimates, edges)
    right = _binned(pair.right, pair.right_estimates, edges)
    for p, q in zip(left, right, strict=True):
        term = _term(p, q)
        value += term.value
        low = max(0.0, math.nextafter(low + term.low, -math.inf))
        high = math.nextafter(high + term.high, math.inf)
    return BoundedNumber(_within(value, low, high), low, high)


@question
def wasserstein(a: Sketch, b: Sketch) -> BoundedNumber | None:
    """Return the Wasserstein distance of two sketches: the mean distance between their quantiles.

    Parameters
    ----------
    a, b : Sketch
        As of `ks`. Their values must be numbers.

    Returns
    -------
    BoundedNumber
        In units of the values. All are NaN if one of the values may be NaN. None if one of the sketches is
        empty.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch, comparison
    >>> round(comparison.wasserstein(Sketch.build(range(1, 101)), Sketch.build(range(21, 121))).value, 6)
    20.0
    """
    pair = SketchPair.of(a, b)
    if pair is None:
        return None
    domain = pair.domain
    if not domain.is_numeric:
        raise Refusal("NOT_NUMBERS", type=domain.sql)
    if domain.is_floating and doubles.NAN in (pair.left.keys[-1], pair.right.keys[-1]):
        return BoundedNumber(math.nan, math.nan, math.nan)
    low = high = value = 0.0
    bounds, estimates = pair.gaps
    for gap in bounds:
        least, greatest = _area(gap.least, gap, domain), _area(gap.greatest, gap, domain)
        if least > 0:
            low = max(low, _down(low + _down(least * (1 - _SLACK))))
        if greatest > 0:
            high = math.nextafter(high + math.nextafter(greatest * (1 + _SLACK), math.inf), math.inf)
    for gap in estimates:
        value += _area(gap.estimate, gap, domain)
    unit = 10.0**domain.scale
    low = max(0.0, _down(low / unit))
    high = math.nextafter(high / unit, math.inf) if high else 0.0
    return BoundedNumber(_within(value / unit, low, high), low, high)


def _within(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))


def _down(x: float) -> float:
    return x if math.isinf(x) else math.nextafter(x, -math.inf)


def _area(share: float, gap: Gap, domain: Domain) -> float:
    """Return a share times the length of the gap. No share has no area, however long the gap is."""
    if share <= 0 or gap.end is None:
        return 0.0
    if not domain.is_floating:
        return share * float(gap.end - gap.start)
    start, end = doubles.value(gap.start), doubles.value(gap.end)
    length = end - start
    if math.isinf(length) and not math.isinf(start) and not math.isinf(end):
        return share * (end / 2 - start / 2) * 2
    return share * length


@dataclass(frozen=True)
class _Share:
    """The share of a bin and its bounds, and the same with at least half a value."""

    value: float
    low: float
    high: float
    filled: float
    filled_low: float
    filled_high: float


def _binned(profile: RankProfile, estimates: RankProfile, edges: list[int]) -> Iterator[_Share]:
    last = (len(profile.keys) - 1, len(estimates.keys) - 1)
    ends = [(profile.position(edge), estimates.position(edge)) for edge in edges]
    is_certain = profile.count_low == profile.count_high
    error = 0.0 if is_certain else ERROR
    halves = [0.5 / max(1, n) for n in (profile.count_low, profile.count_high)]
    middle = 0.5 / max(1, (profile.count_low + profile.count_high) // 2)
    for (after, estimated), (until, reached) in zip([(-1, -1), *ends], [*ends, last], strict=True):
        low = max(0.0, minus(low_share(profile, until), high_share(profile, after)) - error)
        high = min(1.0, minus(high_share(profile, until), low_share(profile, after)) + error)
        value = _within(
            minus(estimated_share(estimates, reached), estimated_share(estimates, estimated)), low, high
        )
        yield _Share(value, low, high, max(value, middle), max(low, halves[1]), max(high, halves[0]))


def _term(p: _Share, q: _Share) -> BoundedNumber:
    """Return a bin's term. It is 0 where the shares are equal, and grows as they part."""
    value = 0.0 if p.value <= 0 and q.value <= 0 else _index(p.filled, q.filled)
    low = 0.0
    if p.low > 0 or q.low > 0:
        if p.filled_low > q.filled_high:
            low = max(0.0, _index(p.filled_low, q.filled_high) - _rounding(p.filled_low, q.filled_high))
        elif q.filled_low > p.filled_high:
            low = max(0.0, _index(p.filled_high, q.filled_low) - _rounding(p.filled_high, q.filled_low))
    high = 0.0
    if p.high > 0 or q.high > 0:
        corners = (p.filled_high, q.filled_low), (p.filled_low, q.filled_high)
        high = max(_index(x, y) + _rounding(x, y) for x, y in corners)
    return BoundedNumber(value, low, high)


def _index(p: float, q: float) -> float:
    return (p - q) * math.log(p / q)


def _rounding(p: float, q: float) -> float:
    """Return more than the error of a term, whose shares and logarithm are rounded."""
    return 1e-15 * ((p + q) * abs(math.log(p / q)) + 3 * abs(p - q)) + 1e-30
