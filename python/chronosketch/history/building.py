"""Open rows: the histories of groups since the last sealing, built from the changes that are kept beside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from chronosketch.history.definition import Definition
    from chronosketch.history.progress import Segment

# So few rows go through one partition, and open rows of so few changes are built as a whole: to shuffle them,
# or to find the groups that have changed, would cost more.
FEW = 100_000


def packed(rows: DataFrame, count: int | None) -> DataFrame:
    """Put few rows in one partition: Spark shuffles none then, and writes one file, whatever its settings."""
    return rows.coalesce(1) if count is not None and count <= FEW else rows


@dataclass(frozen=True)
class OpenRows:
    """What is known of a segment.

    `opened` are its open rows, built from the changes up to `segment.built`; None where there are none yet.
    `changes` are all its changes: `version`, `value` and `copies` of each group.
    """

    definition: Definition
    segment: Segment
    opened: DataFrame | None
    changes: DataFrame

    def up_to(self, last: int) -> DataFrame:
        """Build the groups that have changed since their rows were built, and take the others as they are."""
        segment = self.segment
        if self._is_whole:
            changes = packed(self.changes, segment.kept)
            everyone = groups_of(self.definition, changes)
            return sketched(self.definition, changes, everyone, segment.base, last, segment.kept)
        news = packed(self.changes.where(F.col("version") > segment.built), segment.waiting)
        touched = groups_of(self.definition, news)
        changes = self._among(self.changes, touched, "left_semi")
        rows = sketched(self.definition, changes, touched, segment.base, last)
        assert self.opened is not None
        others = self._among(self.opened, touched, "left_anti")
        return rows.unionByName(others.select(*self.definition.groups, "sketch"))

    @property
    def _is_whole(self) -> bool:
        return self.opened is None or not self.definition.groups or self.segment.kept <= FEW

    def _among(self, rows: DataFrame, groups: DataFrame, how: str) -> DataFrame:
        names = {name: f"_group_{i}" for i, name in enumerate(self.definition.groups)}
        keys = groups.select(*[F.col(name).alias(key) for name, key in names.items()])
        if self.segment.waiting <= FEW:
            keys = F.broadcast(keys)
        same = [F.expr(f"{name} <=> {key}") for name, key in names.items()]
        return rows.join(keys, reduce(lambda a, b: a & b, same), how)


def groups_of(definition: Definition, rows: DataFrame) -> DataFrame:
    """Return the groups that rows are of; without groups, one row."""
    if not definition.groups:
        return rows.sparkSession.range(1)
    return rows.select(*definition.groups).distinct()


def sketched(
    definition: Definition,
    changes: DataFrame,
    groups: DataFrame,
    first: int,
    last: int,
    count: int | None = None,
) -> DataFrame:
    """Build the histories of some groups, from one version to another, of `count` changes if known."""
    # With no copies, a change only tells a group's history of a version without changes of its own.
    versions = F.explode(F.array(_whole(first), _whole(last))).alias("version")
    no_value = definition.no_value().alias("value")
    told = groups.select(*definition.groups, versions, no_value, _whole(0).alias("copies"))
    rows = definition.sketched(packed(changes.unionByName(told), count))
    # Changes that take away what never came would make every later answer wrong.
    sentence = "[CHRONOSKETCH_CHANGES_DO_NOT_FIT] The changes delete values that were not there."
    fits = F.expr("sketch_describe(sketch).clamped = 0")
    return rows.withColumn("sketch", F.when(fits, F.col("sketch")).otherwise(F.raise_error(sentence)))


def _whole(number: int) -> Column:
    return F.lit(number).cast("bigint")
