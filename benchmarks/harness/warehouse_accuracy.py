"""Relative errors at a memory: accurate and quick answers beside sketches of one pass over all rows (the paper's figure 4)."""

from __future__ import annotations

import tempfile
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING, Any

from harness.rounds import say
from harness.spreads import spaced
from harness.warehouse_data import DATA, PHIS, History, relative_errors

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    Line = dict[str, Any]

STEPS, KAPPA = 20, 10
EPSILONS = (0.01, 0.002, 0.0005)
_MOST_K = 65_535
_CLOSE = 0.05


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Make each history, and sketches of as many bytes."""
    lines = []
    for data in DATA:
        for epsilon in EPSILONS:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                history = History(spark, own, data, options.rows, STEPS, epsilon, KAPPA)
                rows = history.rows.cache()
                memory = history.memory
                found = {accuracy: _of_warehouse(history, accuracy) for accuracy in ("accurate", "quick")}
                found["GK of all"] = _at_memory(memory, 1 / epsilon, partial(_gk, rows))
                found["KLL of all"] = _at_memory(memory, 1 / epsilon, partial(_kll, rows))
                for kind, (answers, size) in found.items():
                    errors = relative_errors(rows, answers)
                    lines.append(
                        {
                            "data": data,
                            "epsilon": epsilon,
                            "kind": kind,
                            "bytes": size or memory,
                            "mean": mean(errors),
                            "greatest": max(errors),
                        }
                    )
                    say(f"{data}, ε = {epsilon}: {lines[-1]}")
                rows.unpersist()
    return lines


def _of_warehouse(history: History, accuracy: str) -> tuple[list[int], int]:
    rows = history.warehouse.quantile(PHIS, accuracy).orderBy("phi").collect()
    return [row.value for row in rows], 0


def _gk(rows, size: float) -> tuple[list[int], int]:
    sketch = rows.selectExpr(f"quantile_sketch_agg(v, {1 / size!r}D) AS s")
    asked = sketch.selectExpr(f"sketch_quantile(s, array({_phis()}), 'bigint')", "length(s)").first()
    return list(asked[0]), int(asked[1])


def _kll(rows, size: float) -> tuple[list[int], int]:
    k = min(_MOST_K, max(8, int(size)))
    sketch = rows.selectExpr(f"kll_sketch_agg_bigint(v, {k}) AS s")
    asked = sketch.selectExpr(f"kll_sketch_get_quantile_bigint(s, array({_phis()}))", "length(s)").first()
    return list(asked[0]), int(asked[1])


def _phis() -> str:
    return ", ".join(f"{phi!r}D" for phi in PHIS)


def _at_memory(
    memory: int, size: float, build: Callable[[float], tuple[list[int], int]]
) -> tuple[list[int], int]:
    """Build with the size that takes about as many bytes: they grow with it."""
    for _ in range(5):
        answers, taken = build(size)
        if abs(taken / memory - 1) <= _CLOSE or size > 1e7:
            break
        size *= memory / taken
    return answers, taken


def write(lines: list[Line], options: argparse.Namespace) -> list[str]:
    """Write the part for people."""
    text = [
        "",
        "## Errors at a memory",
        "",
        f"{spaced(options.rows)} rows, {STEPS} steps of history and one that is live, κ = {KAPPA}. Relative errors, ranks off as a share "
        f"of the rank asked for, over φ = 0.05, 0.10 … 0.95: mean and greatest. The sketches of one pass have as many bytes as the "
        "summaries, about; KLL's k ends at 65 535. *Times* is the mean error of Greenwald–Khanna by that of the accurate answers.",
        "",
        "| data | ε | kB | accurate | quick | GK of all | KLL of all (kB) | times |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for data in DATA:
        for epsilon in EPSILONS:
            of = {line["kind"]: line for line in lines if (line["data"], line["epsilon"]) == (data, epsilon)}
            if of:
                text.append(_row(data, epsilon, of))
    return text


def _row(data: str, epsilon: float, of: dict[str, Line]) -> str:
    accurate, gk, kll = of["accurate"], of["GK of all"], of["KLL of all"]
    times = f"{gk['mean'] / accurate['mean']:.0f}" if accurate["mean"] else "∞"
    cells = [_error(of[kind]) for kind in ("accurate", "quick", "GK of all")]
    return (
        f"| {data} | {epsilon:g} | {accurate['bytes'] / 1e3:.0f} | {' | '.join(cells)} | "
        f"{_error(kll)} ({kll['bytes'] / 1e3:.0f}) | {times} |"
    )


def _error(line: Line) -> str:
    return f"{line['mean']:.1e}, {line['greatest']:.1e}"
