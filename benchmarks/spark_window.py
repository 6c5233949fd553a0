"""Compares windows from stored sketches with Spark's `percentile_approx` with a FILTER, in turns, and measures their bytes.

Run it with nothing else on the machine::

    python benchmarks/spark_window.py

It makes its own data in a temporary folder, and writes ``benchmarks/results/spark_window.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from harness.results import RESULTS, footer, provenance
from harness.rounds import FAILURES, Rounds, log_progress
from harness.sessions import start
from harness.tables import as_json, ratios, seconds
from harness.windows import WindowData, WindowSizes, bytes_table, measure_bytes, window_figures

ROWS = 20_000_000
NAME = "spark_window"


def main() -> None:
    """Measure, print and store."""
    options = parse()
    sizes = WindowSizes(options.rows)
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, options.driver_memory, {"spark.sql.shuffle.partitions": "2"})
        report = {**provenance(spark, command(options)), "rows": options.rows}
        try:
            rounds = Rounds(spark, {}, WindowData(spark, folder, sizes), options.warm_up, options.rounds)
            wanted = [
                f for f in window_figures(sizes) if not options.only or f.name in options.only.split(",")
            ]
            outcomes = [rounds.measure(figure) for figure in wanted]
            sizes_of = [] if options.only else measure_bytes(spark, options.rows_a_minute)
        finally:
            with suppress(*FAILURES):
                spark.stop()
    loads = ", ".join(str(outcome.load) for outcome in outcomes)
    lines = [
        "# Windows from one stored summary, in Spark",
        "",
        f"{options.rows:,} lognormal doubles of a day in Parquet, 1 000 groups, ε = 0.01. {options.rounds} rounds in "
        f"turns after {options.warm_up} to warm up: the median, and the least and the greatest. *Times as fast* is the "
        "seconds of the other by ours, of each round for itself.",
        "",
        *ratios(outcomes),
        "",
        "- `percentile_approx(100)` promises the same error of a window that was fixed before the scan.",
        "- The ten windows are of 1 to 960 minutes; sketches are read from Parquet, and scans read the rows.",
        "",
        *seconds(outcomes),
        "",
    ]
    if not options.only:
        lines += [
            f"Bytes of one group of {options.rows_a_minute:,} rows a minute, beside a KLL sketch for every minute, of the "
            "least k whose error (99 % confidence) is at most ε:",
            "",
            *bytes_table(sizes_of),
            "",
        ]
    lines += [*footer(report), f"- load before each figure: {loads}", ""]
    text = "\n".join(lines)
    print(text)
    report["figures"] = [as_json(outcome) for outcome in outcomes]
    report["bytes"] = [asdict(size) for size in sizes_of]
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / f"{options.name}.json").write_text(
        json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (options.results / f"{options.name}.md").write_text(text, encoding="utf-8")
    log_progress(str(options.results / f"{options.name}.md"))


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument(
        "--rows-a-minute", type=int, default=1_000, help="of the group whose bytes are counted"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm-up", type=int, default=2)
    parser.add_argument("--only", default="", help="figures, with commas between: one, ten, build, siblings")
    parser.add_argument("--name", default=NAME, help="of the files there")
    parser.add_argument("--driver-memory", default="8g")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    return parser.parse_args()


def command(options: argparse.Namespace) -> str:
    """Return the command that repeats the run."""
    return (
        f"python benchmarks/spark_window.py --rows {options.rows} --rows-a-minute {options.rows_a_minute} "
        f"--rounds {options.rounds} --warm-up {options.warm_up} --driver-memory {options.driver_memory}"
        + (f" --only {options.only} --name {options.name}" if options.only else "")
    )


if __name__ == "__main__":
    main()
