"""Measures Python's functions on Spark, without the jar, beside Spark's own sketches and the jar.

Run it with nothing else on the machine::

    python benchmarks/spark_portable.py
    python benchmarks/spark_portable.py --rows 1_000_000 --rounds 1

Each round runs all of them in turns, in one session, over Parquet files with the same values. It writes
``benchmarks/results/spark_portable.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chronosketch as cs
import numpy as np
import pyarrow as pa
from chronosketch.portable.dialects import dialect_of
from chronosketch.portable.registering import functions
from harness.datasets import EPSILON, Datasets, Sizes
from harness.results import RESULTS, footer, load, provenance
from harness.rounds import log_progress, turns
from harness.sessions import start
from harness.spread import Spread, number, spaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import DataFrame, SparkSession

NAME = "spark_portable"
STAGED = "cs.portable.sketch"
SQL = "quantile_sketch_agg, in Python"
KLL = "kll_sketch_agg_double(v, 2000)"
PERCENTILE = "percentile_approx(v, 0.5, 1000)"
JAR = "quantile_sketch_agg, the jar"
MOVED = "rows given to Python and dropped"
# the least ratio that was required of the form for DataFrames, beside Spark's own sketch
TARGETS = {KLL: 0.5}


def main() -> None:
    """Measure, print and store."""
    options = parse()
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        # the workers run this Python, which has numpy and pyarrow
        os.environ["PYSPARK_PYTHON"] = sys.executable
        # as many partitions as cores: with the default of 200, starting tasks would be measured
        spark = start(folder, options.driver_memory, {"spark.sql.shuffle.partitions": "2"})
        report: dict[str, Any] = {
            **provenance(
                spark, f"python benchmarks/{NAME}.py --rows {options.rows} --rounds {options.rounds}"
            ),
            "rows": options.rows,
            "load": load(),
            "pyarrow": pa.__version__,
            "numpy": np.__version__,
        }
        Datasets(spark, folder, Sizes(options.rows)).folder("lognormal")
        for name, function in functions(dialect_of(spark)):
            spark.udf.register(f"portable_{name}", function)
        report["figures"] = [
            figure(title, contestants(spark, keys), options)
            for title, keys in (("ungrouped", []), ("1 000 groups", ["k"]))
        ]
        spark.stop()
    text = "\n".join(markdown(report))
    stored = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    (options.results / f"{NAME}.json").write_text(stored, encoding="utf-8")
    (options.results / f"{NAME}.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm-up", type=int, default=1)
    parser.add_argument("--driver-memory", default="6g")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    return parser.parse_args()


def contestants(spark: SparkSession, keys: list[str]) -> dict[str, Callable[[], None]]:
    """Return the sides, each of which reads the files and makes a sketch, or an answer, of each group."""
    columns, group = ("k, ", " GROUP BY k") if keys else ("", "")
    rows = spark.table("v").select(*keys, "v")

    def aggregate(sql: str) -> Callable[[], None]:
        return lambda: run(spark.sql(f"SELECT {columns}{sql} FROM v{group}"))

    return {
        MOVED: lambda: run(rows.mapInArrow(drop, "n long")),
        STAGED: lambda: run(cs.portable.sketch(spark.table("v"), keys, "v", EPSILON)),
        SQL: aggregate(f"portable_quantile_sketch_agg(v, {EPSILON!r}D)"),
        KLL: aggregate(KLL),
        PERCENTILE: aggregate(PERCENTILE),
        JAR: aggregate(f"quantile_sketch_agg(v, {EPSILON!r}D)"),
    }


def drop(batches: Iterable[Any]) -> Iterator[Any]:
    """Count rows. It shows what Spark takes to give them to Python."""
    yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})


def run(frame: DataFrame) -> None:
    """Run a query to its end, and discard its rows in Spark."""
    frame.write.format("noop").mode("overwrite").save()


def figure(name: str, running: dict[str, Callable[[], None]], options: argparse.Namespace) -> dict[str, Any]:
    """Measure one figure after rounds that do not count."""
    seconds: dict[str, list[float]] = {side: [] for side in running}
    for nth in range(options.warm_up + options.rounds):
        for side in turns(list(running), nth):
            began = time.perf_counter()
            running[side]()
            if nth >= options.warm_up:
                seconds[side].append(time.perf_counter() - began)
        log_progress(f"{name}: round {nth + 1} of {options.warm_up + options.rounds}")
    ratio = partial(times_as_fast, seconds)
    pairs = [
        {
            "ours": ours,
            "peer": side,
            "target": TARGETS.get(side) if ours == STAGED else None,
            **ratio(ours, side),
        }
        for ours in (STAGED, SQL)
        for side in (KLL, PERCENTILE, JAR)
    ]
    return {"name": name, "pairs": pairs, "seconds": seconds}


def times_as_fast(seconds: dict[str, list[float]], ours: str, peer: str) -> dict[str, Any]:
    """Return how many times as fast ours is, by round."""
    ratios = [theirs / mine for mine, theirs in zip(seconds[ours], seconds[peer], strict=True)]
    return {"times_as_fast": Spread.of(ratios).__dict__}


def markdown(report: dict[str, Any]) -> list[str]:
    """Write the results as a page."""
    lines = [
        "# Python's functions on Spark, without the jar",
        "",
        f"{spaced(report['rows'])} lognormal doubles in Parquet files, sketched at ε = {EPSILON:g}. `{STAGED}` sketches rows where they "
        f"are, and moves sketches. `{SQL}` moves all rows of a group to one task. `percentile_approx` answers one quantile and keeps no "
        f"sketch. *{MOVED[0].upper()}{MOVED[1:]}* is `mapInArrow` with a function that only counts them. Each round runs all of them in turns: the median, and the least and the greatest.",
        "",
        "| figure | side | seconds | M rows/s |",
        "|---|---|---|---|",
    ]
    for one in report["figures"]:
        for side, taken in one["seconds"].items():
            spread = Spread.of(taken)
            rate = number(report["rows"] / spread.median / 1e6)
            lines.append(f"| {one['name']} | `{side}` | {spread} | {rate} |")
    lines += ["", "| figure | ours | beside | times as fast | target |", "|---|---|---|---|---|"]
    for one in report["figures"]:
        for pair in one["pairs"]:
            target = f"≥ {pair['target']:g}" if pair["target"] else "published"
            times = Spread(**pair["times_as_fast"])
            lines.append(f"| {one['name']} | `{pair['ours']}` | `{pair['peer']}` | {times} | {target} |")
    return [
        *lines,
        "",
        *footer(report),
        f"- pyarrow {report['pyarrow']}, numpy {report['numpy']}; load at the start: {report['load']}",
        "",
    ]


if __name__ == "__main__":
    main()
