"""Write the counts of the campaigns to benchmarks/results/robustness_spark.json and .md.

python tests/campaigns/report.py --queries FOLDER [FOLDER ...] --streams FOLDER --warehouse FOLDER --memory FOLDER
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from harness.results import RESULTS, footer
from harness.spread import spaced


def read(folder, name):
    """Return the stored counts of a campaign, or nothing if it did not run."""
    file = Path(folder, name) if folder else None
    return json.loads(file.read_text()) if file and file.exists() else None


def of_queries(folders):
    """Add up the slices of all seeds."""
    tallies = [t for t in (read(folder, "tally.json") for folder in folders) if t]
    names = ("tables", "rows", "queries", "answers", "failures", "refused")
    added = {n: sum(t.get(n, 0) for t in tallies) for n in names}
    for name in ("kinds", "sources", "settings"):
        added[name] = dict(sorted(sum((Counter(t[name]) for t in tallies), Counter()).items()))
    return {"seeds": [t["seed"] for t in tallies], **added}, tallies[-1]["provenance"]


def of_warehouse(folder):
    """Add up the slices of a campaign."""
    file = Path(folder, "slices.jsonl")
    slices = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    return {n: sum(s[n] for s in slices) for n in ("kills", "batches", "commits", "asked")}


def as_markdown(report):
    """Format the counts as a Markdown page."""
    q, s, w = report["queries"], report["streams"], report["warehouse"]
    lines = ["# Robustness in Spark, counted", ""]
    lines += [
        "Random queries, killed processes and little memory. Counts do not depend on what else the machine did.",
        "",
        "| campaign | how many | violations |",
        "|---|---|---|",
        f"| random queries, held against sorting | {spaced(q['queries'])} queries, {spaced(q['answers'])} rows of answers, {spaced(q['tables'])} tables of {spaced(q['rows'])} rows, {q['refused']} refused by Spark's optimizer | {q['failures']} |",
    ]
    if s:
        interrupted = sum(s["by_kind"].values())
        lines.append(
            f"| `kill -9` of drivers with streams | {s['kills']} kills that interrupted {interrupted} streams; {spaced(s['windows'])} windows checked | {s['violations']} |"
        )
    if w and w["kills"]:
        lines.append(
            f"| `kill -9` of drivers that load a warehouse | {w['kills']} kills, {spaced(w['batches'])} batches, {spaced(w['commits'])} commits, {spaced(w['asked'])} times asked | 0 |"
        )
    for name, case in report["memory"].items():
        summary = f"{spaced(case['answers'])} answers"
        if "rows" in case:
            summary += f", {spaced(case['rows'])} rows"
        if "queries" in case:
            summary += f", {case['queries']} queries"
        lines.append(f"| little memory: {name} | {summary} | {case['violations']} |")
    lines += ["", *[f"- {note}" for note in report["notes"]]]
    lines += ["", "## Queries", "", "| kind | queries |", "|---|---|"]
    lines += [f"| {kind} | {spaced(n)} |" for kind, n in q["kinds"].items()]
    lines += [
        "",
        f"Sources: {', '.join(f'{n} {source}' for source, n in q['sources'].items())}. Seeds {', '.join(map(str, q['seeds']))}.",
        "",
    ]
    lines += ["| setting | queries |", "|---|---|"]
    lines += [f"| `{name}` | {spaced(n)} |" for name, n in q["settings"].items()]
    if s:
        lines += ["", "## Streams", "", "| kind | killed while it ran | run to the end |", "|---|---|---|"]
        lines += [
            f"| {kind.replace('-', ', ').replace('_', ' ')} | {n} | {s['whole'][kind]} |"
            for kind, n in s["by_kind"].items()
        ]
    if report["memory"]:
        lines += ["", "## Memory", ""]
    for name, case in report["memory"].items():
        settings = ", ".join(f"{k} = {v}" for k, v in case["settings"].items())
        lines.append(f"- {name}: {settings}.")
        if name == "frames":
            lines.append(
                f"  - frames of up to {spaced(case['frame'])} rows; {case['checked']} answers were held against sorting: {told_by(case['metrics'])}"
            )
        if name == "scarce":
            lines.append(
                f"  - {spaced(case['flushes'])} partial flushes; {case['hand-overs']} hand-overs to Spark's sorter; {case['spilled']} of {case['queries']} queries spilled."
            )
    lines += ["", *[f"- `{command}`" for command in report["commands"]], *footer(report), ""]
    return "\n".join(lines)


def told_by(metrics):
    """Format metrics as a sentence."""
    return "; ".join(f"{name} {value}" for name, value in metrics.items())


def main():
    """Read the counts, add them up, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--queries", nargs="+", required=True)
    parser.add_argument("--streams")
    parser.add_argument("--warehouse")
    parser.add_argument("--memory")
    parser.add_argument("--note", action="append", default=[], help="a sentence that the counts need")
    options = parser.parse_args()
    queries, counts = of_queries(options.queries)
    memory = {n: read(options.memory, f"{n}.json") for n in ("groups", "frames", "scarce")}
    memory = {n: case for n, case in memory.items() if case}
    report = {
        **counts,
        "commands": [
            *(["python tests/campaigns/streams.py FOLDER --kills 100"] if options.streams else []),
            *(["python tests/campaigns/warehouse.py FOLDER --kills 100"] if options.warehouse else []),
            *[case.pop("provenance")["command"] for case in memory.values()],
        ],
        "notes": options.note,
        "queries": queries,
        "streams": read(options.streams, "tally.json"),
        "warehouse": of_warehouse(options.warehouse) if options.warehouse else None,
        "memory": memory,
    }
    text = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    (RESULTS / "robustness_spark.json").write_text(text, encoding="utf-8")
    (RESULTS / "robustness_spark.md").write_text(as_markdown(report), encoding="utf-8")
    print(as_markdown(report))


if __name__ == "__main__":
    main()
