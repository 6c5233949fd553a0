"""Compares exact rolling quantiles with Spark's own window functions, DuckDB and Polars, in turns.

Run it with nothing else on the machine::

    python benchmarks/spark_sliding.py
    python benchmarks/spark_sliding.py --only ordered,shuffled
    python benchmarks/spark_sliding.py --only peers-ordered,peers-shuffled,functions-ordered,functions-shuffled

It makes its own data in a temporary folder, and writes ``benchmarks/results/spark_sliding.json`` and
``.md``, and a picture. DuckDB and Polars run if their packages are installed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.peers import DuckDB, Polars
from harness.results import RESULTS, footer, provenance
from harness.rounds import FAILURES, Rounds, first_line, log_progress
from harness.sessions import start
from harness.sliding import SlidingData, SlidingSizes, sliding_figures
from harness.sliding_picture import draw
from harness.tables import as_json, ratios, reduce_sides, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.rounds import Outcome

ROWS = 5_000_000
NAME = "spark_sliding"


def main() -> None:
    """Measure, print and store."""
    options = parse()
    sizes = SlidingSizes(options.rows)
    wanted = [f for f in sliding_figures(sizes) if not options.only or f.name in options.only.split(",")]
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        # As many partitions as cores: with the default of 200, starting tasks would be measured.
        spark = start(folder, options.driver_memory, {"spark.sql.shuffle.partitions": "2"})
        engines = {"DuckDB": DuckDB(), "Polars": Polars()}
        data = SlidingData(spark, folder, sizes)
        report: dict[str, Any] = {
            **provenance(spark, command(options)),
            **{name.lower(): engine.version for name, engine in engines.items()},
            "rows": options.rows,
        }
        outcomes = []
        try:
            rounds = Rounds(spark, engines, data, options.warm_up, options.rounds)
            for i, figure in enumerate(wanted):
                log_progress(f"figure {i + 1} of {len(wanted)}")
                try:
                    outcomes.append(rounds.measure(figure))
                except FAILURES as error:
                    # Keep the results of other figures, even if the JVM is gone or the disk is full.
                    log_progress(f"{figure.name}: not measured: {first_line(error)}")
        finally:
            with suppress(*FAILURES):
                spark.stop()
    measured = {outcome.figure.name for outcome in outcomes}
    report["not_measured"] = [figure.name for figure in wanted if figure.name not in measured]
    report["figures"] = [
        {**as_json(outcome), "rows": outcome.figure.rows, "load_before": outcome.load} for outcome in outcomes
    ]
    text = as_markdown(report, outcomes, options)
    print(text)
    options.results.mkdir(parents=True, exist_ok=True)
    name = options.name
    (options.results / f"{name}.json").write_text(
        json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (options.results / f"{name}.md").write_text(text, encoding="utf-8")
    for file in draw(outcomes, options.results, name):
        log_progress(str(file))


def parse() -> argparse.Namespace:
    """Parse the command line."""
    names = [figure.name for figure in sliding_figures(SlidingSizes(ROWS))]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS, help="of the table of 100 partitions")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--only", default="", help=f"figures, with commas between: {', '.join(names)}")
    parser.add_argument("--driver-memory", default="8g")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    parser.add_argument("--name", default=NAME, help="of the files there")
    given = parser.parse_args()
    unknown = [name for name in given.only.split(",") if name and name not in names]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(names)}")
    return given


def command(options: argparse.Namespace) -> str:
    """Return the command that repeats the run."""
    parts = [f"python benchmarks/spark_sliding.py --rows {options.rows} --rounds {options.rounds}"]
    parts += [f"--warm-up {options.warm_up} --driver-memory {options.driver_memory}"]
    parts += [f"--only {options.only}"] if options.only else []
    parts += [f"--name {options.name}"] if options.name != NAME else []
    return " ".join(parts)


def as_markdown(report: dict[str, Any], outcomes: Sequence[Outcome], options: argparse.Namespace) -> str:
    """Write the tables, and how they were measured."""
    peers = ", ".join(f"{name} {report[name.lower()] or 'not installed'}" for name in ("DuckDB", "Polars"))
    loads = ", ".join(str(outcome.load) for outcome in outcomes)
    lines = [
        "# Sliding frames in Spark",
        "",
        f"Exact p99 (`approx_quantile(v, 0.99) OVER (PARTITION BY k ORDER BY t ROWS …)`) of lognormal doubles in "
        f"Parquet. {options.rounds} rounds in turns after {options.warm_up} to warm up: the median, and the least and "
        "the greatest. *Times as fast* is the seconds of the other by ours, of each round for itself.",
        "",
        *ratios(outcomes),
        "",
        "- The running sum is Spark's `sum(v) OVER (… ROWS UNBOUNDED PRECEDING)`, the sort `DISTRIBUTE BY k SORT BY "
        "k, t`: of the same rows, all columns of which are put out.",
        "- DuckDB (`quantile_disc`) and Polars (`sort`, `rolling_quantile … over`) read the same files with two "
        "threads in the process of the benchmark.",
        "- *Bucketed and sorted*: a table of two files, with whole partitions in order (`CLUSTERED BY (k) SORTED BY (k, t) INTO 2 BUCKETS`). No "
        "rows are moved. Spark's running sum may trust the order of the files (`spark.sql.legacy.bucketedTableScan.outputOrdering`). *In "
        "order*: Polars does not sort.",
        "",
        *seconds(outcomes),
        "",
        *reduce_sides(outcomes),
    ]
    if report["not_measured"]:
        lines += [f"Not measured, for a failure: {', '.join(report['not_measured'])}.", ""]
    return "\n".join([*lines, *footer(report), f"- {peers}", f"- load before each figure: {loads}", ""])


if __name__ == "__main__":
    main()
