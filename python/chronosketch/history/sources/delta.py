"""A Delta table: versions and times from its log, changes from its feed or from its rows' ids."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from chronosketch.errors import HistoryError
from chronosketch.history.refusals import condition_of
from chronosketch.history.sources import row_tracking
from chronosketch.history.sources.commits import OTHER_COLUMNS, ROWS_ONLY, Commit, commits
from chronosketch.history.sources.kept_files import first_with_files
from chronosketch.history.sources.source import COPIES, VERSION, first_complete, is_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, Row, SparkSession

    from chronosketch.history.sources.source import Taken

# How much later a commit's time may have been written down, for it to be later than the one before.
_SAME_COMMIT = 1_000_000

# A step takes few versions, mostly: they are read together with the newest.
_RECENT = 5


class DeltaTable:
    """A Delta table's log, and the changes that it can give.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog.
    table : str
        The table, as SQL names it: ``orders``, ``sales.orders`` or ``delta.`/path```.
    taken : Taken, optional
        The last version that the history has.
    name : str, optional
        The table's full name.
    """

    def __init__(
        self, spark: SparkSession, table: str, taken: Taken | None = None, name: str | None = None
    ) -> None:
        self.name = name or table
        self._spark = spark
        self._table = table
        self._taken = taken
        self._newest = -1
        self._read: list[Commit] = []
        self._read_detail: Row | None = None

    def rows(self) -> DataFrame:
        """Return the table as it is now."""
        return self._spark.table(self._table)

    def latest(self) -> int:
        """Return the newest version."""
        self._read = commits(self._spark, self._table, f"LIMIT {_RECENT}")
        self._newest = self._read[0].version
        return self._newest

    def identity(self) -> str:
        """Return the id in the table's metadata: REPLACE, and DROP with CREATE, give another one."""
        return self._taken.identity if self._taken and self._goes_on(self._taken) else str(self._detail.id)

    def _goes_on(self, taken: Taken) -> bool:
        """Say whether only rows have changed since a version, by the log: then the id has not."""
        since = [commit for commit in self._read if commit.version >= taken.version]
        return (
            bool(since)
            and since[-1][:2] == (taken.version, taken.micros)  # no other table has this commit
            and all(commit.operation in ROWS_ONLY for commit in since[:-1])
        )

    @cached_property
    def _properties(self) -> Mapping[str, str]:
        # The table's files are not counted for it, as DESCRIBE DETAIL does.
        rows = self._spark.sql(f"SHOW TBLPROPERTIES {self._table}").collect()
        return {row.key: row.value for row in rows}

    @property
    def _detail(self) -> Row:
        # Read after the newest version, so that it is no older.
        if self._read_detail is None:
            self._read_detail = self._spark.sql(f"DESCRIBE DETAIL {self._table}").first()
        assert self._read_detail is not None
        return self._read_detail

    def replaced(self, taken: Taken) -> str | None:
        """Compare ids, and see that versions have not begun anew."""
        was, now = taken.identity, self.identity()
        if was != now:
            return f"its id was {was} up to version {taken.version} and is {now} now."
        if self._newest < taken.version:
            return f"version {taken.version} was taken of it, and the latest is {self._newest} now."
        return None

    def carries_on(self, taken: Taken) -> bool:
        """Say whether the version is still in the log: REPLACE keeps it, DROP does not."""
        if self._newest < taken.version:
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
                f"{self._table} does not keep a change feed. Switch it on: ALTER TABLE {self._table} "
                "SET TBLPROPERTIES (delta.enableChangeDataFeed = true). A history begins there. "
                + row_tracking.instead(self._spark, self._detail),
            )
        self._read = commits(self._spark, self._table)
        versions = [commit.version for commit in reversed(self._read) if commit.version <= latest]
        first = latest
        for way in ways:
            by_feed = way == self._by_feed
            kept = first_with_files(self._spark, self._detail.location, versions, by_feed)
            first = first_complete(
                min(kept, first),
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
        return [(commit.version, commit.micros) for commit in self._log(first, last)]

    def images(self, first: int, last: int) -> int | None:
        """Add up what the commits say of themselves."""
        counts = [commit.images for commit in self._log(first, last)]
        # CHANGES has the rows that were only copied, too.
        if not feed_is_on(self._properties) or None in counts:
            return None
        return sum(count or 0 for count in counts)

    def _log(self, first: int, last: int) -> list[Commit]:
        wanted = range(first, last + 1)
        found = self._among_read(wanted)
        # Without a limit, if the table went on meanwhile.
        for limit in (f"LIMIT {len(wanted)}", ""):
            if len(found) < len(wanted):
                self._read = commits(self._spark, self._table, limit)
                found = self._among_read(wanted)
        if len(found) < len(wanted):
            raise HistoryError(
                "SOURCE_LOG_GONE",
                f"The log of {self._table} has only {len(found)} of the versions {first} to {last}. "
                "The others were cleaned up before they were read.",
            )
        return found

    def _among_read(self, wanted: range) -> list[Commit]:
        return [commit for commit in reversed(self._read) if commit.version in wanted]

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
        feed = [self._by_feed] if feed_is_on(self._properties) else []
        by_row = row_tracking.is_switched_on(self._spark) and row_tracking.could_tell(self._detail)
        return [*feed, self._by_row] if by_row else [*feed]

    def _refuse_other_columns(self, first: int, last: int) -> None:
        found = [commit for commit in self._log(first, last) if commit.operation in OTHER_COLUMNS]
        if found:
            told = ", ".join(f"{commit.operation} at version {commit.version}" for commit in found)
            raise HistoryError(
                "SOURCE_SCHEMA_CHANGED",
                f"Columns of {self._table} were renamed or dropped: {told}. A name can belong to another "
                "column since then.",
            )

    def _by_feed(self, first: int, last: int) -> DataFrame:
        self._refuse_other_columns(first, last)
        feed = self._spark.read.option("readChangeFeed", "true")
        feed = feed.option("startingVersion", str(first)).option("endingVersion", str(last))
        return feed.table(self._table)

    def _by_row(self, first: int, last: int) -> DataFrame:
        self._refuse_other_columns(first, last)
        operations = {commit.version: commit.operation for commit in self._log(first, last)}
        return row_tracking.changes(self._spark, self._table, operations)

    def snapshot(self, version: int) -> DataFrame:
        """Return the table as of a version."""
        return table_as_of(self._spark, self._table, version)


def _signed(changes: DataFrame) -> DataFrame:
    gone = F.col("_change_type").isin("delete", "update_preimage")
    return changes.withColumn(COPIES, F.when(gone, -1).otherwise(1).cast("bigint"))


def feed_is_on(properties: Mapping[str, str]) -> bool:
    """Say whether commits write the change feed now."""
    return properties.get("delta.enableChangeDataFeed", "").lower() == "true"


def table_as_of(spark: SparkSession, table: str, version: int) -> DataFrame:
    """Read a Delta table at one version; without it a frame sees what others write meanwhile."""
    return spark.read.option("versionAsOf", str(version)).table(table)
