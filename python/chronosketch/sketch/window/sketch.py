"""The window sketch, and the windows taken from it."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.answering import Ranked
from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.quantile.summaries import merged_tuples
from chronosketch.sketch.quantile.tuples import Tuples, read_tuples, write_tuples
from chronosketch.sketch.window import wire
from chronosketch.sketch.window.contents import Contents, KeysWire, share_of
from chronosketch.sketch.window.holding import HoldsKeys
from chronosketch.sketch.window.windowed import Windowed

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.envelope import Parameter
    from chronosketch.sketch.rank import RankProfile
    from chronosketch.sketch.window.holding import Holding
    from chronosketch.sketch.window.selection import Selection


class Window(Ranked):
    """The rows certainly in the window, and those of buckets at an edge, some of which are in it."""

    number: ClassVar[int] = 3
    family: ClassVar[str] = "window"
    aggregate: ClassVar[tuple[str, ...]] = ("window_sketch_agg", "value", "event_time")
    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON,)

    def __init__(self, header: Header, inside: Tuples, doubtful: Tuples, least: int, most: int) -> None:
        super().__init__(header)
        self._inside = inside
        self._doubtful = doubtful
        self._least = least
        self._most = most

    @classmethod
    def of(cls, header: Header, selection: Selection) -> Self:
        """Return the window of the selected rows."""
        (epsilon,) = header.numbers
        inside, doubtful = Contents(epsilon), Contents(epsilon)
        least = most = 0
        for bucket, low, high in selection:
            if bucket.level == 0:
                inside.add_copies(bucket.key, low)
                doubtful.add_copies(bucket.key, high - low)
                most += high - low
            elif low == bucket.count:
                inside.add(bucket.content)
            else:
                doubtful.add(bucket.content)
                least += low
                most += high
        sure = inside.window()
        if selection.rows is not None:
            least = most = selection.rows - sure.count
        return cls(header, sure, doubtful.window(), least, most)

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        epsilon = share_of(header.numbers[0])
        inside = read_tuples(r, header.domain, epsilon)
        doubtful = read_tuples(r, header.domain, epsilon)
        least, most = r.long(), r.long()
        if least < 0 or least > most or most > doubtful.count:
            raise corrupt(f"from {least} to {most} of {doubtful.count} elements are in its window")
        if inside.count + doubtful.count > MOST_LONG:
            raise corrupt("its count has more than 63 bits")
        return cls(header, inside, doubtful, least, most)

    def write(self, w: Writer) -> None:
        """Write the payload."""
        write_tuples(w, self._inside)
        write_tuples(w, self._doubtful)
        w.varint(self._least)
        w.varint(self._most)

    @property
    def count(self) -> int:
        """The number of rows in the window: the middle of its bounds."""
        return self.count_bounds[0] + (self._most - self._least) // 2

    @property
    def count_bounds(self) -> tuple[int, int]:
        """The least and the greatest number of rows that the window can have."""
        return self._inside.count + self._least, self._inside.count + self._most

    @property
    def _held(self) -> int:
        """The number of elements, which must fit into 63 bits."""
        return self._inside.count + self._doubtful.count

    @cached_property
    def profile(self) -> RankProfile:
        """The rank bounds."""
        return self._inside.profile().plus(self._doubtful.profile().part_of(self._least, self._most))

    def _cast_by(self, cast: Cast) -> Self:
        """Return the window of the cast values."""
        inside, doubtful = self._inside.cast_by(cast), self._doubtful.cast_by(cast)
        return type(self)(Header(cast.to, self.header.numbers), inside, doubtful, self._least, self._most)

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union of both. The larger epsilon counts."""
        numbers = max(self.header.numbers, that.header.numbers)
        epsilon = share_of(numbers[0])
        inside = merged_tuples([self._inside, that._inside], epsilon)
        doubtful = merged_tuples([self._doubtful, that._doubtful], epsilon)
        least, most = self._least + that._least, self._most + that._most
        return type(self)(Header(wider, numbers), inside, doubtful, least, most)


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

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sketch of the cast values.

        A window by count may begin within the rows of one time. Its error may be larger then, as it says.
        """
        return type(self)(
            Header(cast.to, self.header.numbers), self.rows.cast_by(cast, partial(_cast_content, cast))
        )

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


def _cast_content(cast: Cast, content: object) -> object:
    """Return the content of a bucket with its keys cast."""
    if isinstance(content, Tuples):
        return content.cast_by(cast)
    assert isinstance(content, list)
    return cast.each(content)
