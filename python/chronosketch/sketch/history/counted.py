"""The number of elements alive below each of some boundaries, at every version."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from chronosketch.sketch.history.span import Span
from chronosketch.sketch.rank.profile import RankProfile

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.history.blocks import CellBlocks

#: The changes of a counter: increasing versions, and its value from each of these on.
Track: TypeAlias = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Tolerance:
    """The size of a cell, and the greatest errors of the counters and of the count."""

    content: int
    counter: int
    count: int


@dataclass
class CountedSpan(Span):
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
        """Write it to the payload."""
        from chronosketch.sketch.history.counted_wire import write

        write(w, self)


def _within(value: int, low: int, high: int) -> int:
    return min(high, max(low, value))
