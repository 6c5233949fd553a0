"""Measures errors and costs as a history grows, and as its live part grows (the paper's figures 12 and 13)."""

from __future__ import annotations

import tempfile
from statistics import mean
from typing import TYPE_CHECKING, Any

from harness.rounds import log_progress
from harness.spread import Spread, spaced

from histstream import peers
from histstream.data import (
    MEMORIES,
    MEMORY,
    History,
    Steps,
    build_history,
    median_cost,
    relative_errors,
    warm_up,
)

if TYPE_CHECKING:
    import argparse

    import numpy as np
    from pyspark.sql import SparkSession

    Line = dict[str, Any]

KAPPA = 10
# Multiples of --steps: the steps of a history, and the live steps with a whole history.
HISTORIES = (0.1, 0.25, 0.5, 1.0, 2.0)
LIVE = (1, 2, 4, 8, 16)


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Let a history grow with one live step, then the live part with a fixed history."""
    counts = [max(1, round(share * options.steps)) for share in HISTORIES]
    with tempfile.TemporaryDirectory(dir=folder) as own:
        # the live step is the first file, so that the history can grow from the following files
        steps = Steps(spark, f"{own}/rows", "uniform", options.rows // (counts[-1] + 1), counts[-1] + 1)
        warm_up(spark, own, steps)
        settings = {"memory": MEMORY, "steps": counts[-1], "kappa": KAPPA}
        history = History(spark, own, **settings)
        history.live(steps, 0, 1)
        lines, done = [], 0
        for count in counts:
            history.append(steps, 1 + done, 1 + count)
            appended = history.seconds[done:count]
            done = count
            lines.append(_line(spark, history, steps, 1 + count, options) | {"appended": appended})
            lines[-1] |= {"grows": "history", "steps": count, "live": 1}
            log_progress(str(lines[-1]))
        for live in LIVE:
            with tempfile.TemporaryDirectory(dir=own) as place:
                if options.steps + live > len(steps.files):
                    continue
                history = build_history(spark, place, steps, options.steps, live, **settings)
                lines.append(_line(spark, history, steps, options.steps + live, options))
                lines[-1] |= {"grows": "live", "steps": options.steps, "live": live}
                lines[-1]["appended"] = history.seconds
                log_progress(str(lines[-1]))
    return lines


def _line(
    spark: SparkSession, history: History, steps: Steps, until: int, options: argparse.Namespace
) -> Line:
    values: np.ndarray = steps.values(0, until)
    gk, _ = peers.gk(steps.frame(0, until), MEMORIES[MEMORY])
    found = {
        "accurate": history.answers("accurate"),
        "quick": history.answers("quick"),
        "GK of all": gk,
    }
    line: Line = {kind: mean(relative_errors(values, answers)) for kind, answers in found.items()}
    cost = median_cost(history, options.rounds)
    assert cost["rows_total"] == len(values)
    return line | cost | {"memory": history.memory}


def write(lines: list[Line], options: argparse.Namespace) -> list[str]:
    """Write the part as lines of a page."""
    each = options.rows // (max(line["steps"] for line in lines) + 1)
    return [
        "",
        "## Growth",
        "",
        f"A step has {spaced(each)} uniform rows. All summaries take {MEMORY} at most. κ is {KAPPA}. Errors are the means of the "
        "relative errors over φ = 0.05 … 0.95. GK is a sketch of all rows with as much memory. *An append* is the mean of the appends "
        "since the line before, with their merges; in the second table it is the mean of all.",
        "",
        "The history grows, and one step is live:",
        "",
        *_table([line for line in lines if line["grows"] == "history"]),
        "",
        f"The history has {options.steps} steps, and what is live grows:",
        "",
        *_table([line for line in lines if line["grows"] == "live"]),
    ]


def _table(lines: list[Line]) -> list[str]:
    return [
        "| steps | live steps | accurate | quick | GK of all | an append, s | accurate median, s | rows read |",
        "|---|---|---|---|---|---|---|---|",
        *(
            f"| {line['steps']} | {line['live']} | {line['accurate']:.1e} | {line['quick']:.1e} | {line['GK of all']:.1e} | "
            f"{mean(line['appended']):.2f} | {Spread.of(line['query_seconds'])} | {spaced(line['rows_read'])} |"
            for line in lines
        ),
    ]
