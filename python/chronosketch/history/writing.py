"""The rows that a step writes."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from chronosketch.columns import bigint, small_table
from chronosketch.history.building import OpenRows, build_histories, coalesce_small, groups_of
from chronosketch.history.ledger import CHANGE, OPEN, SEALED, STEP

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from chronosketch.history.definition import Definition
    from chronosketch.history.ledger import Progress, Segment

# Open rows are rebuilt when waiting changes exceed BUILD_SHARE of the values at their base, and sealed when
# all their changes exceed SEAL_SHARE. So a change costs a constant number of written rows, however many
# rows the history has.
BUILD_SHARE = 0.01
SEAL_SHARE = 0.5
SEAL_LEAST = 10_000

# The columns of a step's row, with their SQL types.
_STEP = {
    "number": "BIGINT",
    "id": "STRING",
    "table": "STRING",
    "definition": "STRING",
    **dict.fromkeys(["base", "since", "since_micros", "built", "began", "taken", "waiting"], "BIGINT"),
    "times": "ARRAY<STRUCT<version: BIGINT, micros: BIGINT>>",
}


def is_full(segment: Segment) -> bool:
    """Return whether the open rows have enough changes to be sealed."""
    assert segment.began is not None
    return segment.taken > max(SEAL_LEAST, SEAL_SHARE * segment.began)


def must_rebuild(segment: Segment) -> bool:
    """Return whether enough changes wait for the open rows to be rebuilt."""
    assert segment.began is not None
    return segment.waiting > BUILD_SHARE * segment.began


@dataclass(frozen=True)
class StepRows:
    """Builds the rows that a step writes, from the open rows and changes in the table and the new changes.

    `opened` are the table's open rows, `before` its changes, and `netted` the new changes.
    """

    definition: Definition
    segment: Segment
    opened: DataFrame | None
    before: DataFrame | None
    netted: DataFrame
    times: list[tuple[int, int]]

    def changes(self) -> DataFrame:
        """Return only the new changes."""
        no_sketch = F.lit(None).cast("binary")
        return self.netted.withColumns({"kind": F.lit(CHANGE), "sketch": no_sketch})

    def rebuilt(self) -> DataFrame:
        """Return the new changes, and open rows rebuilt up to the last version."""
        return _together(self._histories(OPEN), self.changes())

    def sealed(self) -> DataFrame:
        """Return sealed rows up to the last version, and new open rows that begin with its values."""
        definition, last = self.definition, self._last
        kept = self.segment.kept
        changes = coalesce_small(self._changes, kept).groupBy(*definition.groups, "value")
        sums = changes.agg(F.sum("copies").alias("copies"))
        base = sums.where("copies != 0").withColumn("version", bigint(last))
        opened = build_histories(definition, base, groups_of(definition, base), last, last, kept)
        opened = opened.withColumns(
            {"kind": F.lit(OPEN), "from_version": bigint(last + 1), "to_version": bigint(last)}
        )
        return _together(self._histories(SEALED), opened, base.withColumn("kind", F.lit(CHANGE)))

    @property
    def _changes(self) -> DataFrame:
        return self.netted if self.before is None else self.before.unionByName(self.netted)

    @property
    def _last(self) -> int:
        return self.times[-1][0]

    def _histories(self, kind: str) -> DataFrame:
        open_rows = OpenRows(self.definition, self.segment, self.opened, self._changes)
        return open_rows.up_to(self._last).withColumns(
            {
                "kind": F.lit(kind),
                "from_version": bigint(self.segment.since),
                "to_version": bigint(self._last),
                "first_ts": _instant(self.segment.since_micros),
                "last_ts": _instant(self.times[-1][1]),
            }
        )


def step_row(spark: SparkSession, made: Progress, times: list[tuple[int, int]]) -> DataFrame:
    """Return the row that records this step's progress and the commit times of its versions."""
    moments = [{"version": version, "micros": micros} for version, micros in times]
    row = (made.number, made.id, made.table, made.definition.to_json(), *astuple(made.segment), moments)
    frame = small_table(spark, [row], _STEP)
    versions = "transform(times, t -> struct(t.version, timestamp_micros(t.micros) AS ts)) AS versions"
    step = (
        "struct(number, id, table, definition, base, since, timestamp_micros(since_micros) AS since_ts, "
        f"built, began, taken, waiting, {versions}) AS step"
    )
    return frame.select(
        F.lit(STEP).alias("kind"),
        bigint(times[0][0]).alias("from_version"),
        bigint(times[-1][0]).alias("to_version"),
        _instant(times[0][1]).alias("first_ts"),
        _instant(times[-1][1]).alias("last_ts"),
        F.expr(step),
    )


def _together(*frames: DataFrame) -> DataFrame:
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), frames)


def _instant(micros: int | None) -> Column:
    return F.timestamp_micros(bigint(micros))
