"""The window moments sketch, and the windows taken from it: count, sum, mean and variance."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.moments.bounds import MomentBounds, Moments
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.window import wire
from chronosketch.sketch.window.moments.estimates import MomentEstimates
from chronosketch.sketch.window.moments.holding import HoldsMoments
from chronosketch.sketch.window.moments.sums import Sums, SumsWire, sums_obstacle
from chronosketch.sketch.window.windowed import Windowed

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.envelope import Parameter
    from chronosketch.sketch.window.holding import Holding
    from chronosketch.sketch.window.selection import Selection


class WindowOfMoments(Moments):
    """Count, sum, mean and variance of one window, with certain bounds."""

    number: ClassVar[int] = 15
    family: ClassVar[str] = "window of moments"
    aggregate: ClassVar[tuple[str, ...]] = ("window_moments_agg", "value", "event_time")
    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON,)

    def __init__(self, header: Header, inside: Sums, doubtful: Sums, least: int, most: int) -> None:
        super().__init__(header)
        self._estimates = MomentEstimates(inside, doubtful, least, most, header.domain.second)

    @classmethod
    def _takes(cls, domain: Domain) -> bool:
        """Return whether the type is numeric: the square of a day has no meaning."""
        return domain.is_numeric

    @classmethod
    def of(cls, header: Header, selection: Selection) -> Self:
        """Return the window of the selected rows."""
        inside, doubtful = Sums(), Sums()
        is_floating = header.domain.is_floating
        least = most = 0
        for bucket, low, high in selection:
            if bucket.level == 0:
                inside.add_copies(bucket.key, low, is_floating=is_floating)
                doubtful.add_copies(bucket.key, high - low, is_floating=is_floating)
                most += high - low
            elif low == bucket.count:
                inside.add_bucket(bucket, low, is_floating=is_floating)
            else:
                doubtful.add_bucket(bucket, high, is_floating=is_floating)
                least += low
                most += high
        if selection.rows is not None:
            least = most = selection.rows - inside.count
        return cls(header, inside, doubtful, least, most)

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        inside, doubtful = Sums.read(r), Sums.read(r)
        least, most = r.long(), r.long()
        if not 0 <= least <= most <= doubtful.count:
            raise corrupt(f"from {least} to {most} of {doubtful.count} elements are in its window")
        if inside.count + doubtful.count > MOST_LONG:
            raise corrupt("its count has more than 63 bits")
        return cls(header, inside, doubtful, least, most)

    def write(self, w: Writer) -> None:
        """Write the payload."""
        estimates = self._estimates
        estimates.inside.write(w)
        estimates.doubtful.write(w)
        w.varint(estimates.least)
        w.varint(estimates.most)

    @property
    def count(self) -> int:
        """The number of rows in the window: the middle of its bounds."""
        return self._estimates.count

    @property
    def count_bounds(self) -> tuple[int, int]:
        """The least and the greatest number of rows that the window can have."""
        return self._estimates.fewest, self._estimates.greatest

    @property
    def _held(self) -> int:
        """The number of elements, which must fit into 63 bits."""
        return self._estimates.inside.count + self._estimates.doubtful.count

    def bounds_of(self, moment: str) -> MomentBounds | None:
        """Return a moment and its bounds."""
        return self._estimates.of(moment)

    def _cast_obstacle(self, cast: Cast) -> str | None:
        """Return why the sums can't be those of the cast values, or None if the cast changes no value."""
        return sums_obstacle(cast)

    def _cast_by(self, cast: Cast) -> Self:
        """Return the window of the cast values."""
        mine, header = self._estimates, Header(cast.to, self.header.numbers)
        return type(self)(header, mine.inside, mine.doubtful, mine.least, mine.most)

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union of both. The larger epsilon counts."""
        mine, others = self._estimates, that._estimates
        inside, doubtful = mine.inside.copy(), mine.doubtful.copy()
        inside.add(others.inside)
        doubtful.add(others.doubtful)
        numbers = max(self.header.numbers, that.header.numbers)
        least, most = mine.least + others.least, mine.most + others.most
        return type(self)(Header(wider, numbers), inside, doubtful, least, most)


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
    def _takes(cls, domain: Domain) -> bool:
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

    def _cast_obstacle(self, cast: Cast) -> str | None:
        """Return why the sums can't be those of the cast values, or None if the cast changes no value."""
        return sums_obstacle(cast)

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sketch of the cast values."""
        rows = self.rows.cast_by(cast, lambda content: content)
        return type(self)(Header(cast.to, self.header.numbers), rows)

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
