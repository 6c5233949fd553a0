"""Compares the core with KLL of datasketches-java, and writes results/core.json and results/core.md.

    python benchmarks/core.py            # 3 rounds, about 15 minutes on an idle machine

A round forks one JVM for each benchmark and contestant. The best of its six iterations counts, which other processes
on the machine disturbed least. Ratios are taken within a round.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from harness.jvm_tools import sbt
from harness.results import RESULTS, TOP, commit, cpu, memory_gib

JMH = "-f 1 -wi 3 -w 500ms -i 6 -r 500ms -foe true -jvmArgsAppend -Xmx3g -jvmArgsAppend -XX:+UseSerialGC"

# for each benchmark: its parameter besides `sketch`, the contestants to compare, and whether higher is better
COMPARED = {
    "InsertBenchmark.insert": ("input", [("gk 1e-3", "kll 2000"), ("gk 1e-4", "kll 2000")], True),
    "GroupedInsertBenchmark.insert": (None, [("gk 1e-3", "kll 2000"), ("gk 1e-4", "kll 2000")], True),
    "MergeBenchmark.merge": ("shape", [("gk 1e-3", "kll 2862")], False),
    "AskBenchmark.live": (None, [("gk 1e-3", "kll 2862")], False),
    "AskBenchmark.stored": (None, [("gk 1e-3", "kll 2862")], False),
}

# the required ratios: (benchmark, parameter, our contestant) -> least ratio
TARGETS = {
    ("InsertBenchmark.insert", "lognormal", "gk 1e-3"): 2.5,
    ("InsertBenchmark.insert", "lognormal", "gk 1e-4"): 1.0,
}


def main() -> None:
    """Run the benchmarks, and write the results."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    rounds: int = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"round-{i}.json" for i in range(rounds)]
        loads: list[float] = []
        # the other benchmarks do not compare with KLL, and take longer than all of these
        asked = " ".join(f"chronosketch.bench.{name}$" for name in COMPARED)
        for file in files:
            loads.append(round(os.getloadavg()[0], 1))
            sbt(f"bench/Jmh/run {JMH} -rf json -rff {file} {asked}")
        lines = sbt(f"bench/runMain chronosketch.bench.Sizes {rounds}").splitlines()
        jmh = [json.loads(file.read_text()) for file in files]
    sizes = [json.loads(line[line.index("{") :]) for line in lines if '{"what"' in line]
    report = {
        "command": f"python benchmarks/core.py --rounds {rounds}",
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "commit": commit(),
        "machine": machine(jmh[0][0], loads),
        "versions": {
            "chronosketch": (TOP / "VERSION").read_text().strip(),
            "datasketches-java": "6.2.0",
            "jmh": jmh[0][0]["jmhVersion"],
        },
        "speed": speed(jmh),
        "bytes": [size_row(group) for group in grouped(sizes, "bytes")],
        "merged": [size_row(group) for group in grouped(sizes, "merged")],
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "core.json").write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    (RESULTS / "core.md").write_text(markdown(report))
    print(markdown(report))


def machine(one: dict[str, Any], loads: list[float]) -> dict[str, Any]:
    """Describe the machine, without its name."""
    return {
        "processor": cpu(),
        "cores": os.cpu_count(),
        "memory GiB": memory_gib(),
        "jvm": f"{one['vmName']} {one['vmVersion']}",
        "load before each round": loads,
    }


def speed(rounds: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Make a row for each benchmark, parameter and pair of contestants."""
    scores: list[dict[tuple[str, str, str], float]] = []
    units: dict[str, str] = {}
    for results in rounds:
        found: dict[tuple[str, str, str], float] = {}
        for result in results:
            name = ".".join(result["benchmark"].split(".")[-2:])
            parameters = result["params"]
            other = COMPARED[name][0]
            found[name, parameters[other] if other else "", parameters["sketch"]] = best(
                result["primaryMetric"]["rawData"][0], COMPARED[name][2]
            )
            units[name] = result["primaryMetric"]["scoreUnit"]
        scores.append(found)
    rows = []
    for name, (_, sides, higher) in COMPARED.items():
        for parameter in dict.fromkeys(key[1] for key in scores[0] if key[0] == name):
            for ours, theirs in sides:
                pairs = [(found[name, parameter, ours], found[name, parameter, theirs]) for found in scores]
                ratios = [a / b if higher else b / a for a, b in pairs]
                rows.append(
                    {
                        "benchmark": name,
                        "parameter": parameter,
                        "ours": ours,
                        "theirs": theirs,
                        "unit": units[name],
                        "our score": statistics.median(a for a, _ in pairs),
                        "their score": statistics.median(b for _, b in pairs),
                        "times as fast": spread(ratios),
                        "target": TARGETS.get((name, parameter, ours)),
                    }
                )
    return rows


def best(iterations: list[float], higher: bool) -> float:
    """Return the best iteration, which was disturbed least."""
    return max(iterations) if higher else min(iterations)


def grouped(sizes: list[dict[str, Any]], what: str) -> list[list[dict[str, Any]]]:
    """Group the rounds of each kind."""
    lines = [line for line in sizes if line["what"] == what]
    return [
        [line for line in lines if line["of"] == of] for of in dict.fromkeys(line["of"] for line in lines)
    ]


def size_row(group: list[dict[str, Any]]) -> dict[str, Any]:
    """Make a row of the tables of bytes."""
    return {
        "of": group[0]["of"],
        "gk 1e-3 bytes": statistics.median(line["gk"] for line in group),
        "kll 2862 bytes": statistics.median(line["kll"] for line in group),
        "share": spread([line["gk"] / line["kll"] for line in group]),
        "tuples times epsilon": spread([line["tuples"] * 1e-3 for line in group]),
        "certified error in epsilon": spread([line["certified"] for line in group]),
    }


def spread(values: list[float]) -> dict[str, float]:
    """Return the median, minimum and maximum."""
    return {"median": statistics.median(values), "least": min(values), "greatest": max(values)}


def text(values: dict[str, float], digits: int = 2) -> str:
    """Format a spread."""
    return f"{values['median']:.{digits}f} ({values['least']:.{digits}f}–{values['greatest']:.{digits}f})"


def amount(score: float, unit: str) -> str:
    """Format a score."""
    return f"{score / 1e6:.1f} M/s" if unit == "ops/s" else f"{score:.3g} {unit.removesuffix('/op')}"


def markdown(report: dict[str, Any]) -> str:
    """Write the report as a page."""
    of = report["machine"]
    loads = ", ".join(str(load) for load in of["load before each round"])
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    lines = [
        "# Core figures",
        "",
        f"`{report['command']}`, {report['date']}, commit {report['commit']}. {versions}.",
        f"{of['processor']}, {of['cores']} cores, {of['memory GiB']} GiB, {of['jvm']};",
        f"load before each round {loads}.",
        "",
        "One core; the best of six iterations a round, medians of the rounds; ratios are taken inside a",
        "round, their least and greatest in brackets. `gk ε` is ours, the mapping of doubles to keys included,",
        "and its error is certain; `kll k` is KllDoublesSketch, whose single-sided rank error is 0.13 % at",
        "k = 2000 and 0.1 % at k = 2862, with 99 % confidence.",
        "",
        "| | sides | ours | KLL | times as fast | target |",
        "|---|---|---|---|---|---|",
    ]
    for row in report["speed"]:
        name = row["benchmark"].replace("Benchmark", "")
        cells = [
            f"{name} {row['parameter']}".strip(),
            f"{row['ours']} / {row['theirs']}",
            amount(row["our score"], row["unit"]),
            amount(row["their score"], row["unit"]),
            text(row["times as fast"]),
            f"≥ {row['target']}" if row["target"] else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "Insert: 10 M values into one sketch; GroupedInsert: lognormal, into a thousand sketches in turn.",
        "Merge: a thousand stored sketches of 10 000 values each; small: 5 000 of 2 000. Ask: p99 of a sketch",
        "of 10 M values, stored (decode it, then ask) and live (asked before).",
        "",
        "| stored | gk 1e-3, bytes | kll 2862, bytes | share | tuples × ε | certified error / ε |",
        "|---|---|---|---|---|---|",
    ]
    lines += [f"| {row['of']} | {size_cells(row)}" for row in report["bytes"]]
    lines += [
        "",
        "| a thousand merged | gk 1e-3, bytes | kll 2862, bytes | share | tuples × ε | certified error / ε |",
        "|---|---|---|---|---|---|",
    ]
    lines += [f"| {row['of']} | {size_cells(row)}" for row in report["merged"]]
    lines += [
        "",
        "Targets: a share of at most 1/3 at 10 000 thousand lognormal values; merged, at most 8 tuples × ε.",
        "",
    ]
    return "\n".join(lines)


def size_cells(row: dict[str, Any]) -> str:
    """Return the cells that both tables of bytes have."""
    return (
        f"{row['gk 1e-3 bytes']:,.0f} | {row['kll 2862 bytes']:,.0f} | {text(row['share'])} "
        f"| {text(row['tuples times epsilon'])} | {text(row['certified error in epsilon'])} |"
    )


if __name__ == "__main__":
    main()
