"""Rank bounds imported from a summary of another library."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.codec.wire import corrupt
from chronosketch.sketch.envelope import Header, Parameter
from chronosketch.sketch.profiled import Profiled
from chronosketch.sketch.rank import RankProfile

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain


_DELTA = Parameter("delta", 0.0, 1.0)

# With more elements there are no estimates, so that sums of ranks fit 63 bits.
_MOST_ESTIMATED = 1 << 61

# Marks a payload with estimates, in front of the profile. It is above any number of keys.
_WITH_ESTIMATES = 1 << 32


class ImportedSketch(Profiled):
    """Rank bounds from a histogram, a KLL sketch or a DDSketch of another library. Only Spark imports them.

    If `confidence` is 1, the bounds always hold. Otherwise they hold with that probability for each question
    by itself, as the library states it. Answers are those of the library, within the bounds.
    """

    number: ClassVar[int] = 18
    family: ClassVar[str] = "imported sketch"
    parameters: ClassVar[tuple[Parameter, ...]] = (_DELTA,)

    def __init__(self, header: Header, profile: RankProfile, skews: list[int] | None = None) -> None:
        super().__init__(header, profile)
        # For each key, twice the rank that the source estimates, less the sum of its bounds. None if all are
        # 0: then the source says no more than the bounds.
        can_estimate = skews is not None and any(skews) and profile.count_high <= _MOST_ESTIMATED
        self._skews = skews if can_estimate else None

    @cached_property
    def _estimates(self) -> RankProfile:
        """The profile that answers are taken from: the library's estimates of ranks."""
        profile = self._profile
        if self._skews is None:
            return profile
        bounds = zip(profile.at_most_low, profile.at_most_high, self._skews, strict=True)
        ranks = [low + (high - low + skew + 1) // 2 for low, high, skew in bounds]
        return RankProfile.certain(profile.keys, ranks, ranks, profile.count_low)

    @property
    def rank_error(self) -> float | None:
        """The greatest rank error of an answer, as a share of the count; None for an empty sketch."""
        if self._skews is None:
            return super().rank_error
        profile, estimates = self._profile, self._estimates.at_most_low
        below = (rank - low for rank, low in zip(estimates, profile.at_most_low, strict=True))
        above = (high - rank for rank, high in zip(estimates, profile.at_most_high, strict=True))
        return float(max(0, *below, *above)) / float(profile.count_low)

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        has_estimates = r.fork().varint() == _WITH_ESTIMATES
        if has_estimates:
            r.varint()
        profile = super().read(header, r).profile
        if not has_estimates:
            return cls(header, profile)
        if profile.count_low != profile.count_high or profile.count_high > _MOST_ESTIMATED:
            raise corrupt("it estimates ranks of too many or uncertain elements")
        skews: list[int] = []
        before = 0
        for low, high in zip(profile.at_most_low[:-1], profile.at_most_high[:-1], strict=True):
            skew = r.zigzag()
            if abs(skew) > high - low or low + high + skew < before:
                raise corrupt(f"an estimated rank is not from {low} to {high}, or falls")
            before = low + high + skew
            skews.append(skew)
        return cls(header, profile, [*skews, 0])

    def write(self, w: Writer) -> None:
        """Write the payload."""
        if self._skews is not None:
            w.varint(_WITH_ESTIMATES)
        super().write(w)
        # the rank of the last key is certain
        for skew in (self._skews or [])[:-1]:
            w.zigzag(skew)

    @property
    def confidence(self) -> float:
        """The probability that the bounds of one question hold. 1 means always."""
        return 1.0 - self.header.numbers[0]

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sketch of the cast values."""
        profile, last = self._cast_profile(cast)
        skews = None if self._skews is None else [self._skews[i] for i in last]
        return type(self)(Header(cast.to, self.header.numbers), profile, skews)

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union. Either sketch may fail, so their error probabilities add up."""
        delta = min(1.0, self.header.numbers[0] + that.header.numbers[0])
        profile = self._profile.plus(that._profile)
        skews = None
        if self._skews is not None or that._skews is not None:
            skews = [self._skew_at(key) + that._skew_at(key) for key in profile.keys]
        return type(self)(Header(wider, (delta,)), profile, skews)

    def _skew_at(self, key: int) -> int:
        at = -1 if self._skews is None else self._profile.position(key)
        return 0 if self._skews is None or at < 0 else self._skews[at]
