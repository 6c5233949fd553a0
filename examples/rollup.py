"""Keep hourly and daily sketches of a Delta table, correct late rows and deletes, and ask for p99.

Needs Delta Lake: pip install delta-spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import chronosketch as cs
from chronosketch import functions as cf
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def arrive(spark: SparkSession, table: str, first_hour: int, hours: int = 6) -> None:
    """Append requests of some hours since 2026-03-02: a request every two seconds, of two services."""
    ids = spark.range(first_hour * 1800, (first_hour + hours) * 1800, 1, 2)
    rows = ids.select(
        F.timestamp_seconds(1_772_409_600 + 2 * F.col("id")).alias("ts"),
        F.concat(F.lit("service-"), F.col("id") % 2).alias("service"),
        (F.exp(F.randn(first_hour)) * 20 * (1 + F.col("id") % 2)).alias("latency_ms"),
    )
    rows.write.format("delta").mode("append").saveAsTable(table)


def create(spark: SparkSession, table: str) -> None:
    """Create the table of requests. A roll-up needs its change feed."""
    spark.sql(
        f"CREATE TABLE {table} (ts TIMESTAMP, service STRING, latency_ms DOUBLE) USING delta "
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )


def follower(table: str) -> cs.rollup.Follower:
    """Return the follower that keeps hours and days by service, with the recipe for latencies."""
    return cs.rollup.Follower(
        table,
        f"{table}_rolled",
        "ts",
        by=["service"],
        values={"latency": "latency_ms"},
        levels=["1 hour", "1 day"],
        epsilon=0.01,
        tail="high",
    )


def by_service(spark: SparkSession, table: str, level: str) -> DataFrame:
    """Return the p99 of each service with its bounds, from the rows of one level.

    `certified` is how far the share of requests up to this p99 can be from 0.99.
    """
    rolled = spark.table(f"{table}_rolled").where(F.col("level") == level)
    services = rolled.groupBy("service").agg(
        F.sum("rows").alias("n"),
        F.sum("latency_sum").alias("total"),
        F.max("latency_max").alias("slowest"),
        cf.sketch_merge_agg("latency").alias("s"),
    )
    share = cf.sketch_cdf_bounds("s", cf.sketch_quantile("s", 0.99))
    return services.select(
        "service",
        "n",
        (F.col("total") / F.col("n")).alias("mean"),
        cf.sketch_quantile("s", 0.99).alias("p99"),
        cf.sketch_quantile_bounds("s", 0.99).alias("bounds"),
        F.greatest(0.99 - share["low"], share["high"] - 0.99).alias("certified"),
        "slowest",
    ).orderBy("service")


if __name__ == "__main__":
    from delta import configure_spark_with_delta_pip

    builder = cs.session("a roll-up")
    builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    builder = builder.config(
        "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    )
    spark = configure_spark_with_delta_pip(builder).getOrCreate()
    create(spark, "requests")
    for hour in (0, 6, 12):
        arrive(spark, "requests", hour)
        print(follower("requests").step(spark))
    arrive(spark, "requests", 3, hours=1)  # late rows
    spark.sql("DELETE FROM requests WHERE latency_ms > 1000")
    print(follower("requests").step(spark))
    by_service(spark, "requests", "1 day").show(truncate=False)
    print(cs.rollup.describe(spark, "requests_rolled"))
