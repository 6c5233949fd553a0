"""Measures quantiles of a column of stored sketches: chronosketch.arrow, sketch_quantile, and a loop over datasketches.

Run it with nothing else on the machine::

    python benchmarks/sketch_column.py

Each round runs all of them in turns, over Parquet files with the same values. It writes ``benchmarks/results/sketch_column.json``
and ``.md``. Without the package datasketches its rows say that it is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from chronosketch import arrow
from harness.results import RESULTS, footer, load, provenance
from harness.rounds import turns
from harness.sessions import start
from harness.spread import Spread, number, spaced

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

NAME = "sketch_column"
PHIS = {"p99": [0.99], "p50, p90, p99": [0.5, 0.9, 0.99]}
OURS, SPARK, KLL = "chronosketch.arrow", "Spark, sketch_quantile", "a loop over datasketches"
# enough for exact answers: with k = 200 KLL keeps all of 100 values
KLL_K = 200
VALUES = 100
_FILES = 8


def main() -> None:
    """Measure, print and store."""
    options = parse()
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, "3g")
        command = f"python benchmarks/sketch_column.py --rows {options.rows} --rounds {options.rounds}"
        report: dict[str, Any] = {
            **provenance(spark, command),
            "rows": options.rows,
            "load": load(),
            "pyarrow": pa.__version__,
            "numpy": np.__version__,
            **made(spark, Path(folder), options.rows),
        }
        report["figures"] = [
            figure(name, sides(spark, Path(folder), phis), options.rounds) for name, phis in PHIS.items()
        ]
        spark.stop()
    text = "\n".join(markdown(report))
    stored = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    (RESULTS / f"{NAME}.json").write_text(stored, encoding="utf-8")
    (RESULTS / f"{NAME}.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000, help="stored sketches")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def made(spark: SparkSession, folder: Path, rows: int) -> dict[str, Any]:
    """Write both kinds of sketches of the same lognormal values. Return the bytes of one sketch of each kind."""
    spark.range(0, rows * VALUES, 1, _FILES).selectExpr(
        f"id div {VALUES} AS k", "exp(randn(42)) AS v"
    ).write.parquet(f"{folder}/values")
    spark.read.parquet(f"{folder}/values").createOrReplaceTempView("v")
    spark.conf.set("spark.sql.shuffle.partitions", str(_FILES))
    spark.sql("SELECT k, quantile_sketch_agg(v) AS s FROM v GROUP BY k").write.parquet(f"{folder}/ours")
    spark.read.parquet(f"{folder}/ours").createOrReplaceTempView("s")
    sizes = {OURS: spark.sql("SELECT avg(length(s)) FROM s").collect()[0][0]}
    datasketches = peer()
    if datasketches is not None:
        (folder / "kll").mkdir()
        sizes[KLL] = kll(datasketches, folder) / rows
    version = None if datasketches is None else import_module("importlib.metadata").version("datasketches")
    return {"bytes": sizes, "datasketches": version}


def kll(datasketches: Any, folder: Path) -> int:
    """Write a KLL sketch of the values of each sketch. Return the bytes of all."""
    total = 0
    for file in sorted((folder / "values").glob("*.parquet")):
        values = pq.read_table(file)["v"].to_numpy().reshape(-1, VALUES)
        stored = []
        for some in values:
            sketch = datasketches.kll_doubles_sketch(KLL_K)
            sketch.update(some)
            stored.append(sketch.serialize())
        total += sum(map(len, stored))
        pq.write_table(pa.table({"s": pa.array(stored, pa.binary())}), folder / "kll" / file.name)
    return total


def peer() -> Any:
    """Return the package datasketches, or None."""
    try:
        return import_module("datasketches")
    except ImportError:
        return None


def sides(spark: SparkSession, folder: Path, phis: list[float]) -> dict[str, Callable[[], object]]:
    """Return the contestants, each of which reads files and computes answers."""
    asked = f"array({', '.join(map(str, phis))})" if len(phis) > 1 else str(phis[0])
    share = phis if len(phis) > 1 else phis[0]
    datasketches = peer()

    def ours() -> None:
        for file in sorted((folder / "ours").glob("*.parquet")):
            arrow.quantile(pq.read_table(file, columns=["s"])["s"], share)

    def in_spark() -> None:
        spark.sql(f"SELECT sketch_quantile(s, {asked}) FROM s").write.format("noop").mode("overwrite").save()

    def loop() -> None:
        deserialize = datasketches.kll_doubles_sketch.deserialize
        for file in sorted((folder / "kll").glob("*.parquet")):
            rows = pq.read_table(file)["s"].to_pylist()
            if len(phis) > 1:
                pa.array([deserialize(row).get_quantiles(phis) for row in rows])
            else:
                pa.array([deserialize(row).get_quantile(phis[0]) for row in rows])

    return {OURS: ours, SPARK: in_spark, **({} if datasketches is None else {KLL: loop})}


def figure(name: str, running: dict[str, Callable[[], object]], rounds: int) -> dict[str, Any]:
    """Measure one figure after a warm-up round: wall-clock seconds, and CPU seconds of this process."""
    seconds: dict[str, list[float]] = {side: [] for side in running}
    processor: dict[str, list[float]] = {side: [] for side in running}
    names = list(running)
    for nth in range(rounds + 1):
        for side in turns(names, nth):
            began, cpu = time.perf_counter(), time.process_time()
            running[side]()
            if nth:
                seconds[side].append(time.perf_counter() - began)
                processor[side].append(time.process_time() - cpu)
        print(f"{name}: round {nth} of {rounds}", file=sys.stderr)
    pairs = [
        {"ours": OURS, "peer": side, "times_as_fast": ratio(seconds[side], seconds[OURS]).__dict__}
        for side in names
        if side != OURS
    ]
    return {"name": name, "pairs": pairs, "seconds": seconds, "python_cpu_seconds": processor}


def ratio(theirs: list[float], ours: list[float]) -> Spread:
    """Return how many times as fast ours is, by round."""
    return Spread.of([their / our for their, our in zip(theirs, ours, strict=True)])


def markdown(report: dict[str, Any]) -> list[str]:
    """Write the results as a page."""
    rows = report["rows"]
    kll_version = report["datasketches"] or "not installed"
    sizes = ", ".join(f"{spaced(round(size))} bytes for {side}" for side, size in report["bytes"].items())
    lines = [
        "# A column of stored sketches",
        "",
        f"{spaced(rows)} stored sketches of {VALUES} lognormal doubles each, in {_FILES} Parquet files, asked for quantiles: from the files to "
        f"the answers. `{KLL}` is Python that opens a `kll_doubles_sketch` of k = {KLL_K} of the same values and asks it, row by row. "
        f"One sketch takes {sizes}. Each round runs all of them in turns: the median, and the least and the greatest. "
        "`chronosketch.arrow` and the loop run in one thread, Spark on two cores.",
        "",
        "| asked | side | thousand sketches a second | seconds | `chronosketch.arrow` is times as fast |",
        "|---|---|---|---|---|",
    ]
    for one in report["figures"]:
        times = {pair["peer"]: Spread(**pair["times_as_fast"]) for pair in one["pairs"]}
        for side, taken in one["seconds"].items():
            rate = Spread.of([rows / seconds / 1e3 for seconds in taken])
            lines.append(
                f"| {one['name']} | {side} | {rate} | {number(Spread.of(taken).median)} | {times.get(side, '')} |"
            )
        if KLL not in one["seconds"]:
            lines.append(f"| {one['name']} | {KLL} | not installed | | |")
    return [
        *lines,
        "",
        *footer(report),
        f"- numpy {report['numpy']}, pyarrow {report['pyarrow']}, datasketches {kll_version}",
        f"- load before: {report['load']}",
        "",
    ]


if __name__ == "__main__":
    main()
