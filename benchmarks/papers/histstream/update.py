"""Measures the cost of an append, compared with loading and sketching the same rows, and of a merge of runs."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import chronosketch as cs
from harness.rounds import log_progress
from harness.spread import Spread, spaced
from harness.stages import costs, newest_stage
from pyspark.sql.functions import expr

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from pyspark.sql import DataFrame, SparkSession

EPSILON = 0.01
TARGET = 1.5
WARM_UP = 2
SPLIT = ("read and keep", "cut and shuffle", "sort, write, summary")
# Spark numbers the rows of randn part by part, so the number of parts belongs to the seed of the values.
_ROWS = {
    "no groups": ["exp(randn(42)) AS v"],
    "1 000 groups": ["CAST(pmod(xxhash64(id), 1000) AS INT) AS k", "exp(randn(42)) AS v"],
}


@dataclass
class Side:
    """The measurements of one contestant by round: wall-clock seconds and CPU seconds; and the bytes that it stores."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    bytes: int = 0
    stages: list[list[dict[str, Any]]] = field(default_factory=list)


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure all contestants, with a line for each shape of rows."""
    found = {name: _measure(spark, name, Path(folder), options) for name in _ROWS}
    return [
        {"rows": name, **{side: asdict(it) for side, it in sides.items()}} for name, sides in found.items()
    ]


def write(lines: list[dict[str, Any]], options: argparse.Namespace) -> list[str]:
    """Write the results as lines of a page."""
    found = {line["rows"]: {side: Side(**line[side]) for side in _SIDES} for line in lines}
    return list(_lines(found, options))


def _measure(spark: SparkSession, name: str, folder: Path, options: argparse.Namespace) -> dict[str, Side]:
    log_progress(f"update, {name}: data")
    source = str(folder / name.replace(" ", "-"))
    spark.range(0, options.rows, 1, 8).selectExpr(*_ROWS[name]).write.parquet(source)
    rows = spark.read.parquet(source)
    by = rows.columns[:-1]
    runs = {name: (lambda out, run=run: run(rows, by, out)) for name, run in _SIDES.items()}
    sides = {side: Side() for side in _SIDES}
    for turn in range(WARM_UP + options.rounds):
        log_progress(f"update, {name}: round {turn + 1}")
        for side, run in runs.items():
            _take(spark, sides[side], run, folder / "out", counts=turn >= WARM_UP)
    return sides


def _take(spark: SparkSession, side: Side, run: Callable[[str], None], out: Path, *, counts: bool) -> None:
    stage, cpu, begun = newest_stage(spark), _cpu(spark), perf_counter()
    run(str(out))
    seconds, used = perf_counter() - begun, _cpu(spark) - cpu
    if counts:
        side.seconds.append(seconds)
        side.cpu.append(used)
        side.stages.append([asdict(cost) for cost in costs(spark, stage)])
        side.bytes = sum(f.stat().st_size for f in out.rglob("*") if f.is_file()) if out.exists() else 0
    shutil.rmtree(out, ignore_errors=True)


def _cpu(spark: SparkSession) -> float:
    """Return the CPU seconds of the JVM: tasks, the driver, JIT compilers and garbage collectors."""
    assert spark._jvm is not None
    process = spark._jvm.java.lang.ProcessHandle.current().pid()
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _read(rows: DataFrame, _by: list[str], _out: str) -> None:
    rows.write.format("noop").mode("overwrite").save()


def _load(rows: DataFrame, _by: list[str], out: str) -> None:
    rows.write.option("compression", "zstd").parquet(out)


def _sketch(rows: DataFrame, by: list[str], _out: str) -> None:
    sketch = f"quantile_sketch_agg(v, {EPSILON / 4!r}D) AS s"
    rows.groupBy(*by).agg(expr(sketch)).collect()


def _sort(rows: DataFrame, by: list[str], out: str) -> None:
    order = [*by, "v"]
    ordered = rows.repartitionByRange(*order).sortWithinPartitions(*order)
    ordered.write.option("compression", "zstd").parquet(out)


def _append(rows: DataFrame, by: list[str], out: str) -> None:
    assert rows.sparkSession is not None
    cs.warehouse.create(rows.sparkSession, out, value="v", by=by, epsilon=EPSILON).append(rows)


_SIDES: dict[str, Callable[[DataFrame, list[str], str], None]] = {
    "read": _read,
    "load": _load,
    "sketch": _sketch,
    "Spark's sort": _sort,
    "append": _append,
}


def _lines(found: dict[str, dict[str, Side]], options: argparse.Namespace) -> Iterable[str]:
    yield ""
    yield "## An append, beside loading the rows and keeping a sketch"
    yield ""
    yield (
        f"{spaced(options.rows)} doubles in Parquet, on two cores. *Read* goes through them; *load* writes them to Parquet with zstd, "
        f"by Spark's own writer; *sketch* reads them and keeps a sketch of every group, with the ε that streams have beside a warehouse "
        f"of ε = {EPSILON}. *Load and sketch* is load, and what sketch takes beyond reading. *Spark's sort* is what Spark itself does for files in this order, without a summary: "
        "`repartitionByRange`, `sortWithinPartitions`, the same writer. *Append* adds them to an empty warehouse. "
        f"{options.rounds} rounds in turns after {WARM_UP} to warm up: the median, and the least and the greatest. CPU is all "
        "that the JVM used."
    )
    yield ""
    yield "| rows | side | seconds | CPU seconds | bytes |"
    yield "|---|---|---|---|---|"
    for name, sides in found.items():
        for side, it in sides.items():
            yield f"| {name} | {side} | {Spread.of(it.seconds)} | {Spread.of(it.cpu)} | {spaced(it.bytes) if it.bytes else ''} |"
    yield ""
    yield "| asked | rows | is, by the clock | is, CPU | |"
    yield "|---|---|---|---|---|"
    for name, sides in found.items():
        clock, cpu = (_times(sides, what) for what in ("seconds", "cpu"))
        missed = "" if clock.median <= TARGET else "missed"
        yield f"| append ≤ {TARGET} × load and sketch | {name} | {clock} | {cpu} | {missed} |"
        clock, cpu = (_beside_sort(sides, what) for what in ("seconds", "cpu"))
        yield f"| append, of Spark's sort | {name} | {clock} | {cpu} | published |"
    yield ""
    yield "Where an append's time goes, by the stages of its jobs, CPU seconds of tasks:"
    yield ""
    yield "| rows | stage | CPU seconds |"
    yield "|---|---|---|"
    for name, sides in found.items():
        for i, stage in enumerate(SPLIT):
            spent = [stages[i]["cpu"] for stages in sides["append"].stages if len(stages) > i]
            if spent:
                yield f"| {name} | {stage} | {Spread.of(spent)} |"


def _beside_sort(sides: dict[str, Side], what: str) -> Spread:
    sort, append = (getattr(sides[side], what) for side in ("Spark's sort", "append"))
    return Spread.of([a / s for a, s in zip(append, sort, strict=True)])


def _times(sides: dict[str, Side], what: str) -> Spread:
    read, loaded, sketch, append = (
        getattr(sides[side], what) for side in ("read", "load", "sketch", "append")
    )
    return Spread.of(
        [a / (d + max(0.0, s - r)) for r, d, s, a in zip(read, loaded, sketch, append, strict=True)]
    )
