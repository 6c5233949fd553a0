"""Sketches built by Spark have the same answers and unions in Python as in SQL."""

from datetime import datetime, timedelta, timezone

import pytest
from chronosketch import functions as cf
from chronosketch import sketch as ck
from chronosketch.sketch import Sketch
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

pytestmark = pytest.mark.classic

# Shapes that matter for merging: scattered, few values, sorted, two ends, heavy copies, dense gaps.
SHAPES = {
    "scattered": "xxhash64(i, g) % 1000000",
    "few": "xxhash64(i) % 40",
    "rising": "i",
    "zigzag": "CASE WHEN i % 2 = 0 THEN i ELSE -i END",
    "heavy": "CASE WHEN xxhash64(i) % 3 = 0 THEN xxhash64(i, 1) % 5000 ELSE xxhash64(i) % 4 END",
    "crowded": "CASE WHEN i < 20 THEN i * 1000000000L ELSE xxhash64(i) % 300 END",
}
SIZES = (0, 3, 40, 400, 6000)


def groups(spark):
    """Return rows (g, x) for each size and shape. Empty groups have one row without a value."""
    value = " ".join(f"WHEN shape = '{name}' THEN {sql}" for name, sql in SHAPES.items())
    rows = spark.createDataFrame([(shape, n) for shape in SHAPES for n in SIZES], "shape STRING, n INT")
    return (
        rows.selectExpr("concat(shape, n) AS g", "shape", "n", "sequence(0, n) AS numbers")
        .selectExpr("g", "shape", "explode_outer(filter(numbers, i -> i < n)) AS i")
        .selectExpr("g", "i", f"CASE {value} END AS x")
    )


def pairs(sketches):
    """Return some pairs of sketches, as columns s and t."""
    a, b = sketches.alias("a"), sketches.alias("b")
    return (
        a.crossJoin(b)
        .where(F.xxhash64("a.g", "b.g") % 3 == 0)
        .select(
            F.concat_ws(" ", "a.g", "b.g").alias("which"), F.col("a.s").alias("s"), F.col("b.s").alias("t")
        )
    )


def merged(sketches):
    """Return some pairs of sketches with their union in SQL."""
    rows = pairs(sketches).select("*", cf.sketch_merge("s", "t").alias("u")).collect()
    assert len(rows) > 100
    return [(row.which, *map(Sketch.from_bytes, (row.s, row.t, row.u))) for row in rows]


def require_as_good(ours, theirs, parts):
    """Require a union in Python to be true, within epsilon, and not much larger than that of SQL."""
    assert (ours.count, ours.min(), ours.max()) == (theirs.count, theirs.min(), theirs.max())
    assert ours.epsilon == theirs.epsilon
    assert ours.count == 0 or ours.rank_error <= ours.epsilon
    assert len(ours.to_bytes()) <= 1.5 * len(theirs.to_bytes()) + 40
    profiles = [part.profile for part in parts if part.count]
    for i, key in enumerate(ours.profile.keys):
        at = [profile.rank_bounds(profile.position(key)) for profile in profiles]
        low, high = ours.profile.rank_bounds(i)
        assert low <= sum(least for least, _ in at)
        assert high >= sum(most for _, most in at)
    for phi in (0.1, 0.5, 0.99) if ours.count else ():
        (low, high), (least, most) = ours.bounds(phi), theirs.bounds(phi)
        assert low <= most
        assert least <= high


@pytest.mark.parametrize("epsilon", [0.0, 0.001, 0.01, 0.1, 0.5])
def test_unions_of_quantile_sketches_are_as_good(spark, epsilon):
    built = groups(spark).groupBy("g").agg(cf.quantile_sketch_agg("x", epsilon).alias("s")).localCheckpoint()
    ours = {}
    for which, left, right, theirs in merged(built):
        ours[which] = left.merge(right)
        require_as_good(ours[which], theirs, [left, right])
    # SQL reads them, and merges them with its own
    some = [(which, bytearray(sketch.to_bytes())) for which, sketch in list(ours.items())[::20]]
    stored = spark.createDataFrame(some, "g STRING, s BINARY").localCheckpoint()
    described = stored.select("g", cf.sketch_describe("s").alias("d")).collect()
    assert {row.g: row.d["count"] for row in described} == {which: ours[which].count for which, _ in some}
    assert {row.g: row.d["error"] for row in described} == {
        which: ours[which].rank_error for which, _ in some
    }
    for row in (
        pairs(stored).select(cf.sketch_count(cf.sketch_merge("s", "t")).alias("n"), "s", "t").collect()
    ):
        assert row.n == Sketch.from_bytes(row.s).count + Sketch.from_bytes(row.t).count


def test_a_union_of_many_is_as_good(spark):
    rows = spark.range(150_000).selectExpr("id % 15 AS g", "exp(xxhash64(id) / 9e18D) AS x")
    built = rows.groupBy("g").agg(cf.quantile_sketch_agg("x", 0.001).alias("s")).localCheckpoint()
    theirs = Sketch.from_bytes(built.agg(cf.sketch_merge_agg("s").alias("s")).first().s)
    parts = [Sketch.from_bytes(row.s) for row in built.collect()]
    require_as_good(Sketch.merge_all(parts), theirs, parts)


SIZED = {
    "scattered": "exp(xxhash64(id) / 9e18D)",
    "rising": "double(id)",
    "falling": "double(-id)",
    "few": "double(id % 300)",
    "twice": "double(id DIV 2)",
    "heavy": "CASE WHEN id % 3 = 0 THEN double(xxhash64(id)) ELSE double(id % 4) END",
}


@pytest.mark.parametrize("epsilon", [0.001, 0.01])
def test_sketches_built_in_python_are_as_small(spark, epsilon):
    columns = [F.expr(sql).alias(name) for name, sql in SIZED.items()]
    rows = spark.range(200_000).select(*columns).localCheckpoint()
    stored = rows.agg(*(cf.quantile_sketch_agg(name, epsilon).alias(name) for name in SIZED)).first()
    values = rows.toPandas()
    for name in SIZED:
        theirs, ours = Sketch.from_bytes(stored[name]), Sketch.build(values[name], epsilon)
        assert len(ours.to_bytes()) <= 1.5 * len(theirs.to_bytes()), name
        require_as_good(ours, theirs, [Sketch.build(values[name], 0)])


def test_spark_merges_and_queries_sketches_built_in_python(spark):
    values = [i * i % 7919 / 8 for i in range(20_000)]
    sketch = Sketch.build(values, 0.01)
    row = (
        spark.createDataFrame([(bytearray(sketch.to_bytes()),)], "s BINARY")
        .select(
            cf.is_sketch("s").alias("good"),
            cf.sketch_quantile("s", [0.1, 0.5, 0.99]).alias("q"),
            cf.sketch_quantile_bounds("s", 0.99).alias("b"),
            cf.sketch_rank("s", 100).alias("rank"),
            cf.sketch_cdf("s", F.array(F.lit(10.5), F.lit(200))).alias("cdf"),
            cf.sketch_rank_error("s").alias("error"),
            cf.sketch_describe("s").alias("d"),
            cf.sketch_merge("s", "s").alias("twice"),
        )
        .first()
    )
    assert row.good
    assert row.q == sketch.quantile([0.1, 0.5, 0.99])
    assert tuple(row.b) == sketch.bounds(0.99)
    assert row["rank"] == sketch.rank(100)
    assert row.cdf == sketch.cdf([10.5, 200.0])
    assert row.error == sketch.rank_error
    described = sketch.describe()
    assert {name: value for name, value in row.d.asDict().items() if value != getattr(described, name)} == {}
    require_as_good(sketch.merge(sketch), Sketch.from_bytes(row.twice), [sketch, sketch])


@pytest.fixture(scope="module")
def timed(spark):
    """Return a window sketch of unordered, bursty rows with two filters."""
    rows = spark.range(40_000).selectExpr(
        "xxhash64(id) % 1000 AS x",
        "timestamp_seconds(pmod(xxhash64(id, 1), 3000) * pmod(xxhash64(id, 1), 3000) DIV 1000) AS t",
    )
    filters = {"even": F.col("x") % 2 == 0, "small": F.col("x") < 100}
    return rows.agg(cf.window_sketch_agg("x", "t", 0.05, filters=filters).alias("s")).localCheckpoint()


AS_OF = datetime(1970, 1, 1, 1, 30, tzinfo=timezone.utc)
WINDOWS = [
    lambda of: of.within_last("10 minutes"),
    lambda of: of.within_last(timedelta(days=400)),
    lambda of: of.among_last(1000),
    lambda of: of.among_last(7),
    lambda of: of.passing("even"),
    lambda of: of.within_last("1 hour") & of.passing("even"),
    lambda of: of.within_last("1 hour 10 minutes") & ~of.passing("even") | of.among_last(300),
    lambda of: of.among_last(20_000) & of.passing("even") & of.passing("small"),
    lambda of: of.within_last("0.5 second") & of.among_last(3),
]


@pytest.mark.parametrize("as_of", [None, AS_OF])
def test_windows_have_the_same_bytes(timed, as_of):
    taken = [cf.sketch_window("s", window(cf), as_of).alias(f"w{i}") for i, window in enumerate(WINDOWS)]
    row = timed.select("s", *taken).first()
    sketch = Sketch.from_bytes(row.s)
    assert sketch.to_bytes() == bytes(row.s)
    for i, window in enumerate(WINDOWS):
        assert sketch.window(window(ck), as_of).to_bytes() == bytes(row[f"w{i}"]), i


def test_windows_merge_alike(timed):
    spans = [1, 60, 600, 3600]
    columns = [cf.sketch_window("s", F.expr(f"INTERVAL {n} SECONDS")) for n in spans]
    row = timed.select(*columns, *(cf.sketch_merge(a, b) for a in columns for b in columns)).first()
    windows = [Sketch.from_bytes(data) for data in row[: len(spans)]]
    ours = [a.merge(b) for a in windows for b in windows]
    for union, data in zip(ours, row[len(spans) :], strict=True):
        theirs = Sketch.from_bytes(data)
        assert union.count_bounds == theirs.count_bounds
        assert union.rank_error <= theirs.rank_error + 0.05


VALUES = {
    "double": "CASE WHEN i % 50 = 0 THEN double(x % 3) ELSE exp(x % 100 / 7.0) END",
    "bigint": "x",
    "decimal(9, 3)": "CAST(x % 1000000 AS DECIMAL(9, 3)) / 7",
    "float": "x / 1e3",
    "smallint": "x % 3000",
}


@pytest.mark.parametrize("sql_type", list(VALUES))
def test_ddsketches_are_built_and_merged_with_the_same_bytes(spark, sql_type):
    column = F.expr(f"CAST({VALUES[sql_type]} AS {sql_type})").alias("v")
    rows = groups(spark).select("g", column)
    built = rows.groupBy("g").agg(
        cf.ddsketch_agg("v", 0.02).alias("s"),
        F.collect_list("v").alias("values"),
    )
    built = built.localCheckpoint()
    for row in built.collect():
        assert ck.DDSketch.build(row["values"], 0.02, type=sql_type).to_bytes() == bytes(row.s), row.g
    for which, left, right, union in merged(built):
        assert left.merge(right) == union, which


def test_ddsketches_answer_alike(spark):
    values = [v for n in range(1, 2000) for v in (n / 7, -n * 1e-310, float(n**40))] + [float("inf")]
    sketch = ck.DDSketch.build(values, 0.005)
    phis = [i / 100 for i in range(101)]
    row = (
        spark.createDataFrame([(bytearray(sketch.to_bytes()),)], "s BINARY")
        .select(cf.sketch_quantile("s", phis), cf.sketch_quantile_bounds("s", phis), cf.sketch_min("s"))
        .first()
    )
    assert row[0] == sketch.quantile(phis)
    assert [tuple(bounds) for bounds in row[1]] == sketch.bounds(phis)
    assert row[2] == sketch.min()


# A type of the values in SQL, and the types that their sketches are cast to.
CASTS = {
    "double": ("bigint", "float", "decimal(12, 3)", "decimal(18, 9)", "date"),
    "float": ("double", "int", "decimal(18, 9)"),
    "bigint": ("double", "float", "int", "decimal(18, 2)"),
    "decimal(14, 4)": ("double", "float", "bigint", "decimal(14, 2)", "decimal(18, 8)"),
    "timestamp_ntz": ("date", "timestamp"),
}
BUILDS = (
    "quantile_sketch_agg(v)",
    "quantile_sketch_agg(v, 0.05)",
    "sample_sketch_agg(v, size => 50)",
    "sample_sketch_agg(v, size => 50, method => 'priority')",
    "sample_sketch_agg(v, size => 50, method => 'bernoulli')",
    "qlove_sketch_agg(v, id, array(0.5, 0.99), 2)",
    # many rows of one time: their order depends on the values
    "window_sketch_agg(v, id DIV 50)",
    "window_sample_agg(v, id, size => 50)",
    "sketch_window(window_sketch_agg(v, id, 0.05), among_last(1500))",
    "sketch_window(window_sample_agg(v, id, size => 50), within_last(1500))",
)
NUMERIC = (
    "ddsketch_agg(v)",
    "moments_agg(v)",
    "window_moments_agg(v, id)",
    "sketch_window(window_moments_agg(v, id), among_last(1500))",
)


@pytest.mark.parametrize("given", CASTS)
def test_casts_give_the_bytes_of_sql_or_the_same_refusal(spark, given):
    value = "(xxhash64(id) % 100000) / 700D"
    typed = f"timestamp_micros(CAST({value} * 1e12 AS BIGINT))" if given == "timestamp_ntz" else value
    spark.range(5000).selectExpr("id", f"CAST({typed} AS {given}) AS v").createOrReplaceTempView(
        "cast_values"
    )
    for build in BUILDS if given == "timestamp_ntz" else BUILDS + NUMERIC:
        (stored,) = spark.sql(f"SELECT {build} AS s FROM cast_values").collect()
        ours = Sketch.from_bytes(stored.s)
        for to in CASTS[given]:
            ask = spark.createDataFrame([(stored.s,)], "s BINARY").select(cf.sketch_cast("s", to).alias("c"))
            try:
                expected = bytes(ask.collect()[0].c)
            except PySparkException as refused:
                with pytest.raises(ck.ChronosketchError) as caught:
                    ours.cast(to)
                assert caught.value.condition == refused.getCondition(), (build, to)
            else:
                assert ours.cast(to).to_bytes() == expected, (build, to)
