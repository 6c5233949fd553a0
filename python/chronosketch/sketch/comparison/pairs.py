"""The profiles of two sketches with keys of one type, and the differences of their shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from chronosketch.sketch.answering import Bounded
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.domain.casting import Cast
from chronosketch.sketch.rank import RankProfile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chronosketch.sketch.domain.domain import Domain

#: Numerator and denominator of a share.
Part: TypeAlias = tuple[int, int]

# More than the error of a difference of shares with different denominators.
ERROR = 1e-15


@dataclass(frozen=True)
class SketchPair:
    """The profiles of two sketches, with keys of one type."""

    domain: Domain
    left: RankProfile
    right: RankProfile
    left_estimates: RankProfile
    right_estimates: RankProfile

    @staticmethod
    def of(a: Sketch, b: Sketch) -> SketchPair | None:
        """Return the pair, or None if one of the sketches is empty, or answers as if it were."""
        left, right = require_bounded(a), require_bounded(b)
        # a window that may have values has no answer if its sample has none
        if left._estimates.is_empty or right._estimates.is_empty:
            return None
        domain = left.domain.coerced(right.domain) or left.domain.widen_or_refuse(right.domain, lambda _: "")
        return SketchPair(
            domain,
            _cast(left.profile, left.domain, domain),
            _cast(right.profile, right.domain, domain),
            _cast(left._estimates, left.domain, domain),
            _cast(right._estimates, right.domain, domain),
        )

    @property
    def is_certain(self) -> bool:
        """Whether the counts of both are certain."""
        return all(profile.count_low == profile.count_high for profile in (self.left, self.right))


def require_bounded(sketch: Sketch) -> Bounded:
    """Return a sketch that certifies ranks. Refuse all others, and say which families do."""
    if isinstance(sketch, Bounded):
        return sketch
    refusal = sketch._refused("rank_bounds") if isinstance(sketch, Sketch) else None
    if refusal is None:
        raise TypeError(f"{sketch!r:.60} is not a sketch: open stored bytes with Sketch.from_bytes.")
    raise refusal


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


def low_share(profile: RankProfile, i: int) -> Part:
    """Return the least share of the elements that are ≤ a key at this position."""
    if profile.count_low == profile.count_high:
        return profile._a0(i), profile.count_high
    above = profile._b1(i)
    return (1, 1) if above == 0 else (profile._a0(i), profile._a0(i) + above)


def high_share(profile: RankProfile, i: int) -> Part:
    """Return the greatest share of the elements that are ≤ a key at this position."""
    if profile.count_low == profile.count_high:
        return profile._a1(i), profile.count_high
    at_most = profile._a1(i)
    return (0, 1) if at_most == 0 else (at_most, at_most + profile._b0(i))


def estimated_share(profile: RankProfile, i: int) -> Part:
    """Return the estimated share of the elements that are ≤ a key at this position."""
    if profile.count_low == profile.count_high:
        return profile.rank(i), profile.count_high
    at_most = profile._a0(i) + profile._a1(i)
    return at_most, at_most + profile._b0(i) + profile._b1(i)


def minus(share: Part, that: Part) -> float:
    """Return a difference whose numerator and denominator are each rounded once, as in the JVM."""
    if share[1] == that[1]:
        return float(share[0] - that[0]) / float(share[1])
    return float(share[0] * that[1] - that[0] * share[1]) / float(share[1] * that[1])


@dataclass(frozen=True)
class Gap:
    """The difference of two shares from the key `start` up to `end`, which the last range lacks."""

    start: int
    end: int | None
    least: float
    greatest: float
    estimate: float


def gaps(left: RankProfile, right: RankProfile) -> Iterator[Gap]:
    """Yield the ranges of keys in which the shares of both stay as they are, in ascending order."""
    keys = sorted({*left.keys, *right.keys})
    i = j = -1
    for start, end in zip(keys, [*keys[1:], None], strict=True):
        i += i + 1 < len(left.keys) and left.keys[i + 1] == start
        j += j + 1 < len(right.keys) and right.keys[j + 1] == start
        a, b = (low_share(left, i), high_share(left, i)), (low_share(right, j), high_share(right, j))
        yield Gap(
            start,
            end,
            max(0.0, minus(a[0], b[1]), minus(b[0], a[1])),
            max(minus(a[1], b[0]), minus(b[1], a[0])),
            abs(minus(estimated_share(left, i), estimated_share(right, j))),
        )
