"""Measures warehouses: what an append costs, how accurate answers are at a memory, what κ changes, and how questions grow.

Run it with nothing else on the machine::

    python benchmarks/warehouse.py --only update --rows 10000000 --rounds 5
    python benchmarks/warehouse.py --only accuracy --rows 20000000
    python benchmarks/warehouse.py --only kappa --rows 20000000
    python benchmarks/warehouse.py --only query --rows 1280000000 --data /a/large/disk

It makes its own data in a temporary folder, or where ``--data`` says, and writes ``benchmarks/results/warehouse.json`` and ``.md``.
The paper is Singh, Srivastava and Tirthapura, Estimating quantiles from the union of historical and streaming data, VLDB 2016.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness import parts, warehouse_accuracy, warehouse_kappa, warehouse_query, warehouse_update
from harness.provenance import RESULTS, footer, load, provenance
from harness.rounds import FAILURES
from harness.sessions import start

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    Line = dict[str, Any]
    Measure = Callable[[SparkSession, str, argparse.Namespace], list[Line]]
    Write = Callable[[list[Line], argparse.Namespace], list[str]]

PARTS: dict[str, tuple[Measure, Write]] = {
    "update": (warehouse_update.measure, warehouse_update.write),
    "accuracy": (warehouse_accuracy.measure, warehouse_accuracy.write),
    "kappa": (warehouse_kappa.measure, warehouse_kappa.write),
    "query": (warehouse_query.measure, warehouse_query.write),
}


def main() -> None:
    """Measure, print and store; a part that is not asked for stays as it was stored."""
    options = parse()
    one = partial(measured, options=options)
    parts.measure(options.results, "warehouse", "# Warehouses", list(PARTS), options.only, one)


def measured(part: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one part in a session of its own."""
    measure, write = PARTS[part]
    before = load()
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-", dir=options.data) as folder:
        spark = start(folder, options.driver_memory, {"spark.sql.shuffle.partitions": "2"})
        try:
            rounds = f" --rounds {options.rounds}"
            command = f"python benchmarks/warehouse.py --only {part} --rows {options.rows}{rounds}"
            report: dict[str, Any] = provenance(spark, command)
            report["lines"] = measure(spark, folder, options)
        finally:
            with suppress(*FAILURES):
                spark.stop()
    report["text"] = [*write(report["lines"], options), "", *footer(report), f"- load before: {before}", ""]
    return report


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=list(PARTS), help="one part; the others are as they were stored")
    parser.add_argument("--data", type=Path, help="where the folder with the data is made")
    parser.add_argument("--driver-memory", default="4g")
    parser.add_argument("--results", type=Path, default=RESULTS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
