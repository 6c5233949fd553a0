"""Ask a warehouse for quantiles of a year of flights: how wrong they are, and how many rows they read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import chronosketch as cs
import numpy as np
from chronosketch.demo import THEMES, dress, load
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.demo import Theme
    from pyspark.sql import DataFrame, SparkSession

PHIS = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99]
EPSILONS = (0.1, 0.01, 0.001)


class Point(NamedTuple):
    """How many rows were read, and the rank error of the answer as a share of all rows."""

    rows_read: float
    error: float
    certified: float


def flights(spark: SparkSession) -> DataFrame:
    """Return the air speed of each flight in miles per hour, and the quarter of the flight."""
    raw = load()
    made = raw.assign(speed=raw["air_speed"], quarter=(raw["flight_date"].dt.month - 1) // 3 + 1)
    return spark.createDataFrame(made[["speed", "quarter"]].dropna())


def warehouse_of(flights: DataFrame, path: str, epsilon: float) -> cs.warehouse.Warehouse:
    """Make a warehouse with one step for each quarter."""
    made = cs.warehouse.create(flights.sparkSession, path, value="speed", epsilon=epsilon)
    for quarter in range(1, 5):
        made.append(flights.where(f"quarter = {quarter}"), step=quarter)
    return made


def by_window(warehouse: cs.warehouse.Warehouse, spark: SparkSession) -> DataFrame:
    """Return the median and p99 of the last one to four quarters, from summaries, in plain SQL."""
    warehouse.register("speeds")
    return spark.sql(
        """
        SELECT k AS quarters, sketch_count(s) AS n, sketch_quantile(s, array(0.5, 0.99)) AS p50_p99
        FROM (SELECT k, sketch_merge_agg(sketch) AS s FROM speeds_summaries
              JOIN (SELECT explode(sequence(1, 4)) AS k) ON last_step > 4 - k GROUP BY k)
        ORDER BY k
        """
    )


def measured(
    warehouse: cs.warehouse.Warehouse, accuracy: str, truth: np.ndarray, phis: Sequence[float] = PHIS
) -> Point:
    """Ask for quantiles one at a time, compare them with the sorted values, and return the means."""
    answers = [warehouse.quantile(phi, accuracy).first() for phi in phis]
    errors = [rank_error(truth, row.phi, row.value) for row in answers]
    for row, error in zip(answers, errors, strict=True):
        assert error <= row.rank_error, row
    return Point(
        float(np.mean([row.rows_read for row in answers])),
        float(np.mean(errors)) / len(truth),
        float(np.mean([row.rank_error for row in answers])) / len(truth),
    )


def sampled(truth: np.ndarray, rows: int, rng: np.random.Generator) -> Point:
    """Do the same from a sample of n rows. A plain sample certifies nothing."""
    sample = np.sort(rng.choice(truth, rows))
    errors = [rank_error(truth, phi, sample[int(np.ceil(phi * rows)) - 1]) for phi in PHIS]
    return Point(rows, float(np.mean(errors)) / len(truth), 1.0)


def rank_error(truth: np.ndarray, phi: float, value: float) -> int:
    """Count the ranks between a value and the phi-quantile of sorted values."""
    rank = int(np.ceil(round(phi * len(truth), 6)))
    first, last = np.searchsorted(truth, value, "left") + 1, np.searchsorted(truth, value, "right")
    return int(max(0, first - rank, rank - last))


def draw(
    answers: dict[float, tuple[Point, Point]], samples: Sequence[Point], rows: int, folder: Path
) -> list[Path]:
    """Draw quick and accurate answers at each ε, with samples and a full sort. One picture a theme."""
    return [_draw(answers, samples, rows, theme, folder / f"warehouse-{theme.name}.png") for theme in THEMES]


def _draw(answers, samples, rows, theme: Theme, file: Path) -> Path:
    figure = Figure(figsize=(9, 4.4), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(facecolor=theme.page)
    # symlog, because 0 rows and an error of 0 need a place, too
    axes.set_xscale("symlog", linthresh=100, linscale=0.4)
    axes.set_yscale("symlog", linthresh=1e-5, linscale=0.4)
    axes.plot(
        [p.rows_read for p in samples],
        [p.error for p in samples],
        color=theme.grid,
        linewidth=2,
        label="a random sample: no bound",
    )
    kinds = (("quick: summaries alone", 0, theme.lines[2]), ("accurate: a few pages", 1, theme.lines[1]))
    for name, place, colour in kinds:
        of = {epsilon: both[place] for epsilon, both in answers.items()}
        x = [p.rows_read for p in of.values()]
        axes.vlines(x, [p.error for p in of.values()], [p.certified for p in of.values()], colors=colour)
        axes.plot(x, [p.certified for p in of.values()], "_", color=colour, markersize=9)
        axes.plot(x, [p.error for p in of.values()], "o", color=colour, markersize=6, label=name)
        for epsilon, p in of.items():
            axes.annotate(
                f"ε = {epsilon:g}",
                (p.rows_read, p.error),
                xytext=(7, 4) if place == 0 else (2, 7),
                rotation=40 * place,
                textcoords="offset points",
                color=colour,
                fontsize=9,
            )
    axes.plot([rows], [0], "s", color=theme.lines[0], markersize=7, label="exact: a sort of all rows")
    axes.set_xlim(-30, rows * 2)
    axes.set_ylim(-4e-6, 0.1)
    axes.set_xlabel("rows read", color=theme.ink)
    axes.set_ylabel("ranks off, as a share of all rows", color=theme.ink)
    dress(axes, theme)
    axes.set_title(
        f"Seven quantiles of the speeds of {rows:,} flights: dots are errors, bars what is certified",
        color=theme.ink,
        fontsize=11,
        loc="left",
    )
    axes.legend(frameon=False, labelcolor=theme.ink, loc="upper right", fontsize=9)
    figure.savefig(file, metadata={"Software": None})
    return file


if __name__ == "__main__":
    spark = cs.session("a warehouse of flights").getOrCreate()
    known = flights(spark).cache()
    truth = np.sort(known.select("speed").toPandas()["speed"].to_numpy())
    with tempfile.TemporaryDirectory() as folder:
        made = {epsilon: warehouse_of(known, f"{folder}/{epsilon}", epsilon) for epsilon in EPSILONS}
        by_window(made[0.001], spark).show(truncate=False)
        answers = {
            epsilon: (measured(of, "quick", truth), measured(of, "accurate", truth))
            for epsilon, of in made.items()
        }
    for epsilon, both in answers.items():
        for accuracy, point in zip(("quick", "accurate"), both, strict=True):
            print(f"epsilon {epsilon:g}, {accuracy}: {point}")
    rng = np.random.default_rng(16)
    sizes = [int(10**x) for x in np.arange(2, 5.51, 0.125)]
    for file in draw(answers, [sampled(truth, size, rng) for size in sizes], len(truth), Path()):
        print(f"wrote {file}")
