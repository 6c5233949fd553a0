"""Compute p99 for each group, plus a lower and an upper bound that always contain the exact one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chronosketch as cs
from chronosketch import functions as cf
from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def p99_by_host(requests: DataFrame) -> DataFrame:
    """Return p50 and p99 by host, and the bounds of p99."""
    return (
        requests.groupBy("host")
        .agg(
            F.count("latency_ms").alias("n"),
            cf.approx_quantile("latency_ms", [0.5, 0.99]).alias("p50_p99"),
            cf.approx_quantile_bounds("latency_ms", 0.99).alias("p99_bounds"),
        )
        .orderBy("host")
    )


def made_up_requests(spark: SparkSession) -> DataFrame:
    """Return 200 000 requests on three hosts. Each host is slower than the one before."""
    host = F.concat(F.lit("web-"), F.col("id") % 3)
    latency = F.exp(F.randn(7)) * (20 + F.col("id") % 3)
    return spark.range(200_000).select(host.alias("host"), latency.alias("latency_ms"))


if __name__ == "__main__":
    spark = cs.session("p99 by group").getOrCreate()
    p99_by_host(made_up_requests(spark)).show(truncate=False)
