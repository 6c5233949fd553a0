"""The hierarchy of blocks over the cells of a span."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class CellBlocks:
    """A block of level l has up to `fanout` blocks of level l + 1. Blocks of the last level consist of cells.

    Examples
    --------
    >>> from chronosketch.sketch.history.blocks import CellBlocks
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
