"""Compares quantiles of any past version with the paper's simple alternative, and redraws the paper's figures.

    python benchmarks/papers/history.py          # all parts, 3 rounds, about 10 minutes on an idle machine

It needs no Spark. The paper is Tao, Yi, Sheng, Pei and Li, Logging every footstep, 2010, §4. ``benchmarks/spark_history.py``
measures histories in Spark.
"""

from __future__ import annotations

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the harness

from harness.jvm_tools import sbt
from harness.results import RESULTS, commit, cpu, load, measure_parts, memory_gib
from harness.spread import Spread, spaced
from history_picture import draw

if TYPE_CHECKING:
    from collections.abc import Iterable

    Line = dict[str, Any]

NAME = "history"
PARTS = ("check", "sweep", "budgets", "ports", "merged")
MAIN = "bench/runMain chronosketch.bench.history.HistoryFigures"
# The allowed bytes at each ε, with as many inserts as deletes: half of those in the paper's figure 6a.
TARGETS = {0.05: 40_000, 0.00625: 500_000}
NANOSECONDS, RATE = 1_000, 1_000_000


def main() -> None:
    """Measure, print and store. Parts that are not requested stay as stored."""
    options = parse()
    one = partial(measured, rounds=options.rounds)
    report = measure_parts(RESULTS / f"{NAME}.json", PARTS, options.only, one)
    everything = [line for part in report.values() for line in part["lines"]]
    text = markdown(report, everything)
    (RESULTS / f"{NAME}.md").write_text(text, encoding="utf-8")
    if all(part in report for part in PARTS):
        draw(everything, RESULTS, NAME)
    print(text)


def measured(part: str, rounds: int) -> dict[str, Any]:
    """Measure one part."""
    before = load()
    printed = sbt(f"{MAIN} {part} {rounds}").splitlines()
    return {
        "command": f"python benchmarks/papers/history.py --only {part} --rounds {rounds}",
        "commit": commit(),
        "machine": {"cpu": cpu(), "memory_gib": memory_gib()},
        "load_before": before,
        "lines": [json.loads(line[line.index("{") :]) for line in printed if '{"part"' in line],
    }


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=PARTS, help="one part; the others are as they were stored")
    return parser.parse_args()


def markdown(report: dict[str, Any], lines: list[Line]) -> str:
    """Write the report as a page."""
    parts = list(report.values())
    commands = ", ".join(f"`{part['command']}`" for part in parts)
    commits = ", ".join(dict.fromkeys(part["commit"] for part in parts))
    machines = ", ".join(
        dict.fromkeys(f"{part['machine']['cpu']}, {part['machine']['memory_gib']} GiB" for part in parts)
    )
    loads = ", ".join(f"{name} {part['load_before']}" for name, part in report.items())
    text = [
        "# Quantiles of any past version",
        "",
        f"{commands}; commit {commits}; {machines}, one core. Load before each part: {loads}.",
        "",
        "The paper's data (§4.2): 100 000 uniform values of 1 … 2³⁰ at the first version, then a million changes, a version each. "
        "ρ is how many times as likely an insert is as a delete, which takes any value; the first half of the inserts is Gaussian, the "
        "second uniform. *Drifting* is not the paper's: values rise, the oldest goes. *Ports* stands in for its packets of the Abilene "
        "network, which are not to be had: 1.6 million packets over ports by Zipf's law; each takes away how often its port was seen and "
        "puts one more there.",
        "",
        "*Simple* is the paper's alternative (§3.6): every ε/4-th rank, anew after εN/4 changes. Its bytes are coded as ours are, as "
        "differences. It finds ranks among keys that it knows beforehand.",
        "",
        "Errors are ranks off as shares of what was alive, of the paper's workload: 100 versions evenly spread, a random φ each. "
        "*Certified* is the greatest share that ours promised there. Violations are answers above their certificate, or exact values "
        "outside of their bounds; of *Simple*, answers off by more than ε. Rates and times are of all rounds: the median, and the "
        "least and the greatest.",
    ]
    sections = (
        ("sweep", _sweep),
        ("sweep", _targets),
        ("budgets", _budgets),
        ("check", _checks),
        ("merged", _merged),
    )
    for part, section in sections:
        if part in report:
            text += ["", *section(lines)]
    if all(part in report for part in PARTS):
        text += ["", f"![The paper's figures 6 to 11, remade]({NAME}-light.png)"]
    return "\n".join([*text, ""])


def _of(lines: list[Line], part: str) -> list[Line]:
    return [line for line in lines if line["part"] == part]


def name_of(data: str) -> str:
    """Return the title of a data set in tables."""
    return data.replace("ratio", "ρ =")


def _sweep(lines: list[Line]) -> Iterable[str]:
    yield (
        "| data | ε | side | bytes | × fewer | trees or sets | error, mean | error, greatest | certified | M changes/s | "
        "ns a quantile | violations |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|---|---|"
    swept = _of(lines, "sweep")
    for line in swept:
        isours = line["side"] == "ours"
        peer = next(
            p
            for p in swept
            if (p["data"], p["epsilon"], p["side"]) == (line["data"], line["epsilon"], "simple")
        )
        cells = [
            name_of(line["data"]),
            f"{line['epsilon']:g}",
            line["side"],
            spaced(line["bytes"]),
            f"{peer['bytes'] / line['bytes']:.0f}" if isours else "",
            spaced(line["parts"]),
            f"{line['error']:.5f}",
            f"{line['worst']:.5f}",
            f"{line['certified']:.5f}" if isours else "",
            str(Spread.of([rate / 1e6 for rate in line["updates_per_s"]])),
            _whole(Spread.of(line["quantile_ns"])),
            f"{line['violations']} of {spaced(line['answers'])}",
        ]
        yield f"| {' | '.join(cells)} |"


def _whole(spread: Spread) -> str:
    return f"{spread.median:.0f} ({spread.least:.0f}–{spread.greatest:.0f})"


def _targets(lines: list[Line]) -> Iterable[str]:
    """Compare the targets with the results."""
    ours = [line for line in _of(lines, "sweep") if line["side"] == "ours"]
    one = {line["epsilon"]: line for line in ours if line["data"] == "ratio 1"}
    if not one:
        return
    yield "| asked | is | |"
    yield "|---|---|---|"
    for epsilon, most in TARGETS.items():
        is_ = one[epsilon]["bytes"]
        yield _held(f"≤ {spaced(most)} bytes at ε = {epsilon:g}, ρ = 1", spaced(is_), is_ <= most)
    slowest = max(ours, key=lambda line: Spread.of(line["quantile_ns"]).median)
    ns = Spread.of(slowest["quantile_ns"]).median
    yield _held(
        "a quantile of any version in less than 1 µs",
        f"{ns:.0f} ns at worst ({_where(slowest)})",
        ns < NANOSECONDS,
    )
    least = min(ours, key=lambda line: Spread.of(line["updates_per_s"]).median)
    rate = Spread.of(least["updates_per_s"]).median
    yield _held(
        "≥ 1 M changes/s of one core", f"{rate / 1e6:.2f} M/s at worst ({_where(least)})", rate >= RATE
    )
    broken = sum(
        line["violations"] for line in lines if line.get("side", "ours") == "ours" and "violations" in line
    )
    yield _held("0 violations", str(broken), broken == 0)


def _where(line: Line) -> str:
    return f"{name_of(line['data'])}, ε = {line['epsilon']:g}"


def _held(asked: str, is_: str, holds: bool) -> str:
    return f"| {asked} | {is_} | {'' if holds else 'missed'} |"


def _budgets(lines: list[Line]) -> Iterable[str]:
    yield (
        "About the least ε of each side that fits some bytes, as the paper holds them against each other (figures 7, 8, 10 and 11):"
    )
    yield ""
    yield "| data | bytes at most | side | ε | bytes | error, mean | error, greatest | certified | violations |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for line in _of(lines, "budgets"):
        cells = [
            name_of(line["data"]),
            f"{spaced(line['budget'])} kB",
            line["side"],
            f"{line['epsilon']:.3g}",
            spaced(line["bytes"]),
            f"{line['error']:.5f}",
            f"{line['worst']:.5f}",
            f"{line['certified']:.5f}" if line["side"] == "ours" else "",
            f"{line['violations']} of {spaced(line['answers'])}",
        ]
        yield f"| {' | '.join(cells)} |"


def _checks(lines: list[Line]) -> Iterable[str]:
    yield (
        "Small random histories against brute force, with equal values and down to nothing, at each of their versions:"
    )
    yield ""
    yield "| side | ε | histories | answers | violations |"
    yield "|---|---|---|---|---|"
    for line in _of(lines, "check"):
        yield (
            f"| {line['side']} | {line['epsilon']:g} | {line['histories']} | {spaced(line['answers'])} | {line['violations']} |"
        )


def _merged(lines: list[Line]) -> Iterable[str]:
    yield "Parts by the hash of the value, ρ = 1, merged:"
    yield ""
    yield "| ε | parts | bytes | × one part's | error, greatest | certified | violations |"
    yield "|---|---|---|---|---|---|---|"
    merged = _of(lines, "merged")
    for line in merged:
        one = next(m for m in merged if m["epsilon"] == line["epsilon"] and m["parts"] == 1)
        yield (
            f"| {line['epsilon']:g} | {line['parts']} | {spaced(line['bytes'])} | {line['bytes'] / one['bytes']:.1f} | "
            f"{line['worst']:.5f} | {line['certified']:.5f} | {line['violations']} |"
        )
    for line in _of(lines, "large"):
        yield ""
        yield (
            f"{spaced(line['alive'])} values alive at ε = 0.01: {spaced(line['bytes'])} bytes stored, "
            f"{line['memory_a_value']} bytes of memory a value while it is built; {line['inserts_per_s'] / 1e6:.2f} M inserts/s, then "
            f"{line['updates_per_s'] / 1e6:.2f} M changes/s."
        )


if __name__ == "__main__":
    main()
