"""Compares the bytes of a window sketch with those of a KLL sketch per minute, at the same error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.kll import k_of
from harness.rounds import log_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

HOUR, DAY = 60, 24 * 60
SPANS = (("1 hour", HOUR), ("6 hours", 6 * HOUR), ("1 day", DAY), ("7 days", 7 * DAY), ("30 days", 30 * DAY))
EPSILONS = (0.1, 0.05, 0.02, 0.01)


@dataclass(frozen=True)
class Bytes:
    """The bytes of one group.

    Attributes
    ----------
    span : str
        The time span of the rows.
    rows : int
        Number of rows in that span.
    epsilon : float
        The error: certified for ours, with 99 % confidence for KLL.
    ours, kll : int
        The bytes of one window sketch, and of all KLL sketches.
    """

    span: str
    rows: int
    epsilon: float
    ours: int
    kll: int


def measure(spark: SparkSession, rows_a_minute: int) -> list[Bytes]:
    """Measure every span at the default ε, and every ε over a day."""
    asked = [(span, minutes, EPSILONS[-1]) for span, minutes in SPANS]
    asked += [("1 day", DAY, epsilon) for epsilon in EPSILONS[:-1]]
    return [_measure(spark, span, minutes, epsilon, rows_a_minute) for span, minutes, epsilon in asked]


def _measure(spark: SparkSession, span: str, minutes: int, epsilon: float, rows_a_minute: int) -> Bytes:
    log_progress(f"bytes: {span}, epsilon {epsilon:g}")
    rows = minutes * rows_a_minute
    spark.range(0, rows, 1, 8).selectExpr(
        f"timestamp_micros(id * {60_000_000 // rows_a_minute}) AS ts", "exp(randn(42)) AS v"
    ).createOrReplaceTempView("timed")
    ours = spark.sql(f"SELECT length(window_sketch_agg(v, ts, {epsilon}D)) FROM timed").head()
    kll = spark.sql(
        f"SELECT sum(length(s)) FROM (SELECT kll_sketch_agg_double(v, {k_of(epsilon)}) AS s "
        "FROM timed GROUP BY date_trunc('MINUTE', ts))"
    ).head()
    assert ours is not None
    assert kll is not None
    return Bytes(span, rows, epsilon, int(ours[0]), int(kll[0]))


def table(sizes: Sequence[Bytes]) -> list[str]:
    """Write the table."""
    lines = [
        "| span | rows | ε | one window sketch | a KLL sketch a minute | times smaller |",
        "|---|---|---|---|---|---|",
    ]
    for size in sizes:
        lines.append(
            f"| {size.span} | {size.rows:,} | {size.epsilon:g} | {size.ours / 1024:,.0f} KiB | "
            f"{size.kll / 1024:,.0f} KiB | {size.kll / size.ours:.2f} |"
        )
    return lines
