"""A Delta table: versions and times from its log, changes from its feed or from its rows' ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from chronosketch.errors import HistoryError
from chronosketch.history.refusals import condition_of
from chronosketch.history.sources import row_tracking
from chronosketch.history.sources.source import COPIES, VERSION, first_complete, is_complete

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, Row, SparkSession

    from chronosketch.history.sources.source import Taken

# How much later a commit's time may have been written down, for it to be later than the one before.
_SAME_COMMIT = 1_000_000


class DeltaTable:
    """A Delta table's log, and the changes that it can give.

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
        self._newest = (-1, 0)
        self._read: list[tuple[int, int, str]] = []
        self._read_detail: Row | None = None

    def latest(self) -> int:
        """Return the newest version."""
        ((version, micros, _),) = self._entries("LIMIT 1")
        self._newest = (version, micros)
        return self._newest[0]

    def identity(self) -> str:
        """Return the id in the table's metadata: REPLACE, and DROP with CREATE, give another one."""
        return str(self._detail.id)

    @property
    def _detail(self) -> Row:
        # Read after the newest version, so that it is no older.
        if self._read_detail is None:
            self._read_detail = self._spark.sql(f"DESCRIBE DETAIL {self._table}").first()
        assert self._read_detail is not None
        return self._read_detail

    def replaced(self, taken: Taken) -> str | None:
        """Compare ids, and see that versions have not begun anew."""
        if self._newest == (taken.version, taken.micros):  # no other table has this commit
            return None
        was, now = taken.identity, self.identity()
        if was != now:
            return f"its id was {was} up to version {taken.version} and is {now} now."
        if self._newest[0] < taken.version:
            return f"version {taken.version} was taken of it, and the latest is {self._newest[0]} now."
        return None

    def carries_on(self, taken: Taken) -> bool:
        """Say whether the version is still in the log: REPLACE keeps it, DROP does not."""
        if self._newest[0] < taken.version:
            return False
        try:
            ((_, micros),) = self.times(taken.version, taken.version)
        except HistoryError:
            return False
        return taken.micros - _SAME_COMMIT <= micros <= taken.micros

    def first(self, latest: int, fits: Callable[[DataFrame], bool]) -> int:
        """Return the first version with a snapshot that fits, and every change since known one way.

        Raises
        ------
        HistoryError
            If the table tells no changes.
        """
        ways = self._ways()
        if not ways:
            raise HistoryError(
                "CHANGE_FEED_OFF",
                f"{self._table} keeps no change feed. Switch it on: ALTER TABLE {self._table} "
                "SET TBLPROPERTIES (delta.enableChangeDataFeed = true). A history begins there. "
                + row_tracking.instead(self._spark, self._detail),
            )
        self._read = self._entries("")
        oldest = min(version for version, _, _ in self._read)
        first = latest
        for way in ways:
            first = first_complete(
                oldest,
                first,
                lambda version, way=way: is_complete(  # type: ignore[misc]
                    lambda: self.snapshot(version), fits, lambda: _signed(way(version + 1, latest))
                ),
            )
        return first

    def anew(self, version: int) -> int:
        """Return the version: Delta numbers them itself."""
        return version

    def times(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return when the versions were committed."""
        if first == last == self._newest[0]:
            return [self._newest]
        return [(version, micros) for version, micros, _ in self._log(first, last)]

    def _log(self, first: int, last: int) -> list[tuple[int, int, str]]:
        wanted = range(first, last + 1)
        found = self._among_read(wanted)
        # Without a limit, if the table went on meanwhile.
        for limit in (f"LIMIT {len(wanted)}", ""):
            if len(found) < len(wanted):
                self._read = self._entries(limit)
                found = self._among_read(wanted)
        if len(found) < len(wanted):
            raise HistoryError(
                "SOURCE_LOG_GONE",
                f"The log of {self._table} has {len(found)} of the versions {first} to {last}. "
                "The others were cleaned up before they were read.",
            )
        return found

    def _among_read(self, wanted: range) -> list[tuple[int, int, str]]:
        return sorted(entry for entry in self._read if entry[0] in wanted)

    def _entries(self, limit: str) -> list[tuple[int, int, str]]:
        rows = self._spark.sql(f"DESCRIBE HISTORY {self._table} {limit}")
        rows = rows.select("version", F.unix_micros("timestamp"), "operation")
        return [(row[0], row[1], row[2]) for row in rows.collect()]

    def changes(self, first: int, last: int) -> DataFrame:
        """Return pre-images and deletes as -1, post-images and inserts as +1."""
        return _signed(self._told(first, last))

    def _told(self, first: int, last: int) -> DataFrame:
        """Pick the first way that knows these versions; the last way says what is missing."""
        *others, final = self._ways() or [self._by_feed]
        for way in others:
            try:
                changes = way(first, last)
                changes.select(VERSION).limit(1).collect()
            except Exception as error:
                if condition_of(error) is None:
                    raise
            else:
                return changes
        return final(first, last)

    def _ways(self) -> list[Callable[[int, int], DataFrame]]:
        """Return the ways that are open now, the cheaper first."""
        feed = [self._by_feed] if feed_is_on(self._detail) else []
        return [*feed, self._by_row] if row_tracking.is_open(self._spark, self._detail) else [*feed]

    def _by_feed(self, first: int, last: int) -> DataFrame:
        feed = self._spark.read.option("readChangeFeed", "true")
        feed = feed.option("startingVersion", str(first)).option("endingVersion", str(last))
        return feed.table(self._table)

    def _by_row(self, first: int, last: int) -> DataFrame:
        operations = {version: operation for version, _, operation in self._log(first, last)}
        return row_tracking.changes(self._spark, self._table, operations)

    def snapshot(self, version: int) -> DataFrame:
        """Return the table as of a version."""
        return table_as_of(self._spark, self._table, version)


def _signed(changes: DataFrame) -> DataFrame:
    gone = F.col("_change_type").isin("delete", "update_preimage")
    return changes.withColumn(COPIES, F.when(gone, -1).otherwise(1).cast("bigint"))


def feed_is_on(detail: Row) -> bool:
    """Say whether commits write the change feed now."""
    return str(detail.properties.get("delta.enableChangeDataFeed", "")).lower() == "true"


def table_as_of(spark: SparkSession, table: str, version: int) -> DataFrame:
    """Read a Delta table at one version; without it a frame sees what others write meanwhile."""
    return spark.read.option("versionAsOf", str(version)).table(table)
