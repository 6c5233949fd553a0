"""Build open rows: the histories of groups since the last sealing, from the stored changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from chronosketch.columns import bigint

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from chronosketch.history.definition import Definition
    from chronosketch.history.ledger import Segment

# Up to this many rows go through one partition, and open rows of up to this many changes are rebuilt as a
# whole. Below that size, a shuffle or a search for the changed groups costs more than it saves.
SMALL = 100_000


def coalesce_small(rows: DataFrame, count: int | None) -> DataFrame:
    """Put at most SMALL rows in one partition. Spark then needs no shuffle and writes one file."""
    return rows.coalesce(1) if count is not None and count <= SMALL else rows


@dataclass(frozen=True)
class OpenRows:
    """The rows of a segment from which its histories are built.

    `opened` are its open rows, built from the changes up to `segment.built`, or None if there are none yet.
    `changes` are all its changes: `version`, `value` and `copies` of each group.
    """

    definition: Definition
    segment: Segment
    opened: DataFrame | None
    changes: DataFrame

    def up_to(self, last: int) -> DataFrame:
        """Rebuild the groups that have changed since their rows were built; keep the other rows."""
        segment = self.segment
        if self._is_whole:
            changes = coalesce_small(self.changes, segment.kept)
            all_groups = groups_of(self.definition, changes)
            return build_histories(self.definition, changes, all_groups, segment.base, last, segment.kept)
        unbuilt = coalesce_small(self.changes.where(F.col("version") > segment.built), segment.waiting)
        touched = groups_of(self.definition, unbuilt)
        changes = self._among(self.changes, touched, "left_semi")
        rows = build_histories(self.definition, changes, touched, segment.base, last)
        assert self.opened is not None
        others = self._among(self.opened, touched, "left_anti")
        return rows.unionByName(others.select(*self.definition.groups, "sketch"))

    @property
    def _is_whole(self) -> bool:
        return self.opened is None or not self.definition.groups or self.segment.kept <= SMALL

    def _among(self, rows: DataFrame, groups: DataFrame, how: str) -> DataFrame:
        names = {name: f"_group_{i}" for i, name in enumerate(self.definition.groups)}
        keys = groups.select(*[F.col(name).alias(key) for name, key in names.items()])
        if self.segment.waiting <= SMALL:
            keys = F.broadcast(keys)
        same = [F.expr(f"{name} <=> {key}") for name, key in names.items()]
        return rows.join(keys, reduce(lambda a, b: a & b, same), how)


def groups_of(definition: Definition, rows: DataFrame) -> DataFrame:
    """Return the distinct groups of the rows; one row if the history has no groups."""
    if not definition.groups:
        return rows.sparkSession.range(1)
    return rows.select(*definition.groups).distinct()


def build_histories(
    definition: Definition,
    changes: DataFrame,
    groups: DataFrame,
    first: int,
    last: int,
    count: int | None = None,
) -> DataFrame:
    """Build the histories of some groups, from version `first` to `last`, of `count` changes if known."""
    # A change with no copies tells a group's history about a version in which the group did not change.
    versions = F.explode(F.array(bigint(first), bigint(last))).alias("version")
    placeholder = definition.placeholder().alias("value")
    markers = groups.select(*definition.groups, versions, placeholder, bigint(0).alias("copies"))
    rows = definition.build_sketches(coalesce_small(changes.unionByName(markers), count))
    # A deleted value that was never inserted would make every later answer wrong.
    sentence = "[CHRONOSKETCH_CHANGES_DO_NOT_FIT] The changes delete values that were not there."
    fits = F.expr("sketch_describe(sketch).clamped = 0")
    return rows.withColumn("sketch", F.when(fits, F.col("sketch")).otherwise(F.raise_error(sentence)))
