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
    if (_described(spark, table, "Provider") or "").lower() == "iceberg":
        return IcebergTable(spark, table, taken)
    return DeltaTable(spark, table, taken)


def place_of(spark: SparkSession, table: str) -> str:
    """Return where a table's files are."""
    place = _described(spark, table, "Location")
    assert place is not None
    return place


def _described(spark: SparkSession, table: str, name: str) -> str | None:
    # What a table is comes after its columns, of which one may have the same name.
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {table}").collect()
    return next((row.data_type for row in reversed(rows) if row.col_name == name), None)
