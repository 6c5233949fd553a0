"""Read the commits of a Delta table from its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

# Operations that change rows but keep the table's id and properties.
ROWS_ONLY = {
    "ADD COLUMNS",
    "DELETE",
    "MERGE",
    "OPTIMIZE",
    "STREAMING UPDATE",
    "TRUNCATE",
    "UPDATE",
    "VACUUM END",
    "VACUUM START",
    "WRITE",
}

# Operations after which a name can belong to another column. Delta's feed goes by name and does not warn.
RENAMING = {"DROP COLUMNS", "RENAME COLUMN", "REPLACE COLUMNS"}

# For each operation, the metrics that count rows, and how many images of each row the change feed has.
_IMAGES_PER_ROW = {
    "ADD COLUMNS": {},
    "CREATE TABLE": {},
    "CREATE TABLE AS SELECT": {"numOutputRows": 1},
    "DELETE": {"numDeletedRows": 1},
    "MERGE": {"numTargetRowsInserted": 1, "numTargetRowsUpdated": 2, "numTargetRowsDeleted": 1},
    "OPTIMIZE": {},
    "SET TBLPROPERTIES": {},
    "STREAMING UPDATE": {"numOutputRows": 1},
    "UPDATE": {"numUpdatedRows": 2},
    "VACUUM END": {},
    "VACUUM START": {},
    "WRITE": {"numOutputRows": 1},
}


class Commit(NamedTuple):
    """A version: its commit time, its operation, and the number of row images in its feed if known."""

    version: int
    micros: int
    operation: str
    images: int | None = None


def commits(spark: SparkSession, table: str, limit: str = "") -> list[Commit]:
    """Read a table's commits from its log, the newest first."""
    rows = spark.sql(f"DESCRIBE HISTORY {table} {limit}")
    micros = F.unix_micros("timestamp").alias("micros")
    rows = rows.select("version", micros, "operation", "operationParameters", "operationMetrics")
    return [Commit(row.version, row.micros, row.operation, image_count(*row[2:])) for row in rows.collect()]


def image_count(
    operation: str, parameters: Mapping[str, str] | None, metrics: Mapping[str, str] | None
) -> int | None:
    """Return the number of row images of a commit, from its metrics. None if they do not say.

    Examples
    --------
    >>> image_count("UPDATE", {}, {"numUpdatedRows": "50", "numCopiedRows": "1000"})
    100
    >>> image_count("WRITE", {"mode": "Append"}, {"numOutputRows": "7"})
    7
    >>> image_count("WRITE", {"mode": "Overwrite"}, {"numOutputRows": "7"}) is None  # deletes are not counted
    True
    """
    counted = _IMAGES_PER_ROW.get(operation)
    how = parameters or {}
    if counted is None or how.get("mode", how.get("outputMode", "Append")) != "Append":
        return None
    found = [(metrics or {}).get(name) for name in counted]
    if None in found:
        return None
    return sum(int(rows or 0) * times for rows, times in zip(found, counted.values(), strict=True))
