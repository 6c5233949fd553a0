"""The figures of hopping windows over an hour of rows, compared with Spark's own plan and with panes merged by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.figures import DETAIL, Figure, Pair
from harness.spread import spaced

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


FEW, MANY = 10, 10_000
HOUR = "2026-01-01 00:00:00"
_MICROS = 3_600_000_000
_FILES = 8


class HoppingData:
    """The rows as the view ``v``: a column of keys for each number of keys, the time, and a lognormal value."""

    def __init__(self, spark: SparkSession, folder: str, rows: int) -> None:
        self._spark, self._folder, self._rows = spark, folder, rows
        self._is_made = False

    def folder(self, name: str) -> str:
        """Return the folder of the only data set."""
        files = f"{self._folder}/{name}.parquet"
        if not self._is_made:
            self._spark.range(0, self._rows, 1, _FILES).selectExpr(
                f"CAST(pmod(xxhash64(id), {FEW}) AS INT) AS few",
                f"CAST(pmod(xxhash64(id), {MANY}) AS INT) AS many",
                f"timestamp_micros(unix_micros(TIMESTAMP'{HOUR}') + id * {_MICROS} div {self._rows}) AS ts",
                "exp(randn(42)) AS v",
            ).write.parquet(files)
            self._is_made = True
        self._spark.read.parquet(files).createOrReplaceTempView("v")
        return files


SIZE, SLIDE = "10 minutes", "10 seconds"
DATA = "rows"
OURS, EXPAND, PANES = "hopping_sketch", "GROUP BY window", "panes by hand"
# Spark's own plan with Spark's own operators, at our default error.
PERCENTILE, KLL = (
    "GROUP BY window, percentile_approx(v, 0.99)",
    "GROUP BY window, kll_sketch_agg_double(v, 2000)",
)
# The same question as Spark's percentile answers.
OURS_ANSWER = "hopping_sketch, approx_quantile(v, 0.99)"
# The required ratios.
_TARGETS = {EXPAND: 20.0, PANES: 3.0, PERCENTILE: 30.0, KLL: 30.0}


@dataclass(frozen=True)
class Keys:
    """A column of keys, and its number of keys."""

    column: str
    count: int

    @property
    def title(self) -> str:
        """The title in tables."""
        return f"{spaced(self.count)} keys"

    def queries(self) -> dict[str, str]:
        """Return the queries to compare: the windows of each key with a sketch or the p99 of each."""
        k = self.column
        pane = f"SELECT {k}, window.start AS pane, quantile_sketch_agg(v) AS s FROM v GROUP BY {k}, window(ts, '{SLIDE}')"
        ours = (
            f"SELECT * FROM hopping_sketch(TABLE(SELECT {k}, ts, v FROM v), event_time => 'ts', size => '{SIZE}', "
            f"slide => '{SLIDE}', by => array('{k}'), aggs => array('%s AS s'))"
        )
        return {
            OURS: ours % "quantile_sketch_agg(v)",
            OURS_ANSWER: ours % "approx_quantile(v, 0.99)",
            EXPAND: f"SELECT {k}, window, quantile_sketch_agg(v) AS s FROM v GROUP BY {k}, window(ts, '{SIZE}', '{SLIDE}')",
            PERCENTILE: f"SELECT {k}, window, percentile_approx(v, 0.99) AS s FROM v GROUP BY {k}, window(ts, '{SIZE}', '{SLIDE}')",
            KLL: f"SELECT {k}, window, kll_sketch_agg_double(v, 2000) AS s FROM v GROUP BY {k}, window(ts, '{SIZE}', '{SLIDE}')",
            PANES: f"SELECT {k}, window, sketch_merge_agg(s) AS s FROM ({pane}) "
            f"GROUP BY {k}, window(pane, '{SIZE}', '{SLIDE}')",
        }


KEYS = (Keys("few", FEW), Keys("many", MANY))


def hopping_figure(keys: Keys, peer: str, rows: int) -> Figure:
    """Return the comparison of ours with one peer."""
    pairs = (Pair(OURS_ANSWER if peer == PERCENTILE else OURS, peer, _TARGETS[peer]),)
    texts = tuple(keys.queries().items())
    return Figure(f"{keys.column}: {peer}", keys.title, DATA, rows, "{0}", pairs, texts=texts)


PANES_NAMED, LIST_NAMED = "structure => 'panes'", "structure => 'expiration_list'"
# From disjoint windows to windows where each row is in sixty.
SHAPES = (
    ("10 seconds", "10 seconds"),
    ("10 minutes", "10 minutes"),
    ("20 seconds", "10 seconds"),
    (SIZE, SLIDE),
)
# At 10 000 keys the list makes more than half a million sketches per slide.
_SLOWEST = (MANY, SIZE, SLIDE)


def structure_figures(rows: int) -> list[Figure]:
    """Compare panes with the list that copies each row into its windows, for several numbers of keys and overlaps."""
    found = []
    for keys in KEYS:
        for size, slide in SHAPES:
            if (keys.count, size, slide) == _SLOWEST:
                continue
            for epsilon in (1e-1, 1e-3):
                query = (
                    f"SELECT * FROM hopping_sketch(TABLE(SELECT {keys.column}, ts, v FROM v), event_time => 'ts', "
                    f"size => '{size}', slide => '{slide}', by => array('{keys.column}'), "
                    f"aggs => array('quantile_sketch_agg(v, {epsilon}) AS s'), %s)"
                )
                texts = tuple((name, query % name) for name in (PANES_NAMED, LIST_NAMED))
                pairs = (Pair(PANES_NAMED, LIST_NAMED, kind=DETAIL),)
                name = f"{keys.column}, {size} every {slide}, {epsilon}"
                title = f"{keys.title}, {size} every {slide}, ε = {epsilon}"
                found.append(Figure(name, title, DATA, rows, "{0}", pairs, texts=texts))
    return found


def fingerprints(spark: SparkSession, keys: Keys) -> dict[str, tuple[int, ...]]:
    """Return for each query its number of windows, and a hash of their keys, times and counts."""
    text = (
        "SELECT count(*), sum(sketch_count(s)), bit_xor(xxhash64({0}, window.start, window.end, sketch_count(s))) "
        "FROM ({1})"
    )
    return {
        name: tuple(spark.sql(text.format(keys.column, query)).first() or ())
        for name, query in keys.queries().items()
        if name in (OURS, EXPAND, PANES)
    }
