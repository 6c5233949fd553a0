"""Draw the p50 and p99 of departure delays over the thirty days before any hour of 2013."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import chronosketch as cs
import pandas as pd
from chronosketch import functions as cf
from chronosketch.demo import THEMES, dress, load
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from chronosketch.demo import Theme
    from pyspark.sql import DataFrame, SparkSession

PHIS = [0.5, 0.99]


def delays(spark: SparkSession) -> DataFrame:
    """Return each flight's delay in minutes. It counts from departure until thirty days later."""
    raw = load()[["scheduled", "dep_delay"]].dropna()
    raw["left"] = raw["scheduled"] + pd.to_timedelta(raw["dep_delay"].astype("int64"), unit="min")
    made = spark.createDataFrame(raw[["dep_delay", "left"]])
    left = F.col("left").cast("timestamp_ntz")
    delay = F.col("dep_delay").cast("int").alias("delay")
    return made.select(delay, left.alias("since"), (left + F.expr("INTERVAL 30 DAYS")).alias("until"))


def history_of(delays: DataFrame) -> DataFrame:
    """Return one history of all delays."""
    return delays.agg(cf.history_sketch_agg("delay", "since", epsilon=0.002, until="until").alias("history"))


def over_time(history: DataFrame, moments: DataFrame) -> DataFrame:
    """Return the quantiles and their bounds at each moment of a table."""
    then = cf.sketch_at_version("history", "moment")
    return history.crossJoin(moments).select(
        "moment",
        cf.sketch_quantile(then, PHIS, "int").alias("answers"),
        cf.sketch_quantile_bounds(then, PHIS, "int").alias("bounds"),
    )


def exact(delays: DataFrame, moments: DataFrame) -> DataFrame:
    """Return the same quantiles exactly, by sorting the delays that count at each moment."""
    there = delays.join(moments, (F.col("since") <= F.col("moment")) & (F.col("until") > F.col("moment")))
    sorted_out = F.expr(f"percentile_disc(array({PHIS[0]}, {PHIS[1]})) WITHIN GROUP (ORDER BY delay)")
    return there.groupBy("moment").agg(sorted_out.alias("exact"))


def moments(spark: SparkSession, step: str) -> DataFrame:
    """Return moments of the year, from its thirty-first day on."""
    return spark.sql(
        "SELECT explode(sequence(TIMESTAMP_NTZ'2013-01-31 00:00', TIMESTAMP_NTZ'2013-12-31 18:00', "
        f"INTERVAL {step})) AS moment"
    )


def draw(answers: DataFrame, sorted_out: DataFrame, folder: Path) -> list[Path]:
    """Draw both quantiles with their bounds and the exact ones, one picture for each theme."""
    rows, dots = answers.orderBy("moment").collect(), sorted_out.orderBy("moment").collect()
    return [_draw(rows, dots, theme, folder / f"history-{theme.name}.png") for theme in THEMES]


def _draw(rows, dots, theme: Theme, file: Path) -> Path:
    figure = Figure(figsize=(9, 4.2), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(figure)
    # Two panels: p50 is a few minutes, and p99 is hours.
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    when = [row.moment for row in rows]
    panels = ((lower, 0, "p50", theme.lines[0]), (upper, 1, "p99", theme.lines[2]))
    for axes, i, name, colour in panels:
        low, high = [row.bounds[i].low for row in rows], [row.bounds[i].high for row in rows]
        axes.fill_between(when, low, high, color=colour, alpha=0.3, linewidth=0)
        axes.plot(when, [row.answers[i] for row in rows], color=colour, linewidth=1.4)
        axes.plot(
            [row.moment for row in dots], [row.exact[i] for row in dots], "o", color=theme.ink, markersize=2.8
        )
        axes.set_ylabel(f"{name}, minutes", color=colour, fontweight="bold")
        axes.set_facecolor(theme.page)
        dress(axes, theme)
    upper.set_title(
        "Departure delays of the thirty days before, at any hour: bounds, answers, and exact values (dots)",
        color=theme.ink,
        fontsize=11,
        loc="left",
    )
    figure.savefig(file, metadata={"Software": None})
    return file


if __name__ == "__main__":
    spark = cs.session("delays over time").getOrCreate()
    known = delays(spark).cache()
    history = history_of(known).cache()
    history.select(F.length("history").alias("bytes")).show()
    answers = over_time(history, moments(spark, "3 HOURS"))
    for file in draw(answers, exact(known, moments(spark, "7 DAYS")), Path()):
        print(f"wrote {file}")
