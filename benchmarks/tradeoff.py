"""Measures the tradeoff of ε, bytes and speed: one sketch of the same values at each ε.

Run it with nothing else on the machine::

    python benchmarks/tradeoff.py

It writes ``benchmarks/results/tradeoff.json``, ``.md`` and a picture; ``make reference`` copies the table to docs/tradeoffs.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

from chronosketch.demo import THEMES, dress
from harness.datasets import PHIS, rank_error
from harness.results import RESULTS, footer, load, provenance
from harness.rounds import turns
from harness.sessions import start
from harness.spread import Spread, number, spaced
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from chronosketch.demo import Theme
    from matplotlib.axes import Axes
    from pyspark.sql import SparkSession

NAME = "tradeoff"
EPSILONS = ("0.1", "0.05", "0.02", "0.01", "0.005", "0.002", "0.001", "0.0005", "0.0002", "0.0001", "0.00001")
SCALE = "max(v)"


def main() -> None:
    """Measure, print and store."""
    options = parse()
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        spark = start(folder, "3g")
        command = f"python benchmarks/tradeoff.py --rows {options.rows} --rounds {options.rounds}"
        report: dict[str, Any] = {**provenance(spark, command), "rows": options.rows, "load": load()}
        spark.range(0, options.rows, 1, 8).selectExpr("exp(randn(42)) AS v").write.parquet(f"{folder}/v")
        spark.read.parquet(f"{folder}/v").createOrReplaceTempView("v")
        report["seconds"] = measure(spark, options.rounds)
        report["sketches"] = [{"epsilon": epsilon, **sketch(spark, epsilon)} for epsilon in EPSILONS]
        spark.stop()
    text = "\n".join(markdown(report))
    stored = json.dumps(report, indent=2, ensure_ascii=False) + "\n"
    (RESULTS / f"{NAME}.json").write_text(stored, encoding="utf-8")
    (RESULTS / f"{NAME}.md").write_text(text, encoding="utf-8")
    for theme in THEMES:
        draw(report, theme)
    print(text)


def parse() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def measure(spark: SparkSession, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each aggregate, in turns, after a warm-up round."""
    asked = {SCALE: SCALE, **{epsilon: f"quantile_sketch_agg(v, {epsilon})" for epsilon in EPSILONS}}
    seconds: dict[str, list[float]] = {name: [] for name in asked}
    for nth in range(rounds + 1):
        for name in turns(list(asked), nth):
            began = time.perf_counter()
            spark.sql(f"SELECT {asked[name]} FROM v").write.format("noop").mode("overwrite").save()
            if nth:
                seconds[name].append(time.perf_counter() - began)
        print(f"round {nth} of {rounds}", file=sys.stderr)
    return seconds


def sketch(spark: SparkSession, epsilon: str) -> dict[str, float]:
    """Return the bytes of one sketch, its certified error, and the true error of its answers."""
    phis = f"array({', '.join(PHIS)})"
    row = spark.sql(
        f"SELECT length(s) AS bytes, sketch_rank_error(s) AS certified, sketch_quantile(s, {phis}) AS answers "
        f"FROM (SELECT quantile_sketch_agg(v, {epsilon}) AS s FROM v)"
    ).collect()[0]
    error = rank_error(spark, row["answers"])
    return {"bytes": row["bytes"], "certified": row["certified"], "measured": error}


def markdown(report: dict[str, Any]) -> list[str]:
    """Write the results as a page."""
    rows = report["rows"]
    lines = [
        "# How ε, bytes and speed trade",
        "",
        f"One `quantile_sketch_agg(v, ε)` of {spaced(rows)} lognormal doubles in Parquet. Each round runs all of them in turns: the median, "
        f"and the least and the greatest. The true error is the largest of {len(PHIS)} quantiles, by counting.",
        "",
        "| ε | bytes | certified error | true error | million rows a second | time of `max(v)` |",
        "|---|---|---|---|---|---|",
    ]
    scale = report["seconds"][SCALE]
    for one in report["sketches"]:
        taken = report["seconds"][one["epsilon"]]
        rate = Spread.of([rows / seconds / 1e6 for seconds in taken])
        share = Spread.of([ours / theirs for ours, theirs in zip(taken, scale, strict=True)])
        lines.append(
            f"| {one['epsilon']} | {spaced(one['bytes'])} | {one['certified']:.2g} | {one['measured']:.2g} | {rate} | {number(share.median)} × |"
        )
    return [*lines, "", *footer(report), f"- load before: {report['load']}", ""]


def draw(report: dict[str, Any], theme: Theme) -> None:
    """Draw bytes and rows per second by ε."""
    canvas = Figure(figsize=(9, 3.4), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(canvas)
    left, right = canvas.subplots(1, 2)
    epsilons = [float(one["epsilon"]) for one in report["sketches"]]
    rates = [report["rows"] / Spread.of(report["seconds"][e]).median / 1e6 for e in EPSILONS]
    _line(left, theme, epsilons, [one["bytes"] for one in report["sketches"]], "bytes of a stored sketch")
    left.set_yscale("log")
    _line(right, theme, epsilons, rates, "million rows a second")
    right.set_ylim(0, max(rates) * 1.15)
    canvas.savefig(RESULTS / f"{NAME}-{theme.name}.png", metadata={"Software": None})


def _line(axes: Axes, theme: Theme, x: list[float], y: list[float], title: str) -> None:
    axes.plot(x, y, color=theme.lines[1], marker="o", markersize=4)
    axes.set_facecolor(theme.page)
    axes.set_xscale("log")
    axes.invert_xaxis()
    axes.set_xlabel("ε", color=theme.ink, fontsize=9)
    dress(axes, theme, grid="y")
    axes.set_title(title, color=theme.ink, fontsize=11, loc="left")


if __name__ == "__main__":
    main()
