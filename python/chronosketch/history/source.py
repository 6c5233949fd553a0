"""Where changes come from: what a follower needs of a table, and Delta's change feed that gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pyspark.sql import functions as F

from chronosketch.errors import HistoryError
from chronosketch.history.refusals import condition_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

# The columns that a source puts beside the table's own: the version of a change, and +1 or -1.
VERSION = "_commit_version"
COPIES = "_chronosketch_copies"


class ChangeSource(Protocol):
    """A table that knows its versions and what changed in each."""

    def identity(self) -> str:
        """Return what changes where another table takes this one's name."""

    def latest(self) -> int:
        """Return the newest version."""

    def first(self, latest: int, fits: Callable[[DataFrame], bool]) -> int:
        """Return the first version with a snapshot that fits, and every change since known up to `latest`."""

    def times(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return when the versions were committed, in microseconds since 1970, by version."""

    def changes(self, first: int, last: int) -> DataFrame:
        """Return the images that came (`COPIES` is 1) and went (-1) in each `_commit_version`."""

    def snapshot(self, version: int) -> DataFrame:
        """Return the table as of a version."""


class DeltaFeed:
    """A Delta table's change feed, always read as a batch with an end: streams split versions.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog.
    table : str
        The table, as SQL names it: ``orders``, ``sales.orders`` or ``delta.`/path```.
    """

    def __init__(self, spark: SparkSession, table: str) -> None:
        self._spark = spark
        self._table = table
        self._newest: tuple[int, int] | None = None

    def identity(self) -> str:
        """Return the id in the table's metadata: REPLACE, and DROP with CREATE, give another one."""
        return str(self._spark.sql(f"DESCRIBE DETAIL {self._table}").select("id").first()[0])  # type: ignore[index]

    def latest(self) -> int:
        """Return the newest version."""
        ((version, micros),) = self._times("LIMIT 1")
        self._newest = (version, micros)
        return version

    def first(self, latest: int, fits: Callable[[DataFrame], bool]) -> int:
        """Return the first version with a snapshot that fits, and every change since in the feed.

        Raises
        ------
        HistoryError
            If the feed is off.
        """
        detail = self._spark.sql(f"DESCRIBE DETAIL {self._table}").first()
        if detail is None or detail.properties.get("delta.enableChangeDataFeed", "").lower() != "true":
            raise HistoryError(
                "CHANGE_FEED_OFF",
                f"{self._table} keeps no change feed. Switch it on: ALTER TABLE {self._table} "
                "SET TBLPROPERTIES (delta.enableChangeDataFeed = true). A history begins there.",
            )
        low = int(
            self._spark.sql(f"DESCRIBE HISTORY {self._table}").agg(F.min("version")).first()[0]  # type: ignore[index]
        )
        if low < latest and self._complete_from(low, latest, fits):
            return low
        # Whatever is missing is missing from every earlier beginning too, so halving finds the first.
        high = latest
        while low < high:
            middle = (low + high) // 2
            if self._complete_from(middle, latest, fits):
                high = middle
            else:
                low = middle + 1
        return low

    def _complete_from(self, version: int, latest: int, fits: Callable[[DataFrame], bool]) -> bool:
        try:
            snapshot = self.snapshot(version)
            if not fits(snapshot):
                return False
            snapshot.limit(1).collect()
            self.changes(version + 1, latest).select(VERSION).limit(1).collect()
        except Exception as error:
            if condition_of(error) is None:
                raise
            return False
        return True

    def times(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return when the versions were committed."""
        if self._newest is not None and first == last == self._newest[0]:
            return [self._newest]
        found = self._times(f"LIMIT {last - first + 1}", first, last)
        if len(found) < last - first + 1:  # the table went on meanwhile
            found = self._times("", first, last)
        if len(found) < last - first + 1:
            raise HistoryError(
                "SOURCE_LOG_GONE",
                f"The log of {self._table} has {len(found)} of the versions {first} to {last}. "
                "The others were cleaned up before they were read.",
            )
        return found

    def _times(self, limit: str, first: int | None = None, last: int | None = None) -> list[tuple[int, int]]:
        rows = self._spark.sql(f"DESCRIBE HISTORY {self._table} {limit}")
        if first is not None and last is not None:
            rows = rows.where(F.col("version").between(first, last)).orderBy("version")
        return [(row[0], row[1]) for row in rows.select("version", F.unix_micros("timestamp")).collect()]

    def changes(self, first: int, last: int) -> DataFrame:
        """Return pre-images and deletes as -1, post-images and inserts as +1."""
        feed = self._spark.read.option("readChangeFeed", "true")
        feed = feed.option("startingVersion", str(first)).option("endingVersion", str(last))
        gone = F.col("_change_type").isin("delete", "update_preimage")
        return feed.table(self._table).withColumn(COPIES, F.when(gone, -1).otherwise(1).cast("bigint"))

    def snapshot(self, version: int) -> DataFrame:
        """Return the table as of a version."""
        return table_as_of(self._spark, self._table, version)


def latest_version(spark: SparkSession, table: str) -> int:
    """Return the newest version of a Delta table."""
    return int(spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").select("version").first()[0])  # type: ignore[index]


def table_as_of(spark: SparkSession, table: str, version: int) -> DataFrame:
    """Read a Delta table at one version; without it a frame sees what others write meanwhile."""
    return spark.read.option("versionAsOf", str(version)).table(table)
