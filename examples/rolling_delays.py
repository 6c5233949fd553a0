"""Draw the p50 and p99 of departure delays over the last seven days, at every flight of 2013."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import chronosketch as cs
from chronosketch import functions as cf
from chronosketch.demo import THEMES, dress, load
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pyspark.sql import Window
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from chronosketch.demo import Theme
    from pyspark.sql import DataFrame, SparkSession

DAY = 24 * 60 * 60


def flights(spark: SparkSession) -> DataFrame:
    """Return each flight's airport, scheduled hour and delay in minutes. A cancelled flight has NULL."""
    raw = load()[["origin", "flight_date", "hour", "dep_delay"]]
    raw["dep_delay"] = raw["dep_delay"].astype("float64")
    raw["hour"] = raw["hour"].astype("int64")
    made = spark.createDataFrame(raw)
    hour = (F.unix_timestamp("flight_date") + F.col("hour") * 3600).cast("timestamp")
    # pandas writes a missing number as NaN, which would count as the longest delay
    delay = F.nanvl("dep_delay", F.lit(None)).cast("int")
    return made.select("origin", hour.alias("scheduled"), delay.alias("delay"))


def rolling_delays(delays: DataFrame) -> DataFrame:
    """Return the exact p50 and p99 for every flight: of its airport, over the seven days before it."""
    week = Window.partitionBy("origin").orderBy(F.unix_timestamp("scheduled")).rangeBetween(-7 * DAY, 0)
    return delays.withColumn("p50_p99", cf.approx_quantile("delay", [0.5, 0.99]).over(week))


def draw(rolling: DataFrame, folder: Path) -> list[Path]:
    """Draw p99 by airport, one picture for each theme. Each day shows the answer at its last flight."""
    last = F.max_by("p50_p99", "scheduled")
    days = (
        rolling.groupBy("origin", F.to_date("scheduled").alias("day"))
        .agg(last[0].alias("p50"), last[1].alias("p99"))
        .orderBy("origin", "day")
        .toPandas()
    )
    return [_draw(days, theme, folder / f"rolling-{theme.name}.png") for theme in THEMES]


def _draw(days, theme: Theme, file: Path) -> Path:
    figure = Figure(figsize=(9, 3.8), dpi=120, facecolor=theme.page, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(facecolor=theme.page)
    for (origin, of_origin), colour in zip(days.groupby("origin"), theme.lines, strict=True):
        axes.plot(of_origin["day"], of_origin["p99"], color=colour, linewidth=1.6, label=f"{origin} p99")
        axes.plot(of_origin["day"], of_origin["p50"], color=colour, linewidth=1.0, alpha=0.6)
    axes.set_title(
        "Departure delay over the last seven days, exact p99 (p50 below)",
        color=theme.ink,
        fontsize=11,
        loc="left",
    )
    axes.set_ylabel("minutes", color=theme.ink)
    dress(axes, theme)
    axes.legend(frameon=False, labelcolor=theme.ink, fontsize=9)
    figure.savefig(file, metadata={"Software": None})
    return file


if __name__ == "__main__":
    spark = cs.session("rolling delays").getOrCreate()
    for file in draw(rolling_delays(flights(spark)), Path()):
        print(f"wrote {file}")
