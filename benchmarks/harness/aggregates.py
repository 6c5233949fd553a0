"""The figures of aggregates: what is grouped and asked, and which peers run beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.datasets import COLUMNS
from harness.figures import (
    CHOICE,
    CLICKHOUSE_MAX,
    DDSKETCH,
    DETAIL,
    DUCKDB_EXACT,
    GENERIC,
    GK_3,
    GK_4,
    GROUPED,
    KLL,
    MAX,
    OTHERS,
    OURS_3,
    OURS_4,
    SCALE,
    SHAPES,
    SPARK_3,
    SPARK_4,
    UNGROUPED,
    Figure,
    Pair,
)
from harness.spread import spaced

if TYPE_CHECKING:
    from harness.datasets import Sizes


def aggregate_figures(sizes: Sizes) -> list[Figure]:
    """Return the figures of all pages for the given sizes."""
    return [
        *_in_spark(sizes),
        *_merging(sizes),
        *_beside_clickhouse(sizes),
        *_mixed(sizes),
        *_inputs(sizes),
        *_shapes(sizes),
        *_relative(sizes),
        *_moments(sizes),
        *_samples(sizes),
        *_tails(sizes),
        *_cubes(sizes),
    ]


def _in_spark(sizes: Sizes) -> list[Figure]:
    generic = Pair(OURS_4, OURS_4 + GENERIC, kind=DETAIL)
    page = "spark_aggregate_100m"
    return [
        Figure(
            "ungrouped",
            "ungrouped",
            "lognormal",
            sizes.rows,
            UNGROUPED,
            (
                Pair(OURS_3, MAX, 0.9, kind=SCALE),
                Pair(OURS_3, SPARK_3),
                Pair(OURS_4, SPARK_4, 8),
                Pair(OURS_4, KLL, 2),
                Pair(OURS_4, MAX, kind=SCALE),
                generic,
            ),
            page=page,
        ),
        Figure(
            "grouped",
            "1 000 groups",
            "lognormal",
            sizes.rows,
            GROUPED,
            (
                Pair(OURS_3, SPARK_3, 6),
                Pair(OURS_3, KLL, 3),
                Pair(OURS_3, MAX, 0.9, kind=SCALE),
                Pair(OURS_4, SPARK_4, 4),
                Pair(OURS_4, KLL),
                Pair(OURS_4, MAX, 0.7, kind=SCALE),
                generic,
            ),
            page=page,
        ),
        Figure(
            "many-groups",
            f"{spaced(sizes.many_groups)} groups of 20 rows",
            "many",
            sizes.rows,
            GROUPED,
            (Pair(OURS_4, SPARK_4, 2.5), Pair(OURS_4, MAX, kind=SCALE), generic),
        ),
    ]


def _moments(sizes: Sizes) -> list[Figure]:
    ours, pairs = "moments_agg(v)", "comoments_agg(v, v * v)"
    shapes = {"ungrouped": ("moments", UNGROUPED), "1 000 groups": ("moments-grouped", GROUPED)}
    return [
        Figure(
            name,
            f"{title}, moments",
            "lognormal",
            sizes.rows,
            query,
            (
                Pair(ours, "stddev(v)", 0.8),
                Pair(ours, "kurtosis(v)"),
                Pair(ours, ours + GENERIC, kind=DETAIL),
                Pair(pairs, "corr(v, v * v)"),
                Pair(pairs, pairs + GENERIC, kind=DETAIL),
            ),
            page="spark_moments",
        )
        for title, (name, query) in shapes.items()
    ]


def _samples(sizes: Sizes) -> list[Figure]:
    """Compare samples of 10 000 rows by each method with percentile_approx and max."""
    reservoir, bernoulli = "sample_sketch_agg(v, 10000)", "sample_sketch_agg(v, 10000, 'bernoulli')"
    priority = "sample_sketch_agg(v, 10000, 'priority')"
    shapes = {"ungrouped": ("samples", UNGROUPED, None), "1 000 groups": ("samples-grouped", GROUPED, 0.6)}
    return [
        Figure(
            name,
            f"{title}, samples",
            "lognormal",
            sizes.rows,
            query,
            (
                *(
                    Pair(ours, peer, target if (ours, peer) == (reservoir, MAX) else None, kind=kind)
                    for ours in (reservoir, bernoulli, priority)
                    for peer, kind in ((SPARK_3, CHOICE), (MAX, SCALE))
                ),
                Pair(reservoir, reservoir + GENERIC, kind=DETAIL),
            ),
            page="spark_samples",
        )
        for title, (name, query, target) in shapes.items()
    ]


def _tails(sizes: Sizes) -> list[Figure]:
    """Compare sketches of a tail, and sketches with sums, with those of the default ε and with max."""
    plain, summed = "quantile_sketch_agg(v, 0.001)", "quantile_sketch_agg(v, 0.001, sum => true)"
    tail = "quantile_sketch_agg(v, 0.01, tail => 'high')"
    shapes = {"ungrouped": ("tails", UNGROUPED), "1 000 groups": ("tails-grouped", GROUPED)}
    return [
        Figure(
            name,
            f"{title}, tails and sums",
            "lognormal",
            sizes.rows,
            query,
            (
                Pair(tail, plain, 0.7),
                Pair(tail, MAX, kind=SCALE),
                # a sketch with a sum answers more
                Pair(summed, plain, kind=SCALE),
                Pair(summed, MAX, kind=SCALE),
            ),
            page="spark_tails",
        )
        for title, (name, query) in shapes.items()
    ]


def _cubes(sizes: Sizes) -> list[Figure]:
    """Compare a CUBE with the GROUP BY of all its keys, and with Spark's plan, which copies each row for each set."""
    keys = "service, endpoint, region, status"
    mixed = f"{OURS_4}, {OTHERS}"

    def cube(name: str, asked: str) -> Figure:
        sets, finest = f"CUBE(4 keys), {asked}", f"GROUP BY 4 keys, {asked}"
        texts = ((sets, _cube(keys, asked)), (finest, f"SELECT {keys}, {asked} FROM v GROUP BY {keys}"))
        return Figure(
            name,
            "12 × 40 × 3 × 4 groups",
            "cube",
            sizes.rows,
            "{0}",
            (Pair(sets, finest, 1 / 1.5, kind=SCALE),),
            texts=texts,
            page="spark_cube",
        )

    # 16 copies of a tenth of the rows, so that the copies do not take most of the time of a run
    merged, copied = f"CUBE(4 keys), {OURS_3}", f"CUBE(4 keys), {OURS_3}, rows copied"
    beside_spark = Figure(
        "cube-copied",
        "12 × 40 × 3 × 4 groups",
        "cube-small",
        sizes.cube_rows,
        "{0}",
        (Pair(merged, copied, kind=DETAIL),),
        texts=((merged, _cube(keys, OURS_3)), (copied, _cube(keys, OURS_3))),
        settings=((copied, (("spark.chronosketch.aggregate.cube", "false"),)),),
        page="spark_cube",
    )
    return [cube("cube", OURS_3), cube("cube-mixed", mixed), beside_spark]


def _cube(keys: str, asked: str) -> str:
    return f"SELECT {keys}, {asked} FROM v GROUP BY CUBE({keys})"


def _merging(sizes: Sizes) -> list[Figure]:
    ours, kll = "sketch_merge_agg(ours)", "kll_merge_agg_double(kll)"
    query = "SELECT g, {0} FROM v GROUP BY g"

    def merging(name: str, sketches: int, rows: int, target: float | None, page: str = "") -> Figure:
        return Figure(
            name,
            f"{spaced(sketches)} sketches of {spaced(rows)} rows into 100",
            f"sketches {rows}",
            sketches,
            query,
            (Pair(ours, kll, target), Pair(ours, ours + GENERIC, kind=DETAIL)),
            page=page,
        )

    return [
        merging("merging-100", sizes.sketches_100, 100, 2),
        merging("merging-2000", sizes.sketches_2000, 2000, None, SHAPES),
    ]


def _beside_clickhouse(sizes: Sizes) -> list[Figure]:
    further = (
        # the figures in Spark have these two among their ratios
        Pair(OURS_3, MAX, kind=DETAIL),
        Pair(OURS_4, MAX, kind=DETAIL),
        # of Spark with another engine
        Pair(MAX, CLICKHOUSE_MAX, kind=DETAIL),
    )
    page = "spark_aggregate_100m_engines"
    shapes = {
        "ungrouped": ("clickhouse", UNGROUPED, (Pair(OURS_3, GK_3), Pair(OURS_4, GK_4))),
        "1 000 groups": ("clickhouse-grouped", GROUPED, (Pair(OURS_3, GK_3, 1.2), Pair(OURS_4, GK_4, 1.0))),
    }
    beside = [
        Figure(name, f"{title}, ClickHouse", "lognormal", sizes.rows, query, (*pairs, *further), page=page)
        for title, (name, query, pairs) in shapes.items()
    ]
    exact = (Pair(OURS_3, DUCKDB_EXACT),)
    return [
        *beside,
        Figure("duckdb-grouped", "1 000 groups, DuckDB", "lognormal", sizes.rows, GROUPED, exact, page=page),
    ]


def _mixed(sizes: Sizes) -> list[Figure]:
    others = "count, avg, max"
    of_3, of_4 = "count, avg, max, approx_quantile 1e-3", "count, avg, max, approx_quantile 1e-4"
    texts = (
        (others, OTHERS),
        (of_3, f"{OTHERS}, {OURS_3}"),
        (of_4, f"{OTHERS}, {OURS_4}"),
        (of_4 + GENERIC, f"{OTHERS}, {OURS_4}"),
    )
    # The target is for the default ε, which a query has if it names none.
    pairs = (
        Pair(of_4, others, 0.7, kind=SCALE),
        Pair(of_3, others, kind=SCALE),
        Pair(of_4, of_4 + GENERIC, kind=DETAIL),
    )
    shapes = {"ungrouped": ("mixed", UNGROUPED), "1 000 groups": ("mixed-grouped", GROUPED)}
    return [
        Figure(name, f"{title}, one query", "lognormal", sizes.rows, query, pairs, texts=texts)
        for title, (name, query) in shapes.items()
    ]


def _inputs(sizes: Sizes) -> list[Figure]:
    shapes = [
        ("zipf", "Zipf, 1 000 groups", "zipf", GROUPED, None),
        ("sorted", "sorted", "sorted", UNGROUPED, None),
        ("equal", "all equal", "equal", UNGROUPED, None),
        ("strings", "1 000 groups, string keys", "strings", GROUPED, 0.8),
    ]
    inputs = [
        Figure(name, title, data, sizes.rows, query, _beside_max(target))
        for name, title, data, query, target in shapes
    ]
    return [*inputs, _twenty_columns(sizes)]


def _shapes(sizes: Sizes) -> list[Figure]:
    """Use other grouping keys, a filter, and NULLs."""
    of = "(SELECT w AS v, k FROM v)"
    usual = ("where-grouped", "nulls")
    shapes = [
        ("where", "WHERE k < 700", "SELECT {0} FROM v WHERE k < 700"),
        ("where-grouped", "WHERE k < 700, 700 groups", "SELECT k, {0} FROM v WHERE k < 700 GROUP BY k"),
        ("two-keys", "1 000 groups by two keys", "SELECT a, b, {0} FROM v GROUP BY a, b"),
        ("nulls", "a fifth NULL", "SELECT {0} FROM " + of),
        ("nulls-grouped", "a fifth NULL, 1 000 groups", "SELECT k, {0} FROM " + of + " GROUP BY k"),
        ("groups-100", "100 groups", "SELECT k100, {0} FROM v GROUP BY k100"),
        ("groups-100k", "100 000 groups", "SELECT k100k, {0} FROM v GROUP BY k100k"),
    ]
    return [
        Figure(
            name,
            title,
            "shapes",
            sizes.rows,
            query,
            _beside_max(None if name == "groups-100" else 0.8),
            page="" if name in usual else SHAPES,
        )
        for name, title, query in shapes
    ]


def _beside_max(target: float | None) -> tuple[Pair, ...]:
    return (Pair(OURS_3, MAX, target, kind=SCALE), Pair(OURS_3, SPARK_3))


def _relative(sizes: Sizes) -> list[Figure]:
    """Build sketches with a bounded relative error."""
    shapes = {"ungrouped": ("ddsketch", UNGROUPED), "1 000 groups": ("ddsketch-grouped", GROUPED)}
    pairs = (Pair(DDSKETCH, MAX, 0.8, kind=SCALE), Pair(DDSKETCH, OURS_3))
    return [
        Figure(name, f"{title}, DDSketch", "lognormal", sizes.rows, query, pairs, page=SHAPES)
        for title, (name, query) in shapes.items()
    ]


def _twenty_columns(sizes: Sizes) -> Figure:
    names = {aggregate: f"20 × {aggregate}" for aggregate in (OURS_3, MAX, SPARK_3)}
    texts = tuple(
        (name, ", ".join(aggregate.replace("(v", f"({column}") for column in COLUMNS))
        for aggregate, name in names.items()
    )
    pairs = (Pair(names[OURS_3], names[MAX], kind=SCALE), Pair(names[OURS_3], names[SPARK_3]))
    title = f"20 columns of {spaced(sizes.column_rows)}"
    return Figure("columns", title, "columns", sizes.column_rows, UNGROUPED, pairs, texts=texts, page=SHAPES)
