"""The window sketch: quantiles of any window."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.answering import Ranked
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.window import wire
from chronosketch.sketch.window.contents import Contents, KeysWire
from chronosketch.sketch.window.holding import HoldsKeys
from chronosketch.sketch.window.window_result import Window
from chronosketch.sketch.window.windowed import Windowed

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.envelope import Header
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.parameter import Parameter
    from chronosketch.sketch.rank.profile import RankProfile
    from chronosketch.sketch.window.holding import Holding
    from chronosketch.sketch.window.selection import Selection


class WindowSketch(Windowed, Ranked):
    """A sketch by window_sketch_agg: quantiles of all rows, and of any window that ends at the newest row.

    Notes
    -----
    Xu, Lin and Zhou, "Space efficient quantile summary for constrained sliding windows on a data stream",
    WAIM 2004, with disjoint buckets.
    """

    number: ClassVar[int] = 2
    family: ClassVar[str] = "window sketch"
    aggregate: ClassVar[tuple[str, ...]] = ("window_sketch_agg", "value", "event_time")
    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON,)

    @property
    def epsilon(self) -> float:
        """The allowed rank error, as a share of a window's rows."""
        return self.header.numbers[0]

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        return cls(header, wire.read(r, header.domain, KeysWire(header.domain, header.numbers[0])))

    def write(self, w: Writer) -> None:
        """Write the payload."""
        wire.write(w, self.rows, KeysWire(self.domain, self.epsilon))

    def holding(self, domain: Domain, epsilon: float) -> Holding:
        """Return the kind of content that buckets of this type keep."""
        return HoldsKeys(epsilon)

    def restrict(self, selection: Selection) -> Window:
        """Return the sketch of the selected rows."""
        return Window.of(self.header, selection)

    @cached_property
    def profile(self) -> RankProfile:
        """The rank bounds of all rows."""
        gathered = Contents(self.epsilon)
        for buckets in self.rows.classes:
            for bucket in buckets:
                gathered.add_bucket(bucket)
        return gathered.everything().profile()
