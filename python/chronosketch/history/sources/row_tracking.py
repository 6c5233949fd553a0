"""Read changes with Spark's CHANGES, which derives them from the files of each commit and the row ids."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from chronosketch.history.sources.commits import ROWS_ONLY

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

# Delta's own setting for CHANGES. It is off by default.
SWITCH = "spark.databricks.delta.changelogV2.enabled"


def is_switched_on(spark: SparkSession) -> bool:
    """Return whether the session lets Spark derive changes, and this Spark can."""
    return _has_changes(spark) and str(spark.conf.get(SWITCH, "false")).lower() == "true"


def suggestion(spark: SparkSession, detail: Row) -> str:
    """Return a sentence that proposes CHANGES, or nothing if they would not work."""
    if not (_has_changes(spark) and supports_changes(detail)):
        return ""
    return (
        "Or let Spark's CHANGES tell what changed, since the table tracks its rows: "
        f"spark.conf.set('{SWITCH}', 'true')"
    )


def _has_changes(spark: SparkSession) -> bool:
    """Return whether this Spark has CHANGES, which came with 4.2."""
    return hasattr(spark.read, "changes")


def supports_changes(detail: Row) -> bool:
    """Return whether CHANGES works for this table."""
    properties = detail.properties
    tracked = str(properties.get("delta.enableRowTracking", "")).lower() == "true"
    # In Delta 4.4 it finds no ids if columns are mapped, and it reads partition values from the data files,
    # which not every writer stores there.
    mapped = str(properties.get("delta.columnMapping.mode", "none")).lower() != "none"
    return tracked and not mapped and not detail.partitionColumns


def changes(spark: SparkSession, table: str, operations: dict[int, str]) -> DataFrame:
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
