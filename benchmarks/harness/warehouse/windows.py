"""Measures the cost of each window that ends with a run, for a small and a large κ (the paper's figure 11)."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

from harness.rounds import log_progress
from harness.spreads import Spread, spaced
from harness.warehouse.data import MEMORY, Steps, build_history, median_cost, warm_up

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession

    Line = dict[str, Any]

KAPPAS = (3, 10)


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Query the median of each listed window."""
    lines = []
    count = options.steps + 1
    with tempfile.TemporaryDirectory(dir=folder) as own:
        steps = Steps(spark, f"{own}/rows", "normal", options.rows // count, count)
        warm_up(spark, own, steps)
        for kappa in KAPPAS:
            with tempfile.TemporaryDirectory(dir=own) as place:
                history = build_history(
                    spark, place, steps, options.steps, memory=MEMORY, steps=options.steps, kappa=kappa
                )
                for window in history.warehouse.windows():
                    cost = median_cost(history, options.rounds, window.steps)
                    lines.append({"kappa": kappa, "window": window.steps, "rows": window.rows, **cost})
                    log_progress(str(lines[-1]))
    return lines


def write(lines: list[Line], options: argparse.Namespace) -> list[str]:
    """Write the part as lines of a page."""
    text = [
        "",
        "## Windows",
        "",
        f"Two warehouses have the same {spaced(options.rows)} normal rows: {options.steps} steps of history, and one more that is live. "
        f"All summaries of each take {MEMORY} at most. The table has each window that `windows()` lists, and what an accurate median of "
        "it takes: seconds, the median, least and greatest of the rounds, and what it reads. The window of one step has live rows alone, "
        "so that no file of rows is read.",
        "",
        "| κ | window, steps | rows | seconds | rows read | kB read |",
        "|---|---|---|---|---|---|",
    ]
    return text + [
        f"| {line['kappa']} | {line['window']} | {spaced(line['rows'])} | {Spread.of(line['query_seconds'])} | "
        f"{spaced(line['rows_read'])} | {line['bytes_read'] / 1e3:.0f} |"
        for line in lines
    ]
