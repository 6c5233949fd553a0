"""The window sample, and the samples of windows taken from it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.refusal import Refusal
from chronosketch.sketch.sample.sampled import (
    DELTA,
    NO_RANKS,
    SEED,
    SIZE,
    Population,
    Sampled,
    SampleRanks,
    ranks_from_sample,
)
from chronosketch.sketch.window import wire
from chronosketch.sketch.window.holding import HoldsCounts
from chronosketch.sketch.window.reach import Longer, Reach, RowReach, Shorter, TimeReach, earlier, reaches_all
from chronosketch.sketch.window.sample.rows import (
    NO_ENDS,
    NOTHING,
    Ends,
    Row,
    Suffix,
    first_after,
    least_priorities,
    read_rows,
    write_rows,
)
from chronosketch.sketch.window.windowed import Windowed

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.envelope import Parameter
    from chronosketch.sketch.window.buckets import Bucket
    from chronosketch.sketch.window.holding import Holding
    from chronosketch.sketch.window.selection import Selection


_NO_ROWS = Population(0, 0, *NO_ENDS, is_reached=False)


class SampledWindow(Sampled):
    """A random sample of one window's rows, with bounds of the number of its rows.

    Samples that are merged must have been drawn independently: overlapping windows of one sketch are not.
    """

    number: ClassVar[int] = 17
    family: ClassVar[str] = "sampled window"
    aggregate: ClassVar[tuple[str, ...]] = ("window_sample_agg", "value", "event_time")
    _fixed_parameters: ClassVar[tuple[Parameter, ...]] = (DELTA,)
    parameters: ClassVar[tuple[Parameter, ...]] = (SIZE, DELTA)

    def __init__(self, header: Header, population: Population, suffix: Suffix) -> None:
        super().__init__(header)
        self._population = population if population.most else _NO_ROWS
        self._suffix = suffix if population.most else NOTHING

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        least = r.varint()
        most = least + r.varint()
        if most > MOST_LONG:
            raise corrupt("its count has more than 63 bits")
        if most == 0:
            return cls(header, _NO_ROWS, NOTHING)
        ends = Ends.read(r, header.domain)
        size = int(header.numbers[0])
        suffix = Suffix.read(r, header.domain, size, ends, lambda m: m == least == most)
        if len(suffix.rows) > least:
            raise corrupt(f"it has {len(suffix.rows)} of {least} values")
        return cls(header, Population(least, most, *ends, is_reached=False), suffix)

    def write(self, w: Writer) -> None:
        """Write the payload."""
        rows = self._population
        w.varint(rows.least)
        w.varint(rows.most - rows.least)
        if rows.most > 0:
            Ends(rows.floor, rows.ceiling).write(w)
            self._suffix.write(w, rows.floor)

    @property
    def count(self) -> int:
        """The number of rows in the window: the middle of its bounds."""
        return self._population.middle

    @property
    def count_bounds(self) -> tuple[int, int]:
        """The least and the greatest number of rows that the window can have."""
        return self._population.least, self._population.most

    @property
    def _held(self) -> int:
        """The number of elements, which must fit into 63 bits."""
        return self._population.most

    @property
    def sample_keys(self) -> list[int]:
        """The keys of the sample, ascending."""
        return self._suffix.keys

    @property
    def _least_key(self) -> int | None:
        """The least key of the sample, if that of the rows is not known."""
        if self._population.is_reached and self.count > 0:
            return self._population.floor
        return self.sample_keys[0] if self._suffix.rows else None

    @property
    def _greatest_key(self) -> int | None:
        """The greatest key of the sample, if that of the rows is not known."""
        if self._population.is_reached and self.count > 0:
            return self._population.ceiling
        return self.sample_keys[-1] if self._suffix.rows else None

    @cached_property
    def ranks(self) -> SampleRanks:
        """The bounds and estimates that the sample gives."""
        if self._population.most == 0:
            return NO_RANKS
        return ranks_from_sample(self.sample_keys, self._population, self.delta)

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sample of the cast values."""
        header, rows = Header(cast.to, self.header.numbers), self._population
        if rows.most == 0:
            return type(self)(header, rows, self._suffix)
        ends = rows._replace(floor=cast.key(rows.floor), ceiling=cast.key(rows.ceiling))
        return type(self)(header, ends, self._suffix.cast_by(cast))

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union. The smaller size and the greater δ count."""
        size = min(self.header.numbers[0], that.header.numbers[0])
        mine, others = self._population, that._population
        rows = Population(
            mine.least + others.least,
            mine.most + others.most,
            min(mine.floor, others.floor),
            max(mine.ceiling, others.ceiling),
            is_reached=False,
        )
        suffix = self._suffix.union(that._suffix, int(size))
        return type(self)(Header(wider, (size, max(self.delta, that.delta))), rows, suffix)


# The greatest relative error of the counts of windows.
_MOST_COUNT_ERROR = 0.01


class CountsWire:
    """The wire format of buckets that store only a count."""

    def write(self, w: Writer, bucket: Bucket, key: int) -> int:
        """Write the count, and return the last key that was written."""
        w.varint(bucket.count)
        return key

    def read(self, r: Reader, key: int) -> tuple[int, object, int]:
        """Return the number of rows, no content, and the last key that was read."""
        return r.long(), None, key


class WindowSample(Windowed, Sampled):
    """A sketch by window_sample_agg: a sample of all rows, and of any window by time.

    Samples that are merged must have been drawn independently.

    Notes
    -----
    Babcock, Datar and Motwani 2002, priority sampling of sliding windows; Gemulla and Lehner 2008.
    """

    number: ClassVar[int] = 16
    family: ClassVar[str] = "window sample"
    aggregate: ClassVar[tuple[str, ...]] = ("window_sample_agg", "value", "event_time")
    _fixed_parameters: ClassVar[tuple[Parameter, ...]] = (DELTA,)
    parameters: ClassVar[tuple[Parameter, ...]] = (SIZE, SEED, DELTA)

    # the ends of all rows that ever came; the sampled rows, in order
    _ends: Ends = NO_ENDS
    _kept: tuple[Row, ...] = ()

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        # -0.0 becomes 0.0
        header = replace(header, numbers=tuple(number + 0.0 for number in header.numbers))
        sketch = cls(header, wire.read(r, header.domain, CountsWire()))
        if sketch.rows.filters:
            raise corrupt("it has filters, but samples have none")
        if sketch._held > 0:
            sketch._ends = Ends.read(r, header.domain)
            sketch._kept = tuple(read_rows(r, header.domain, sketch._ends))
            sketch._require_kept()
        return sketch

    def _require_kept(self) -> None:
        rows, kept, size = self._kept, self._held, self.size
        horizon = self.rows.horizon
        is_too_old = rows and horizon is not None and rows[0].time <= horizon
        if not rows or rows[-1].time != self.rows.newest or is_too_old:
            raise corrupt("its rows are outside its times")
        m = len(rows)
        is_short = horizon is None and m < min(kept, size)
        if len(least_priorities(rows, size)) != m or m > kept or is_short:
            raise corrupt(f"it keeps {m} of {kept} rows, but should keep {size}")

    def write(self, w: Writer) -> None:
        """Write the payload."""
        wire.write(w, self.rows, CountsWire())
        if self._kept:
            write_rows(w, self._kept, self._ends)

    @property
    def size(self) -> int:
        """The number of rows in a window's sample."""
        return int(self.header.numbers[0])

    @property
    def bucket_epsilon(self) -> float:
        """The greatest relative error of a window's count. It is smaller than the sampling error of ranks."""
        return min(_MOST_COUNT_ERROR, 1 / math.sqrt(self.header.numbers[0]))

    def holding(self, domain: Domain, epsilon: float) -> Holding:
        """Return the kind of content that buckets of this type keep."""
        return HoldsCounts(epsilon)

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sample of the cast values. The buckets only count rows."""
        made = type(self)(Header(cast.to, self.header.numbers), self.rows)
        if self._kept:
            keys = cast.each([self._ends.floor, self._ends.ceiling, *(row.key for row in self._kept)])
            made._ends = Ends(keys[0], keys[1])
            made._kept = tuple(row._replace(key=key) for row, key in zip(self._kept, keys[2:], strict=True))
        return made

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union. The smaller size and the greater δ count."""
        (mine, seed, _), others = self.header.numbers, that.header.numbers
        header = Header(wider, (min(mine, others[0]), seed, max(self.delta, that.delta)))
        union = type(self)(header, self._united_rows(that, wider))
        rows = least_priorities(sorted(self._kept + that._kept), union.size)
        horizon = union.rows.horizon
        start = 0 if horizon is None else first_after(rows, horizon)
        union._kept = tuple(rows[start:])
        union._ends = Ends(
            min(self._ends.floor, that._ends.floor), max(self._ends.ceiling, that._ends.ceiling)
        )
        return union

    def restrict(self, selection: Selection) -> SampledWindow:
        """Return the sample of the selected rows."""
        reach, end = selection.reaches[0], selection.as_of
        if _counts_rows(reach):
            raise Refusal("SAMPLE_OF_LAST_ROWS")
        least = most = 0
        for _, low, high in selection:
            least += low
            most += high
        before = _too_early(reach, self.rows.newest if end is None else end)
        return self._take(before, MOST_LONG if end is None else end, least, most)

    def _take(
        self, before: int | None, end: int, least: int, most: int, *, is_reached: bool = False
    ) -> SampledWindow:
        """Return the sample of the rows after `before` up to `end`, of which there are `least` to `most`."""
        rows = self._kept
        start = 0 if before is None else first_after(rows, before)
        # fewer than the sample holds, so none was left out
        is_whole = len(rows) - start < self.size
        suffix = Suffix.of(rows, start, end, self.size, is_whole=is_whole)
        m = len(suffix.rows)
        fewest = m if is_whole else max(least, m)
        greatest = m if is_whole else max(most, fewest)
        header = Header(self.domain, (self.header.numbers[0], self.delta))
        population = Population(fewest, greatest, *self._ends, is_reached=is_reached)
        return SampledWindow(header, population, suffix)

    @cached_property
    def _whole(self) -> SampledWindow:
        """Return the sample of all rows that were not forgotten."""
        before = self.rows.horizon
        if before is None:
            return self._take(None, MOST_LONG, self._held, self._held, is_reached=True)
        may = [bucket for bucket in self.rows.classes[0] if bucket.last_time > before]
        sure = [bucket for bucket in may if bucket.time > before and bucket.last_time <= self.rows.newest]
        counts = [sum(bucket.count for bucket in buckets) for buckets in (sure, may)]
        return self._take(before, MOST_LONG, *counts)

    @property
    def count(self) -> int:
        """The number of rows that were not forgotten: the middle of its bounds."""
        return self._whole.count

    @property
    def count_bounds(self) -> tuple[int, int]:
        """The least and greatest possible number of rows."""
        return self._whole.count_bounds

    @property
    def sample_keys(self) -> list[int]:
        """The keys of the sample, ascending."""
        return self._whole.sample_keys

    @property
    def ranks(self) -> SampleRanks:
        """The bounds and estimates that the sample gives."""
        return self._whole.ranks

    @property
    def _least_key(self) -> int | None:
        """The least key of all rows if none was forgotten; else the least of the sample."""
        return self._whole._least_key

    @property
    def _greatest_key(self) -> int | None:
        """The greatest key of all rows if none was forgotten; else the greatest of the sample."""
        return self._whole._greatest_key


def _counts_rows(reach: Reach) -> bool:
    """Return whether a reach depends on the number of rows."""
    if isinstance(reach, Shorter | Longer):
        return _counts_rows(reach.left) or _counts_rows(reach.right)
    return isinstance(reach, RowReach)


def _too_early(reach: Reach, start: int) -> int | None:
    """Return the latest time before a reach that starts at another time, or None if there is none."""
    if isinstance(reach, TimeReach):
        return None if reaches_all(start, reach.span) else earlier(start, reach.span)
    if isinstance(reach, Shorter | Longer):
        both = [_too_early(side, start) for side in (reach.left, reach.right)]
        known = [time for time in both if time is not None]
        if isinstance(reach, Shorter):
            return max(known, default=None)
        return min(known) if len(known) == len(both) else None
    return None if reach else MOST_LONG
