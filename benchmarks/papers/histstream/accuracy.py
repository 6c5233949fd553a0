"""Measures relative errors at a memory, compared with one-pass sketches of all rows (the paper's figures 4, 9)."""

from __future__ import annotations

import tempfile
from statistics import mean
from typing import TYPE_CHECKING, Any

from harness.rounds import log_progress
from harness.spread import Spread, spaced

from histstream import peers
from histstream.data import (
    DATA,
    MEMORIES,
    PHIS,
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
KINDS = ("accurate", "quick", "GK of all", "KLL of all", "q-digest of all")


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Build each history, and sketches of as many bytes."""
    lines: list[Line] = []
    for data in DATA:
        with tempfile.TemporaryDirectory(dir=folder) as own:
            count = options.steps + 1
            steps = Steps(spark, f"{own}/rows", data, options.rows // count, count)
            warm_up(spark, own, steps)
            values = steps.values(0, count)
            for memory in MEMORIES:
                with tempfile.TemporaryDirectory(dir=own) as place:
                    lines += _at(spark, place, steps, values, memory, options)
                for line in lines[-len(KINDS) :]:
                    line["data"] = data
                    log_progress(str(line))
    return lines


def _at(
    spark: SparkSession,
    place: str,
    steps: Steps,
    values: np.ndarray,
    memory: str,
    options: argparse.Namespace,
) -> list[Line]:
    history = build_history(
        spark, place, steps, options.steps, memory=memory, steps=options.steps, kappa=KAPPA
    )
    rows, size = steps.frame(0, options.steps + 1), MEMORIES[memory]
    digest = peers.qdigest(values, size)
    found = {
        "accurate": (history.answers("accurate"), history.memory),
        "quick": (history.answers("quick"), history.memory),
        "GK of all": peers.gk(rows, size),
        "KLL of all": peers.kll(rows, size),
        "q-digest of all": (digest.quantiles(PHIS), digest.bytes),
    }
    cost = median_cost(history, options.rounds)
    assert cost["rows_total"] == len(values)
    lines = []
    for kind, (answers, taken) in found.items():
        errors = relative_errors(values, answers)
        line = {"memory": memory, "kind": kind, "bytes": taken, "mean": mean(errors), "greatest": max(errors)}
        lines.append(line)
    lines[0] |= cost
    lines[0]["append_seconds"] = history.seconds
    return lines


def write(lines: list[Line], options: argparse.Namespace) -> list[str]:
    """Write the part as lines of a page."""
    text = [
        "",
        "## Errors at a memory",
        "",
        f"Each warehouse has {spaced(options.rows)} rows: {options.steps} steps of history, and one more that is live. κ is {KAPPA}. Its "
        "memory is that of all summaries, `memory=` of `create`. Each sketch has one pass over all rows and about the same memory.",
        "",
        "A cell has the mean and the greatest relative error over φ = 0.05, 0.10 … 0.95. The relative error is the ranks that an answer "
        "is off, as a share of the rank asked for. *GK* is our own sketch. *KLL* is Spark's; its k ends at 65 535, so that it can't use "
        "more memory than that; its bytes are in brackets. *q-digest* is of Shrivastava and others, 2004: a node takes "
        f"{peers.NODE_BYTES} bytes, and it is built from all rows at once. *Times* is the mean error of GK by that of the accurate "
        "answers.",
        "",
        "Wikipedia-like and network-like data stand in for traces that are not to be had.",
        "",
        "| data | memory | kB taken | accurate | quick | GK of all | KLL of all (kB) | q-digest of all | times |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    each = [(data, memory, of(lines, data, memory)) for data in DATA for memory in MEMORIES]
    text += [_row(data, memory, found) for data, memory, found in each if found]
    text += [
        "",
        "What an accurate median takes there: seconds, the median, least and greatest of the rounds, and what it reads.",
        "",
        "| data | memory | seconds | rows read | kB read |",
        "|---|---|---|---|---|",
    ]
    return text + [
        f"| {data} | {memory} | {Spread.of(found['accurate']['query_seconds'])} | {spaced(found['accurate']['rows_read'])} | "
        f"{found['accurate']['bytes_read'] / 1e3:.0f} |"
        for data, memory, found in each
        if found
    ]


def of(lines: list[Line], data: str, memory: str) -> dict[str, Line]:
    """Return the lines of a data set and a memory, by kind."""
    return {line["kind"]: line for line in lines if (line["data"], line.get("memory")) == (data, memory)}


def _row(data: str, memory: str, found: dict[str, Line]) -> str:
    accurate, kll = found["accurate"], found["KLL of all"]
    times = f"{found['GK of all']['mean'] / accurate['mean']:.0f}" if accurate["mean"] else "∞"
    first = " | ".join(_error(found[kind]) for kind in ("accurate", "quick", "GK of all"))
    return (
        f"| {data} | {memory} | {accurate['bytes'] / 1e3:.0f} | {first} | {_error(kll)} ({kll['bytes'] / 1e3:.0f}) | "
        f"{_error(found['q-digest of all'])} | {times} |"
    )


def _error(line: Line) -> str:
    return f"{line['mean']:.1e}, {line['greatest']:.1e}"
