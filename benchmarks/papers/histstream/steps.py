"""Measures the cost of each step: load, sort, merge, summary; and a merge against a new sort (figures 6 to 8)."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING, Any

from harness.rounds import log_progress
from harness.spread import Spread, spaced

from histstream.data import MEMORIES, MEMORY, History, Steps, timed
from histstream.peers import GK_BYTES

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import DataFrame, SparkSession

    Line = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """A finished job: its purpose, and its begin and end in seconds."""

    number: int
    text: str
    begun: float
    ended: float


def jobs(spark: SparkSession, after: int) -> list[Job]:
    """Return the jobs after a given one, in order."""
    context: Any = spark.sparkContext._jsc.sc()
    # The store is updated through the listener bus, which may lag behind.
    context.listenerBus().waitUntilEmpty()
    listed = context.statusStore().jobsList(None)
    found = [listed.apply(i) for i in range(listed.size())]
    ended = [job for job in found if job.jobId() > after and job.completionTime().isDefined()]
    return sorted((_job(job) for job in ended), key=lambda job: job.number)


def newest(spark: SparkSession) -> int:
    """Return the number of the newest job; −1 if there is none."""
    return max((job.number for job in jobs(spark, -1)), default=-1)


def _job(job: Any) -> Job:
    text = job.description().get() if job.description().isDefined() else ""
    begun, ended = (time.get().getTime() / 1000 for time in (job.submissionTime(), job.completionTime()))
    return Job(job.jobId(), text, begun, ended)


def clock(found: list[Job]) -> float:
    """Return the seconds during which at least one of the jobs ran."""
    total, until = 0.0, 0.0
    for job in sorted(found, key=lambda job: job.begun):
        total += max(0.0, job.ended - max(until, job.begun))
        until = max(until, job.ended)
    return total


KAPPA, WARM_UP = 10, 3
COSTS = ("load", "sort", "merge", "rest")
_MERGED = re.compile(r"merge (\d+) into one of level (\d+): (\d+) rows")


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Append step by step, and load and sketch the same rows for comparison."""
    count = options.steps
    steps = Steps(spark, f"{folder}/rows", "uniform", options.rows // count, count)
    _warm_up(spark, folder, steps)
    lines = []
    history = History(spark, folder, memory=MEMORY, steps=count, kappa=KAPPA)
    for step in range(count):
        rows = steps.frame(step, step + 1)
        last = newest(spark)
        loaded = timed(lambda rows=rows: _load(rows, f"{folder}/loaded"))
        load = clock(jobs(spark, last))
        sketch = timed(lambda rows=rows: _sketch(rows))
        read = timed(lambda rows=rows: rows.write.format("noop").mode("overwrite").save())
        last = newest(spark)
        history.append(steps, step, step + 1)
        found = jobs(spark, last)
        merged = [job for job in found if job.text.startswith("merge ")]
        line = {
            "kind": "step",
            "step": step + 1,
            "seconds": history.seconds[-1],
            "loaded": loaded,
            "read": read,
        }
        lines.append(line | {"sketch": sketch, **_split(line["seconds"], load, found, merged)})
        log_progress(str(lines[-1]))
        lines += _again(spark, folder, steps, step + 1, merged)
    return lines


def _split(seconds: float, load: float, found: list[Job], merged: list[Job]) -> dict[str, float]:
    """Split the time of an append: loading the rows, other work of its jobs, merges, and time outside of jobs."""
    sorting, merging = clock([job for job in found if job not in merged]), clock(merged)
    load = min(load, sorting)
    rest = max(0.0, seconds - sorting - merging)
    return {"load": load, "sort": sorting - load, "merge": merging, "rest": rest}


def _again(spark: SparkSession, folder: str, steps: Steps, until: int, merged: list[Job]) -> list[Line]:
    """Append the rows of each merge again, as one run."""
    lines = []
    for text in dict.fromkeys(job.text for job in merged):
        asked = _MERGED.match(text)
        assert asked is not None
        runs, level, rows = (int(number) for number in asked.groups())
        took = clock([job for job in merged if job.text == text])
        covered = (KAPPA + 1) ** level
        again = steps.frame(until - covered, until)
        with tempfile.TemporaryDirectory(dir=folder) as own:
            one = History(spark, own, memory=MEMORY, steps=len(steps.files), kappa=KAPPA)
            last = newest(spark)
            one.warehouse.append(again)
            seconds = clock(jobs(spark, last))
            assert one.warehouse.describe()["rows"] == rows
        line = {"kind": "merge", "step": until, "runs": runs, "level": level, "rows": rows}
        lines.append(line | {"merge": took, "append": seconds})
        log_progress(str(lines[-1]))
    return lines


def _warm_up(spark: SparkSession, folder: str, steps: Steps) -> None:
    """Run everything once, so that JIT compilation does not count as the cost of a step."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        history = History(spark, own, memory=MEMORY, steps=len(steps.files), kappa=1)
        history.append(steps, 0, min(WARM_UP, len(steps.files)))
        for rows in (steps.frame(step, step + 1) for step in range(min(WARM_UP, len(steps.files)))):
            _load(rows, f"{own}/loaded")
            _sketch(rows)


def _load(rows: DataFrame, out: str) -> None:
    rows.write.option("compression", "zstd").parquet(out)
    shutil.rmtree(out)


def _sketch(rows: DataFrame) -> None:
    epsilon = GK_BYTES / MEMORIES[MEMORY]
    rows.selectExpr(f"quantile_sketch_agg(v, {epsilon!r}D) AS s").collect()


def write(lines: list[Line], options: argparse.Namespace) -> list[str]:
    """Write the part as lines of a page."""
    steps = [line for line in lines if line["kind"] == "step"]
    plain = [line for line in steps if line["merge"] == 0]
    total = sum(line["seconds"] for line in steps)
    peers = sum(line["loaded"] + max(0.0, line["sketch"] - line["read"]) for line in steps)
    text = [
        "",
        "## The steps of a history",
        "",
        f"A warehouse takes {len(steps)} appends of {spaced(options.rows // options.steps)} uniform rows each. All summaries take {MEMORY} "
        f"at most. κ is {KAPPA}. *Load* is the time of the job in which Spark's own writer writes the same rows to Parquet with zstd, "
        "measured beside each append. *Sort* is what the jobs of the append take beyond that: an append reads, sorts and writes in the "
        "same jobs, and finds the values of its summary there. *Merge* is the time of the jobs that merge runs. *Rest* is all that is in "
        "no job: the summary is put together and written, the commit, Spark's planning. The table has mean seconds of a step.",
        "",
        "| | load | sort | merge | rest | all | greatest |",
        "|---|---|---|---|---|---|---|",
        _costs("all steps", steps),
        *([_costs("steps without a merge", plain)] if plain else []),
        "",
        f"All appends take {total:.1f} s. Loading the same rows and keeping a sketch of them takes {peers:.1f} s; appends take "
        f"{total / peers:.2f} times as long. The paper's pure streams merge what they load too. Here they don't.",
    ]
    merges = [line for line in lines if line["kind"] == "merge"]
    if not merges:
        return text
    levels = sorted({line["level"] for line in merges})
    return [
        *text,
        "",
        "Is a merge of sorted runs cheaper than sorting their rows again? The same rows were appended once more to an empty warehouse, as "
        "one run. Seconds of the jobs of each merge and of that append: the median, least and greatest of all merges of a level.",
        "",
        "| level | merges | runs | rows | merge, s | append as one, s |",
        "|---|---|---|---|---|---|",
        *(_merges(level, [line for line in merges if line["level"] == level]) for level in levels),
    ]


def _costs(name: str, steps: list[Line]) -> str:
    cells = [f"{mean(line[cost] for line in steps):.2f}" for cost in (*COSTS, "seconds")]
    return f"| {name} | {' | '.join(cells)} | {max(line['seconds'] for line in steps):.2f} |"


def _merges(level: int, merges: list[Line]) -> str:
    return (
        f"| {level} | {len(merges)} | {merges[0]['runs']} | {spaced(merges[0]['rows'])} | "
        f"{Spread.of([line['merge'] for line in merges])} | {Spread.of([line['append'] for line in merges])} |"
    )
