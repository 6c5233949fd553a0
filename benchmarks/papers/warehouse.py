"""Measures warehouses: the cost of appends, the accuracy of answers at a memory, the effect of κ, and the growth of queries.

Run it with nothing else on the machine::

    python benchmarks/papers/warehouse.py --only update --rows 10000000 --rounds 5
    python benchmarks/papers/warehouse.py --only steps --rows 40000000
    python benchmarks/papers/warehouse.py --only accuracy --rows 10000000
    python benchmarks/papers/warehouse.py --only kappa --rows 10000000
    python benchmarks/papers/warehouse.py --only windows --rows 10000000
    python benchmarks/papers/warehouse.py --only growth --rows 20000000
    python benchmarks/papers/warehouse.py --only query --rows 1280000000 --data /a/large/disk
    python benchmarks/papers/warehouse.py --again  # measures nothing: writes and draws the stored results again

It makes its own data in a temporary folder, or where ``--data`` says, and writes ``benchmarks/results/warehouse.json``, ``.md`` and
pictures. DuckDB and chdb are compared, too, if they are installed.
The paper is Singh, Srivastava and Tirthapura, Estimating quantiles from the union of historical and streaming data, VLDB 2016.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the harness

from harness.results import (
    RESULTS,
    footer,
    load,
    measure_parts,
    provenance,
    store_parts,
    stored_parts,
    write_page,
)
from harness.rounds import FAILURES
from harness.sessions import start
from histstream import accuracy, growth, kappa, picture, query, steps, update

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    Line = dict[str, Any]
    Measure = Callable[[SparkSession, str, argparse.Namespace], list[Line]]
    Write = Callable[[list[Line], argparse.Namespace], list[str]]

NAME = "warehouse"
PARTS: dict[str, tuple[Measure, Write]] = {
    "update": (update.measure, update.write),
    "steps": (steps.measure, steps.write),
    "accuracy": (accuracy.measure, accuracy.write),
    "kappa": (kappa.measure, kappa.write),
    "windows": (kappa.measure_windows, kappa.write_windows),
    "growth": (growth.measure, growth.write),
    "query": (query.measure, query.write),
}
# The options that a part shows with its results.
SHOWN_OPTIONS = ("rows", "rounds", "steps")
TOLD_OF = {"query": ("rows", "rounds", "first", "most_seconds", "most_held")}


def main() -> None:
    """Measure, print and store. Parts that are not requested stay as stored."""
    options = parse()
    file = options.results / f"{NAME}.json"
    if options.again:
        report = {part: again(part, stored) for part, stored in stored_parts(file).items()}
        store_parts(file, report)
    else:
        report = measure_parts(file, list(PARTS), options.only, partial(measured, options=options))
    drawn = picture.draw({part: stored["lines"] for part, stored in report.items()}, options.results, NAME)
    title = [
        "# Warehouses",
        *([f"\n![The paper's figures 4 to 13, remade]({NAME}-light.png)"] if drawn else []),
    ]
    write_page(options.results, NAME, "\n".join(title), list(PARTS), report)


def measured(part: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one part in its own session."""
    before = load()
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-", dir=options.data) as folder:
        spark = start(folder, options.driver_memory, {"spark.sql.shuffle.partitions": "2"})
        try:
            asked = {name: getattr(options, name) for name in TOLD_OF.get(part, SHOWN_OPTIONS)}
            flags = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in asked.items())
            report: dict[str, Any] = provenance(
                spark, f"python benchmarks/papers/warehouse.py --only {part} {flags}"
            )
            report |= {"options": asked, "load_before": before}
            report["lines"] = PARTS[part][0](spark, folder, options)
        finally:
            with suppress(*FAILURES):
                spark.stop()
    return again(part, report)


def again(part: str, report: dict[str, Any]) -> dict[str, Any]:
    """Write the text of a part again from its measurements. Parts stored in an older form stay as they are."""
    if "options" not in report:
        return report
    options = argparse.Namespace(**report["options"])
    text = PARTS[part][1](report["lines"], options)
    ends = [*footer(report), f"- load before: {report['load_before']}"]
    return report | {"text": [*text, "", *ends, ""]}


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--steps", type=int, default=100, help="of a history; the paper has 100")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=list(PARTS), help="one part; the others are as they were stored")
    parser.add_argument("--again", action="store_true", help="write and draw what is stored, measure nothing")
    parser.add_argument("--data", type=Path, help="where the folder with the data is made")
    parser.add_argument(
        "--first", type=int, default=10_000_000, help="query: rows of the first size, and of a step"
    )
    parser.add_argument(
        "--most-seconds", type=float, default=200, help="query: a peer that took longer is not asked again"
    )
    parser.add_argument(
        "--most-held",
        type=int,
        default=320_000_000,
        help="query: rows up to which peers that hold all of them are asked",
    )
    parser.add_argument("--driver-memory", default="4g")
    parser.add_argument("--results", type=Path, default=RESULTS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
