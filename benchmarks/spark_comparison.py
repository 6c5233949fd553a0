"""Measures how long comparing both arms of many experiments takes, metric by metric, from stored daily sketches.

Run it with nothing else on the machine::

    python benchmarks/spark_comparison.py --data /data/comparison
    python benchmarks/spark_comparison.py --experiments 30 --metrics 50 --rows 200 --rounds 1

It makes its own sketches in a temporary folder, or where ``--data`` says, day by day as a daily job would. Each round asks all
questions in turns. It writes ``benchmarks/results/spark_comparison.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from harness.results import RESULTS, footer, load, provenance
from harness.rounds import log_progress, turns
from harness.sessions import start
from harness.spread import Spread, number, spaced

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "spark_comparison"
TARGET_SECONDS = 60
# the greatest number of rows that a task of a daily job sketches
_ROWS_A_TASK = 10_000_000
# every second experiment has an effect on all of its metrics
_EFFECT = 1.05

#: The questions about the pooled sketches a and b of a metric.
QUESTIONS = {
    "the merge alone": "length(a) + length(b)",
    "`sketch_ks_p_value`": "sketch_ks_p_value(a, b).value",
    "`sketch_psi`": "sketch_psi(b, a).value",
    "`sketch_wasserstein`": "sketch_wasserstein(a, b).value",
    "`sketch_quantile_difference` of p50": "sketch_quantile_difference(a, b, 0.5)",
    "all of these, and p90 and p99": (
        "sketch_ks(a, b), sketch_ks_p_value(a, b), sketch_psi(b, a), sketch_wasserstein(a, b), "
        "sketch_quantile_difference(a, b, array(0.5, 0.9, 0.99))"
    ),
}
POOLED = (
    "SELECT experiment, metric, sketch_merge_agg(s) FILTER (WHERE is_treated) AS a, "
    "sketch_merge_agg(s) FILTER (WHERE NOT is_treated) AS b FROM daily GROUP BY experiment, metric"
)
CONF = {"spark.sql.shuffle.partitions": "16"}


def main() -> None:
    """Measure, print and store."""
    options = parse()
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, options.driver_memory, CONF)
        report: dict[str, Any] = {
            **provenance(spark, command(options)),
            **sizes(options),
            "load": load(),
            **make(spark, options.data or Path(folder), options),
        }
        report["seconds"] = measure(spark, options)
        report["found"] = found(spark)
        spark.stop()
    text = "\n".join(markdown(report))
    stored = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"{NAME}.json").write_text(stored, encoding="utf-8")
    (options.results / f"{NAME}.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--experiments", type=int, default=300)
    parser.add_argument("--metrics", type=int, default=500, help="metrics of an experiment")
    parser.add_argument("--days", type=int, default=7)
    parser.add_argument("--rows", type=int, default=1000, help="rows of a day, an arm and a metric")
    parser.add_argument("--epsilon", type=float, default=0.01)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=int, default=1)
    parser.add_argument("--driver-memory", default="8g")
    parser.add_argument("--data", type=Path, help="a folder that keeps the sketches for the next run")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    return parser.parse_args()


def sizes(options: argparse.Namespace) -> dict[str, Any]:
    """Return what the sketches depend on."""
    return {name: vars(options)[name] for name in ("experiments", "metrics", "days", "rows", "epsilon")}


def command(options: argparse.Namespace) -> str:
    """Return the command that repeats the run."""
    given = {**sizes(options), "rounds": options.rounds, "warm-up": options.warm_up}
    arguments = " ".join(f"--{name} {value}" for name, value in given.items())
    return f"python benchmarks/{NAME}.py {arguments} --driver-memory {options.driver_memory}"


def make(spark: SparkSession, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Create the table ``daily`` of sketches, a file set a day. Return the seconds and the bytes of it."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    table, note = folder / "daily", folder / "daily.json"
    noted = json.loads(note.read_text("utf-8")) if note.exists() else {}
    if noted.get("of") != sizes(options):
        shutil.rmtree(table, ignore_errors=True)
        seconds = []
        for day in range(options.days):
            log_progress(f"sketches of day {day + 1} of {options.days}")
            began = perf_counter()
            make_day(spark, table / f"day={day}", day, options)
            seconds.append(round(perf_counter() - began, 1))
        noted = {"of": sizes(options), "seconds_a_day": seconds}
        note.write_text(json.dumps(noted), encoding="utf-8")
    spark.read.parquet(str(table)).createOrReplaceTempView("daily")
    mean = spark.sql("SELECT avg(length(s)) FROM daily").collect()[0][0]
    stored = sum(file.stat().st_size for file in table.rglob("*.parquet"))
    return {
        "seconds_a_day": noted["seconds_a_day"],
        "sketches": spark.table("daily").count(),
        "bytes_a_sketch": mean,
        "bytes_of_table": stored,
    }


def make_day(spark: SparkSession, path: Path, day: int, options: argparse.Namespace) -> None:
    """Sketch the lognormal values of a day by experiment, metric and arm."""
    values = options.experiments * options.metrics * 2 * options.rows
    cells = spark.range(0, values, 1, max(2, values // _ROWS_A_TASK)).selectExpr(
        f"id DIV {options.rows} AS cell", f"randn({day}) AS z"
    )
    cells.selectExpr(
        f"CAST(cell DIV {2 * options.metrics} AS INT) AS experiment",
        f"CAST(cell DIV 2 % {options.metrics} AS INT) AS metric",
        "cell % 2 = 1 AS is_treated",
        "z",
    ).selectExpr(
        "experiment",
        "metric",
        "is_treated",
        f"100 * exp((0.2 + metric % 10 / 10) * z) * IF(is_treated AND experiment % 2 = 1, {_EFFECT}, 1) AS v",
    ).createOrReplaceTempView("rows_of_day")
    spark.sql(
        f"SELECT experiment, metric, is_treated, quantile_sketch_agg(v, {options.epsilon!r}D) AS s FROM rows_of_day "
        "GROUP BY experiment, metric, is_treated"
    ).write.mode("overwrite").parquet(str(path))


def measure(spark: SparkSession, options: argparse.Namespace) -> dict[str, list[float]]:
    """Ask all questions in turns. Return the seconds of each round."""
    seconds: dict[str, list[float]] = {name: [] for name in QUESTIONS}
    for nth in range(options.warm_up + options.rounds):
        for name in turns(list(QUESTIONS), nth):
            asked = spark.sql(f"SELECT experiment, metric, {QUESTIONS[name]} FROM ({POOLED})")
            began = perf_counter()
            asked.write.format("noop").mode("overwrite").save()
            if nth >= options.warm_up:
                seconds[name].append(perf_counter() - began)
        log_progress(f"round {nth + 1} of {options.warm_up + options.rounds}")
    return seconds


def found(spark: SparkSession) -> dict[str, float]:
    """Return how often p ≤ 0.05 among the metrics with an effect on them, and without one."""
    rows = spark.sql(
        "SELECT experiment % 2 = 1 AS has_effect, avg(IF(ks <= 0.05, 1, 0)) AS ks, avg(IF(p50 <= 0.05, 1, 0)) AS p50 "
        "FROM (SELECT experiment, sketch_ks_p_value(a, b).value AS ks, "
        f"sketch_quantile_difference(a, b, 0.5).p_value AS p50 FROM ({POOLED})) GROUP BY 1"
    ).collect()
    return {
        f"{name}, {'with' if row.has_effect else 'without'} an effect": row[name]
        for row in rows
        for name in ("ks", "p50")
    }


def markdown(report: dict[str, Any]) -> list[str]:
    """Write the results as a page."""
    pairs = report["experiments"] * report["metrics"]
    day = Spread.of(report["seconds_a_day"])
    lines = [
        "# Experiments, compared from daily sketches",
        "",
        f"{report['experiments']} experiments × {report['metrics']} metrics × 2 arms × {report['days']} days: "
        f"{spaced(report['sketches'])} stored sketches in Parquet, {number(report['bytes_of_table'] / 1e9)} GB. Each is of "
        f"{spaced(report['rows'])} lognormal doubles at ε = {report['epsilon']:g} and takes "
        f"{spaced(round(report['bytes_a_sketch']))} bytes. A question merges the days of each arm, and compares the two arms of all "
        f"{spaced(pairs)} metrics. The rows of answers are dropped. Rounds run all questions in turns: the median, and the least and the "
        "greatest.",
        "",
        "| question | seconds | thousand metrics a second | target |",
        "|---|---|---|---|",
    ]
    for name, taken in report["seconds"].items():
        rate = Spread.of([pairs / seconds / 1e3 for seconds in taken])
        target = f"≤ {TARGET_SECONDS} s" if name == list(QUESTIONS)[-1] else ""
        lines.append(f"| {name} | {Spread.of(taken)} | {rate} | {target} |")
    shares = {name: f"{100 * share:.1f} %" for name, share in report["found"].items()}
    return [
        *lines,
        "",
        f"- Sketching the {spaced(2 * pairs * report['rows'])} rows of a day took {day} s.",
        f"- Every second experiment multiplies the values of its treatment by {_EFFECT}. Of their metrics {shares['ks, with an effect']} have a "
        f"`sketch_ks_p_value` of at most 0.05, and {shares['p50, with an effect']} a `p_value` of the median. Of the others it is "
        f"{shares['ks, without an effect']} and {shares['p50, without an effect']}; chance gives 5 %. The errors of both sketches add to the estimated "
        "distance, so its p-value is too small: `sketch_ks_p_value(a, b).high` is that of the least distance. The interval of a difference "
        "is widened by both, and finds less.",
        *footer(report),
        f"- load before: {report['load']}",
        "",
    ]


if __name__ == "__main__":
    main()
