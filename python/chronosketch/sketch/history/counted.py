"""Spans that store how many elements are alive below each of some boundaries, at every version."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG, corrupt, next_rising
from chronosketch.sketch.rank import RankProfile

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.domain import Domain


@dataclass(frozen=True)
class CellBlocks:
    """A block of level l has up to `fanout` blocks of level l + 1. Blocks of the last level consist of cells.

    Examples
    --------
    >>> from chronosketch.sketch.history.counted import CellBlocks
    >>> blocks = CellBlocks(7, 3, 2)
    >>> [blocks.start_of(g) for g in range(1, 7)]
    [0, 0, 0, 3, 3, 0]
    """

    cells: int
    fanout: int
    height: int

    @cached_property
    def units(self) -> list[int]:
        """The number of cells in a child of a block, for each level of the block."""
        return [self.fanout**level for level in range(self.height - 1, -1, -1)]

    def end(self, level: int, start: int) -> int:
        """Return the cell after the last one of a block, given by its level and first cell."""
        return min(start + self.units[level] * self.fanout, self.cells)

    def start_of(self, boundary: int) -> int:
        """Return the first cell of the block that contains a boundary in its inside."""
        level = 0
        while boundary % self.units[level]:
            level += 1
        return 0 if level == 0 else boundary - boundary % self.units[level - 1]


#: The changes of a counter: increasing versions, and its value from each of these on.
Track: TypeAlias = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Tolerance:
    """The size of a cell, and the greatest errors of the counters and of the count."""

    content: int
    counter: int
    count: int


@dataclass
class CountedSpan:
    """A span of counters of the elements below boundaries. Each is exact at the first version.

    Attributes
    ----------
    first : int
        The first version.
    starts : list of int
        The first key of each cell. The first cell also has everything below.
    blocks : CellBlocks
        The hierarchy of blocks.
    tolerance : Tolerance
        The error bounds.
    parts : list of lists of int
        For each cell, the first keys of the parts that were split from it.
    counters : list of Track
        The count, then the counters of the boundaries between cells, then those of the parts.
    least, greatest : int
        Bounds of all elements.
    most : int
        The greatest number of elements alive at once.

    Notes
    -----
    Tao, Yi, Sheng, Pei and Li, "Logging every footstep: quantile summaries for the entire history", SIGMOD
    2010, §3.
    """

    first: int
    starts: list[int]
    blocks: CellBlocks
    tolerance: Tolerance
    parts: list[list[int]]
    counters: list[Track]
    least: int
    greatest: int
    most: int

    def __post_init__(self) -> None:
        # the index of the first part's counter of each cell
        self._parts_from = []
        at = len(self.starts)
        for parts in self.parts:
            self._parts_from.append(at)
            at += len(parts)

    def profile(self, version: int, domain: Domain) -> RankProfile:
        """Return the rank bounds at a version."""
        count = self._at(0, version)
        rows: list[tuple[int, int]] = []
        self._add_block(rows, 0, 0, 0, count, version)
        return self._bounded(rows, version, count, domain)

    def _at(self, counter: int, version: int) -> int:
        """Return a counter's value at a version, or −1 before its first version."""
        versions, values = self.counters[counter]
        place = bisect_right(versions, version)
        return values[place - 1] if place else -1

    def _add_block(
        self, rows: list[tuple[int, int]], level: int, start: int, base: int, limit: int, version: int
    ) -> None:
        end, unit = self.blocks.end(level, start), self.blocks.units[level]
        left = base
        for g in range(start, end, unit):
            right = limit
            if g + unit < end:
                right = _within(base + self._at(g + unit, version), left, limit)
            if unit == 1:
                self._add_cell(rows, g, left, right, version)
            else:
                self._add_block(rows, level + 1, g, left, right, version)
            left = right

    def _add_cell(self, rows: list[tuple[int, int]], g: int, base: int, limit: int, version: int) -> None:
        rows.append((self.starts[g], base))
        left = base
        for i, start in enumerate(self.parts[g]):
            value = self._at(self._parts_from[g] + i, version)
            if value >= 0:
                left = _within(base + value, left, limit)
                rows.append((start, left))

    def _bounded(self, rows: list[tuple[int, int]], version: int, count: int, domain: Domain) -> RankProfile:
        is_first = version == self.first
        path = 0 if is_first else self.tolerance.counter * (self.blocks.height + 1)
        content = self.tolerance.content
        most = min(self.most, count if is_first else count + self.tolerance.count)
        fewest = min(most, count if is_first else max(0, count - self.tolerance.count))
        keys: list[int] = []
        low: list[int] = []
        high: list[int] = []
        for i, (start, here) in enumerate(rows):
            after = rows[i + 1][1] if i + 1 < len(rows) else count
            is_alone = i + 1 < len(rows) and rows[i + 1][0] - 1 == start
            follows = i > 0 and start - 1 == rows[i - 1][0]
            at_most = min(most, (after if is_alone else min(after, here + content)) + path)
            if follows and not (is_alone and domain.holds(start)):
                high[-1] = at_most
                continue
            sure = (after if is_alone else max(here, after - content)) - path
            at_least = max(0, min(sure, at_most, fewest))
            key = max(start, self.least)
            # no element is below the least: of the cells that begin there or before, only the last counts
            if keys and keys[-1] >= key:
                keys[-1], low[-1], high[-1] = key, at_least, at_most
            else:
                keys.append(key)
                low.append(at_least)
                high.append(at_most)
        while keys and keys[-1] >= self.greatest:
            del keys[-1], low[-1], high[-1]
        return RankProfile.between([*keys, self.greatest], [*low, fewest], [*high, most], fewest, most)

    def write(self, w: Writer) -> None:
        """Write it without its first version, which is written before."""
        _write(w, self)


def _within(value: int, low: int, high: int) -> int:
    return min(high, max(low, value))


FORM = 1

_MOST_LEVELS = 31


def _write(w: Writer, span: CountedSpan) -> None:
    w.byte(FORM)
    w.varint(len(span.starts))
    w.varint(span.blocks.fanout)
    w.byte(span.blocks.height)
    w.varint(span.tolerance.content)
    w.varint(span.tolerance.counter)
    w.varint(span.tolerance.count)
    w.zigzag(span.least)
    w.varint(span.greatest - span.least)
    w.varint(span.most)
    w.rising(span.starts[1:])
    below = _sums(span)
    for i in range(len(span.starts)):
        w.varint(below[i + 1] - below[i])
    _write_parts(w, span)
    for i, track in enumerate(span.counters):
        _write_track(w, span.first, track, is_known=i < len(span.starts))


def _sums(span: CountedSpan) -> list[int]:
    """Return the number of elements before each cell at the first version, and in total."""
    initial = [values[0] for _, values in span.counters[: len(span.starts)]]
    below = [0]
    for g in range(1, len(initial)):
        below.append(below[span.blocks.start_of(g)] + initial[g])
    return [*below, initial[0]]


def _write_parts(w: Writer, span: CountedSpan) -> None:
    w.varint(sum(map(len, span.parts)))
    cell = 0
    for g, parts in enumerate(span.parts):
        before = span.starts[g]
        for start in parts:
            w.varint(g - cell)
            cell = g
            w.varint(start - before)
            before = start


def _write_track(w: Writer, first: int, track: Track, *, is_known: bool) -> None:
    """Write a counter, without its first value if that is known."""
    versions, values = track
    version, value = (first, values[0]) if is_known else (first, 0)
    start = 1 if is_known else 0
    w.varint(len(versions) - start)
    for i in range(start, len(versions)):
        w.varint(versions[i] - version)
        w.zigzag(values[i] - value)
        version, value = versions[i], values[i]


def read(r: Reader, first: int, domain: Domain) -> CountedSpan:
    """Read a span after its form."""
    cells = r.size(2)
    blocks = _read_blocks(r, cells)
    tolerance = _read_tolerance(r, blocks.height)
    least = r.zigzag()
    greatest = least + r.varint()
    if greatest > MOST_LONG or not domain.holds(least) or not domain.holds(greatest):
        raise corrupt(f"its values from {least} to {greatest} are not of type {domain.sql}")
    most = _count(r)
    starts = [LEAST_LONG]
    for i in range(1, cells):
        starts.append(r.zigzag() if i == 1 else next_rising(r, starts[-1]))
        if starts[-1] <= starts[-2]:
            raise corrupt("its cells are not in increasing order")
        _require_value(domain, starts[-1], starts[-2], greatest)
    initial = _read_initial(r, blocks)
    parts = _read_parts(r, domain, starts, greatest)
    counters = [_read_track(r, first, count) for count in initial]
    counters += [_read_track(r, first, None) for _ in range(sum(map(len, parts)))]
    span = CountedSpan(first, starts, blocks, tolerance, parts, counters, least, greatest, most)
    _require_born(span, domain)
    return span


def _read_blocks(r: Reader, cells: int) -> CellBlocks:
    fanout, height = r.long(), r.byte()
    blocks = corrupt(f"{cells} cells lie in blocks of {fanout} and {height} levels")
    if cells < 1 or not 2 <= fanout <= max(2, cells) or not 1 <= height <= _MOST_LEVELS:
        raise blocks
    # the smallest number of levels that holds all cells
    held = min(fanout ** (height - 1), cells)
    if held * fanout < cells or (height > 1 and held >= cells):
        raise blocks
    return CellBlocks(cells, fanout, height)


def _read_tolerance(r: Reader, height: int) -> Tolerance:
    content, counter, count = r.long(), r.long(), r.long()
    if content < 1 or count < 0 or not 0 <= counter <= MOST_LONG // (height + 1):
        raise corrupt(f"it has the unknown tolerance Tolerance({content},{counter},{count},{height})")
    return Tolerance(content, counter, count)


def _count(r: Reader) -> int:
    count = r.varint()
    if count > MOST_LONG:
        raise corrupt("its count has more than 63 bits")
    return count


def _require_value(domain: Domain, start: int, before: int, greatest: int) -> None:
    """Refuse a cell that begins neither with a value nor right after a single-key cell."""
    if not domain.holds(start) and start - 1 != before:
        raise corrupt(f"its cell {start} is not of type {domain.sql}")
    if start > greatest and start - 1 != greatest:
        raise corrupt(f"its cell {start} is above {greatest}")


def _read_initial(r: Reader, blocks: CellBlocks) -> list[int]:
    """Read the cells' contents at the first version, as sums for the counters."""
    below = [*accumulate(r.varints(blocks.cells), initial=0)]
    if below[-1] > MOST_LONG:
        raise corrupt("its count has more than 63 bits")
    return [below[-1], *(below[g] - below[blocks.start_of(g)] for g in range(1, blocks.cells))]


def _read_parts(r: Reader, domain: Domain, starts: list[int], greatest: int) -> list[list[int]]:
    parts: list[list[int]] = [[] for _ in starts]
    cell = 0
    for _ in range(r.size(3)):
        step = r.long()
        if not 0 <= step < len(starts) - cell:
            raise corrupt("a part is in no cell")
        cell += step
        before = parts[cell][-1] if parts[cell] else starts[cell]
        start = next_rising(r, before)
        if cell + 1 < len(starts) and start >= starts[cell + 1]:
            raise corrupt("a part begins after its cell")
        _require_value(domain, start, before, greatest)
        parts[cell].append(start)
    return parts


def _read_track(r: Reader, first: int, initial: int | None) -> Track:
    n = r.size(2)
    versions = [] if initial is None else [first]
    values = [] if initial is None else [initial]
    version, value = first, initial or 0
    for _ in range(n):
        version = next_rising(r, version)
        value += r.zigzag()
        if not 0 <= value <= MOST_LONG:
            raise corrupt(f"a counter is {value}")
        versions.append(version)
        values.append(value)
    return versions, values


def _require_born(span: CountedSpan, domain: Domain) -> None:
    """Refuse a part that does not begin at a value but was born before the part it follows."""
    at = len(span.starts)
    for parts in span.parts:
        for i, start in enumerate(parts):
            versions, _ = span.counters[at]
            if not versions:
                raise corrupt("a part ends when it begins")
            if i > 0 and not domain.holds(start) and span.counters[at - 1][0][0] > versions[0]:
                raise corrupt(f"its part {start} is not of type {domain.sql}")
            at += 1
