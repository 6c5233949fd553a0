"""One version, taken from a history."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.codec.envelope import Header
from chronosketch.sketch.profiled import Profiled
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.rank.profile import RankProfile

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.parameter import Parameter


class Version(Profiled):
    """The values that were alive at one version."""

    number: ClassVar[int] = 8
    family: ClassVar[str] = "version"
    aggregate: ClassVar[tuple[str, ...]] = ("history_sketch_agg", "value", "version")
    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON,)

    def __init__(self, header: Header, profile: RankProfile) -> None:
        # counts above a key follow from the others
        super().__init__(
            header,
            RankProfile.between(
                profile.keys,
                profile.at_most_low,
                profile.at_most_high,
                profile.count_low,
                profile.count_high,
            ),
        )

    def unite(self, that: Self, wider: Domain) -> Self:
        """Return the union of both. The larger epsilon counts."""
        numbers = max(self.header.numbers, that.header.numbers)
        return type(self)(Header(wider, numbers), self._profile.plus(that._profile))
