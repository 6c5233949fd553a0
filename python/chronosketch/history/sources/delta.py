"""A Delta table as a source: versions and times from its log, changes from its feed or by row ids."""

from __future__ import annotations

from functools import cached_property, reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from chronosketch.errors import HistoryError
from chronosketch.history.sources.delta_log import RENAMING, ROWS_ONLY, Commit, commits, first_with_files
from chronosketch.history.sources.read_errors import condition_of
from chronosketch.history.sources.source import COPIES, VERSION, first_complete, is_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, Row, SparkSession

    from chronosketch.history.sources.source import LastVersion


# Delta's own setting for CHANGES. It is off by default.
SWITCH = "spark.databricks.delta.changelogV2.enabled"

# The most microseconds that a history may add to a commit's time to keep times increasing.
_SAME_COMMIT = 1_000_000

# Most steps add few versions. This many are read together with the newest version.
_RECENT = 5


class DeltaTable:
    """A Delta table as a source of changes.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog.
    table : str
        The table, as SQL names it: ``orders``, ``sales.orders`` or ``delta.`/path```.
    last : LastVersion, optional
        The last version that the history has.
    name : str, optional
        The table's full name.
    """

    def __init__(
        self, spark: SparkSession, table: str, last: LastVersion | None = None, name: str | None = None
    ) -> None:
        self.name = name or table
        self._spark = spark
        self._table = table
        self._last = last
        self._read = commits(spark, table, f"LIMIT {_RECENT}")
        self.latest = self._read[0].version

    def rows(self) -> DataFrame:
        """Return the table's current rows."""
        return self._spark.table(self._table)

    def identity(self) -> str:
        """Return the id in the table's metadata. It changes with REPLACE, and with DROP and CREATE."""
        return (
            self._last.identity
            if self._last and self._only_rows_changed(self._last)
            else str(self._detail.id)
        )

    def _only_rows_changed(self, last: LastVersion) -> bool:
        """Return whether only rows have changed since a version, by the log. Then the id is the same."""
        since = [commit for commit in self._read if commit.version >= last.version]
        return (
            bool(since)
            and since[-1][:2] == (last.version, last.micros)  # no other table has this commit
            and all(commit.operation in ROWS_ONLY for commit in since[:-1])
        )

    @cached_property
    def _properties(self) -> Mapping[str, str]:
        # Cheaper than DESCRIBE DETAIL, which counts the table's files.
        rows = self._spark.sql(f"SHOW TBLPROPERTIES {self._table}").collect()
        return {row.key: row.value for row in rows}

    @cached_property
    def _detail(self) -> Row:
        # Read after the newest version, so that it is at least as new.
        detail = self._spark.sql(f"DESCRIBE DETAIL {self._table}").first()
        assert detail is not None
        return detail

    def replaced(self, last: LastVersion) -> str | None:
        """Return how the table was replaced, by its id and its versions. None if it was not."""
        was, now = last.identity, self.identity()
        if was != now:
            return f"its id was {was} up to version {last.version} and is {now} now."
        if self.latest < last.version:
            return f"version {last.version} was taken of it, and the latest is {self.latest} now."
        return None

    def has_changes_since(self, last: LastVersion) -> bool:
        """Return whether the version is still in the log. REPLACE keeps the log, DROP does not."""
        if self.latest < last.version:
            return False
        try:
            ((_, micros),) = self.times(last.version, last.version)
        except HistoryError:
            return False
        return last.micros - _SAME_COMMIT <= micros <= last.micros

    def first(self, latest: int, fits: Callable[[DataFrame], bool]) -> int:
        """Return the first version whose snapshot fits and since which one reader has all changes.

        Raises
        ------
        HistoryError
            If the table records no changes.
        """
        readers = self._change_readers()
        if not readers:
            raise HistoryError(
                "CHANGE_FEED_OFF",
                f"{self._table} does not keep a change feed. Switch it on: ALTER TABLE {self._table} "
                "SET TBLPROPERTIES (delta.enableChangeDataFeed = true). A history begins there. "
                + row_tracking_hint(self._spark, self._detail),
            )
        self._read = commits(self._spark, self._table)
        versions = [commit.version for commit in reversed(self._read) if commit.version <= latest]
        first = latest
        for reader in readers:
            by_feed = reader == self._changes_by_feed
            kept = first_with_files(self._spark, self._detail.location, versions, by_feed)
            first = first_complete(
                min(kept, first),
                first,
                lambda version, reader=reader: is_complete(  # type: ignore[misc]
                    lambda: self.snapshot(version), fits, lambda: _signed(reader(version + 1, latest))
                ),
            )
        return first

    def start_number(self, version: int) -> int:
        """Return the version unchanged: Delta numbers versions itself."""
        return version

    def times(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return each version with its commit time."""
        return [(commit.version, commit.micros) for commit in self._log(first, last)]

    def images(self, first: int, last: int) -> int | None:
        """Add up the row images that the commits report."""
        counts = [commit.images for commit in self._log(first, last)]
        # Spark's CHANGES also returns rows that were only copied.
        if not feed_is_on(self._properties) or None in counts:
            return None
        return sum(count or 0 for count in counts)

    def _log(self, first: int, last: int) -> list[Commit]:
        versions = range(first, last + 1)
        found = self._among_read(versions)
        # The table may have new versions since: then read its whole log.
        for limit in (f"LIMIT {len(versions)}", ""):
            if len(found) < len(versions):
                self._read = commits(self._spark, self._table, limit)
                found = self._among_read(versions)
        if len(found) < len(versions):
            raise HistoryError(
                "SOURCE_LOG_GONE",
                f"The log of {self._table} has only {len(found)} of the versions {first} to {last}. "
                "The others were cleaned up before they were read.",
            )
        return found

    def _among_read(self, versions: range) -> list[Commit]:
        return [commit for commit in reversed(self._read) if commit.version in versions]

    def changes(self, first: int, last: int) -> DataFrame:
        """Return pre-images and deletes as -1, post-images and inserts as +1."""
        return _signed(self._read_changes(first, last))

    def _read_changes(self, first: int, last: int) -> DataFrame:
        """Use the first reader that can read these versions. The last one may raise its error."""
        *others, final = self._change_readers() or [self._changes_by_feed]
        for reader in others:
            try:
                changes = reader(first, last)
                changes.select(VERSION).limit(1).collect()
            except Exception as error:
                if condition_of(error) is None:
                    raise
            else:
                return changes
        return final(first, last)

    def _change_readers(self) -> list[Callable[[int, int], DataFrame]]:
        """Return the readers of changes that this table allows now, the cheapest first."""
        feed = [self._changes_by_feed] if feed_is_on(self._properties) else []
        by_row = is_row_tracking_on(self._spark) and tracks_rows(self._detail)
        return [*feed, self._changes_by_row_id] if by_row else [*feed]

    def _refuse_other_columns(self, first: int, last: int) -> None:
        found = [commit for commit in self._log(first, last) if commit.operation in RENAMING]
        if found:
            others = ", ".join(f"{commit.operation} at version {commit.version}" for commit in found)
            raise HistoryError(
                "SOURCE_SCHEMA_CHANGED",
                f"Columns of {self._table} were renamed or dropped: {others}. A name can belong to another "
                "column since then.",
            )

    def _changes_by_feed(self, first: int, last: int) -> DataFrame:
        self._refuse_other_columns(first, last)
        feed = self._spark.read.option("readChangeFeed", "true")
        feed = feed.option("startingVersion", str(first)).option("endingVersion", str(last))
        return feed.table(self._table)

    def _changes_by_row_id(self, first: int, last: int) -> DataFrame:
        self._refuse_other_columns(first, last)
        operations = {commit.version: commit.operation for commit in self._log(first, last)}
        return changes_by_row_id(self._spark, self._table, operations)

    def snapshot(self, version: int) -> DataFrame:
        """Return the table as of a version."""
        return table_as_of(self._spark, self._table, version)


def _signed(changes: DataFrame) -> DataFrame:
    removed = F.col("_change_type").isin("delete", "update_preimage")
    return changes.withColumn(COPIES, F.when(removed, -1).otherwise(1).cast("bigint"))


def feed_is_on(properties: Mapping[str, str]) -> bool:
    """Return whether new commits write the change feed."""
    return properties.get("delta.enableChangeDataFeed", "").lower() == "true"


def table_as_of(spark: SparkSession, table: str, version: int) -> DataFrame:
    """Read a Delta table at one version. Without a version, a DataFrame would see later writes."""
    return spark.read.option("versionAsOf", str(version)).table(table)


def is_row_tracking_on(spark: SparkSession) -> bool:
    """Return whether the session lets Spark derive changes, and this Spark can."""
    return _has_changes(spark) and str(spark.conf.get(SWITCH, "false")).lower() == "true"


def row_tracking_hint(spark: SparkSession, detail: Row) -> str:
    """Return a sentence that proposes CHANGES, or nothing if they would not work."""
    if not (_has_changes(spark) and tracks_rows(detail)):
        return ""
    return (
        "Or let Spark's CHANGES tell what changed, since the table tracks its rows: "
        f"spark.conf.set('{SWITCH}', 'true')"
    )


def _has_changes(spark: SparkSession) -> bool:
    """Return whether this Spark has CHANGES, which came with 4.2."""
    return hasattr(spark.read, "changes")


def tracks_rows(detail: Row) -> bool:
    """Return whether CHANGES works for this table."""
    properties = detail.properties
    tracked = str(properties.get("delta.enableRowTracking", "")).lower() == "true"
    # In Delta 4.4 it finds no ids if columns are mapped, and it reads partition values from the data files,
    # which not every writer stores there.
    mapped = str(properties.get("delta.columnMapping.mode", "none")).lower() != "none"
    return tracked and not mapped and not detail.partitionColumns


def changes_by_row_id(spark: SparkSession, table: str, operations: dict[int, str]) -> DataFrame:
    """Return added and removed rows, with `_change_type` and `_commit_version`.

    `operations` maps all requested versions to their operations. Rows that were only copied appear as deleted
    and inserted: adding them up is cheaper than comparing them by id, as Spark would.
    """
    last = max(operations)
    # Delta 4.4 reads a whole range with the settings of its first version. If deletion vectors were enabled
    # later, it would miss the rows that they delete. So split the range where settings can change.
    starts = [version for version in sorted(operations) if operations[version] not in ROWS_ONLY]
    starts = sorted({min(operations), *starts})
    ends = [*(start - 1 for start in starts[1:]), last]
    parts = [_between(spark, table, *part) for part in zip(starts, ends, strict=True)]
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts)


def _between(spark: SparkSession, table: str, first: int, last: int) -> DataFrame:
    rows = spark.read.option("startingVersion", str(first)).option("endingVersion", str(last))
    return rows.option("deduplicationMode", "none").changes(table).drop("_metadata")
