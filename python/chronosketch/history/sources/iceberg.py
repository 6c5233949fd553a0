"""An Iceberg table as a source. Versions number the chain of snapshots that leads to the newest one."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F

from chronosketch.columns import bigint, small_table
from chronosketch.errors import HistoryError
from chronosketch.history.sources.source import COPIES, VERSION, LastVersion, first_complete, is_complete

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

_SNAPSHOT = "_commit_snapshot_id"

# The metadata tables `refs` and `snapshots` are read one after the other. If the newest snapshot is missing
# from the second, read both again, this many times in all.
_ATTEMPTS = 3


class Link(NamedTuple):
    """A snapshot in the chain: its id, its parent's id, its commit time, and its kind of content."""

    id: int
    parent: int | None
    micros: int
    compacts: bool = False
    has_deletes: bool = False


class IcebergTable:
    """An Iceberg table's main branch as a source of changes.

    A snapshot's id is random, and old snapshots expire. So versions are counted from the history's last
    version, which is recognised by its snapshot id. A new history counts from the oldest snapshot that still
    exists.

    Parameters
    ----------
    spark : SparkSession
        A session with an Iceberg catalog.
    table : str
        The table, as SQL names it: ``lake.sales.orders``.
    last : LastVersion, optional
        The last version that the history has.
    name : str, optional
        The table's full name.
    """

    def __init__(
        self, spark: SparkSession, table: str, last: LastVersion | None, name: str | None = None
    ) -> None:
        self.name = name or table
        self._spark = spark
        self._table = qualified(spark, table)
        self._chain = self._read_chain()
        self._continues = last is not None and follows(self._chain, last)
        self._oldest = oldest_number(self._chain, last) if last is not None and self._continues else 0

    def _read_chain(self) -> list[Link]:
        for _ in range(_ATTEMPTS):
            refs = self._spark.sql(f"SELECT snapshot_id FROM {self._table}.refs WHERE name = 'main'").first()
            if refs is None:
                return []
            snapshots = self._spark.sql(
                "SELECT snapshot_id, parent_id, unix_micros(committed_at), operation = 'replace', "
                "coalesce(CAST(summary['total-delete-files'] AS BIGINT), 0) > 0 "
                f"FROM {self._table}.snapshots"
            )
            links = {row[0]: Link(*row) for row in snapshots.collect()}
            if refs[0] in links:
                return chain(links, refs[0])
        raise HistoryError(
            "SOURCE_LOG_GONE", f"{self._table} lost snapshots while they were read. Try again."
        )

    def rows(self) -> DataFrame:
        """Return the table's current rows."""
        return self._spark.table(self._table)

    @property
    def latest(self) -> int:
        """Return the number of the newest snapshot."""
        return self._oldest + len(self._chain) - 1

    def identity(self) -> str:
        """Return the id of the newest snapshot, which no other table has."""
        return str(self._chain[-1].id) if self._chain else ""

    def replaced(self, last: LastVersion) -> str | None:
        """Return why the chain does not continue from the last version's snapshot. None if it does."""
        if self._continues:
            return None
        return (
            f"version {last.version} was snapshot {last.identity}, and its newest snapshot does not come "
            "after that. It was rolled back, or dropped and made again."
        )

    def has_changes_since(self, last: LastVersion) -> bool:
        """Return False: Iceberg does not record the changes between two chains."""
        return False

    def first(self, latest: int, fits: Callable[[DataFrame], bool]) -> int:
        """Return the first version whose snapshot fits and since which all changes are known."""
        return first_complete(
            self._oldest,
            latest,
            lambda version: is_complete(
                lambda: self.snapshot(version), fits, lambda: self.changes(version + 1, latest)
            ),
        )

    def start_number(self, version: int) -> int:
        """Return the version's position among the snapshots that still exist."""
        return version - self._oldest

    def times(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return each version with the commit time of its snapshot."""
        existing = range(max(first, self._oldest), last + 1)
        if len(existing) < last - first + 1:
            raise HistoryError(
                "SOURCE_LOG_GONE",
                f"{self._table} has only {len(existing)} of the snapshots of versions {first} to {last}. "
                "The others expired before they were read.",
            )
        return [(version, self._link(version).micros) for version in existing]

    def images(self, first: int, last: int) -> int | None:
        """Return None: rewritten files also return rows that were only copied, so the number is unknown."""
        return None

    def changes(self, first: int, last: int) -> DataFrame:
        """Return deletes as -1 and inserts as +1. Snapshots that only compact files have no changes."""
        links = [self._link(version) for version in range(first, last + 1)]
        if any(link.has_deletes for link in links):
            return self._compared(first, last)
        rows = self._spark.read.option("end-snapshot-id", str(links[-1].id))
        if links[0].parent is not None:
            rows = rows.option("start-snapshot-id", str(links[0].parent))
        changes = rows.table(f"{self._table}.changes")
        # Changes have the table's current columns, a snapshot those of its time.
        self._refuse_other_columns(self.snapshot(last), changes, last)
        # Number the changes by snapshot: Iceberg's own ordinals skip snapshots that only compact files.
        numbers = [(link.id, version) for version, link in enumerate(links, first)]
        numbered = small_table(self._spark, numbers, {_SNAPSHOT: "BIGINT", VERSION: "BIGINT"})
        # Iceberg 1.12 mixes up columns unless all three are selected, so copies also depend on the ordinal.
        copies = F.when(F.col("_change_ordinal") < 0, 0).when(F.col("_change_type") == "DELETE", -1)
        # A left join, because for an inner one the scan filters out NULL ids, which fails in Iceberg 1.12.
        return changes.join(F.broadcast(numbered), _SNAPSHOT, "left").withColumn(
            COPIES, copies.otherwise(1).cast("bigint")
        )

    def _compared(self, first: int, last: int) -> DataFrame:
        """Compare whole snapshots, because Iceberg 1.12 returns no changes for delete files."""
        images = []
        for version in range(first, last + 1):
            if self._link(version).compacts:
                continue
            before, after = self.snapshot(version - 1), self.snapshot(version)
            self._refuse_other_columns(before, after, version)
            for rows, copies in ((before, -1), (after, 1)):
                columns = {VERSION: version, COPIES: copies}
                images.append(rows.withColumns({name: bigint(n) for name, n in columns.items()}))
        if not images:
            nothing = {VERSION: bigint(last), COPIES: bigint(0)}
            return self.snapshot(last).limit(0).withColumns(nothing)
        return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), images)

    def _refuse_other_columns(self, before: DataFrame, after: DataFrame, version: int) -> None:
        lost = [name for name, kind in before.dtypes if (name, kind) not in after.dtypes]
        if lost:
            raise HistoryError(
                "SOURCE_SCHEMA_CHANGED",
                f"Columns of {self._table} were renamed, dropped or retyped at or after version {version}: "
                f"{', '.join(lost)}.",
            )

    def snapshot(self, version: int) -> DataFrame:
        """Return the table as of a version."""
        return self._spark.read.option("versionAsOf", str(self._link(version).id)).table(self._table)

    def _link(self, version: int) -> Link:
        if not self._oldest <= version <= self.latest:
            raise HistoryError("SOURCE_LOG_GONE", f"{self._table} has no snapshot of version {version}.")
        return self._chain[version - self._oldest]


def chain(links: dict[int, Link], newest: int) -> list[Link]:
    """Return the chain of links up to the newest, the oldest first.

    Examples
    --------
    >>> links = {7: Link(7, 3, 20), 9: Link(9, 7, 30), 8: Link(8, 7, 25)}
    >>> [link.id for link in chain(links, 9)]
    [7, 9]
    """
    found = []
    link = links.get(newest)
    while link is not None:
        found.append(link)
        link = None if link.parent is None else links.get(link.parent)
    return found[::-1]


def follows(links: list[Link], last: LastVersion) -> bool:
    """Return whether a chain continues from a version, as far as its remaining snapshots show.

    Examples
    --------
    >>> links = [Link(7, 3, 20), Link(9, 7, 30)]
    >>> follows(links, LastVersion(5, "7", 20)), follows(links, LastVersion(5, "3", 10))
    (True, True)
    >>> follows(links, LastVersion(5, "4", 25))  # rolled back: the chain is older and lacks 4
    False
    >>> follows(links, LastVersion(5, "1", 10))  # the snapshots between them have expired
    True
    """
    if not links:
        return False
    oldest = links[0]
    if last.identity in {str(oldest.parent), *(str(link.id) for link in links)}:
        return True
    # A version older than the whole chain: the snapshots between them have expired.
    return oldest.parent is not None and oldest.micros > last.micros


def oldest_number(links: list[Link], last: LastVersion) -> int:
    """Return the version number of a chain's oldest snapshot, if the chain continues from a version.

    Examples
    --------
    >>> links = [Link(7, 3, 20), Link(9, 7, 30)]
    >>> oldest_number(links, LastVersion(5, "9", 30)), oldest_number(links, LastVersion(5, "3", 10))
    (4, 6)
    """
    for place, link in enumerate(links):
        if str(link.id) == last.identity:
            return last.version - place
    # If its parent is the last version, it is the next one. Otherwise at least one between them has expired.
    return last.version + (1 if str(links[0].parent) == last.identity else 2)


def qualified(spark: SparkSession, table: str) -> str:
    """Prefix a table name with its catalog and schema, so that a metadata table's name can follow it."""
    if "." in table:
        return table
    return f"{spark.catalog.currentCatalog()}.{spark.catalog.currentDatabase()}.{table}"
