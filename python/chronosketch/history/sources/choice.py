"""Which source a table is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.history.sources.delta import DeltaTable
from chronosketch.history.sources.iceberg import IcebergTable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from chronosketch.history.sources.source import ChangeSource, Taken


def source_of(spark: SparkSession, table: str, taken: Taken | None) -> ChangeSource:
    """Look at what a table is, and pick what tells its changes."""
    if provider_of(spark, table) == "iceberg":
        return IcebergTable(spark, table, taken)
    return DeltaTable(spark, table)


def provider_of(spark: SparkSession, table: str) -> str:
    """Return what a table is kept by, as SQL names it after USING."""
    described = spark.sql(f"DESCRIBE TABLE EXTENDED {table}").where("col_name = 'Provider'").first()
    return "" if described is None else str(described["data_type"]).lower()
