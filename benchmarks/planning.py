"""Measures how long Spark plans queries without our functions, with and without the jar.

    python benchmarks/planning.py            # 20 rounds, about 20 minutes on an idle machine

Both sessions are in one JVM and plan each query of TPC-DS and TPC-H directly after each other, in turns. It writes
``benchmarks/results/planning.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from collections import defaultdict
from datetime import datetime, timezone
from typing import Any

from harness.jvm_tools import sbt
from harness.results import RESULTS, TOP, commit, cpu, memory_gib
from harness.spread import Spread

NAME = "planning"
#: With the jar, planning takes at most 1.02 times as long.
TARGET = 1 / 1.02
# the tests compile with the first compiler alone, which a driver does not
COMPILERS = 'set spark / Test / javaOptions --= Seq("-XX:TieredStopAtLevel=1")'


def main() -> None:
    """Measure, store and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=8)
    args = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    program = f"spark/Test/runMain chronosketch.spark.plans.PlanningTime {args.rounds} {args.warm_up}"
    output = sbt(f"; {COMPILERS}; {program}").splitlines()
    lines = [json.loads(line[line.index("{") :]) for line in output if '{"adaptive"' in line]
    report = {
        "command": f"python benchmarks/planning.py --rounds {args.rounds} --warm-up {args.warm_up}",
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "commit": commit(),
        "chronosketch": (TOP / "VERSION").read_text().strip(),
        "machine": {"cpu": cpu(), "cores": os.cpu_count(), "memory_gib": memory_gib(), "load before": load},
        "figures": [
            figure(name, [line for line in lines if line["adaptive"] is adaptive])
            for name, adaptive in (("with adaptive execution", True), ("without adaptive execution", False))
        ],
    }
    page = markdown(report)
    (RESULTS / f"{NAME}.json").write_text(
        json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (RESULTS / f"{NAME}.md").write_text(page, encoding="utf-8")
    print(page)


def figure(name: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Summarize the rounds of one setting."""
    rounds: dict[int, list[dict[str, Any]]] = defaultdict(list)
    queries: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        rounds[line["round"]].append(line)
        queries[line["query"]].append(line)

    def total(side: str, some: list[dict[str, Any]]) -> float:
        return float(sum(line[side] for line in some))

    def middle(side: str) -> dict[str, float]:
        return {query: statistics.median(line[side] for line in some) for query, some in queries.items()}

    ours, spark = middle("ours"), middle("spark")
    pair = {
        "ours": "with the jar",
        "peer": "without the jar",
        "target": TARGET,
        "times_as_fast": Spread.of(
            [total("spark", some) / total("ours", some) for some in rounds.values()]
        ).__dict__,
    }
    slowest = sorted(queries, key=lambda query: ours[query] / spark[query])[-3:]
    return {
        "name": f"planning {len(queries)} queries {name}",
        "pairs": [pair],
        "milliseconds": {"ours": sum(ours.values()) / 1000, "spark": sum(spark.values()) / 1000},
        "medians": sum(ours.values()) / sum(spark.values()),
        "slowest": {query: ours[query] / spark[query] for query in reversed(slowest)},
    }


def markdown(report: dict[str, Any]) -> str:
    """Write the report as a page."""
    machine = report["machine"]
    rows = []
    for one in report["figures"]:
        times = one["pairs"][0]["times_as_fast"]
        low, high = 1 / times["greatest"], 1 / times["least"]
        ours, spark = (round(one["milliseconds"][side]) for side in ("ours", "spark"))
        slowest = ", ".join(f"{query} {ratio:.2f}" for query, ratio in one["slowest"].items())
        rows.append(
            f"| {one['name']} | {ours} | {spark} | {1 / times['median']:.3f} ({low:.3f}–{high:.3f}) | {one['medians']:.3f} | {slowest} |"
        )
    return "\n".join(
        [
            "# Planning queries without our functions",
            "",
            "All queries of TPC-DS and TPC-H, in Spark's own texts, over empty tables: parsed, analysed, optimised and planned, in a session with our "
            "extension and in one without it. Both are in one JVM. Each query is planned in one directly after the other, in turns. The plans are "
            "equal to the letter, as `UntouchedPlansSuite` tests. A ratio is the time with the jar by the time without it: of all queries of a round "
            "(the median of the rounds, the least and the greatest), of the medians of all queries, and of those queries whose medians differ most.",
            "",
            "| | ms with the jar | ms without | ratio of rounds | ratio of medians | greatest ratios |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            f"- `{report['command']}`, {report['date']}, commit {report['commit']}, chronosketch {report['chronosketch']}",
            f"- {machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB; load before {machine['load before']}",
            "",
        ]
    )


if __name__ == "__main__":
    main()
