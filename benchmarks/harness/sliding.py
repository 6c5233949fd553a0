"""The figures of sliding frames: their rows, contestants, and the pairs to compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.figures import DETAIL, SCALE, Figure, Pair
from harness.spread import spaced

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


PARTITIONS = 100
_PARTS = 8
_BUCKETS = 2  # as many as cores


@dataclass(frozen=True)
class SlidingSizes:
    """The sizes of the data of a run, which all follow from the number of rows.

    Attributes
    ----------
    rows : int
        Number of rows of the table of 100 partitions.
    """

    rows: int

    @property
    def one(self) -> int:
        """The rows of the table of a single partition."""
        return 4 * self.rows

    @property
    def tiny(self) -> int:
        """The rows of the table with about as many partitions as rows."""
        return max(1, self.rows // 5)

    @property
    def slow(self) -> int:
        """The rows for contestants that take a tenth of a millisecond per row: whole partitions."""
        return max(1, self.rows // 10)


class SlidingData:
    """Parquet files in a folder, each written on first use."""

    def __init__(self, spark: SparkSession, folder: str, sizes: SlidingSizes) -> None:
        self._spark, self._folder, self._sizes = spark, folder, sizes
        self._made: set[str] = set()

    def folder(self, name: str) -> str:
        """Return the folder of a data set, for other engines; Spark gets it as the view `v`."""
        path = f"{self._folder}/{name}.parquet"
        if name == "arranged":
            return self._arranged()
        if name not in self._made:
            self._make(name).write.parquet(path)
            self._made.add(name)
        self._spark.read.parquet(path).createOrReplaceTempView("v")
        return path

    def _arranged(self) -> str:
        """Return the folder of a table whose partitions are whole and in order in one file a task."""
        if "arranged" not in self._made:
            rows = self._make("ordered").repartition(_BUCKETS, "k")
            rows.write.bucketBy(_BUCKETS, "k").sortBy("k", "t").saveAsTable("arranged")
            self._made.add("arranged")
        self._spark.table("arranged").createOrReplaceTempView("v")
        return f"{self._folder}/warehouse/arranged"

    def _make(self, name: str) -> DataFrame:
        sizes = self._sizes
        if name == "one":
            return self._rows(sizes.one, "0")
        if name == "one-shuffled":
            return _shuffled(self._rows(sizes.one, "0"))
        if name == "tiny":
            return self._rows(sizes.tiny, f"CAST(pmod(xxhash64(id), {sizes.tiny}) AS INT)")
        if name == "slow":
            return self._rows(sizes.slow, f"CAST(id % {PARTITIONS // 10} AS INT)")
        ordered = self._rows(sizes.rows, f"CAST(id % {PARTITIONS} AS INT)")
        return ordered if name == "ordered" else _shuffled(ordered)

    def _rows(self, rows: int, key: str) -> DataFrame:
        # The number of parts is part of the seed: randn numbers its rows part by part.
        made = self._spark.range(0, rows, 1, _PARTS)
        return made.selectExpr(f"{key} AS k", "id AS t", "exp(randn(42)) AS v")


def _shuffled(ordered: DataFrame) -> DataFrame:
    shuffled = ordered.selectExpr("*", "xxhash64(t) AS place").repartition(_PARTS, "place")
    return shuffled.sortWithinPartitions("place", "t").select("k", "t", "v")


LENGTHS = (1_000, 10_000, 100_000)
SUM, SORT = "running sum", "sort"
FUNCTIONS = ("min", "avg", "stddev")
ACCELERATE = ("spark.chronosketch.sliding.accelerate", "all")
STRUCTURE = "spark.chronosketch.sliding.structure"
EPSILON = 0.1
STRUCTURES = ("arasu_manku", "arasu_manku_variable", "cmqs", "bernoulli", "priority", "bounded_priority")
NUMBERS = (
    ("sum", ("exponential_histogram", "expiration_list")),
    ("var_pop", ("variance_histogram", "expiration_list")),
)
WHOLE = ", ".join(f"max({c})" for c in ("k", "t", "v", "q"))


def p99(length: int) -> str:
    """Return the name of our contestant with frames of `length` rows."""
    return f"p99 of {spaced(length)} rows"


def sliding_figures(sizes: SlidingSizes) -> list[Figure]:
    """Return all figures for the given sizes."""
    return [
        _within_spark("ordered", "in order of time", sizes.rows, 1 / 0.75, 1.1),
        _within_spark("shuffled", "in no order", sizes.rows, 2.0, 2.0),
        _naive(sizes),
        *[_beside(data, sizes.rows) for data in ("ordered", "shuffled")],
        _arranged(sizes.rows),
        _lengths(sizes),
        _tiny(sizes),
        *[_functions(sizes, function) for function in FUNCTIONS],
        *[_net_functions(data, sizes.rows) for data in ("ordered", "shuffled")],
        _distinct(sizes),
        _least(sizes),
        _structures(sizes),
        *[_numbers(sizes, *numbers) for numbers in NUMBERS],
        _global(sizes, "global", "in order of time", "one"),
        _global(sizes, "global-shuffled", "in no order", "one-shuffled"),
    ]


def _ours(length: int, function: str = "approx_quantile(v, 0.99)") -> str:
    return f"SELECT *, {function} OVER (PARTITION BY k ORDER BY t ROWS {length - 1} PRECEDING) AS q FROM v"


def _texts(lengths: tuple[int, ...]) -> tuple[tuple[str, str], ...]:
    return (
        *[(p99(length), _ours(length)) for length in lengths],
        (
            SUM,
            "SELECT *, sum(v) OVER (PARTITION BY k ORDER BY t ROWS UNBOUNDED PRECEDING) AS q FROM v",
        ),
        (SORT, "SELECT * FROM v DISTRIBUTE BY k SORT BY k, t"),
    )


def _within_spark(data: str, title: str, rows: int, beside_sum: float, beside_sort: float) -> Figure:
    pairs = [
        pair
        for length in LENGTHS
        for pair in (
            Pair(p99(length), SUM, beside_sum, kind=SCALE),
            Pair(p99(length), SORT, beside_sort, kind=SCALE),
        )
    ]
    return Figure(data, f"100 partitions, {title}", data, rows, "{0}", tuple(pairs), texts=_texts(LENGTHS))


def _naive(sizes: SlidingSizes) -> Figure:
    peer = "percentile_approx of 1 000 rows"
    texts = (*_texts(LENGTHS[:1]), (peer, _ours(LENGTHS[0], "percentile_approx(v, 0.99)")))
    pairs = (Pair(p99(LENGTHS[0]), peer, 200.0),)
    return Figure("naive", "10 partitions", "slow", sizes.slow, "{0}", pairs, texts=texts)


def _beside(data: str, rows: int) -> Figure:
    """Compare each length with DuckDB and Polars on the same files."""
    pairs: list[Pair] = []
    texts = [*_texts(LENGTHS)]
    for length in LENGTHS:
        duckdb, polars = f"DuckDB {p99(length)}", f"Polars {p99(length)}"
        pairs += [
            Pair(p99(length), duckdb, 2.0),
            Pair(p99(length), polars, 0.8),
        ]
        texts += [
            (duckdb, f"SELECT {WHOLE} FROM ({_ours(length, 'quantile_disc(v, 0.99)')})"),
            (polars, str(length)),
        ]
    return Figure(f"peers-{data}", f"peers, {data}", data, rows, "{0}", tuple(pairs), texts=tuple(texts))


def _arranged(rows: int) -> Figure:
    """Compare rows that are where they are needed. Spark's running sum is told their order, and Polars does not sort in one of its own."""
    told = "spark.sql.legacy.bucketedTableScan.outputOrdering"
    pairs: list[Pair] = []
    texts = [(SUM, _texts(())[0][1]), (SORT, _texts(())[1][1])]
    for length in (LENGTHS[0], LENGTHS[-1]):
        ours = p99(length)
        duckdb, polars, in_order = f"DuckDB {ours}", f"Polars {ours}", f"Polars {ours}, in order"
        pairs += [
            Pair(ours, polars, 1.0),
            Pair(ours, in_order),
            Pair(ours, duckdb, 2.0),
            Pair(ours, SORT, 1.1, kind=SCALE),
            Pair(ours, SUM, 1.1, kind=SCALE),
        ]
        texts += [
            (ours, _ours(length)),
            (duckdb, f"SELECT {WHOLE} FROM ({_ours(length, 'quantile_disc(v, 0.99)')})"),
            (polars, str(length)),
            (in_order, f"{length} in order"),
        ]
    return Figure(
        "arranged",
        "100 partitions, bucketed and sorted",
        "arranged",
        rows,
        "{0}",
        tuple(pairs),
        texts=tuple(texts),
        settings=((SUM, ((told, "true"),)),),
    )


def _lengths(sizes: SlidingSizes) -> Figure:
    """Compare frames of all lengths, in one partition so that the longest exists."""
    lengths = (100, *LENGTHS, 1_000_000)
    pairs = tuple(Pair(p99(length), p99(lengths[0]), 1 / 1.5, kind=DETAIL) for length in lengths[1:])
    return Figure("lengths", "one partition", "one", sizes.one, "{0}", pairs, texts=_texts(lengths))


def _tiny(sizes: SlidingSizes) -> Figure:
    pairs = (Pair(p99(LENGTHS[0]), SUM, kind=SCALE), Pair(p99(LENGTHS[0]), SORT, kind=SCALE))
    return Figure(
        "tiny", "as many partitions as rows", "tiny", sizes.tiny, "{0}", pairs, texts=_texts(LENGTHS[:1])
    )


def _functions(sizes: SlidingSizes, function: str) -> Figure:
    """Compare Spark's own functions in our operator with both ways of Spark, and with DuckDB."""
    length = LENGTHS[0]
    of_length = f"{function} of {spaced(length)} rows"
    naive, tree, duckdb = f"{of_length}, Spark", f"{of_length}, Spark's segment tree", f"DuckDB {of_length}"
    sql = _ours(length, f"{function}(v)")
    texts = (
        (of_length, sql),
        (naive, sql),
        (tree, sql),
        (duckdb, f"SELECT {WHOLE} FROM ({sql})"),
    )
    settings = (
        (of_length, (ACCELERATE,)),
        (tree, (("spark.sql.window.segmentTree.enabled", "true"),)),
    )
    # the larger figures of functions have the pair with DuckDB among their ratios
    beside = Pair(of_length, duckdb, kind=DETAIL)
    pairs = (Pair(of_length, naive, 1.0), Pair(of_length, tree, 1.0), beside)
    return Figure(function, "10 partitions", "slow", sizes.slow, "{0}", pairs, texts=texts, settings=settings)


def _net_functions(data: str, rows: int) -> Figure:
    """Compare Spark's own functions in our operator with DuckDB, with enough rows that starting a job is a small part."""
    pairs: list[Pair] = []
    texts: list[tuple[str, str]] = []
    ours = [f"{function} of {spaced(LENGTHS[0])} rows" for function in FUNCTIONS]
    for function, name in zip(FUNCTIONS, ours, strict=True):
        sql = _ours(LENGTHS[0], f"{function}(v)")
        duckdb = f"DuckDB {name}"
        pairs.append(Pair(name, duckdb))
        texts += [(name, sql), (duckdb, f"SELECT {WHOLE} FROM ({sql})")]
    settings = tuple((name, (ACCELERATE,)) for name in ours)
    title = f"functions, {data}"
    return Figure(
        f"functions-{data}", title, data, rows, "{0}", tuple(pairs), texts=tuple(texts), settings=settings
    )


def _distinct(sizes: SlidingSizes) -> Figure:
    """Compare exact distinct counts with Spark's estimates, a set per frame, and DuckDB's exact counts."""
    rows = f"of {spaced(LENGTHS[0])} rows"
    ours, estimate, whole = f"distinct {rows}", f"approx_count_distinct {rows}, Spark", f"collect_set {rows}"
    duckdb, value = f"DuckDB count(DISTINCT) {rows}", "CAST(v * 100 AS INT)"
    estimated = _ours(LENGTHS[0], f"approx_count_distinct({value})")
    texts = (
        (ours, estimated),
        (estimate, estimated),
        (whole, _ours(LENGTHS[0], f"collect_set({value})")),
        (duckdb, f"SELECT {WHOLE} FROM ({_ours(LENGTHS[0], f'count(DISTINCT {value})')})"),
    )
    settings = ((ours, (("spark.chronosketch.sliding.accelerate", "approx_count_distinct"),)),)
    pairs = (Pair(ours, estimate, 1.0), Pair(ours, whole), Pair(ours, duckdb))
    return Figure(
        "distinct", "10 partitions", "slow", sizes.slow, "{0}", pairs, texts=texts, settings=settings
    )


def _least(sizes: SlidingSizes) -> Figure:
    """Compute the five least values of a frame in our operator, in Spark's, and in DuckDB."""
    rows = f"of {spaced(LENGTHS[0])} rows"
    ours, naive, duckdb = f"n_least {rows}", f"n_least {rows}, Spark's operator", f"DuckDB min(v, 5) {rows}"
    texts = (
        (ours, _ours(LENGTHS[0], "n_least(v, 5)")),
        (naive, _ours(LENGTHS[0], "n_least(v, 5)")),
        (duckdb, f"SELECT {WHOLE} FROM ({_ours(LENGTHS[0], 'min(v, 5)')})"),
    )
    settings = ((naive, (("spark.chronosketch.sliding.enabled", "false"),)),)
    pairs = (Pair(ours, naive, 1.0, kind=DETAIL), Pair(ours, duckdb))
    return Figure("least", "10 partitions", "slow", sizes.slow, "{0}", pairs, texts=texts, settings=settings)


def _structures(sizes: SlidingSizes) -> Figure:
    """Compare each quantile structure that a setting names with the exact one and DuckDB."""
    length = LENGTHS[1]
    function = f"approx_quantile(v, 0.99, {EPSILON})"
    rows = f"of {spaced(length)} rows"
    exact, duckdb = f"p99 {rows}, block_sort", f"DuckDB p99 {rows}"
    named = {name: f"p99 {rows}, {name}" for name in STRUCTURES}
    texts = (
        *((one, _ours(length, function)) for one in (exact, *named.values())),
        (duckdb, f"SELECT {WHOLE} FROM ({_ours(length, 'quantile_disc(v, 0.99)')})"),
    )
    settings = tuple((one, ((STRUCTURE, name),)) for name, one in named.items())
    pairs = (
        Pair(exact, duckdb, kind=DETAIL),
        *(Pair(one, peer, kind=DETAIL) for one in named.values() for peer in (exact, duckdb)),
    )
    title = f"10 partitions, structures, epsilon {EPSILON}"
    return Figure("structures", title, "slow", sizes.slow, "{0}", pairs, texts=texts, settings=settings)


def _numbers(sizes: SlidingSizes, function: str, structures: tuple[str, ...]) -> Figure:
    """Compare each structure of sums or variances with our exact one, both ways of Spark, and DuckDB."""
    length = LENGTHS[0]
    rows = f"{function} of {spaced(length)} rows"
    naive, tree, duckdb = f"{rows}, Spark", f"{rows}, Spark's segment tree", f"DuckDB {rows}"
    sql = _ours(length, f"{function}(v)")
    named = {name: f"{rows}, {name}" for name in structures}
    texts = (
        *((one, sql) for one in (rows, naive, tree, *named.values())),
        (duckdb, f"SELECT {WHOLE} FROM ({sql})"),
    )
    settings = (
        (rows, (ACCELERATE,)),
        *((one, (ACCELERATE, (STRUCTURE, name))) for name, one in named.items()),
        (tree, (("spark.sql.window.segmentTree.enabled", "true"),)),
    )
    peers = (rows, naive, tree, duckdb)
    pairs = tuple(Pair(one, peer, kind=DETAIL) for one in named.values() for peer in peers)
    title = f"10 partitions, structures of {function}"
    return Figure(
        f"structures-{function}", title, "slow", sizes.slow, "{0}", pairs, texts=texts, settings=settings
    )


def _global(sizes: SlidingSizes, name: str, title: str, data: str) -> Figure:
    """Compare ranges with one task, without PARTITION BY; eight ranges show how evenly rows are divided."""
    whole = "SELECT *, approx_quantile(v, 0.99) OVER (ORDER BY t ROWS 999 PRECEDING) AS q FROM v"
    cut, one = "p99 of 1 000 rows, in ranges", "p99 of 1 000 rows, in one task"
    eight = "p99 of 1 000 rows, in 8 ranges"
    settings = tuple(
        (who, (("spark.chronosketch.sliding.ranges", n),)) for who, n in ((one, "1"), (eight, "8"))
    )
    return Figure(
        name,
        f"no PARTITION BY, {title}",
        data,
        sizes.one,
        "{0}",
        (Pair(cut, one, 1.0, kind=DETAIL),),
        scale=(eight,),
        texts=((cut, whole), (one, whole), (eight, whole)),
        settings=settings,
        last_stages=True,
    )
