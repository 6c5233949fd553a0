"""A commit of a Delta table, as its log tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

# What writes rows and leaves the table's id and its properties as they are.
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

# What can give a column's name to another column. Delta tells changes by names then, and says nothing.
OTHER_COLUMNS = {"DROP COLUMNS", "RENAME COLUMN", "REPLACE COLUMNS"}

# Which metrics count rows, and how many images of each row the change feed has.
_ROWS = {
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
    """A version: when it was committed, what made it, and how many images its feed has, if known."""

    version: int
    micros: int
    operation: str
    images: int | None = None


def commits(spark: SparkSession, table: str, limit: str = "") -> list[Commit]:
    """Read the log of a table, the newest commit first."""
    rows = spark.sql(f"DESCRIBE HISTORY {table} {limit}")
    micros = F.unix_micros("timestamp").alias("micros")
    rows = rows.select("version", micros, "operation", "operationParameters", "operationMetrics")
    return [Commit(row.version, row.micros, row.operation, images(*row[2:])) for row in rows.collect()]


def images(
    operation: str, parameters: Mapping[str, str] | None, metrics: Mapping[str, str] | None
) -> int | None:
    """Return how many rows came and went by a commit's metrics; None where they do not say.

    Examples
    --------
    >>> images("UPDATE", {}, {"numUpdatedRows": "50", "numCopiedRows": "1000"})
    100
    >>> images("WRITE", {"mode": "Append"}, {"numOutputRows": "7"})
    7
    >>> images("WRITE", {"mode": "Overwrite"}, {"numOutputRows": "7"}) is None  # nobody knows what went
    True
    """
    counted = _ROWS.get(operation)
    how = parameters or {}
    if counted is None or how.get("mode", how.get("outputMode", "Append")) != "Append":
        return None
    found = [(metrics or {}).get(name) for name in counted]
    if None in found:
        return None
    return sum(int(rows or 0) * times for rows, times in zip(found, counted.values(), strict=True))
