"""Measures the first query of a session, which loads classes and generates code, ours and Spark's.

Run it with nothing else on the machine::

    python benchmarks/spark_cold.py

Each query is the first one of its own JVM, in turns. It writes ``benchmarks/results/spark_cold.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from chronosketch.jar import jar_path
from harness.results import RESULTS, footer, provenance
from harness.sessions import start
from harness.spread import Spread, number

NAME = "spark_cold"
OURS, PEER = "approx_quantile(v, 0.99)", "percentile_approx(v, 0.99)"
QUERIES = {
    "ungrouped": "SELECT {0} FROM v",
    "1 000 groups": "SELECT k, {0} FROM v GROUP BY k",
}


def main() -> None:
    """Measure, print and store."""
    options = parse()
    if options.one:
        one(Path(options.one), options.query)
        return
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, "2g")
        report: dict[str, Any] = {
            **provenance(spark, f"python benchmarks/spark_cold.py --rounds {options.rounds}"),
            "jar_bytes": jar_path().stat().st_size,
            "figures": [],
        }
        files = Path(folder) / "v.parquet"
        made = spark.range(0, 100_000, 1, 2).selectExpr("CAST(id % 1000 AS INT) AS k", "exp(randn(42)) AS v")
        made.write.parquet(str(files))
        spark.stop()
        for name, query in QUERIES.items():
            seconds: dict[str, list[float]] = {OURS: [], PEER: []}
            for _ in range(options.rounds):
                for side, taken in seconds.items():
                    taken.append(first(files, query.format(side)))
            times = Spread.of(
                [theirs / ours for ours, theirs in zip(seconds[OURS], seconds[PEER], strict=True)]
            )
            report["figures"].append(
                {
                    "name": name,
                    "pairs": [
                        {"ours": OURS, "peer": PEER, "target": 1.0, "times_as_fast": times.__dict__},
                    ],
                    "seconds": seconds,
                }
            )
            print(name, times, file=sys.stderr)
    text = "\n".join(markdown(report))
    (RESULTS / f"{NAME}.json").write_text(
        json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (RESULTS / f"{NAME}.md").write_text(text, encoding="utf-8")
    print(text)


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--query", help=argparse.SUPPRESS)
    return parser.parse_args()


def first(files: Path, query: str) -> float:
    """Return the seconds of a query that is the first of a session."""
    command = [sys.executable, __file__, "--one", str(files), "--query", query]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def one(files: Path, query: str) -> None:
    """Run the query as the first one, and print its seconds."""
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, "2g")
        spark.read.parquet(str(files)).createOrReplaceTempView("v")
        began = time.perf_counter()
        spark.sql(query).write.format("noop").mode("overwrite").save()
        print(time.perf_counter() - began)
        spark.stop()


def markdown(report: dict[str, Any]) -> list[str]:
    """Write the results as a page."""
    lines = [
        "# The first query of a session",
        "",
        f"100 000 rows in Parquet. Each query is the first of a JVM of its own, in turns: the median of the rounds, and the least and the "
        f"greatest. The jar has {report['jar_bytes'] / 1e6:.1f} MB.",
        "",
        f"| figure | `{OURS}`, seconds | `{PEER}`, seconds | times as fast |",
        "|---|---|---|---|",
    ]
    for figure in report["figures"]:
        ours, peer = (Spread.of(figure["seconds"][side]) for side in (OURS, PEER))
        times = Spread(**figure["pairs"][0]["times_as_fast"])
        lines.append(f"| {figure['name']} | {number(ours.median)} | {number(peer.median)} | {times} |")
    return [*lines, "", *footer(report), ""]


if __name__ == "__main__":
    main()
