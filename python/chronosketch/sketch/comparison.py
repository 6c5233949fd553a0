"""How far apart the values of two sketches are, with bounds that contain the exact distance.

The answers are those of SQL's ``sketch_ks``, ``sketch_psi`` and ``sketch_wasserstein``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from chronosketch.sketch.answering import Bounded, answer, target_type
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.domain.casting import Cast
from chronosketch.sketch.rank import Phi, RankProfile
from chronosketch.sketch.refusal import Refusal, question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.domain.values import Value

#: Numerator and denominator of a share.
Part: TypeAlias = tuple[int, int]

# More than the error of a difference of shares with different denominators.
_ERROR = 1e-15
# More than the errors of a gap, a length and their product.
_SLACK = 2e-15
_LEAST_BINS, _MOST_BINS = 2, 10_000


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
    pair = _Pair.of(a, b)
    if pair is None:
        return None
    low = high = 0.0
    for gap in _gaps(pair.left, pair.right):
        low, high = max(low, gap.least), max(high, gap.greatest)
    if not pair.is_certain:
        low, high = max(0.0, low - _ERROR), min(1.0, high + _ERROR)
    widest = max(_gaps(pair.left_estimates, pair.right_estimates), key=lambda gap: gap.estimate)
    at = None
    if widest.estimate > 0:
        to = target_type(pair.domain, type)
        at = answer(widest.start, pair.domain, to, "ks(a, b, '{}')")
    return Distance(_within(widest.estimate, low, high), low, high, at)


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
    if not isinstance(bins, int) or not _LEAST_BINS <= bins <= _MOST_BINS:
        raise ValueError(f"bins is {bins!r}: give a whole number from {_LEAST_BINS} to {_MOST_BINS}.")
    pair = _Pair.of(a, b)
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
    pair = _Pair.of(a, b)
    if pair is None:
        return None
    domain = pair.domain
    if not domain.is_numeric:
        raise Refusal("NOT_NUMBERS", type=domain.sql)
    if domain.is_floating and doubles.NAN in (pair.left.keys[-1], pair.right.keys[-1]):
        return BoundedNumber(math.nan, math.nan, math.nan)
    low = high = value = 0.0
    for gap in _gaps(pair.left, pair.right):
        least, greatest = _area(gap.least, gap, domain), _area(gap.greatest, gap, domain)
        if least > 0:
            low = max(low, _down(low + _down(least * (1 - _SLACK))))
        if greatest > 0:
            high = math.nextafter(high + math.nextafter(greatest * (1 + _SLACK), math.inf), math.inf)
    for gap in _gaps(pair.left_estimates, pair.right_estimates):
        value += _area(gap.estimate, gap, domain)
    unit = 10.0**domain.scale
    low = max(0.0, _down(low / unit))
    high = math.nextafter(high / unit, math.inf) if high else 0.0
    return BoundedNumber(_within(value / unit, low, high), low, high)


def _within(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))


def _down(x: float) -> float:
    return x if math.isinf(x) else math.nextafter(x, -math.inf)


@dataclass(frozen=True)
class _Pair:
    """The profiles of two sketches, with keys of one type."""

    domain: Domain
    left: RankProfile
    right: RankProfile
    left_estimates: RankProfile
    right_estimates: RankProfile

    @staticmethod
    def of(a: Sketch, b: Sketch) -> _Pair | None:
        able = []
        for sketch in (a, b):
            if not isinstance(sketch, Bounded):
                # raises the refusal that names the families that answer ranks
                _ = sketch.rank_bounds  # type: ignore[attr-defined]
                raise TypeError(f"{sketch!r:.60} is not a sketch that answers ranks.")
            able.append(sketch)
        left, right = able
        if left.profile.is_empty or right.profile.is_empty:
            return None
        domain = left.domain.coerced(right.domain) or left.domain.widen_or_refuse(right.domain, lambda _: "")
        return _Pair(
            domain,
            _cast(left.profile, left.domain, domain),
            _cast(right.profile, right.domain, domain),
            _cast(left._estimates, left.domain, domain),
            _cast(right._estimates, right.domain, domain),
        )

    @property
    def is_certain(self) -> bool:
        return all(profile.count_low == profile.count_high for profile in (self.left, self.right))


def _cast(profile: RankProfile, given: Domain, to: Domain) -> RankProfile:
    """Return the profile in a type that holds all values exactly: no two keys become equal."""
    if given.widen(to) == to:
        return profile
    return RankProfile(
        Cast(given, to).each(profile.keys),
        profile.at_most_low,
        profile.at_most_high,
        profile.count_low,
        profile.above_low,
        profile.above_high,
    )


def _low(profile: RankProfile, i: int) -> Part:
    """Return the least share of the elements that are ≤ a key at this position."""
    if profile.count_low == profile.count_high:
        return profile._a0(i), profile.count_high
    above = profile._b1(i)
    return (1, 1) if above == 0 else (profile._a0(i), profile._a0(i) + above)


def _high(profile: RankProfile, i: int) -> Part:
    if profile.count_low == profile.count_high:
        return profile._a1(i), profile.count_high
    at_most = profile._a1(i)
    return (0, 1) if at_most == 0 else (at_most, at_most + profile._b0(i))


def _estimate(profile: RankProfile, i: int) -> Part:
    if profile.count_low == profile.count_high:
        return profile.rank(i), profile.count_high
    at_most = profile._a0(i) + profile._a1(i)
    return at_most, at_most + profile._b0(i) + profile._b1(i)


def _minus(share: Part, that: Part) -> float:
    """Return a difference whose numerator and denominator are each rounded once, as in the JVM."""
    if share[1] == that[1]:
        return float(share[0] - that[0]) / float(share[1])
    return float(share[0] * that[1] - that[0] * share[1]) / float(share[1] * that[1])


@dataclass(frozen=True)
class _Gap:
    """The difference of two shares from the key `start` up to `end`, which the last range lacks."""

    start: int
    end: int | None
    least: float
    greatest: float
    estimate: float


def _gaps(left: RankProfile, right: RankProfile) -> Iterator[_Gap]:
    keys = sorted({*left.keys, *right.keys})
    i = j = -1
    for start, end in zip(keys, [*keys[1:], None], strict=True):
        i += i + 1 < len(left.keys) and left.keys[i + 1] == start
        j += j + 1 < len(right.keys) and right.keys[j + 1] == start
        a, b = (_low(left, i), _high(left, i)), (_low(right, j), _high(right, j))
        yield _Gap(
            start,
            end,
            max(0.0, _minus(a[0], b[1]), _minus(b[0], a[1])),
            max(_minus(a[1], b[0]), _minus(b[1], a[0])),
            abs(_minus(_estimate(left, i), _estimate(right, j))),
        )


def _area(share: float, gap: _Gap, domain: Domain) -> float:
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
    error = 0.0 if is_certain else _ERROR
    halves = [0.5 / max(1, n) for n in (profile.count_low, profile.count_high)]
    middle = 0.5 / max(1, profile.count_low // 2 + profile.count_high // 2)
    for (after, estimated), (until, reached) in zip([(-1, -1), *ends], [*ends, last], strict=True):
        low = max(0.0, _minus(_low(profile, until), _high(profile, after)) - error)
        high = min(1.0, _minus(_high(profile, until), _low(profile, after)) + error)
        value = _within(_minus(_estimate(estimates, reached), _estimate(estimates, estimated)), low, high)
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
