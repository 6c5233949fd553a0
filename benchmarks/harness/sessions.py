"""A session for measuring: Spark's defaults, but for what only makes noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import chronosketch as cs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

# Ours runs in an operator of its own unless this is false; a jar that has none yet does not read it.
OWN_OPERATOR = "spark.chronosketch.aggregate.enabled"


def start(folder: str, driver_memory: str, conf: Mapping[str, str] | None = None) -> SparkSession:
    """Start a classic session on two cores; what it spills and stores goes to the folder."""
    builder = cs.session("benchmark").master("local[2]")
    settings = {
        "spark.driver.memory": driver_memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.local.dir": folder,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        **(conf or {}),
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
