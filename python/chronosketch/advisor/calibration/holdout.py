"""Choose the cells that are kept out of fitting: a fifth of the workloads, spread over the grid."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.advisor.calibration.measurements import Cell

_ONE_OF = 5
_FEWEST = 3


def held_out(cells: Sequence[Cell], seed: int) -> set[tuple[str, float, float]]:
    """Choose the workloads to keep out, as (aggregate, retention, slide).

    Each aggregate's pairs of retention and slide are sorted and cut into runs of five, and one of each run is
    drawn, so that small and large windows are both kept out. All approaches and all ε of a pair are kept out
    together, so that the choice between approaches can be checked too.

    Examples
    --------
    >>> from chronosketch.advisor.calibration.measurements import Cell
    >>> from chronosketch.advisor.workloads import Workload
    >>> cells = [Cell("sum", "panes", Workload(1000 * r, 10), 1.0, 1.0, 1.0) for r in range(1, 11)]
    >>> len(held_out(cells, 7)), held_out(cells, 7) == held_out(cells, 7), held_out(cells[:2], 7)
    (2, True, set())
    """
    random = Random(seed)
    chosen = set()
    for aggregate in sorted({cell.aggregate for cell in cells}):
        pairs = sorted({(c.workload.retention, c.workload.slide) for c in cells if c.aggregate == aggregate})
        if len(pairs) < _FEWEST:
            continue
        # A short run at the end is joined to the one before it.
        starts = range(0, max(1, len(pairs) - _ONE_OF // 2), _ONE_OF)
        for start in starts:
            end = len(pairs) if start == starts[-1] else start + _ONE_OF
            chosen.add((aggregate, *random.choice(pairs[start:end])))
    return chosen


def is_held_out(cell: Cell, chosen: set[tuple[str, float, float]]) -> bool:
    """Return whether a cell's workload is kept out."""
    return (cell.aggregate, cell.workload.retention, cell.workload.slide) in chosen


def folds(cells: Sequence[Cell], most: int) -> list[int]:
    """Assign each cell to a fold. Cells with the same retention and slide share a fold.

    Examples
    --------
    >>> from chronosketch.advisor.calibration.measurements import Cell
    >>> from chronosketch.advisor.workloads import Workload
    >>> folds([Cell("sum", "panes", Workload(r, 10), 1.0, 1.0, 1.0) for r in (100, 300, 200, 100)], 2)
    [0, 0, 1, 0]
    """
    pairs = sorted({(c.workload.retention, c.workload.slide) for c in cells})
    number = {pair: i % min(most, len(pairs)) for i, pair in enumerate(pairs)}
    return [number[c.workload.retention, c.workload.slide] for c in cells]
