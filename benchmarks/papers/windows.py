"""Compares windows from one stored sketch with the paper's nested sketches, and redraws the paper's figures.

    python benchmarks/papers/windows.py         # 3 rounds, about 5 minutes on an idle machine

It needs no Spark. The paper is Xu, Lin and Zhou, Space efficient quantile summary for constrained sliding windows, 2004, §5.
``benchmarks/spark_window.py`` measures windows in Spark.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronosketch.demo import THEMES, dress
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for the harness

from harness.jvm_tools import sbt
from harness.results import RESULTS, commit, cpu, memory_gib
from harness.spread import spaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.demo import Theme
    from matplotlib.axes import Axes

    Point = dict[str, Any]


NAME = "windows"
# The required insertions per second, which are those of the paper's machine.
TARGET = 2_000_000
# The required rows per second for a sketch of millions of rows.
LONG_TARGET = 30_000_000


def main() -> None:
    """Measure, print and store."""
    options = parse()
    lines = sbt(f"bench/runMain chronosketch.bench.windows.Windows {options.rounds}").splitlines()
    sizes = [json.loads(line[line.index("{") :]) for line in lines if '{"what"' in line]
    lines = sbt("bench/runMain chronosketch.bench.windows.WindowFigures").splitlines()
    points = [json.loads(line[line.index("{") :]) for line in lines if '{"figure"' in line]
    lines = sbt("bench/runMain chronosketch.bench.windows.WindowInserts").splitlines()
    steps = [json.loads(line[line.index("{") :]) for line in lines if '{"step"' in line]
    report = {
        "command": f"python benchmarks/papers/windows.py --rounds {options.rounds}",
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


_STYLES = ("-", "--", ":")
_TITLES = {
    "5a": "5(a) error by quantile, two windows",
    "5b": "5(b) error by quantile, three streams",
    "8a": "8(a) words, windows of time",
    "8b": "8(b) words, the last N rows, 60 % kept",
    "6a": "6(a) tuples by the longest window, ε = 0.05",
    "6b": "6(b) tuples by ε",
    "7a": "7(a) nanoseconds an insertion",
}


def draw(points: Sequence[Point], folder: Path, name: str) -> list[Path]:
    """Draw all figures, once per theme."""
    return [_draw(points, theme, folder / f"{name}-{theme.name}.png") for theme in THEMES]


def _draw(points: Sequence[Point], theme: Theme, file: Path) -> Path:
    canvas = Canvas(figsize=(11, 9.5), dpi=110, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(canvas)
    panels = canvas.subplots(3, 3).flatten()
    for axes, figure in zip(panels, _TITLES, strict=False):
        of = [point for point in points if point["figure"] == figure]
        if "error" in of[0]:
            _errors(axes, of, theme)
        elif "greatest" in of[0]:
            _space(axes, of, theme)
        else:
            _times(axes, of, theme)
        axes.set_title(_TITLES[figure], color=theme.ink, fontsize=9.5, loc="left")
        axes.set_facecolor(theme.page)
        dress(axes, theme, grid="y")
        axes.tick_params(which="both", length=0, labelsize=8)
        axes.legend(frameon=False, labelcolor=theme.ink, fontsize=7)
    for axes in panels[len(_TITLES) :]:
        axes.remove()
    canvas.savefig(file, metadata={"Software": None})
    return file


def _colour(side: str, theme: Theme) -> str:
    return theme.lines[1] if side == "ours" else theme.ink


def _errors(axes: Axes, points: Sequence[Point], theme: Theme) -> None:
    whats = list(dict.fromkeys(point["what"] for point in points))
    for side in dict.fromkeys(point["side"] for point in points):
        for what, style in zip(whats, _STYLES, strict=False):
            of = [point for point in points if (point["what"], point["side"]) == (what, side)]
            axes.plot(
                [point["phi"] for point in of],
                [point["error"] for point in of],
                color=_colour(side, theme),
                linestyle=style,
                linewidth=1.1,
                alpha=1.0 if side == "ours" else 0.55,
                label=f"{side}, {what}",
            )
    axes.axhline(0.05, color=theme.ink, linewidth=0.8)
    axes.set_ylim(0, 0.055)


def _space(axes: Axes, points: Sequence[Point], theme: Theme) -> None:
    whats = list(dict.fromkeys(point["what"] for point in points))
    for side in ("ours", "nested"):
        of = [point for point in points if point["side"] == side]
        for what, style in (("greatest", "-"), ("mean", ":")):
            axes.plot(
                range(len(whats)),
                [point[what] for point in of],
                color=_colour(side, theme),
                linestyle=style,
                marker="o",
                markersize=3,
                linewidth=1.1,
                label=f"{side}, {what}",
            )
    axes.set_xticks(range(len(whats)), whats)
    axes.set_ylim(bottom=0)


def _times(axes: Axes, points: Sequence[Point], theme: Theme) -> None:
    for side in ("nested", "ours"):
        of = [point for point in points if point["side"] == side]
        times = [point["nanoseconds"] for point in of]
        axes.plot(
            [int(point["what"]) / 1000 for point in of],
            times,
            color=_colour(side, theme),
            linewidth=0.8,
            label=f"{side}, median {statistics.median(times):.0f}",
        )
    axes.set_yscale("log")
    axes.set_xlabel("thousand rows inserted", color=theme.ink, fontsize=8)


if __name__ == "__main__":
    main()
