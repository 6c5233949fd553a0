"""Collects the counts of campaigns: writes results/robustness.json and results/robustness.md.

    ./sbt "core/Test/runMain chronosketch.CertificateCampaign 100000" >log
    python benchmarks/robustness.py log

A campaign is run by hand, in slices: each begins with the case after the last one, and prints its counts as a line of JSON.
This program adds the lines of logs to the stored counts. Cases that were counted before are not counted again.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from harness.results import RESULTS, TOP, commit, cpu, memory_gib

STORED = RESULTS / "robustness.json"

#: What each campaign does, and its command.
CAMPAIGNS = {
    "hostile bytes": (
        "Stored sketches of all families, changed at random: bits, bytes, numbers set to extremes, pieces of other sketches, ends that are "
        "missing. Two thirds have a length and a checksum that fit. The JVM opens them. What it accepts must answer, merge and be stored again. Opening "
        "bytes may allocate 64 times their length and 128 KiB.",
        './sbt "core/Test/runMain chronosketch.codec.HostileBytesCampaign 1000000"',
    ),
    "hostile bytes, Python beside the JVM": (
        "The same bytes in Python, without a JVM. It must accept and refuse the same, under the same condition.",
        "python tests/campaigns/hostile_bytes.py cases.bin",
    ),
    "certificates": (
        "Random sketches held against sorted data. The exact answer must lie in the bounds. The error may be at most the certified one, which may "
        "be at most ε. A quantile sketch has 0 to 100 000 values, mostly fewer than 1 000, and an ε of 0 or from 1e-4 to 0.5. It is inserted, "
        "merged, stored and read in random ways.",
        './sbt "core/Test/runMain chronosketch.CertificateCampaign 100000"',
    ),
    "tails": (
        "Random quantile sketches with a tail held against sorted data, as in the campaign above, of up to 1 000 merged parts. The error at each "
        "rank may be at most ε of the values from there to the end of the tail, and at most the certified one.",
        './sbt "core/Test/runMain chronosketch.quantile.TailCampaign 100000"',
    ),
    "comparisons": (
        "Distances of random pairs of summaries held against exact ones: Kolmogorov–Smirnov, Wasserstein and the population stability index, "
        "of quantile sketches, sketches of a tail, ddsketches, windows, versions and histograms, of one distribution or two. The exact one must "
        "lie in the bounds.",
        './sbt "core/Test/runMain chronosketch.comparison.ComparisonCampaign 100000"',
    ),
    "coverage": (
        "Simulated experiments: samples of 50 to 2 000 rows, lognormal or with four values only, and 50 to 500 users with 1 to 1 000 rows each. "
        "The intervals of a quantile, and of the difference of two, are compared with the populations'. A share may be below the confidence by "
        "half a point. Samples of fewer than 100 rows or users, n < 100, are counted by themselves, too.",
        './sbt "core/Test/runMain chronosketch.comparison.CoverageCampaign 100000"',
    ),
    "fuzzing guided by coverage": (
        "Jazzer looks for bytes that break the decoder of the JVM. It starts from the golden files, and tries each input twice: as it is, "
        "and with a length and a checksum that fit.",
        "python tests/campaigns/fuzz_decoder.py --seconds 3600 --jars FOLDER",
    ),
    "restarts": (
        "Streams that are stopped, and started again as another query: other aggregates, keys, windows, output modes or state stores, at "
        "random. If the new query is compatible the stream must go on, with the answers that a table gives. Else it goes on or is refused "
        "under a named condition.",
        './sbt "spark/Test/runMain chronosketch.spark.state.RestartCampaign 300"',
    ),
}

#: The faults that campaigns found, and how they were resolved.
FOUND = (
    "A stored pane of few bytes, with huge counts and a budget, took any memory when it was finished. Changed bytes found it. It is refused "
    "now, with `CHRONOSKETCH_PANES_KEEP_TOO_MUCH`.",
    "A stored DDSketch of FLOAT could have a bin between the greatest number and infinity. Asking it was an exception in the JVM, and had "
    "no end in Python. Jazzer found it. It is refused as corrupt now.",
    "A sketch whose stored ε was -0.0 opened, and then failed with a division by zero where it had many values: 6 of the failures. Changed bytes "
    "found it, and SQL could ask for it. A parameter of -0.0 is one of 0.0 now. The six cases pass on commit 2a2d085.",
    "One failure was the campaign's own: of a history whose versions are further apart than 63 bits it asked for a version that it computed "
    "wrongly, and was refused.",
)

#: Counts that are combined by their maximum.
GREATEST = (
    "slowest case, ms",
    "most bytes allocated",
    "most beyond 64 a byte",
    "edges reached",
    "features reached",
    "inputs kept",
)
#: Counts of intervals, and of those that contain the population's number.
INTERVALS, CONTAIN = "intervals", "contain"
#: Fields of a run that are not counts.
OF_A_RUN = (
    *("campaign", "seed", "first", "jazzer", "java"),
    *("date", "commit", "chronosketch", "python", "machine"),
)


def main() -> None:
    """Add the lines of the logs, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("logs", type=Path, nargs="*")
    parser.add_argument(
        "--commit", help="of the sources that ran, where it is not the one that is checked out"
    )
    args = parser.parse_args()
    runs: list[dict[str, Any]] = json.loads(STORED.read_text())["runs"] if STORED.exists() else []
    for log in args.logs:
        for line in log.read_text().splitlines():
            found = line[line.index("{") :] if '{"campaign"' in line else ""
            if found:
                add(runs, {**json.loads(found), **provenance(args.commit)})
    STORED.write_text(json.dumps({"runs": runs}, indent=2, ensure_ascii=False) + "\n")
    page = markdown(runs)
    (RESULTS / "robustness.md").write_text(page)
    print(page)


def provenance(commit_: str | None) -> dict[str, Any]:
    """Return the sources and the machine of the counts."""
    return {
        "date": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "commit": commit_ or commit(),
        "chronosketch": (TOP / "VERSION").read_text().strip(),
        "python": platform.python_version(),
        "machine": {"cpu": cpu(), "cores": os.cpu_count(), "memory_gib": memory_gib()},
    }


def add(runs: list[dict[str, Any]], run: dict[str, Any]) -> None:
    """Add a run unless its cases have been counted."""
    for kept in runs:
        if "first" in run and all(kept.get(k) == run.get(k) for k in ("campaign", "seed", "commit")):
            apart = (
                run["first"] >= kept["first"] + kept["cases"] or kept["first"] >= run["first"] + run["cases"]
            )
            if not apart:
                print(f"{run['campaign']}: cases from {run['first']} on are kept already")
                return
    runs.append(run)


def summed(one: Any, other: Any, name: str = "") -> Any:
    """Add the counts of two runs."""
    if isinstance(one, dict) or isinstance(other, dict):
        names = sorted({**(one or {}), **(other or {})})
        return {name: summed((one or {}).get(name), (other or {}).get(name), name) for name in names}
    if one is None or other is None:
        return one if other is None else other
    return max(one, other) if name in GREATEST else one + other


def markdown(runs: list[dict[str, Any]]) -> str:
    """Write the page with the counts of all runs."""
    lines = [
        "# Robustness, counted",
        "",
        "These campaigns run by hand, in slices. What is here is how many cases ran and what became of them. A failure is an exception that "
        "is no named refusal, an answer outside its bounds, an error above its certificate, a case without an end, or memory that the input "
        "does not explain. None is allowed; what there was is explained below.",
        "",
        "| campaign | cases | failures | slowest case |",
        "|---|---|---|---|",
    ]
    totals: dict[str, dict[str, Any]] = {}
    for run in sorted(runs, key=lambda run: list(CAMPAIGNS).index(run["campaign"])):
        counted = {name: value for name, value in run.items() if name not in OF_A_RUN}
        totals[run["campaign"]] = summed(totals.get(run["campaign"], {}), counted)
    for name, total in totals.items():
        slowest = f"{total['slowest case, ms']} ms" if "slowest case, ms" in total else ""
        lines.append(f"| {name} | {total['cases']:,} | {total['failures']} | {slowest} |")
    lines += ["", "## What they found", "", *(f"- {text}" for text in FOUND)]
    for name, total in totals.items():
        text, command = CAMPAIGNS[name]
        lines += ["", f"## {name[0].upper()}{name[1:]}", "", text, ""]
        lines += [f"- `{command}`", *run_lines([run for run in runs if run["campaign"] == name])]
        lines += details(total)
    return "\n".join(lines) + "\n"


def run_lines(runs: list[dict[str, Any]]) -> list[str]:
    """Write where the runs of a campaign were made, grouped by commit."""
    lines = []
    for commit_, date in dict.fromkeys((run["commit"], run["date"]) for run in runs):
        own = [run for run in runs if (run["commit"], run["date"]) == (commit_, date)]
        first, machine = own[0], own[0]["machine"]
        seed = f", seed {first['seed']}" if "seed" in first else ""
        java = f", {first['java']}" if "java" in first else f", Python {first['python']}"
        tool = f", Jazzer {first['jazzer']}" if "jazzer" in first else ""
        seconds = sum(run["seconds"] for run in own)
        lines.append(
            f"- {date}, commit {commit_}{seed}: {sum(run['cases'] for run in own):,} cases, {sum(run['failures'] for run in own)} failures, "
            f"{seconds} s, slices: {len(own)}; "
            f"chronosketch {first['chronosketch']}{java}{tool}; {machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB"
        )
    return lines


def details(total: dict[str, Any]) -> list[str]:
    """Write the other counts of a campaign."""
    lines: list[str] = []
    simple = {
        name: n
        for name, n in total.items()
        if not isinstance(n, dict) and name not in ("cases", "failures", "seconds", "slowest case, ms")
    }
    if simple:
        lines += ["", *(f"- {name}: {n:,}" for name, n in simple.items())]
    if INTERVALS in total:
        lines += ["", *coverage(total[INTERVALS], total[CONTAIN])]
    for name, counts in total.items():
        if isinstance(counts, dict) and name not in (INTERVALS, CONTAIN):
            nested = all(isinstance(n, dict) for n in counts.values())
            lines += ["", *(table(counts) if nested else flat(name, counts))]
    return lines


def coverage(intervals: dict[str, int], contain: dict[str, int]) -> list[str]:
    """Write the shares of the intervals that contain the population's number, a column for each confidence."""
    split = {name: tuple(name.rsplit(", ", 1)) for name in intervals}
    confidences = sorted({confidence for _, confidence in split.values()})
    lines = [f"| intervals of | {' | '.join(confidences)} |", "|---" * (len(confidences) + 1) + "|"]
    for what in sorted({what for what, _ in split.values()}, reverse=True):
        cells = [f"{what}, {confidence}" for confidence in confidences]
        shares = [f"{100 * contain[cell] / intervals[cell]:.2f} % of {intervals[cell]:,}" for cell in cells]
        lines.append(f"| {what} | {' | '.join(shares)} |")
    return lines


def flat(name: str, counts: dict[str, int]) -> list[str]:
    """Write counts as a table of two columns."""
    return [f"| {name} | cases |", "|---|---|", *(f"| {plain(what)} | {n:,} |" for what, n in counts.items())]


def table(counts: dict[str, dict[str, int]]) -> list[str]:
    """Write a table with the counts of each family as a row."""
    columns = sorted(
        {what for row in counts.values() for what in row}, key=lambda what: (what != "accepted", what)
    )
    lines = [f"| changed | {' | '.join(map(plain, columns))} |", "|---" * (len(columns) + 1) + "|"]
    for name, row in sorted(counts.items()):
        lines.append(f"| {name} | {' | '.join(f'{row.get(what, 0):,}' for what in columns)} |")
    return lines


def plain(what: str) -> str:
    """Remove the common prefix of conditions."""
    return what.removeprefix("CHRONOSKETCH_")


if __name__ == "__main__":
    main()
