"""Compares windows from one stored sketch with the paper's nested sketches, and redraws the paper's figures.

    python benchmarks/windows.py         # 3 rounds, about 5 minutes on an idle machine

It needs no Spark. The paper is Xu, Lin and Zhou, Space efficient quantile summary for constrained sliding windows, 2004, §5.
``benchmarks/spark_window.py`` measures windows in Spark.
"""

from __future__ import annotations

import argparse
import json
import statistics
from typing import Any

from harness.provenance import RESULTS, commit, cpu, memory_gib
from harness.sbt import sbt
from harness.spreads import spaced
from harness.window_paper import draw

NAME = "windows"
# The required insertions per second, which are those of the paper's machine.
TARGET = 2_000_000
# The required rows per second for a sketch of millions of rows.
LONG_TARGET = 30_000_000


def main() -> None:
    """Measure, print and store."""
    options = parse()
    lines = sbt(f"bench/runMain chronosketch.bench.Windows {options.rounds}").splitlines()
    sizes = [json.loads(line[line.index("{") :]) for line in lines if '{"what"' in line]
    lines = sbt("bench/runMain chronosketch.bench.WindowFigures").splitlines()
    points = [json.loads(line[line.index("{") :]) for line in lines if '{"figure"' in line]
    lines = sbt("bench/runMain chronosketch.bench.WindowInserts").splitlines()
    steps = [json.loads(line[line.index("{") :]) for line in lines if '{"step"' in line]
    report = {
        "command": f"python benchmarks/windows.py --rounds {options.rounds}",
        "commit": commit(),
        "machine": {"cpu": cpu(), "memory_gib": memory_gib()},
        "sizes": sizes,
        "figures": points,
        "steps": steps,
    }
    text = markdown(report)
    (RESULTS / f"{NAME}.json").write_text(
        json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (RESULTS / f"{NAME}.md").write_text(text, encoding="utf-8")
    draw(points, RESULTS, NAME)
    print(text)


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def markdown(report: dict[str, Any]) -> str:
    """Write the report as a page."""
    sizes, points = report["sizes"], report["figures"]
    lines = [
        "# Windows from one stored summary",
        "",
        f"`{report['command']}`, commit {report['commit']}; {report['machine']['cpu']}, "
        f"{report['machine']['memory_gib']} GiB, one core.",
        "",
        "The stream of the paper's §5: 360 000 uniform rows of 900 s, windows of 300 s and 600 s back from the newest, "
        "quantiles at 1/64 … 63/64. Errors are ranks off, as shares of the rows in the window.",
        "",
        "| ε | side | greatest error | mean error | buckets | tuples | bytes | M rows/s of CPU | × nested's | target |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for epsilon in sorted({line["epsilon"] for line in sizes}, reverse=True):
        both = {side: _of(sizes, side, epsilon) for side in ("disjoint", "nested")}
        for side, name in (("disjoint", "ours"), ("nested", "nested (paper)")):
            lines.append(_row(name, epsilon, both[side], both["nested"] if side == "disjoint" else None))
    lines += [
        "",
        "Merged from parts by the hash of the value, beside one stream in order of time (at most 1.3 × is asked for):",
        "",
        "| ε | parts | buckets | × one stream's | tuples | × one stream's | greatest error | M rows merged/s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for line in sizes:
        if line["what"].endswith(" parts"):
            one = _of(sizes, "disjoint", line["epsilon"])[0]
            lines.append(
                f"| {line['epsilon']:g} | {line['what'].removesuffix(' parts')} | {spaced(line['buckets'])} | "
                f"{line['buckets'] / one['buckets']:.2f} | {spaced(line['tuples'])} | "
                f"{line['tuples'] / one['tuples']:.2f} | {line['greatest_error']:.4f} | "
                f"{line['rows_a_second'] / 1e6:.1f} |"
            )
    lines += [
        "",
        *_steps(report["steps"]),
        *_figures(points),
        f"![The paper's figures 5, 6, 7a and 8, remade]({NAME}-light.png)",
        "",
    ]
    return "\n".join(lines)


def _steps(steps: list[dict[str, Any]]) -> list[str]:
    lines = [
        "What a row costs in a sketch of ε = 0.01 and what becomes of it, in CPU time: 2 million rows of rising times into *one* sketch, and "
        "20 million rows into *many*, 1 000 sketches in each of eight parts, which are stored, opened, united and stored again.",
        "",
        "| step | ns a row | M rows/s | target |",
        "|---|---|---|---|",
    ]
    for step in steps:
        of = step["ns_a_row"]
        target = f"≥ {LONG_TARGET / 1e6:g}" if step["step"] == "one: insert" else ""
        lines.append(f"| {step['step']} | {of:.1f} | {1000 / of:.1f} | {target} |")
    return [*lines, ""]


def _of(sizes: list[dict[str, Any]], side: str, epsilon: float) -> list[dict[str, Any]]:
    return [line for line in sizes if line["what"] == side and line["epsilon"] == epsilon]


def _row(name: str, epsilon: float, rounds: list[dict[str, Any]], other: list[dict[str, Any]] | None) -> str:
    first = rounds[0]
    rate = statistics.median(line["rows_a_second"] for line in rounds)
    times = rate / statistics.median(line["rows_a_second"] for line in other) if other else None
    cells = [
        f"{epsilon:g}",
        name,
        f"{first['greatest_error']:.4f}",
        f"{first['mean_error']:.4f}",
        spaced(first["buckets"]),
        spaced(first["tuples"]),
        spaced(first["bytes"]),
        f"{rate / 1e6:.3g}",
        f"{times:.0f}" if times else "",
        f"≥ 10 ×, ≥ {TARGET / 1e6:g}" if times else "",
    ]
    return f"| {' | '.join(cells)} |"


def _figures(points: list[dict[str, Any]]) -> list[str]:
    lines = [
        "The paper's figures, ε = 0.05 where nothing else is said; its news cannot be had, so words by Zipf's law stand for it:",
        "",
        "| figure | of | side | greatest error | mean error | certified |",
        "|---|---|---|---|---|---|",
    ]
    for figure, what, side in dict.fromkeys(
        (p["figure"], p["what"], p["side"]) for p in points if "error" in p
    ):
        of = [p for p in points if (p["figure"], p["what"], p["side"]) == (figure, what, side)]
        errors = [p["error"] for p in of]
        lines.append(
            f"| {figure} | {what} | {side} | {max(errors):.4f} | {statistics.mean(errors):.4f} | {of[0]['certified']:.4f} |"
        )
    lines += ["", "| figure | of | side | tuples, greatest | tuples, mean |", "|---|---|---|---|---|"]
    lines += [
        f"| {p['figure']} | {p['what']} | {p['side']} | {spaced(p['greatest'])} | {spaced(p['mean'])} |"
        for p in points
        if "greatest" in p
    ]
    lines += [
        "",
        "| figure | side | ns an insertion, median | mean | greatest of 900 at a time |",
        "|---|---|---|---|---|",
    ]
    for side in ("ours", "nested"):
        times = [p["nanoseconds"] for p in points if p["figure"] == "7a" and p["side"] == side]
        lines.append(
            f"| 7a | {side} | {spaced(round(statistics.median(times)))} | {spaced(round(statistics.mean(times)))} | "
            f"{spaced(round(max(times)))} |"
        )
    return [*lines, ""]


if __name__ == "__main__":
    main()
