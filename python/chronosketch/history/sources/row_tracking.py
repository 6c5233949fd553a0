"""Spark's CHANGES of a Delta table: worked out from the files of each commit, where rows have ids."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from chronosketch.history.sources.commits import ROWS_ONLY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

# Delta's own switch, off unless a session sets it.
SWITCH = "spark.databricks.delta.changelogV2.enabled"


def is_switched_on(spark: SparkSession) -> bool:
    """Say whether the session lets Spark tell changes, where it can."""
    return _has_changes(spark) and str(spark.conf.get(SWITCH, "false")).lower() == "true"


def instead(spark: SparkSession, detail: Row) -> str:
    """Say what else would tell the changes, in one sentence or none."""
    if not (_has_changes(spark) and could_tell(detail)):
        return ""
    return (
        "Or let Spark's CHANGES tell what changed, since the table tracks its rows: "
        f"spark.conf.set('{SWITCH}', 'true')"
    )


def _has_changes(spark: SparkSession) -> bool:
    """Say whether this Spark has CHANGES: it came with 4.2."""
    return hasattr(spark.read, "changes")


def could_tell(detail: Row) -> bool:
    """Say whether changes of this table can be told by its rows' ids."""
    has = detail.properties
    tracked = str(has.get("delta.enableRowTracking", "")).lower() == "true"
    # Delta 4.4 finds no ids where columns are mapped, and reads a partition's value from the data files,
    # in which not every writer has put it.
    mapped = str(has.get("delta.columnMapping.mode", "none")).lower() != "none"
    return tracked and not mapped and not detail.partitionColumns


def changes(spark: SparkSession, table: str, operations: dict[int, str]) -> DataFrame:
    """Return the rows of files that came and went, with `_change_type` and `_commit_version`.

    `operations` are those of all versions wanted. Rows that were only copied are deleted and inserted: to add
    them up is cheaper than to compare them by their ids, as Spark would.
    """
    last = max(operations)
    # Delta 4.4 reads a whole range as its first version says: deletion vectors that were switched on later
    # would be passed over, and with them what was deleted.
    starts = [version for version in sorted(operations) if operations[version] not in ROWS_ONLY]
    starts = sorted({min(operations), *starts})
    ends = [*(start - 1 for start in starts[1:]), last]
    parts = [_between(spark, table, *part) for part in zip(starts, ends, strict=True)]
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), parts)


def _between(spark: SparkSession, table: str, first: int, last: int) -> DataFrame:
    rows = spark.read.option("startingVersion", str(first)).option("endingVersion", str(last))
    return rows.option("deduplicationMode", "none").changes(table).drop("_metadata")
