"""Draw how far the days of the page on drift are from their reference week, with bounds and exact values."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import chronosketch as cs
import numpy as np
from chronosketch.demo import THEMES, dress
from chronosketch.sql_text import split_statements
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from chronosketch.demo import Theme
    from pyspark.sql import DataFrame, SparkSession

PAGE = Path(__file__).resolve().parents[1] / "docs" / "drift.md"
REFERENCE_DAYS, FIRST_DRIFTED = 7, 21
LOOK, ACT = 0.1, 0.25


class Exact(NamedTuple):
    """The exact index and distance of a day."""

    day: int
    psi: float
    ks: float


def run_page(spark: SparkSession, page: Path = PAGE) -> None:
    """Run the first block of the page: it makes the rows and the sketches, and compares them."""
    block = re.search(r"```sql\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    assert block is not None
    for statement in split_statements(block[1]):
        spark.sql(statement)


def compared(spark: SparkSession) -> DataFrame:
    """Return the index and the distance of each day with their bounds."""
    return spark.sql("SELECT day, psi, ks FROM compared ORDER BY day")


def exact(spark: SparkSession) -> list[Exact]:
    """Return the exact index and distance of each day, from its rows, over the bins of the sketches."""
    rows = spark.table("requests").toPandas()
    edges = spark.sql(
        "SELECT sketch_quantile(reference, transform(sequence(1, 9), i -> i / 10)) AS q FROM compared LIMIT 1"
    ).first()["q"]
    values = {day: np.sort(some["latency_ms"].to_numpy()) for day, some in rows.groupby("day")}
    reference = np.sort(np.concatenate([values[day] for day in range(REFERENCE_DAYS)]))
    return [
        Exact(day, _psi(reference, values[day], edges), _ks(reference, values[day]))
        for day in sorted(values)
        if day >= REFERENCE_DAYS
    ]


def _shares(values: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the shares of sorted values at or below each point."""
    return np.searchsorted(values, points, side="right") / len(values)


def _psi(a: np.ndarray, b: np.ndarray, edges: list[float]) -> float:
    p, q = (np.diff([0.0, *_shares(values, np.array(edges)), 1.0]) for values in (a, b))
    return float(np.sum((p - q) * np.log(p / q)))


def _ks(a: np.ndarray, b: np.ndarray) -> float:
    points = np.concatenate([a, b])
    return float(np.max(np.abs(_shares(a, points) - _shares(b, points))))


def draw(answers: DataFrame, truth: list[Exact], folder: Path) -> list[Path]:
    """Draw both with their bounds and the exact values, one picture for each theme."""
    rows = answers.collect()
    return [_draw(rows, truth, theme, folder / f"drift-{theme.name}.png") for theme in THEMES]


def _draw(rows, truth: list[Exact], theme: Theme, file: Path) -> Path:
    figure = Figure(figsize=(9, 4.2), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(figure)
    upper, lower = figure.subplots(2, 1, sharex=True)
    days = [row.day for row in rows]
    panels = (
        (upper, "sketch_psi", theme.lines[2], [(r.psi.value, r.psi.low, r.psi.high) for r in rows]),
        (lower, "sketch_ks", theme.lines[1], [(r.ks.distance, r.ks.low, r.ks.high) for r in rows]),
    )
    for axes, name, colour, answers in panels:
        value, low, high = zip(*answers, strict=True)
        axes.fill_between(days, low, high, color=colour, alpha=0.3, linewidth=0)
        axes.plot(days, value, color=colour, linewidth=1.4)
        dots = [one.psi if axes is upper else one.ks for one in truth]
        axes.plot([one.day for one in truth], dots, "o", color=theme.ink, markersize=2.8)
        axes.axvline(FIRST_DRIFTED - 0.5, color=theme.ink, linewidth=0.8, linestyle=":")
        axes.set_ylabel(name, color=colour, fontweight="bold")
        axes.set_facecolor(theme.page)
        axes.set_ylim(bottom=0)
        dress(axes, theme)
    for threshold, name in ((LOOK, "look"), (ACT, "act")):
        upper.axhline(threshold, color=theme.ink, linewidth=0.8, linestyle="--")
        upper.annotate(
            name,
            (days[0], threshold),
            xytext=(0, 3),
            textcoords="offset points",
            color=theme.ink,
            fontsize=9,
        )
    lower.set_xlabel("day", color=theme.ink)
    lower.set_xticks(days)
    upper.set_title(
        "Days beside the reference week: bounds, answers, exact values (dots). From day 21 on 4 % more a day",
        color=theme.ink,
        fontsize=10.5,
        loc="left",
    )
    figure.savefig(file, metadata={"Software": None})
    return file


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        spark = cs.session("drift").config("spark.sql.warehouse.dir", folder).getOrCreate()
        run_page(spark)
        for file in draw(compared(spark), exact(spark), Path()):
            print(f"wrote {file}")
