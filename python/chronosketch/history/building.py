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

# A segment of so few rows is built as a whole: to find the groups that have changed would cost more.
FEW = 10_000


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
        if self._is_whole:
            everyone = groups_of(self.definition, self.changes)
            return sketched(self.definition, self.changes, everyone, self.segment.base, last)
        news = self.changes.where(F.col("version") > self.segment.built)
        touched = groups_of(self.definition, news)
        changes = self._among(self.changes, touched, "left_semi")
        rows = sketched(self.definition, changes, touched, self.segment.base, last)
        assert self.opened is not None
        others = self._among(self.opened, touched, "left_anti")
        return rows.unionByName(others.select(*self.definition.groups, "sketch"))

    @property
    def _is_whole(self) -> bool:
        kept = (self.segment.began or 0) + self.segment.taken
        return self.opened is None or not self.definition.groups or kept <= FEW

    def _among(self, rows: DataFrame, groups: DataFrame, how: str) -> DataFrame:
        names = {name: f"_group_{i}" for i, name in enumerate(self.definition.groups)}
        keys = groups.select(*[F.col(name).alias(key) for name, key in names.items()])
        same = [F.expr(f"{name} <=> {key}") for name, key in names.items()]
        return rows.join(keys, reduce(lambda a, b: a & b, same), how)


def groups_of(definition: Definition, rows: DataFrame) -> DataFrame:
    """Return the groups that rows are of; without groups, one row."""
    if not definition.groups:
        return rows.sparkSession.range(1)
    return rows.select(*definition.groups).distinct()


def sketched(
    definition: Definition, changes: DataFrame, groups: DataFrame, first: int, last: int
) -> DataFrame:
    """Build the histories of some groups, from one version to another."""
    # With no copies, a change only tells a group's history of a version without changes of its own.
    versions = F.explode(F.array(_whole(first), _whole(last))).alias("version")
    no_value = definition.no_value().alias("value")
    told = groups.select(*definition.groups, versions, no_value, _whole(0).alias("copies"))
    rows = definition.sketched(changes.unionByName(told))
    # Changes that take away what never came would make every later answer wrong.
    sentence = "[CHRONOSKETCH_CHANGES_DO_NOT_FIT] The changes delete values that were not there."
    fits = F.expr("sketch_describe(sketch).clamped = 0")
    return rows.withColumn("sketch", F.when(fits, F.col("sketch")).otherwise(F.raise_error(sentence)))


def _whole(number: int) -> Column:
    return F.lit(number).cast("bigint")
