"""Measure quantiles OVER large frames on Spark: run queries, and read the operator's metrics.

A frame queries its structure again only if the answer may have changed, and reads its rows from disk. So a
row costs something else here than in a slide of a structure that is measured alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

from chronosketch.cli_session import quiet_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

FRAME = "frame"
PLACE = "spark"
DELTA = 1e-4

_SUMMARIES = ("arasu_manku", "arasu_manku_variable", "cmqs")
_SAMPLES = ("bernoulli", "priority", "bounded_priority")
_ROWS = {
    "small": (2_000, 16_000),
    "default": (2_000, 8_000, 32_000),
    "large": (2_000, 8_000, 32_000, 128_000),
}
_EPSILONS = {"small": (0.1, 0.03), "default": (0.1, 0.03, 0.01), "large": (0.1, 0.05, 0.02, 0.01)}
# With a smaller error, a sample would have more rows than the measured frames.
_OF_SAMPLES = {"small": (0.3, 0.2), "default": (0.3, 0.2, 0.1), "large": (0.3, 0.2, 0.1, 0.05)}
# The default limit in seconds, as long as the measurements in the core take.
_SECONDS = {"small": 20, "default": 120, "large": 1440}
_SETTINGS = "spark.chronosketch.sliding."
# Seconds below which a cell is measured again: the first run includes compilation.
_QUICK = 3.0
_FEWEST = 30_000


@dataclass(frozen=True)
class FrameCell:
    """Quantiles of one structure OVER frames of n rows."""

    structure: str
    rows: int
    epsilon: float

    def sql(self) -> str:
        """Return the query. Most of its frames are full.

        Examples
        --------
        >>> FrameCell("cmqs", 2000, 0.1).sql()[-48:]
        '1999 PRECEDING AND CURRENT ROW) AS q FROM values'
        """
        over = f"OVER (ORDER BY id ROWS BETWEEN {self.rows - 1} PRECEDING AND CURRENT ROW)"
        return f"SELECT approx_quantile(x, 0.5, {self.epsilon}D) {over} AS q FROM values"


def cells(grid: str, seed: int) -> list[FrameCell]:
    """Return the cells to measure, in random order.

    Examples
    --------
    >>> len(cells("small", 1)), len(cells("default", 1))
    (24, 54)
    """
    found = [
        FrameCell(structure, rows, epsilon)
        for structures, epsilons in ((_SUMMARIES, _EPSILONS), (_SAMPLES, _OF_SAMPLES))
        for structure in structures
        for rows in _ROWS[grid]
        for epsilon in epsilons[grid]
    ]
    Random(seed).shuffle(found)
    return found


def measure_frames(
    file: Path, grid: str, seconds: int | None, seed: int, progress: Callable[[int, int, str], None]
) -> None:
    """Measure cells on Spark until the time is up, and append them to a file of measurements.

    Parameters
    ----------
    file : Path
        The file of measurements. Lines are appended to it.
    grid : str
        "small", "default" or "large".
    seconds : int, optional
        Roughly the longest time to take.
    seed : int
        The seed of the values and of the order of cells.
    progress : callable
        Called with the number of cells done, the number of all cells, and the name of the next one.
    """
    planned = cells(grid, seed)
    conf = {"spark.master": "local[1]", "spark.driver.memory": "2g", f"{_SETTINGS}delta": str(DELTA)}
    with quiet_session("chronosketch calibrate", conf) as spark, file.open("a", encoding="utf-8") as output:
        longest = max(_rows(cell) for cell in planned)
        values = spark.range(0, longest, 1, 1).selectExpr(
            "id", f"CAST(800 * exp(0.3 * randn({seed})) AS BIGINT) AS x"
        )
        values.cache().createOrReplaceTempView("all_values")
        for structure in (*_SUMMARIES, *_SAMPLES):
            _run(spark, FrameCell(structure, 2_000, 0.1))
        ends = perf_counter() + (seconds or _SECONDS[grid])
        for done, cell in enumerate(planned):
            if perf_counter() > ends:
                progress(done, len(planned), "the time is over")
                return
            progress(done, len(planned), f"{FRAME} {cell.structure} R={cell.rows} epsilon={cell.epsilon}")
            measured = _measured(spark, cell)
            if measured is not None:
                output.write(json.dumps(measured) + "\n")
                output.flush()
        progress(len(planned), len(planned), "done")


def _rows(cell: FrameCell) -> int:
    """Return a number of rows with which most frames are full and startup hardly counts."""
    return max(3 * cell.rows, _FEWEST)


def _measured(spark: SparkSession, cell: FrameCell) -> dict[str, Any] | None:
    """Measure a cell. Returns None if a sample is larger than the frame, as answers are exact then."""
    began = perf_counter()
    metrics = _run(spark, cell)
    if perf_counter() - began < _QUICK:
        again = _run(spark, cell)
        metrics = min(metrics, again, key=lambda one: one["largeFrameTime"])
    if metrics["certifiedRows"] <= cell.rows:
        return None
    return {
        "kind": "cell",
        "place": PLACE,
        "aggregate": FRAME,
        "approach": cell.structure,
        "retention": cell.rows,
        "slide": 1,
        "epsilon": cell.epsilon,
        "delta": DELTA,
        "update_ns": metrics["largeFrameTime"] / metrics["certifiedRows"],
        "query_ns": 0,
        "bytes": metrics["largeFrameBytes"],
    }


def _run(spark: SparkSession, cell: FrameCell) -> dict[str, int]:
    spark.conf.set(f"{_SETTINGS}structure", cell.structure)
    spark.table("all_values").where(f"id < {_rows(cell)}").createOrReplaceTempView("values")
    frame = spark.sql(f"SELECT max(q) FROM ({cell.sql()})")
    frame.collect()
    plan = _operator(frame._jdf.queryExecution().executedPlan())
    names = ("certifiedRows", "largeFrameTime", "largeFrameBytes")
    return {name: int(plan.metrics().apply(name).value()) for name in names}


def _operator(plan: Any) -> Any:
    """Find the window operator below adaptive plans and their stages."""
    name = plan.nodeName()
    if name == "SketchWindow":
        return plan
    if name == "AdaptiveSparkPlan":
        return _operator(plan.executedPlan())
    if name.endswith("QueryStage"):
        return _operator(plan.plan())
    children = plan.children().iterator()
    found = None
    while found is None and children.hasNext():
        found = _operator(children.next())
    return found
