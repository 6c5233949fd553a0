"""Ask how many aircraft from New York were in the air at any minute of 2013, and how far they flew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chronosketch as cs
import pandas as pd
from chronosketch import functions as cf
from chronosketch.demo import load
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def flights(spark: SparkSession) -> DataFrame:
    """Return every flight: its airport, its miles, the minute it took off and the minute it landed."""
    raw = load()[["origin", "scheduled", "dep_delay", "air_time", "distance"]].dropna()
    raw["took_off"] = raw["scheduled"].dt.floor("min") + _minutes(raw["dep_delay"])
    raw["landed"] = raw["took_off"] + _minutes(raw["air_time"])
    made = spark.createDataFrame(raw[["origin", "distance", "took_off", "landed"]])
    moments = [F.col(name).cast("timestamp_ntz").alias(name) for name in ("took_off", "landed")]
    return made.select("origin", F.col("distance").cast("int").alias("distance"), *moments)


def _minutes(column):
    return pd.to_timedelta(column.astype("int64"), unit="min")


def in_the_air(flown: DataFrame) -> DataFrame:
    """Return one history for each airport. It has a flight from its take-off until its landing."""
    history = cf.history_sketch_agg("distance", "took_off", epsilon=0.02, until="landed")
    return flown.groupBy("origin").agg(history.alias("history"))


def at(histories: DataFrame, moments: DataFrame) -> DataFrame:
    """Return how many flights were in the air at each moment of a table, and the median of their miles."""
    then = cf.sketch_at_version("history", "moment")
    return histories.crossJoin(moments).select(
        "origin",
        "moment",
        cf.sketch_count_bounds(then).alias("n"),
        cf.sketch_quantile(then, 0.5, "int").alias("median_miles"),
        cf.sketch_quantile_bounds(then, 0.5, "int").alias("bounds"),
    )


def hours_of(spark: SparkSession, day: str) -> DataFrame:
    """Return the full hours of a day."""
    return spark.sql(
        f"SELECT explode(sequence(TIMESTAMP_NTZ'{day} 00:00', TIMESTAMP_NTZ'{day} 23:00', "
        "INTERVAL 1 HOUR)) AS moment"
    )


if __name__ == "__main__":
    spark = cs.session("aircraft in the air").getOrCreate()
    histories = in_the_air(flights(spark)).cache()
    histories.select(
        "origin",
        cf.sketch_versions("history", "timestamp_ntz").alias("versions"),
        F.length("history").alias("bytes"),
    ).show(truncate=False)
    thanksgiving = hours_of(spark, "2013-11-27")
    at(histories, thanksgiving).orderBy("moment", "origin").show(72, truncate=False)
