"""What κ changes: the error does not depend on it, appends and answers do (the paper's figures 5, 8 and 10)."""

from __future__ import annotations

import tempfile
from statistics import mean
from typing import TYPE_CHECKING, Any

from harness.rounds import say
from harness.spreads import Spread, spaced
from harness.warehouse_data import PHIS, History, relative_errors, timed

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession

    Line = dict[str, Any]

STEPS, EPSILON = 40, 0.002
KAPPAS = (2, 3, 5, 10, 20, 40)


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Make the same history with each κ."""
    lines = []
    for kappa in KAPPAS:
        with tempfile.TemporaryDirectory(dir=folder) as own:
            history = History(spark, own, "uniform", options.rows, STEPS, EPSILON, kappa)
            asked = history.warehouse.quantile(PHIS).orderBy("phi").collect()
            one = history.warehouse.quantile(0.5)
            seconds = [timed(one.collect) for _ in range(options.rounds + 1)][1:]
            median = one.first()
            lines.append(
                {
                    "kappa": kappa,
                    "runs": history.warehouse.describe()["runs"],
                    "mean": mean(relative_errors(history.rows, [row.value for row in asked])),
                    "append_seconds": history.seconds,
                    "query_seconds": seconds,
                    "rows_read": median.rows_read,
                    "bytes_read": median.bytes_read,
                    "memory": history.memory,
                }
            )
            say(f"κ = {kappa}: {lines[-1]}")
    return lines


def write(lines: list[Line], options: argparse.Namespace) -> list[str]:
    """Write the part for people."""
    text = [
        "",
        "## κ, the runs of a level",
        "",
        f"{spaced(options.rows)} uniform rows, {STEPS} steps of history and one that is live, ε = {EPSILON:g}. The error is the mean of "
        "the relative errors over φ = 0.05 … 0.95, accurate. Seconds of all appends, with their merges; of an accurate median the median, "
        "least and greatest of the rounds.",
        "",
        "| κ | runs | error | appends, s | median, s | rows read | kB read | kB of summaries |",
        "|---|---|---|---|---|---|---|---|",
    ]
    return text + [
        f"| {line['kappa']} | {line['runs']} | {line['mean']:.1e} | {line['append_seconds']:.1f} | "
        f"{Spread.of(line['query_seconds'])} | {spaced(line['rows_read'])} | {line['bytes_read'] / 1e3:.0f} | "
        f"{line['memory'] / 1e3:.0f} |"
        for line in lines
    ]
