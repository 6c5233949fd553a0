"""The window moments sketch: count, sum, mean and variance of any window."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.moments.bounds import MomentBounds, Moments
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.window import wire
from chronosketch.sketch.window.moments.holding import HoldsMoments
from chronosketch.sketch.window.moments.sums import Sums, SumsWire
from chronosketch.sketch.window.moments.window_result import WindowOfMoments
from chronosketch.sketch.window.windowed import Windowed

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.envelope import Header
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.parameter import Parameter
    from chronosketch.sketch.window.holding import Holding
    from chronosketch.sketch.window.selection import Selection


class WindowMomentsSketch(Windowed, Moments):
    """A sketch by window_moments_agg: moments of all rows, and of any window that ends at the newest row.

    Notes
    -----
    Babcock, Datar, Motwani and O'Callaghan, "Maintaining variance and k-medians over data stream windows",
    2003, with disjoint buckets.
    """

    number: ClassVar[int] = 14
    family: ClassVar[str] = "window moments sketch"
    aggregate: ClassVar[tuple[str, ...]] = ("window_moments_agg", "value", "event_time")
    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON,)

    @classmethod
    def takes(cls, domain: Domain) -> bool:
        """Return whether the type is numeric: the square of a day has no meaning."""
        return domain.is_numeric

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        return cls(header, wire.read(r, header.domain, SumsWire()))

    def write(self, w: Writer) -> None:
        """Write the payload."""
        wire.write(w, self.rows, SumsWire())

    def holding(self, domain: Domain, epsilon: float) -> Holding:
        """Return the kind of content that buckets of this type keep."""
        return HoldsMoments(epsilon, is_floating=domain.is_floating)

    def restrict(self, selection: Selection) -> WindowOfMoments:
        """Return the sketch of the selected rows."""
        return WindowOfMoments.of(self.header, selection)

    @cached_property
    def _everything(self) -> WindowOfMoments:
        inside = Sums()
        for buckets in self.rows.classes:
            for bucket in buckets:
                inside.add_bucket(bucket, bucket.count, is_floating=self.domain.is_floating)
        return WindowOfMoments(self.header, inside, Sums(), 0, 0)

    def bounds_of(self, moment: str) -> MomentBounds | None:
        """Return a moment and its bounds."""
        return self._everything.bounds_of(moment)
