"""Starts sessions for benchmarks: Spark's defaults, except for settings that only add noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chronosketch as cs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

# Our aggregates run in our own operator unless this is false. Older jars without the operator ignore it.
OWN_OPERATOR = "spark.chronosketch.aggregate.enabled"


_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # by default, each state of a small table's log takes 50 tasks, which would be measured, too
    "spark.databricks.delta.snapshotPartitions": "1",
}


def start(
    folder: str, driver_memory: str, conf: Mapping[str, str] | None = None, *, delta: bool = False
) -> SparkSession:
    """Start a classic session on two cores that stores and spills into the folder, optionally with Delta Lake."""
    builder = cs.session("benchmark").master("local[2]")
    settings = {
        "spark.driver.memory": driver_memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        **(_DELTA if delta else {}),
        **(conf or {}),
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    if delta:
        from delta import configure_spark_with_delta_pip

        builder = configure_spark_with_delta_pip(builder)
    return builder.getOrCreate()
