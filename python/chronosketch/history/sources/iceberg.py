"""An Iceberg table: its versions are the snapshots that lead to the newest one, counted."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F

from chronosketch.errors import HistoryError
from chronosketch.history.sources.source import COPIES, VERSION, Taken, first_complete, is_complete
from chronosketch.small_tables import small_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import Column, DataFrame, SparkSession

_SNAPSHOT = "_commit_snapshot_id"

# How often to look again where the newest snapshot is not among all: both are read one after the other.
_LOOKS = 3


class Link(NamedTuple):
    """A snapshot in the chain: its id, that of the one before, when it was committed, and what it has."""

    id: int
    parent: int | None
    micros: int
    compacts: bool = False
    has_deletes: bool = False


class IcebergTable:
    """The chain of snapshots of an Iceberg table's main branch, and what each changed.

    A snapshot's id is random and says nothing of its place, and old ones expire. So the chain is counted
    from the last version that the history has, which it knows by its snapshot's id. A history that begins
    counts from the oldest snapshot that is there.

    Parameters
    ----------
    spark : SparkSession
        A session with a catalog of Iceberg's.
    table : str
        The table, as SQL names it: ``lake.sales.orders``.
    taken : Taken, optional
        The last version that the history has.
    name : str, optional
        The table's full name.
    """

    def __init__(self, spark: SparkSession, table: str, taken: Taken | None, name: str | None = None) -> None:
        self.name = name or table
        self._spark = spark
        self._table = qualified(spark, table)
        self._chain = self._read_chain()
        self._goes_on = taken is not None and follows(self._chain, taken)
        self._oldest = oldest_number(self._chain, taken) if taken is not None and self._goes_on else 0

    def _read_chain(self) -> list[Link]:
        for _ in range(_LOOKS):
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
        """Return the table as it is now."""
        return self._spark.table(self._table)

    def latest(self) -> int:
        """Return the number of the newest snapshot."""
        return self._oldest + len(self._chain) - 1

    def identity(self) -> str:
        """Return the newest snapshot's id: no other table has it."""
        return str(self._chain[-1].id) if self._chain else ""

    def replaced(self, taken: Taken) -> str | None:
        """Say that the chain does not lead on from the last version's snapshot."""
        if self._goes_on:
            return None
        return (
            f"version {taken.version} was snapshot {taken.identity}, and its newest snapshot does not come "
            "after that. It was rolled back, or dropped and made again."
        )

    def carries_on(self, taken: Taken) -> bool:
        """Say no: what leads from one chain to another, Iceberg does not tell."""
        return False

    def first(self, latest: int, fits: Callable[[DataFrame], bool]) -> int:
        """Return the first version with a snapshot that fits, and every change since known."""
        return first_complete(
            self._oldest,
            latest,
            lambda version: is_complete(
                lambda: self.snapshot(version), fits, lambda: self.changes(version + 1, latest)
            ),
        )

    def anew(self, version: int) -> int:
        """Return the version's place among the snapshots that are left."""
        return version - self._oldest

    def times(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return when the snapshots were committed."""
        there = range(max(first, self._oldest), last + 1)
        if len(there) < last - first + 1:
            raise HistoryError(
                "SOURCE_LOG_GONE",
                f"{self._table} has only {len(there)} of the snapshots of versions {first} to {last}. "
                "The others expired before they were read.",
            )
        return [(version, self._link(version).micros) for version in there]

    def images(self, first: int, last: int) -> int | None:
        """Say that nobody knows: where files are rewritten, the rows that were only copied come too."""
        return None

    def changes(self, first: int, last: int) -> DataFrame:
        """Return deletes as -1 and inserts as +1; snapshots that only compact files change nothing."""
        links = [self._link(version) for version in range(first, last + 1)]
        if any(link.has_deletes for link in links):
            return self._compared(first, last)
        rows = self._spark.read.option("end-snapshot-id", str(links[-1].id))
        if links[0].parent is not None:
            rows = rows.option("start-snapshot-id", str(links[0].parent))
        changes = rows.table(f"{self._table}.changes")
        # They have the columns that the table has by now, and a snapshot those that it had.
        self._refuse_other_columns(self.snapshot(last), changes, last)
        # What Iceberg counts by leaves out snapshots that only compact files.
        numbers = [(link.id, version) for version, link in enumerate(links, first)]
        numbered = small_table(self._spark, numbers, {_SNAPSHOT: "BIGINT", VERSION: "BIGINT"})
        # Iceberg 1.12 mixes up its columns unless all three are asked for: copies depend on the ordinal too.
        copies = F.when(F.col("_change_ordinal") < 0, 0).when(F.col("_change_type") == "DELETE", -1)
        # A left join: an inner one has the scan leave out ids that are NULL, at which Iceberg 1.12 fails.
        return changes.join(F.broadcast(numbered), _SNAPSHOT, "left").withColumn(
            COPIES, copies.otherwise(1).cast("bigint")
        )

    def _compared(self, first: int, last: int) -> DataFrame:
        """Compare whole snapshots: of delete files, Iceberg 1.12 tells no changes."""
        images = []
        for version in range(first, last + 1):
            if self._link(version).compacts:
                continue
            before, after = self.snapshot(version - 1), self.snapshot(version)
            self._refuse_other_columns(before, after, version)
            for rows, copies in ((before, -1), (after, 1)):
                columns = {VERSION: version, COPIES: copies}
                images.append(rows.withColumns({name: _whole(n) for name, n in columns.items()}))
        if not images:
            nothing = {VERSION: _whole(last), COPIES: _whole(0)}
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
        if not self._oldest <= version <= self.latest():
            raise HistoryError("SOURCE_LOG_GONE", f"{self._table} has no snapshot of version {version}.")
        return self._chain[version - self._oldest]


def _whole(number: int) -> Column:
    return F.lit(number).cast("bigint")


def chain(links: dict[int, Link], newest: int) -> list[Link]:
    """Return the links that lead to the newest, the oldest first.

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


def follows(links: list[Link], taken: Taken) -> bool:
    """Say whether a chain leads on from a version, as far as its snapshots are there to tell.

    Examples
    --------
    >>> links = [Link(7, 3, 20), Link(9, 7, 30)]
    >>> follows(links, Taken(5, "7", 20)), follows(links, Taken(5, "3", 10))
    (True, True)
    >>> follows(links, Taken(5, "4", 25))  # it was rolled back: the chain is older, and has no 4
    False
    >>> follows(links, Taken(5, "1", 10))  # what came between has expired
    True
    """
    if not links:
        return False
    oldest = links[0]
    if taken.identity in {str(oldest.parent), *(str(link.id) for link in links)}:
        return True
    # Were the version before its old end, others between them would have expired too.
    return oldest.parent is not None and oldest.micros > taken.micros


def oldest_number(links: list[Link], taken: Taken) -> int:
    """Return the number of a chain's oldest snapshot, if it leads on from a version.

    Examples
    --------
    >>> links = [Link(7, 3, 20), Link(9, 7, 30)]
    >>> oldest_number(links, Taken(5, "9", 30)), oldest_number(links, Taken(5, "3", 10))
    (4, 6)
    """
    for place, link in enumerate(links):
        if str(link.id) == taken.identity:
            return taken.version - place
    # The next one, or a later one: at least one more has expired.
    return taken.version + (1 if str(links[0].parent) == taken.identity else 2)


def qualified(spark: SparkSession, table: str) -> str:
    """Name a table with its schema: that of its metadata goes before the metadata's name."""
    if "." in table:
        return table
    return f"{spark.catalog.currentCatalog()}.{spark.catalog.currentDatabase()}.{table}"
