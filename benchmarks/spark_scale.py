"""Measures queries that are large in some way: many tasks, groups, columns or φ, one key with most of the rows, a join with sketches.

Run it with nothing else on the machine::

    python benchmarks/spark_scale.py
    python benchmarks/spark_scale.py --scale 0.01 --rounds 1     # to see whether it runs

The driver and two executors are processes of their own, so the driver's memory is its own. The sides of a shape run in turns. It needs
no files: values and keys are hashes of a range. It writes ``benchmarks/results/spark_scale.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from harness.results import RESULTS, footer, provenance
from harness.rounds import log_progress
from harness.sessions import start
from harness.spread import Spread, number, spaced

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

VALUE = "exp(CAST(xxhash64(id, 'value') AS DOUBLE) / 3e18) AS v"
COLUMNS, SHARES, STORED = 200, 1000, 1000
PHIS = "array(" + ", ".join(f"{i / (SHARES + 1):.6f}" for i in range(1, SHARES + 1)) + ")"


@dataclass(frozen=True)
class Shape:
    """A shape: its rows, its tasks, the columns of a range, and the query of each side over the view ``r``."""

    name: str
    rows: int
    tasks: int
    columns: str
    sides: dict[str, str]


def by_key(key: str) -> dict[str, str]:
    """Return the sides of a shape that groups by a key."""
    return {
        side: f"SELECT {key}, {function} FROM r GROUP BY {key}"
        for side, function in {
            "approx_quantile": "approx_quantile(v, 0.99)",
            "max": "max(v)",
            "percentile_approx": "percentile_approx(v, 0.99)",
        }.items()
    }


def of_columns(call: Callable[[str], str]) -> str:
    """Return the query that calls a function on each column."""
    return "SELECT " + ", ".join(call(f"c{i}") for i in range(COLUMNS)) + " FROM r"


def joined(answer: str) -> str:
    """Join each row with what was stored for its key, in a table that is broadcast."""
    return f"SELECT /*+ BROADCAST(stored) */ max({answer}) FROM r JOIN stored USING (k)"


SHAPES = (
    Shape(
        "10 000 tasks",
        10_000_000,
        10_000,
        f"pmod(xxhash64(id), 1000) AS k, {VALUE}",
        # percentile_approx takes minutes to merge 10 000 parts of each group
        {side: query for side, query in by_key("k").items() if side != "percentile_approx"},
    ),
    Shape("a million groups", 10_000_000, 16, f"pmod(xxhash64(id), 1000000) AS k, {VALUE}", by_key("k")),
    Shape(
        "one key with nine tenths of the rows",
        20_000_000,
        16,
        f"IF(id % 10 > 0, 0, pmod(xxhash64(id), 1000)) AS k, {VALUE}",
        by_key("k"),
    ),
    Shape(
        f"{COLUMNS} columns",
        200_000,
        16,
        ", ".join(f"CAST(xxhash64(id, {i}) AS DOUBLE) AS c{i}" for i in range(COLUMNS)),
        {
            "approx_quantile": of_columns("approx_quantile({0}, 0.99)".format),
            "max": of_columns("max({0})".format),
            "percentile_approx": of_columns("percentile_approx({0}, 0.99)".format),
        },
    ),
    Shape(
        "1 000 φ in one call",
        10_000_000,
        16,
        VALUE,
        {
            "approx_quantile": f"SELECT approx_quantile(v, {PHIS}) FROM r",
            "percentile_approx": f"SELECT percentile_approx(v, {PHIS}) FROM r",
        },
    ),
    Shape(
        f"a broadcast join with {STORED} sketches",
        2_000_000,
        16,
        f"pmod(xxhash64(id), {STORED}) AS k, {VALUE}",
        {"sketch_rank of each row": joined("sketch_rank(s, v)"), "a stored number": joined("v - m")},
    ),
)


def main() -> None:
    """Measure, store and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--driver-memory", default="2g")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    options = parser.parse_args()
    scale = "" if options.scale == 1.0 else f" --scale {options.scale:g}"
    command = f"python benchmarks/spark_scale.py --rounds {options.rounds} --driver-memory {options.driver_memory}{scale}"
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        conf = {
            "spark.master": "local-cluster[2,1,2048]",
            "spark.executor.memory": "2g",
            # with 200, most of the time of 10 000 tasks goes into two million files of Spark's shuffle
            "spark.sql.shuffle.partitions": "16",
        }
        spark = start(folder, options.driver_memory, conf)
        try:
            stored = spark.range(200_000).selectExpr(f"id % {STORED} AS k", VALUE)
            stored.createOrReplaceTempView("rows_of_stored")
            spark.sql(
                "SELECT k, quantile_sketch_agg(v, 0.01) AS s, max(v) AS m FROM rows_of_stored GROUP BY k"
            ).write.parquet(f"{folder}/stored")
            spark.read.parquet(f"{folder}/stored").createOrReplaceTempView("stored")
            report = provenance(spark, command)
            report["figures"] = [measured(spark, shape, options) for shape in SHAPES]
        finally:
            spark.stop()
    text = as_markdown(report)
    print(text)
    options.results.mkdir(parents=True, exist_ok=True)
    stored_text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    (options.results / "spark_scale.json").write_text(stored_text, encoding="utf-8")
    (options.results / "spark_scale.md").write_text(text, encoding="utf-8")


def measured(spark: SparkSession, shape: Shape, options: argparse.Namespace) -> dict[str, Any]:
    """Run the sides of a shape in turns. The first round warms up."""
    rows, tasks = max(1, round(shape.rows * options.scale)), max(1, round(shape.tasks * options.scale))
    spark.sql(f"CREATE OR REPLACE TEMP VIEW r AS SELECT {shape.columns} FROM range(0, {rows}, 1, {tasks})")
    runs: dict[str, list[dict[str, float]]] = {side: [] for side in shape.sides}
    for turn in range(options.rounds + 1):
        log_progress(f"{shape.name}: round {turn} of {options.rounds}")
        for side, query in shape.sides.items():
            run = one(spark, query)
            if turn:
                runs[side].append(run)
    return {"name": shape.name, "rows": rows, "tasks": tasks, "sides": runs}


def one(spark: SparkSession, query: str) -> dict[str, float]:
    """Plan and run a query. Return the seconds of both, and the driver's memory."""
    jvm = spark.sparkContext._jvm
    jvm.System.gc()
    pools = list(jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans())
    for pool in pools:
        pool.resetPeakUsage()
    began = perf_counter()
    asked = spark.sql(query)
    asked._jdf.queryExecution().executedPlan()
    planned = perf_counter()
    asked.write.format("noop").mode("overwrite").save()
    ended = perf_counter()
    heap = sum(pool.getPeakUsage().getUsed() for pool in pools if str(pool.getType()) == "Heap memory")
    return {"planning": planned - began, "running": ended - planned, "heap_mib": heap / (1 << 20)}


def as_markdown(report: dict[str, Any]) -> str:
    """Write the report as a page."""
    rows = []
    for figure in report["figures"]:
        for side, runs in figure["sides"].items():
            spreads = [Spread.of([run[what] for run in runs]) for what in ("planning", "running")]
            heap = max(run["heap_mib"] for run in runs)
            first = next(iter(figure["sides"].values()))
            times = Spread.of([a["running"] / b["running"] for a, b in zip(runs, first, strict=True)])
            cells = [
                figure["name"],
                spaced(figure["rows"]),
                side,
                *spreads,
                number(times.median),
                f"{heap:.0f}",
            ]
            rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(
        [
            "# Large queries",
            "",
            "Two executors of their own processes, with one core each, and a driver. Seconds, as the median, the least and the greatest of the rounds; the sides of a shape run in turns. "
            "*Times ours* is the median of the seconds by those of the first side in the same round. The driver's memory is the peak of its heap, of which the most of all rounds.",
            "",
            "| | rows | side | planning | running | times ours | driver's heap, MiB |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "",
            *footer(report),
            "",
        ]
    )


if __name__ == "__main__":
    main()
