"""Compares sketches far in the tail, and writes results/tails.json and results/tails.md.

    python benchmarks/tails.py           # 100 million rows and 3 rounds, about 8 minutes on an idle machine

All sketches get the same rows, in turns, in one JVM: a sketch with a tail, a uniform one, a ddsketch, and REQ and KLL of
datasketches-java with as many bytes as the first.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from datetime import datetime, timezone
from typing import Any

from harness.jvm_tools import sbt
from harness.results import RESULTS, TOP, commit, cpu, memory_gib

#: The names of the sketches on the page.
NAMES = {
    "tail 0.01": "ε = 0.01, `tail => 'high'`",
    "uniform 1e-3": "ε = 0.001",
    "ddsketch 0.01": "`ddsketch_agg`, alpha = 0.01",
    "req": "REQ, k = ",
    "kll": "KLL, k = ",
}
OURS, UNIFORM = "tail 0.01", "uniform 1e-3"

#: The bounds that the sketch with a tail has to keep.
MOST_ERROR, MOST_BYTES, LEAST_SPEED = 0.01, 32768, 0.7


def main() -> None:
    """Run the benchmark, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    load = round(os.getloadavg()[0], 1)
    found = sbt(f"bench/runMain chronosketch.bench.tails.TailFigures {args.rows} {args.rounds}").splitlines()
    lines = [json.loads(line[line.index("{") :]) for line in found if '{"input"' in line]
    report = {
        "command": f"python benchmarks/tails.py --rows {args.rows} --rounds {args.rounds}",
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "commit": commit(),
        "machine": {"cpu": cpu(), "cores": os.cpu_count(), "memory_gib": memory_gib(), "load before": load},
        "versions": {
            "chronosketch": (TOP / "VERSION").read_text().strip(),
            "datasketches-java": "6.2.0",
        },
        "rounds": lines,
    }
    (RESULTS / "tails.json").write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    page = markdown(report)
    (RESULTS / "tails.md").write_text(page)
    print(page)


def markdown(report: dict[str, Any]) -> str:
    """Write the report as a page."""
    machine, lines = report["machine"], report["rounds"]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    page = [
        "# Far in the tail",
        "",
        f"`{report['command']}`, {report['date']}, commit {report['commit']}. {versions}. {machine['cpu']}, {machine['cores']} cores, "
        f"{machine['memory_gib']} GiB; load before {machine['load before']}.",
        "",
        f"{lines[0]['rows']:,} floats, one core. All sketches get the same rows, in turns, in one JVM; its CPU time counts. REQ (high rank accuracy) "
        "and KLL have the k that gives them the bytes of the sketch with a tail.",
        "",
        "A rank error is a share of the values from the quantile up, the tail's mass: 1 % at p99.9 means that the answer is between p99.899 and "
        "p99.901. Errors are the largest of all rounds, bytes and rows a second medians. *Certified* is what the sketch itself says that its "
        "error is at most.",
    ]
    for name in dict.fromkeys(line["input"] for line in lines):
        of_input = [line for line in lines if line["input"] == name]
        page += ["", f"## {name.capitalize()}", "", *table(of_input)]
    page += ["", "## What was wanted", "", "| | wanted | found |", "|---|---|---|", *wanted(lines)]
    return "\n".join(page) + "\n"


def table(lines: list[dict[str, Any]]) -> list[str]:
    """Write a row for each sketch and kind of error."""
    phis = [answer["phi"] for answer in lines[0]["answers"]]
    shown = " | ".join(f"p{100 * phi:g}" for phi in phis)
    rows = [
        f"| sketch | bytes | M rows/s | error | {shown} |",
        "|---" * (4 + len(phis)) + "|",
    ]
    for sketch in NAMES:
        own = [line for line in lines if kind(line) == sketch]
        bytes_ = statistics.median(line["bytes"] for line in own)
        rate = statistics.median(line["M rows a second"] for line in own)
        first = f"{label(own[0])} | {bytes_:,.0f} | {rate:.1f}"
        for error in ("rank error", "certified", "value error"):
            of_phis = [[line["answers"][i][error] for line in own] for i in range(len(phis))]
            if None in of_phis[0]:
                continue
            rows.append(
                f"| {first} | {error} | {' | '.join(f'{100 * max(all_):.3g} %' for all_ in of_phis)} |"
            )
            first = " | | "
    return rows


def kind(line: dict[str, Any]) -> str:
    """Return the sketch of a line without its k."""
    name: str = line["sketch"]
    return name if name in NAMES else name.split()[0]


def label(line: dict[str, Any]) -> str:
    """Return what a sketch is called on the page."""
    name = kind(line)
    return NAMES[name] if name == line["sketch"] else NAMES[name] + line["sketch"].split()[1]


def wanted(lines: list[dict[str, Any]]) -> list[str]:
    """Compare the sketch with a tail with what is wanted of it."""
    own = [line for line in lines if kind(line) == OURS]
    error = max(
        answer[what] for line in own for answer in line["answers"] for what in ("rank error", "certified")
    )
    bytes_ = max(line["bytes"] for line in own)
    ratios = [
        one["M rows a second"] / other["M rows a second"]
        for one in own
        for other in lines
        if kind(other) == UNIFORM and all(one[key] == other[key] for key in ("input", "round"))
    ]
    return [
        f"| largest rank error, also certified | ≤ {100 * MOST_ERROR:g} % | {100 * error:.2f} % |",
        f"| bytes | ≤ {MOST_BYTES:,} | {bytes_:,} |",
        f"| rows a second, as a multiple of those of {NAMES[UNIFORM]} | ≥ {LEAST_SPEED} | {statistics.median(ratios):.2f} "
        f"({min(ratios):.2f}–{max(ratios):.2f}) |",
    ]


if __name__ == "__main__":
    main()
