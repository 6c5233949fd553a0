"""Compares `approx_quantile` with the native `percentile_approx` of Apache DataFusion Comet, in turns, in one session.

Comet has no jar for Spark 4.2, so this needs a Python that has PySpark 4.1. The two packages of ours may lie anywhere on PYTHONPATH.
Run it with nothing else on the machine::

    python benchmarks/spark_comet.py

It makes its own data in a temporary folder, and writes ``benchmarks/results/spark_comet.json`` and ``.md``. The jar of Comet is fetched
once.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from chronosketch.jar import jar_path
from harness.datasets import Datasets, Sizes
from harness.figures import DETAIL, GROUPED, MAX, OURS_3, SCALE, SPARK_3, UNGROUPED, Figure, Pair
from harness.jvm_tools import jar_of
from harness.results import RESULTS, footer, provenance
from harness.rounds import FAILURES, Measured, Rounds, log_progress
from harness.sessions import last_plan, start
from harness.spread import spaced
from harness.tables import as_json, ratios, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    Settings = tuple[tuple[str, str], ...]

ROWS = 20_000_000
NAME = "spark_comet"
SPARK, COMET = "4.1", "1.2.0"
OFF_HEAP = "4g"

_LOAD = {
    "spark.plugins": "org.apache.spark.CometPlugin",
    "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
    # Comet takes its memory from there
    "spark.memory.offHeap.enabled": "true",
    "spark.memory.offHeap.size": OFF_HEAP,
    "spark.sql.shuffle.partitions": "2",
}
_OFF: Settings = (("spark.comet.enabled", "false"),)
_ON: Settings = (("spark.comet.enabled", "true"),)
_ROWS: Settings = (*_ON, ("spark.chronosketch.aggregate.columns", "false"))

COMET_3, COMET_MAX = f"Comet {SPARK_3}", f"Comet {MAX}"
OVER_COMET = f"{OURS_3} over Comet's scan"
OVER_ROWS = f"{OURS_3} over Comet's scan, by rows"
# The SQL and the settings of each contestant, and the nodes that its plan has.
CONTESTANTS: dict[str, tuple[str, Settings, tuple[str, ...]]] = {
    OURS_3: (OURS_3, _OFF, ("SketchAggregate", "Scan parquet")),
    OVER_COMET: (OURS_3, _ON, ("SketchAggregateByColumns", "CometNativeScan parquet")),
    OVER_ROWS: (OURS_3, _ROWS, ("SketchAggregate", "CometColumnarToRow", "CometNativeScan parquet")),
    SPARK_3: (SPARK_3, _OFF, ("ObjectHashAggregate", "Scan parquet")),
    COMET_3: (SPARK_3, _ON, ("CometHashAggregate", "CometNativeScan parquet")),
    MAX: (MAX, _OFF, ("HashAggregate", "Scan parquet")),
    COMET_MAX: (MAX, _ON, ("CometHashAggregate", "CometNativeScan parquet")),
}
PAIRS = (
    Pair(OURS_3, COMET_3, 2.0),
    Pair(OVER_COMET, COMET_3, 2.0),
    Pair(OURS_3, SPARK_3),
    Pair(OVER_COMET, OURS_3, kind=DETAIL),
    Pair(OVER_COMET, OVER_ROWS, kind=DETAIL),
    Pair(OURS_3, MAX, kind=SCALE),
    Pair(OVER_COMET, COMET_MAX, kind=SCALE),
    Pair(MAX, COMET_MAX, kind=DETAIL),
)
SHAPES = (
    ("ungrouped", "ungrouped", UNGROUPED),
    ("grouped", "1 000 groups", GROUPED),
    ("where-grouped", "WHERE k < 700, 700 groups", "SELECT k, {0} FROM v WHERE k < 700 GROUP BY k"),
)


def main() -> None:
    """Measure, print and store."""
    options = parse()
    if not pyspark.__version__.startswith(f"{SPARK}."):
        sys.exit(f"This needs PySpark {SPARK}, for the jar of Comet {COMET}. Here is {pyspark.__version__}.")
    jar = jar_of("org.apache.datafusion", f"comet-spark-spark{SPARK}_2.13", COMET)
    sizes = Sizes(options.rows)
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        conf = {**_LOAD, "spark.jars": f"{jar_path()},{jar}"}
        spark = start(folder, options.driver_memory, conf)
        report = {**provenance(spark, command(options)), "comet": COMET, "rows": options.rows}
        try:
            data = Datasets(spark, folder, sizes)
            rounds = Rounds(spark, {}, data, options.warm_up, options.rounds)
            measured = figures(sizes)
            outcomes = [rounds.measure(figure) for figure in measured]
            plans = {figure.name: plans_of(spark, rounds, figure, data) for figure in measured}
        finally:
            with suppress(*FAILURES):
                spark.stop()
    loads = ", ".join(str(outcome.load) for outcome in outcomes)
    lines = [
        "# Beside Apache DataFusion Comet",
        "",
        f"{spaced(options.rows)} lognormal doubles in Parquet, ε = 0.001 on all sides. {options.rounds} rounds in turns after "
        f"{options.warm_up} to warm up: the median, and the least and the greatest. *Times as fast* is the seconds of the other by "
        "those of the first, of each round for itself.",
        "",
        *ratios(outcomes),
        "",
        f"- Comet {COMET} runs queries of Spark in native code. All contestants run in one session with its plug-in. It is on for those "
        "with Comet in their name, and off (`spark.comet.enabled`) for the others.",
        "- Its `percentile_approx` is Spark's algorithm in Rust. It is on by default. Its aggregate and its scan "
        "are both its own: see the plans.",
        "- *Over Comet's scan*: our operator reads the vectors of Comet's scan or filter. *By rows*: Comet makes rows for our operator, which is "
        "what it does if `spark.chronosketch.aggregate.columns` is off. In both, sketches go through Comet's shuffle.",
        "- `percentile_approx(v, 0.99, 1000)` promises a rank error of 1/1000, as ours does.",
        "",
        *seconds(outcomes),
        "",
        "Plans, from the result down:",
        "",
        *plans_table(measured, plans),
        "",
        *footer(report),
        f"- Comet {COMET}, {OFF_HEAP} of memory outside the heap",
        f"- load before each figure: {loads}",
        "",
    ]
    text = "\n".join(lines)
    print(text)
    report["figures"] = [{**as_json(outcome), "plans": plans[outcome.figure.name]} for outcome in outcomes]
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"{NAME}.json").write_text(
        json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (options.results / f"{NAME}.md").write_text(text, encoding="utf-8")
    log_progress(str(options.results / f"{NAME}.md"))


def figures(sizes: Sizes) -> list[Figure]:
    """Return all figures for the given sizes."""
    texts = tuple((name, sql) for name, (sql, _, _) in CONTESTANTS.items())
    settings = tuple((name, conf) for name, (_, conf, _) in CONTESTANTS.items())
    return [
        Figure(name, title, "lognormal", sizes.rows, query, PAIRS, texts=texts, settings=settings)
        for name, title, query in SHAPES
    ]


def plans_of(spark: SparkSession, rounds: Rounds, figure: Figure, data: Datasets) -> dict[str, list[str]]:
    """Return the nodes of each contestant's plan. Exit if it is not the plan that the contestant is measured for."""
    folder = data.folder(figure.data)
    plans: dict[str, list[str]] = {}
    for contestant in figure.contestants:
        result = Measured(contestant.name)
        rounds.run(figure, contestant, folder, result)
        if result.note:
            continue
        nodes = [node.name.strip() for node in last_plan(spark)]
        needed = CONTESTANTS[contestant.name][2]
        if missing := [name for name in needed if name not in nodes]:
            sys.exit(f"{figure.name}, {contestant.name}: the plan has no {missing[0]}: {', '.join(nodes)}.")
        plans[contestant.name] = [node for node in nodes if _is_operator(node)]
    return plans


def _is_operator(node: str) -> bool:
    # the write that discards the rows, and what only groups operators
    return not node.startswith(("OverwriteByExpression", "AdaptiveSparkPlan", "WholeStageCodegen"))


def plans_table(measured: Sequence[Figure], plans: dict[str, dict[str, list[str]]]) -> list[str]:
    """Write the table of plans."""
    return [
        "| figure | aggregate | operators |",
        "|---|---|---|",
        *[
            f"| {figure.title} | `{name}` | {', '.join(nodes)} |"
            for figure in measured
            for name, nodes in plans[figure.name].items()
        ],
    ]


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--driver-memory", default="6g")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    return parser.parse_args()


def command(options: argparse.Namespace) -> str:
    """Return the command that repeats the run."""
    return (
        f"python benchmarks/spark_comet.py --rows {options.rows} --rounds {options.rounds} "
        f"--warm-up {options.warm_up} --driver-memory {options.driver_memory}"
    )


if __name__ == "__main__":
    main()
