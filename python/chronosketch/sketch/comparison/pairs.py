"""The profiles of two sketches with keys of one type, and the differences of their shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from chronosketch.sketch.answering import Bounded
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.domain.casting import Cast, cast_of
from chronosketch.sketch.rank import RankProfile

if TYPE_CHECKING:
    import numpy.typing as npt

    from chronosketch.sketch.domain.domain import Domain

#: Numerator and denominator of a share.
Part: TypeAlias = tuple[int, int]
Doubles: TypeAlias = "npt.NDArray[np.float64]"

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
    left_domain: Domain
    right_domain: Domain

    @staticmethod
    def of(a: Sketch, b: Sketch) -> SketchPair | None:
        """Return the pair, or None if one of the sketches is empty, or answers as if it were."""
        left, right = require_bounded(a), require_bounded(b)
        # a window that may have values has no answer if its sample has none
        if left._estimates.is_empty or right._estimates.is_empty:
            return None
        domain = left.domain.coerced(right.domain) or left.domain.widen_or_refuse(
            right.domain, lambda _: "", can_cast=_can_cast
        )
        in_left, in_right = (_cast(one.profile, one.domain, domain) for one in (left, right))
        left_estimates, right_estimates = (
            side if one._estimates is one.profile else _cast(one._estimates, one.domain, domain)
            for one, side in ((left, in_left), (right, in_right))
        )
        return SketchPair(
            domain, in_left, in_right, left_estimates, right_estimates, left.domain, right.domain
        )

    def left_key(self, key: int) -> int:
        """Return the key in the type of the pair that a key of the first sketch becomes."""
        return _cast_keys([key], self.left_domain, self.domain)[0]

    def right_key(self, key: int) -> int:
        """Return the same for a key of the second sketch."""
        return _cast_keys([key], self.right_domain, self.domain)[0]

    @cached_property
    def gaps(self) -> tuple[list[Gap], list[Gap]]:
        """The ranges of the bounds, and those of the estimates."""
        bounds = gaps(self.left, self.right)
        if self.left is self.left_estimates and self.right is self.right_estimates:
            return bounds, bounds
        return bounds, gaps(self.left_estimates, self.right_estimates)

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
    keys = _cast_keys(profile.keys, given, to)
    if keys is profile.keys:
        return profile
    return RankProfile(
        keys,
        profile.at_most_low,
        profile.at_most_high,
        profile.count_low,
        profile.above_low,
        profile.above_high,
    )


def _can_cast(given: Domain, to: Domain) -> bool:
    return cast_of(given, to) is not None


def _cast_keys(keys: list[int], given: Domain, to: Domain) -> list[int]:
    return keys if given.widen(to) == to else Cast(given, to).each(keys)


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


class Gap(NamedTuple):
    """The difference of two shares from the key `start` up to `end`, which the last range lacks."""

    start: int
    end: int | None
    least: float
    greatest: float
    estimate: float


def gaps(left: RankProfile, right: RankProfile) -> list[Gap]:
    """Return the ranges of keys in which the shares of both stay as they are, in ascending order."""
    keys = sorted({*left.keys, *right.keys})
    # products of two counts and their differences fit into 64 bits, or are whole numbers of Python
    kind: Any = np.int64 if left.count_high * right.count_high < 1 << 59 else object
    (low, high, middle), (low_r, high_r, middle_r) = (_shares(p, keys, kind) for p in (left, right))
    least = np.maximum(0.0, np.maximum(_minus(low, high_r), _minus(low_r, high)))
    greatest = np.maximum(_minus(high, low_r), _minus(high_r, low))
    estimate = np.abs(_minus(middle, middle_r))
    ends = [*keys[1:], None]
    return [*map(Gap, keys, ends, least.tolist(), greatest.tolist(), estimate.tolist())]


def _shares(profile: RankProfile, keys: list[int], kind: Any) -> list[tuple[Any, Any]]:
    """Return the least, the greatest and the estimated share at or below each key, as whole numbers."""
    places = np.searchsorted(np.array(profile.keys, np.int64), np.array(keys, np.int64), "right")
    if profile.above_low is None:
        low, high = (
            np.array([0, *ranks], kind)[places] for ranks in (profile.at_most_low, profile.at_most_high)
        )
        count = np.full(len(keys), profile.count_high, kind)
        return [(low, count), (high, count), (low + (high - low) // 2, count)]
    # the first entry is that of no key
    positions = range(-1, len(profile.keys))
    shares = []
    for share in (low_share, high_share, estimated_share):
        parts = np.array([share(profile, i) for i in positions], kind)[places]
        shares.append((parts[:, 0], parts[:, 1]))
    return shares


def _minus(share: tuple[Any, Any], that: tuple[Any, Any]) -> Doubles:
    """Return differences as `minus` does."""
    (a, n), (b, m) = share, that
    alike = n == m
    part = np.where(alike, a - b, a * m - b * n).astype(np.float64)
    difference: Doubles = part / np.where(alike, n, n * m).astype(np.float64)
    return difference
