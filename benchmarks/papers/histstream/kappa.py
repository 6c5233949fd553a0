"""Measures the effect of κ, and the cost of windows at a small and a large κ (the paper's figures 5, 7, 8, 10 and 11).

Errors do not depend on κ; appends and answers do.
"""

from __future__ import annotations

import tempfile
from statistics import mean
from typing import TYPE_CHECKING, Any

from harness.rounds import log_progress
from harness.spread import Spread, spaced

from histstream.data import MEMORY, Steps, build_history, median_cost, relative_errors, warm_up

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession

    Line = dict[str, Any]


KAPPAS = (2, 3, 5, 7, 10, 20, 30)


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Build the same history with each κ."""
    lines = []
    count = options.steps + 1
    with tempfile.TemporaryDirectory(dir=folder) as own:
        steps = Steps(spark, f"{own}/rows", "uniform", options.rows // count, count)
        warm_up(spark, own, steps)
        values = steps.values(0, count)
        for kappa in KAPPAS:
            with tempfile.TemporaryDirectory(dir=own) as place:
                history = build_history(
                    spark, place, steps, options.steps, memory=MEMORY, steps=options.steps, kappa=kappa
                )
                lines.append(
                    {
                        "kappa": kappa,
                        "runs": history.warehouse.describe()["runs"],
                        "mean": mean(relative_errors(values, history.answers())),
                        "appended": history.seconds,
                        **median_cost(history, options.rounds),
                        "memory": history.memory,
                    }
                )
                log_progress(f"κ = {kappa}: {lines[-1]}")
    return lines


def write(lines: list[Line], options: argparse.Namespace) -> list[str]:
    """Write the part as lines of a page."""
    text = [
        "",
        "## κ, the runs of a level",
        "",
        f"Each warehouse has {spaced(options.rows)} uniform rows: {options.steps} steps of history, and one more that is live. All "
        f"summaries take {MEMORY} at most. The error is the mean of the relative errors of accurate answers over φ = 0.05 … 0.95. "
        "*Appends* are the seconds of all of them, with their merges; *greatest* is the one that took longest. Of an accurate median "
        "there are the median, least and greatest of the rounds.",
        "",
        "| κ | runs | error | appends, s | greatest, s | median, s | rows read | kB read | kB of summaries |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    return text + [
        f"| {line['kappa']} | {line['runs']} | {line['mean']:.1e} | {sum(line['appended']):.1f} | {max(line['appended']):.2f} | "
        f"{Spread.of(line['query_seconds'])} | {spaced(line['rows_read'])} | {line['bytes_read'] / 1e3:.0f} | "
        f"{line['memory'] / 1e3:.0f} |"
        for line in lines
    ]


WINDOW_KAPPAS = (3, 10)


def measure_windows(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Query the median of each listed window."""
    lines = []
    count = options.steps + 1
    with tempfile.TemporaryDirectory(dir=folder) as own:
        steps = Steps(spark, f"{own}/rows", "normal", options.rows // count, count)
        warm_up(spark, own, steps)
        for kappa in WINDOW_KAPPAS:
            with tempfile.TemporaryDirectory(dir=own) as place:
                history = build_history(
                    spark, place, steps, options.steps, memory=MEMORY, steps=options.steps, kappa=kappa
                )
                for window in history.warehouse.windows():
                    cost = median_cost(history, options.rounds, window.steps)
                    lines.append({"kappa": kappa, "window": window.steps, "rows": window.rows, **cost})
                    log_progress(str(lines[-1]))
    return lines


def write_windows(lines: list[Line], options: argparse.Namespace) -> list[str]:
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
