"""Rank bounds imported from a summary of another library."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.envelope import Header, Parameter
from chronosketch.sketch.profiled import Profiled

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.domain.domain import Domain


_DELTA = Parameter("delta", 0.0, 1.0)


class ImportedSketch(Profiled):
    """Rank bounds from a histogram, a KLL sketch or a DDSketch of another library. Only Spark imports them.

    If `confidence` is 1, the bounds always hold. Otherwise they hold with that probability for each question
    by itself, as the library states it.
    """

    number: ClassVar[int] = 18
    family: ClassVar[str] = "imported sketch"
    parameters: ClassVar[tuple[Parameter, ...]] = (_DELTA,)

    @property
    def confidence(self) -> float:
        """The probability that the bounds of one question hold. 1 means always."""
        return 1.0 - self.header.numbers[0]

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union. Either sketch may fail, so their error probabilities add up."""
        delta = min(1.0, self.header.numbers[0] + that.header.numbers[0])
        return type(self)(Header(wider, (delta,)), self._profile.plus(that._profile))
