"""What a summary that another library made says about ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.codec.envelope import Header
from chronosketch.sketch.parameter import Parameter
from chronosketch.sketch.profiled import Profiled

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.domain.domain import Domain

_DELTA = Parameter("delta", 0.0, 1.0)


class ImportedSketch(Profiled):
    """Ranks read from a histogram, a KLL sketch or a DDSketch of another library; Spark imports them.

    The bounds always hold where `confidence` is 1. Elsewhere they hold with that probability for each
    question by itself, as the library states it.
    """

    number: ClassVar[int] = 18
    family: ClassVar[str] = "imported sketch"
    parameters: ClassVar[tuple[Parameter, ...]] = (_DELTA,)

    @property
    def confidence(self) -> float:
        """The probability that the bounds that one question reads hold; 1 is for certain."""
        return 1.0 - self.header.numbers[0]

    def unite(self, that: Self, wider: Domain) -> Self:
        """Return the union of what both have; either may fail, so their deltas add up."""
        delta = min(1.0, self.header.numbers[0] + that.header.numbers[0])
        return type(self)(Header(wider, (delta,)), self._profile.plus(that._profile))
