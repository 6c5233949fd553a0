"""Keep one window sketch for each host of a stream. After each batch, ask for any window up to now."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import chronosketch as cs
from chronosketch import functions as cf
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

SUMMARIES = "summaries"


def arrive(spark: SparkSession, hour: int, path: str) -> None:
    """Write the requests of an hour, in no order: 36 000 on three hosts. Each hour is slower."""
    number = F.col("id")
    second = F.pmod(number * 7919, F.lit(36_000)) / 10
    requests = spark.range(36_000).select(
        F.concat(F.lit("web-"), number % 3).alias("host"),
        F.timestamp_seconds(F.lit(1_767_225_600 + 3600 * hour) + second).alias("ts"),
        (F.exp(F.randn(hour)) * (20 + 10 * hour)).alias("latency_ms"),
    )
    requests.write.mode("append").parquet(path)


def keep_summaries(spark: SparkSession, path: str) -> StreamingQuery:
    """Keep one sketch for each host up to date, however many requests have come."""
    requests = spark.readStream.schema("host STRING, ts TIMESTAMP, latency_ms DOUBLE").parquet(path)
    summaries = requests.groupBy("host").agg(
        cf.window_sketch_agg("latency_ms", "ts", epsilon=0.05, retention="1 day").alias("s")
    )
    return summaries.writeStream.outputMode("complete").format("memory").queryName(SUMMARIES).start()


def p90_up_to_now(spark: SparkSession) -> DataFrame:
    """Return p90 and its bounds over windows that the stream did not know beforehand."""
    minutes = cf.sketch_window("s", "10 minutes")
    either = cf.sketch_window("s", cf.within_last("90 minutes") | cf.among_last(20_000))
    return (
        spark.table(SUMMARIES)
        .select(
            "host",
            cf.sketch_quantile(minutes, 0.9).alias("p90_of_10_minutes"),
            cf.sketch_quantile_bounds(minutes, 0.9).alias("bounds_of_10_minutes"),
            cf.sketch_count_bounds(either).alias("requests_of_90_minutes_or_20_000"),
            cf.sketch_quantile_bounds(either, 0.9).alias("bounds_of_90_minutes_or_20_000"),
        )
        .orderBy("host")
    )


if __name__ == "__main__":
    spark = cs.session("windows of a stream").getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/requests"
        arrive(spark, 0, path)
        stream = keep_summaries(spark, path)
        for hour in range(1, 4):
            stream.processAllAvailable()
            p90_up_to_now(spark).show(truncate=False)
            arrive(spark, hour, path)
        stream.stop()
