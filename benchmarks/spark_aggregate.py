"""`approx_quantile` beside Spark's own aggregates, in the same session, turn by turn.

Run it with nothing else on the machine: ``python benchmarks/spark_aggregate.py``. It makes its own data in a
temporary folder, and writes ``benchmarks/results/spark_aggregate.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import chronosketch as cs
import pyspark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOP = Path(__file__).resolve().parents[1]
RESULTS = TOP / "benchmarks" / "results"
PHIS = ("0.01", "0.1", "0.25", "0.5", "0.75", "0.9", "0.95", "0.99", "0.999")
OURS, THEIRS = "approx_quantile(v, 0.99, 1e-4)", "percentile_approx(v, 0.99, 10000)"
# What is compared, and for scale the sketch that Spark has itself and the cheapest aggregate there is.
CONTESTANTS = (OURS, THEIRS, "kll_sketch_agg_double(v)", "max(v)")
SHAPES = {"ungrouped": "SELECT {0} AS a FROM v", "1 000 groups": "SELECT k, {0} AS a FROM v GROUP BY k"}


@dataclass(frozen=True)
class Result:
    """The seconds of one aggregate in one shape, in the order in which the rounds ran."""

    shape: str
    aggregate: str
    seconds: list[float]

    @property
    def median(self) -> float:
        """The middle run."""
        return statistics.median(self.seconds)


def main() -> None:
    """Measure, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder)
        try:
            prepare(spark, f"{folder}/v.parquet", options.rows)
            results = measure(spark, options.warm_up, options.rounds)
            errors = rank_errors(spark)
            report = describe(spark, options, results, errors)
        finally:
            spark.stop()
    text = as_markdown(report, results, errors)
    print(text)
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "spark_aggregate.json").write_text(
        json.dumps(report, indent=2) + "\n", encoding="utf-8"
    )
    (options.results / "spark_aggregate.md").write_text(text, encoding="utf-8")


def start(folder: str) -> SparkSession:
    """Start a session on two cores with Spark's defaults, but for what only makes noise."""
    builder = cs.session("benchmark").master("local[2]")
    settings = {
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.local.dir": folder,
        "spark.sql.shuffle.partitions": "2",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def prepare(spark: SparkSession, file: str, rows: int) -> None:
    """Store lognormal doubles and a key of 1 000 values: seed and parts are fixed, so the rows are too."""
    made = spark.range(0, rows, 1, 8).selectExpr("CAST(id % 1000 AS INT) AS k", "exp(randn(42)) AS v")
    made.write.parquet(file)
    spark.read.parquet(file).createOrReplaceTempView("v")


def measure(spark: SparkSession, warm_up: int, rounds: int) -> list[Result]:
    """Run every aggregate in turn, round after round, so that what drifts drifts for all."""
    results = []
    for shape, query in SHAPES.items():
        seconds: dict[str, list[float]] = {contestant: [] for contestant in CONTESTANTS}
        for round_ in range(warm_up + rounds):
            for contestant in CONTESTANTS:
                started = perf_counter()
                spark.sql(query.format(contestant)).collect()
                if round_ >= warm_up:
                    seconds[contestant].append(perf_counter() - started)
        results += [Result(shape, contestant, measured) for contestant, measured in seconds.items()]
    return results


def rank_errors(spark: SparkSession) -> dict[str, float]:
    """Return the largest share of the count by which an ungrouped answer misses its rank, by counting.

    Of several φ: at a single one both may well keep the same value, and would look alike when they are not.
    """
    errors = {}
    for contestant in (OURS, THEIRS):
        phis = f"array({', '.join(PHIS)})"
        answers = spark.sql(f"SELECT {contestant.replace('0.99', phis)} AS a FROM v").collect()[0]["a"]
        counts = [
            f"count_if(v < {answer!r}D) + 1 AS first{i}, count_if(v <= {answer!r}D) AS last{i}"
            for i, answer in enumerate(answers)
        ]
        row = spark.sql(f"SELECT count(*) AS n, {', '.join(counts)} FROM v").collect()[0]
        ranks = [ceil(Fraction(phi) * row["n"]) for phi in PHIS]
        missed = [max(0, rank - row[f"last{i}"], row[f"first{i}"] - rank) for i, rank in enumerate(ranks)]
        errors[contestant] = max(missed) / row["n"]
    return errors


def describe(
    spark: SparkSession, options: argparse.Namespace, results: list[Result], errors: dict[str, float]
) -> dict[str, object]:
    """Say all that is needed to run it again and compare."""
    java = spark.sparkContext._jvm.java.lang.System  # type: ignore[union-attr]
    return {
        "command": f"python benchmarks/spark_aggregate.py --rows {options.rows} --rounds {options.rounds}",
        "commit": commit(),
        "chronosketch": cs.__version__,
        "spark": spark.version,
        "pyspark": pyspark.__version__,
        "python": platform.python_version(),
        "java": f"{java.getProperty('java.vm.name')} {java.getProperty('java.vm.version')}",
        "driver_memory": spark.conf.get("spark.driver.memory"),
        "machine": {"cpu": cpu(), "cores": os.cpu_count(), "memory_gib": memory_gib()},
        "rows": options.rows,
        "rounds": options.rounds,
        "results": [{**asdict(result), "median": result.median} for result in results],
        "largest_rank_error_ungrouped": errors,
    }


def commit() -> str:
    """Name the commit measured, and whether files differed from it."""
    head = _git("rev-parse", "--short", "HEAD")
    return f"{head} with changes" if _git("status", "--porcelain", "--", "jvm") else head


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=TOP, capture_output=True, text=True, check=False
    ).stdout.strip()


def cpu() -> str:
    """Name the processor, where the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def memory_gib() -> int:
    """Return the machine's memory."""
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def as_markdown(report: dict[str, object], results: list[Result], errors: dict[str, float]) -> str:
    """Write the table that the README shows, and under it how it was made."""
    machine = report["machine"]
    assert isinstance(machine, dict)
    missed = ", ".join(f"`{name}` {error:.2e}" for name, error in errors.items())
    lines = [
        "# Spark's own aggregate operator",
        "",
        f"{report['rows']:,} lognormal doubles in Parquet, `local[2]`. The median of {report['rounds']} "
        "rounds in turns, and the least and the most of them.",
        "",
        "| | aggregate | seconds | `percentile_approx` ÷ this |",
        "|---|---|---|---|",
        *[_line(result, results) for result in results],
        "",
        f"Largest true rank error of {len(PHIS)} ungrouped quantiles, by counting: {missed}.",
        "",
        f"- `{report['command']}`, commit {report['commit']}",
        f"- chronosketch {report['chronosketch']}, Spark {report['spark']}, Python {report['python']}",
        f"- {report['java']}, driver {report['driver_memory']}",
        f"- {machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB",
        "",
    ]
    return "\n".join(lines)


def _line(result: Result, results: list[Result]) -> str:
    theirs = next(r for r in results if r.shape == result.shape and r.aggregate == THEIRS)
    rounds = [b / a for a, b in zip(result.seconds, theirs.seconds, strict=True)]
    ratio = "1" if result is theirs else f"{theirs.median / result.median:.2f} ({_spread(rounds)})"
    seconds = f"{result.median:.2f} ({_spread(result.seconds)})"
    return f"| {result.shape} | `{result.aggregate}` | {seconds} | {ratio} |"


def _spread(values: list[float]) -> str:
    return f"{min(values):.2f}–{max(values):.2f}"


if __name__ == "__main__":
    main()
