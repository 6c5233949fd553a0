"""What a question costs as history grows, beside reading all of it (the paper's figures 9, 11 and 12)."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import chronosketch as cs

from harness.duckdb_engine import DuckDB
from harness.rounds import say
from harness.spreads import Spread, spaced
from harness.warehouse_data import timed

if TYPE_CHECKING:
    import argparse

    from pyspark.sql import SparkSession

    Line = dict[str, Any]

FIRST = 10_000_000
# A disk's cache has a billion rows only in part; what a question reads is new to it each round.
PHIS = (0.5, 0.9, 0.99, 0.001, 0.25, 0.75, 0.1, 0.999)


def measure(spark: SparkSession, folder: str, options: argparse.Namespace) -> list[Line]:
    """Double one history until it has all rows, and ask each size."""
    lines: list[Line] = []
    warehouse = cs.warehouse.create(spark, f"{folder}/warehouse", value="v", epsilon=0.001)
    first = min(FIRST, options.rows)
    duckdb = DuckDB()
    rows = 0
    for step in range(max(1, options.rows // first)):
        made = spark.range(rows, rows + first, 1, 2).selectExpr("xxhash64(id) AS v")
        appended = timed(lambda made=made: warehouse.append(made))
        rows += first
        say(f"{rows} rows: appended in {appended:.1f} s")
        warehouse.vacuum("1 microsecond")
        # by doubling
        if (step + 1) & step == 0:
            lines.append(_at(spark, warehouse, rows, duckdb, options))
            say(str(lines[-1]))
    shutil.rmtree(f"{folder}/warehouse")
    return lines


def _at(
    spark: SparkSession,
    warehouse: cs.warehouse.Warehouse,
    rows: int,
    duckdb: DuckDB,
    options: argparse.Namespace,
) -> Line:
    # a new φ each time, and one before that does not count: files that were opened are read again
    asked = [warehouse.quantile(phi) for phi in PHIS[: options.rounds + 1]]
    accurate = [timed(frame.collect) for frame in asked][1:]
    quick = [timed(warehouse.quantile(phi, "quick").collect) for phi in PHIS[: options.rounds + 1]][1:]
    answers = [frame.first() for frame in asked[1:]]
    warehouse.register("measured")
    files = [row[0] for row in spark.sql("SELECT explode(files) FROM measured_runs").collect()]
    scan = spark.read.parquet(*files).selectExpr("percentile_approx(v, 0.5D)")
    listed = ", ".join(f"'{file.removeprefix('file:')}'" for file in files)
    queried = f"SELECT quantile_disc(v, 0.5) FROM read_parquet([{listed}])"
    return {
        "rows": rows,
        "runs": warehouse.describe()["runs"],
        "bytes_total": answers[0].bytes_total,
        "accurate": accurate,
        "quick": quick,
        "rows_read": max(row.rows_read for row in answers),
        "bytes_read": max(row.bytes_read for row in answers),
        "rank_error": max(row.rank_error for row in answers),
        "percentile_approx": timed(scan.collect),
        "duckdb": timed(lambda: duckdb.run(queried, "")) if duckdb.installed else None,
    }


def write(lines: list[Line], options: argparse.Namespace) -> list[str]:
    """Write the part for people."""
    text = [
        "",
        "## Questions as history grows",
        "",
        f"One history of BIGINTs at ε = 0.001 and κ = 10, asked at each size: seconds of {options.rounds} accurate and quick quantiles, each "
        "another φ, median, least and greatest; the most that one of them read. Beside them a scan of the same files with "
        "`percentile_approx`, and DuckDB's exact `quantile_disc`, once each.",
        "",
        "| rows | runs | GB | accurate, s | quick, s | rows read | MB read | share of bytes | percentile_approx, s | DuckDB, s |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    return text + [
        f"| {spaced(line['rows'])} | {line['runs']} | {line['bytes_total'] / 1e9:.2f} | {Spread.of(line['accurate'])} | "
        f"{Spread.of(line['quick'])} | {spaced(line['rows_read'])} | {line['bytes_read'] / 1e6:.2f} | "
        f"{line['bytes_read'] / line['bytes_total']:.3%} | {line['percentile_approx']:.1f} | "
        f"{'not installed' if line['duckdb'] is None else format(line['duckdb'], '.1f')} |"
        for line in lines
    ]
