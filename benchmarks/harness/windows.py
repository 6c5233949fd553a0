"""The figures of windows that end at the newest row: their rows, queries with percentile_approx beside them, and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.figures import DETAIL, SCALE, Figure, Pair
from harness.peers import k_of
from harness.rounds import log_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession


GROUPS = 1_000
DAY = "2026-01-01"
_PARTS = 8


@dataclass(frozen=True)
class WindowSizes:
    """The sizes of the data.

    Attributes
    ----------
    rows : int
        Number of rows of a day, in all groups together.
    """

    rows: int

    @property
    def micros_per_row(self) -> int:
        """The microseconds between two rows."""
        return 86_400_000_000 // self.rows


class WindowData:
    """The rows as the view ``v`` and their sketches as ``s``, each created on first use."""

    def __init__(self, spark: SparkSession, folder: str, sizes: WindowSizes) -> None:
        self._spark, self._folder, self._sizes = spark, folder, sizes
        self._made: set[str] = set()

    def folder(self, name: str) -> str:
        """Return the folder of the rows; ``stored`` also creates the sketches."""
        rows = f"{self._folder}/rows.parquet"
        if "rows" not in self._made:
            self._rows().write.parquet(rows)
            self._made.add("rows")
        self._spark.read.parquet(rows).createOrReplaceTempView("v")
        if name == "stored":
            sketches = f"{self._folder}/sketches.parquet"
            if name not in self._made:
                self._spark.sql("SELECT k, window_sketch_agg(v, ts) AS w FROM v GROUP BY k").write.parquet(
                    sketches
                )
                self._made.add(name)
            self._spark.read.parquet(sketches).createOrReplaceTempView("s")
        return rows

    def _rows(self) -> DataFrame:
        made = self._spark.range(0, self._sizes.rows, 1, _PARTS)
        return made.selectExpr(
            f"CAST(pmod(xxhash64(id), {GROUPS}) AS INT) AS k",
            f"timestamp_micros(unix_micros(TIMESTAMP'{DAY}') + id * {self._sizes.micros_per_row}) AS ts",
            "exp(randn(42)) AS v",
        )


# The windows, in minutes before midnight.
WINDOWS = (1, 5, 10, 15, 30, 60, 120, 240, 480, 960)
# The accuracy of percentile_approx for ε = 0.01.
ACCURACY = 100

ONE = "approx_window_quantile, 1 hour"
ONE_SPARK, ONE_DEFAULT = "percentile_approx(100) FILTER", "percentile_approx FILTER"
STORED, SCANS, SCAN = "10 windows of stored sketches", "10 scans", "1 scan, 10 FILTERs"
BUILD, BUILD_MAX = "window_sketch_agg", "max"


def window_figures(sizes: WindowSizes) -> list[Figure]:
    """Return all figures for the given sizes."""
    return [_one(sizes), _ten(sizes), _build(sizes), _siblings(sizes)]


def _filtered(minutes: int, accuracy: str = f", {ACCURACY}") -> str:
    newest = f"timestamp_micros(unix_micros(TIMESTAMP'{DAY}') + 86400000000)"
    return f"percentile_approx(v, 0.99{accuracy}) FILTER (WHERE ts > {newest} - INTERVAL {minutes} MINUTES)"


def _one(sizes: WindowSizes) -> Figure:
    texts = (
        (ONE, "SELECT k, approx_window_quantile(v, ts, 0.99, '1 hour') FROM v GROUP BY k"),
        (ONE_SPARK, f"SELECT k, {_filtered(60)} FROM v GROUP BY k"),
        (ONE_DEFAULT, f"SELECT k, {_filtered(60, '')} FROM v GROUP BY k"),
    )
    pairs = (Pair(ONE, ONE_SPARK, 1.0), Pair(ONE, ONE_DEFAULT))
    return Figure("one", f"{GROUPS} groups, one window", "rows", sizes.rows, "{0}", pairs, texts=texts)


def _ten(sizes: WindowSizes) -> Figure:
    asked = ", ".join(f"sketch_quantile(sketch_window(w, '{m} minutes'), 0.99)" for m in WINDOWS)
    scans = " UNION ALL ".join(f"SELECT k, {_filtered(m)} FROM v GROUP BY k" for m in WINDOWS)
    texts = (
        (STORED, f"SELECT k, {asked} FROM s"),
        (SCANS, scans),
        (SCAN, f"SELECT k, {', '.join(_filtered(m) for m in WINDOWS)} FROM v GROUP BY k"),
    )
    pairs = (Pair(STORED, SCANS), Pair(STORED, SCAN))
    return Figure("ten", f"{GROUPS} groups, ten windows", "stored", sizes.rows, "{0}", pairs, texts=texts)


def _build(sizes: WindowSizes) -> Figure:
    texts = (
        (BUILD, "SELECT k, window_sketch_agg(v, ts) FROM v GROUP BY k"),
        (BUILD_MAX, "SELECT k, max(v), max(ts) FROM v GROUP BY k"),
    )
    pairs = (Pair(BUILD, BUILD_MAX, 0.5, kind=SCALE),)
    return Figure("build", f"{GROUPS} groups, sketches", "rows", sizes.rows, "{0}", pairs, texts=texts)


def _siblings(sizes: WindowSizes) -> Figure:
    """Compare building sketches of moments and samples of windows with quantile sketches and with aggregates of all rows."""
    moments, sample, spread = "window_moments_agg", "window_sample_agg of 1 000 rows", "stddev"
    texts = (
        (moments, "SELECT k, window_moments_agg(v, ts) FROM v GROUP BY k"),
        (sample, "SELECT k, window_sample_agg(v, ts) FROM v GROUP BY k"),
        (BUILD, "SELECT k, window_sketch_agg(v, ts) FROM v GROUP BY k"),
        (BUILD_MAX, "SELECT k, max(v), max(ts) FROM v GROUP BY k"),
        (spread, "SELECT k, stddev(v), max(ts) FROM v GROUP BY k"),
    )
    pairs = (
        Pair(moments, BUILD, kind=DETAIL),
        Pair(moments, spread, kind=SCALE),
        Pair(moments, BUILD_MAX, 0.4, kind=SCALE),
        Pair(sample, BUILD, kind=DETAIL),
        Pair(sample, BUILD_MAX, 0.4, kind=SCALE),
    )
    title = f"{GROUPS} groups, moments and samples of any window"
    return Figure("siblings", title, "rows", sizes.rows, "{0}", pairs, texts=texts)


_HOUR, _DAY = 60, 24 * 60  # in minutes
SPANS = (
    ("1 hour", _HOUR),
    ("6 hours", 6 * _HOUR),
    ("1 day", _DAY),
    ("7 days", 7 * _DAY),
    ("30 days", 30 * _DAY),
)
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


def measure_bytes(spark: SparkSession, rows_a_minute: int) -> list[Bytes]:
    """Measure every span at the default ε, and every ε over a day."""
    asked = [(span, minutes, EPSILONS[-1]) for span, minutes in SPANS]
    asked += [("1 day", _DAY, epsilon) for epsilon in EPSILONS[:-1]]
    return [_measure_bytes(spark, span, minutes, epsilon, rows_a_minute) for span, minutes, epsilon in asked]


def _measure_bytes(spark: SparkSession, span: str, minutes: int, epsilon: float, rows_a_minute: int) -> Bytes:
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


def bytes_table(sizes: Sequence[Bytes]) -> list[str]:
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
