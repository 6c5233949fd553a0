"""Read the log of a Delta table: its commits, and which of its files still exist."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from chronosketch.history.sources.read_errors import is_missing_error
from chronosketch.history.sources.source import first_complete

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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


_ACTIONS = "remove STRUCT<path: STRING>, cdc STRUCT<path: STRING>"

# A path in the log is relative to the table's folder, unless it begins with a scheme or a slash.
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|/")


def first_with_files(spark: SparkSession, location: str, versions: Sequence[int], feed: bool) -> int:
    """Return the first version since which VACUUM has deleted no file of a snapshot or a change.

    A file that version n removed belongs to earlier snapshots, and a file of the change feed to its own
    version. If one is missing, a history can begin with version n at the earliest. Only the files' existence
    is checked: a failed read would write errors into Spark's log although nothing is wrong.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog.
    location : str
        The folder of the table.
    versions : sequence of int
        The versions in the log, the oldest first.
    feed : bool
        Whether the files of the change feed must exist too.

    Returns
    -------
    int
        The version. The oldest one if the log cannot be read like this; then only reading can tell.
    """
    oldest, latest = versions[0], versions[-1]
    try:
        files = _files(spark, location, versions[1:], feed)
    except AnalysisException as error:
        if not is_missing_error(error):
            raise
        return oldest
    return first_complete(
        oldest,
        latest,
        lambda version: _are_there(spark, [path for number, path in files if number > version]),
    )


def _files(spark: SparkSession, location: str, versions: Sequence[int], feed: bool) -> list[tuple[int, str]]:
    """Return the files that the versions removed and, if `feed`, those that they wrote to the change feed."""
    if not versions:
        return []
    commits = spark.read.schema(_ACTIONS).json(
        [f"{location}/_delta_log/{version:020}.json" for version in versions]
    )
    paths = F.coalesce("remove.path", "cdc.path") if feed else F.col("remove.path")
    number = F.substring_index("_metadata.file_name", ".", 1).cast("bigint")
    rows = commits.select(number.alias("version"), paths.alias("path")).where("path IS NOT NULL")
    return [(row.version, _absolute(location, unquote(row.path))) for row in rows.collect()]


def _absolute(location: str, path: str) -> str:
    return path if _ABSOLUTE.match(path) else f"{location}/{path}"


def _are_there(spark: SparkSession, paths: list[str]) -> bool:
    """Return whether all files exist. Spark checks that when it is given their names."""
    if not paths:
        return True
    try:
        # Without globbing, "*" and "[" in a folder's name are literal.
        reader = spark.read.format("binaryFile").option("__globPaths__", "false")
        reader.load(list(dict.fromkeys(paths))).schema  # noqa: B018
    except AnalysisException as error:
        if not is_missing_error(error):
            raise
        return False
    return True
