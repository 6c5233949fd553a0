"""Compares stored histories with Delta's time travel, and building them with Spark's sort of the same rows, in turns.

Run it with nothing else on the machine::

    python benchmarks/spark_history.py

It makes its own data in a temporary folder, or where ``--data`` says, and writes ``benchmarks/results/spark_history.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.histories import ALL, REGIONS, TRAVELS, HistoryData, HistorySizes, as_of_figure, build_figure
from harness.results import RESULTS, footer, measure_and_write, provenance
from harness.rounds import FAILURES, Rounds, log_progress
from harness.sessions import start
from harness.spread import Spread, spaced
from harness.tables import as_json, ratios, seconds

if TYPE_CHECKING:
    from harness.rounds import Outcome
    from pyspark.sql import SparkSession

NAME = "spark_history"
PARTS = ("as-of", "build")


def main() -> None:
    """Measure, print and store. Parts that are not requested stay as stored."""
    options = parse()
    title = "# Any past version, in Spark"
    measure_and_write(options.results, NAME, title, PARTS, options.only, partial(measure, options=options))


def measure(part: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one part in its own session."""
    sizes = HistorySizes(options.rows, options.versions)
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        conf = {"spark.sql.shuffle.partitions": "2"}
        spark = start(folder, options.driver_memory, conf, delta=part == "as-of")
        try:
            report: dict[str, Any] = provenance(spark, command(part, options))
            kept = options.data.resolve() if options.data else Path(folder)
            kept.mkdir(parents=True, exist_ok=True)
            data = HistoryData(spark, str(kept), sizes)
            rounds = Rounds(spark, {}, data, options.warm_up, options.rounds)
            if part == "build":
                outcome = rounds.measure(build_figure(sizes))
                report["text"] = [*build_lines(outcome, options), *footer(report), ""]
            else:
                outcome = rounds.measure(as_of_figure(sizes))
                found = {**data.build_seconds, **facts(spark, sizes)}
                report["facts"] = found
                report["text"] = [*as_of_lines(outcome, found, options), *footer(report), ""]
        finally:
            with suppress(*FAILURES):
                spark.stop()
    report["text"].insert(-1, f"- load before: {outcome.load}")
    report["figure"] = as_json(outcome)
    return report


def facts(spark: SparkSession, sizes: HistorySizes) -> dict[str, Any]:
    """Return the bytes of table and histories, and compare three versions with their exact quantiles."""
    log_progress("three versions, held against percentile_disc")
    inside = asked = 0
    for version in (1, sizes.versions // 2, sizes.versions - 1):
        rows = spark.sql(f"""
            SELECT count_if(exact BETWEEN bounds.low AND bounds.high) AS inside, count(*) AS asked
            FROM (SELECT region, sketch_quantile_bounds(sketch_at_version(h, {version}), 0.99) AS bounds FROM histories)
            JOIN (SELECT region, percentile_disc(0.99) WITHIN GROUP (ORDER BY amount) AS exact
                  FROM orders VERSION AS OF {version} GROUP BY region) USING (region)
        """).collect()
        inside += rows[0].inside
        asked += rows[0].asked
    table = spark.sql("DESCRIBE DETAIL orders").selectExpr("sizeInBytes", "numFiles").collect()[0]
    histories = spark.sql("SELECT sum(length(h)) FROM histories").collect()[0][0]
    return {
        "inside": inside,
        "asked": asked,
        "table_bytes": table[0],
        "history_bytes": histories,
    }


def as_of_lines(outcome: Outcome, found: dict[str, Any], options: argparse.Namespace) -> list[str]:
    """Write the part on time travel."""
    asked = options.versions - 1
    many = outcome.measured[ALL].seconds
    lines = [
        "",
        "## One version, beside time travel",
        "",
        f"A Delta table of {spaced(options.rows)} orders at each of {options.versions} versions: every version adds a batch of "
        f"{spaced(options.rows // options.versions)} rows or deletes one. p99 of {outcome.figure.title}, ε = 0.01. "
        f"{options.rounds} rounds in turns after {options.warm_up} to warm up: the median, and the least and the greatest. "
        "*Times as fast* is the seconds of the other by ours, of each round for itself.",
        "",
        *ratios([outcome]),
        "",
        f"One query asks the histories for all {asked} versions since the first rows; time travel reads the table once for each. Its "
        f"seconds for one version, times {asked}, by those of that query:",
        "",
        "| ours | beside | times as fast |",
        "|---|---|---|",
    ]
    for travelled in TRAVELS:
        theirs = outcome.measured[travelled].seconds
        if many and theirs:
            times = Spread.of([asked * t / mine for mine, t in zip(many, theirs, strict=True)])
            lines.append(
                f"| `{ALL}` | {asked} × `{travelled}` | {times.median:.0f} ({times.least:.0f}–{times.greatest:.0f}) |"
            )
    return [
        *lines,
        "",
        "| query | seconds |",
        "|---|---|",
        *[f"| `{name}` | {Spread.of(m.seconds)} |" for name, m in outcome.measured.items() if m.seconds],
        "",
        f"- Of the query for all {asked} versions of ten groups each answer took "
        f"{Spread.of([s * 1e6 / asked / REGIONS for s in many]).median:.0f} µs, with all that Spark does.",
        f"- The histories were built from the change feed in {found['histories']:.0f} s, once, and take "
        f"{spaced(found['history_bytes'])} bytes; the table at its last version {spaced(found['table_bytes'])}.",
        f"- Of {found['asked']} exact answers of `percentile_disc`, at three versions, {found['inside']} lie in the bounds of ours.",
        "- `percentile_approx(100)` promises the same error as ε = 0.01; `percentile_disc` is exact.",
    ]


def build_lines(outcome: Outcome, options: argparse.Namespace) -> list[str]:
    """Write the part on building."""
    ours = outcome.measured[outcome.figure.pairs[0].ours].seconds
    sort = outcome.measured[outcome.figure.pairs[0].peer].seconds
    lines = [
        "",
        "## Building",
        "",
        f"{spaced(options.rows)} rows of a year in Parquet in no order, 1 000 groups; rows hold for a month on average, and one in "
        f"twenty still does. ε = 0.01. {options.rounds} rounds in turns after {options.warm_up} to warm up.",
        "",
        *ratios([outcome]),
        "",
        "- The sort is `DISTRIBUTE BY k SORT BY k, valid_from`, of all columns; `max` is of all columns too.",
    ]
    if ours and sort:
        times = Spread.of([mine / theirs for mine, theirs in zip(ours, sort, strict=True)])
        lines.append(f"- Building takes {times} times as long as the sort; at most 1.5 is asked for.")
    return [*lines, "", *seconds([outcome]), ""]


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--versions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=int, default=1)
    parser.add_argument("--only", choices=PARTS, help="one part; the other is as it was stored")
    parser.add_argument("--driver-memory", default="8g")
    parser.add_argument("--data", type=Path, help="a folder that keeps the data for the next run")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    return parser.parse_args()


def command(part: str, options: argparse.Namespace) -> str:
    """Return the command that repeats a part."""
    return (
        f"python benchmarks/spark_history.py --only {part} --rows {options.rows} --versions {options.versions} "
        f"--rounds {options.rounds} --warm-up {options.warm_up} --driver-memory {options.driver_memory}"
    )


if __name__ == "__main__":
    main()
