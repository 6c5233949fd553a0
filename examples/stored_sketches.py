"""Store one sketch for each day and host. Later, ask for any range of days without the raw rows."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import chronosketch as cs
from chronosketch import functions as cf
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def store(requests: DataFrame, path: str) -> None:
    """Keep the latencies of each day and host as a sketch, in a BINARY column of Parquet.

    The arguments are the recipe for latencies: epsilon is a share of the latencies from the answer up.
    """
    sketch = cf.quantile_sketch_agg("latency_ms", 0.01, tail="high")
    daily = requests.groupBy("day", "host").agg(sketch.alias("latencies"))
    daily.write.mode("overwrite").parquet(path)


def p99_between(spark: SparkSession, path: str, first: str, last: str) -> DataFrame:
    """Return the p99 of each host with its bounds, for the days from first to last.

    `certified` is how far the share of requests up to this p99 can be from 0.99.
    """
    days = spark.read.parquet(path).where(F.col("day").between(F.lit(first), F.lit(last)))
    merged = days.groupBy("host").agg(cf.sketch_merge_agg("latencies").alias("s"))
    share = cf.sketch_cdf_bounds("s", cf.sketch_quantile("s", 0.99))
    return merged.select(
        "host",
        cf.sketch_count("s").alias("n"),
        cf.sketch_quantile("s", 0.99).alias("p99"),
        cf.sketch_quantile_bounds("s", 0.99).alias("bounds"),
        F.greatest(0.99 - share["low"], share["high"] - 0.99).alias("certified"),
    ).orderBy("host")


def made_up_requests(spark: SparkSession) -> DataFrame:
    """Return 300 000 requests on three hosts over thirty days."""
    return spark.range(300_000).select(
        F.date_add(F.lit("2026-01-01").cast("date"), (F.col("id") % 30).cast("int")).alias("day"),
        F.concat(F.lit("web-"), F.floor(F.col("id") / 30) % 3).alias("host"),
        (F.exp(F.randn(7)) * 20).alias("latency_ms"),
    )


if __name__ == "__main__":
    spark = cs.session("stored sketches").getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        store(made_up_requests(spark), f"{folder}/daily")
        p99_between(spark, f"{folder}/daily", "2026-01-10", "2026-01-19").show(truncate=False)
