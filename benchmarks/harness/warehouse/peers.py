"""Builds one-pass sketches of all rows that take about as many bytes as a memory."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from harness.warehouse.data import PHIS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    Built = tuple[list[int], int]

_MOST_K = 65_535
_CLOSE, _GREATEST = 0.03, 1e6
# Bytes per unit of 1/ε and of k, as the start of the search.
GK_BYTES, _KLL = 20, 24
_PHIS = ", ".join(f"{phi!r}D" for phi in PHIS)


def gk(rows: DataFrame, memory: int) -> Built:
    """Return the answers of our Greenwald–Khanna sketch, and its bytes."""
    return _at_memory(memory, memory / GK_BYTES, partial(_gk, rows))


def kll(rows: DataFrame, memory: int) -> Built:
    """Return the answers of Spark's KLL sketch, and its bytes."""
    return _at_memory(memory, memory / _KLL, partial(_kll, rows))


def _gk(rows: DataFrame, size: float) -> Built:
    sketch = rows.selectExpr(f"quantile_sketch_agg(v, {max(1e-6, 1 / size)!r}D) AS s")
    asked = sketch.selectExpr(f"sketch_quantile(s, array({_PHIS}), 'bigint')", "length(s)").first()
    return list(asked[0]), int(asked[1])


def _kll(rows: DataFrame, size: float) -> Built:
    k = min(_MOST_K, max(8, int(size)))
    sketch = rows.selectExpr(f"kll_sketch_agg_bigint(v, {k}) AS s")
    asked = sketch.selectExpr(f"kll_sketch_get_quantile_bigint(s, array({_PHIS}))", "length(s)").first()
    return list(asked[0]), int(asked[1])


def _at_memory(memory: int, size: float, build: Callable[[float], Built]) -> Built:
    """Find the size whose sketch takes about as many bytes. Bytes grow with the size, in jumps for KLL."""
    found: list[Built] = []
    for _ in range(5):
        found.append(build(size))
        taken = found[-1][1]
        if abs(taken / memory - 1) <= _CLOSE or size > _GREATEST:
            break
        size *= memory / taken
    return min(found, key=lambda built: abs(built[1] / memory - 1))
