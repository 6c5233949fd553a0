"""Python's functions answer as the jar's, and each side reads what the other one wrote."""

import math

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from chronosketch.portable.dialects import dialect_of
from chronosketch.portable.registering import functions
from chronosketch.sketch import Sketch

# The sketches of every family that SQL builds, of the view `v`.
FAMILIES = {
    "quantile_sketch": "quantile_sketch_agg(x, 0.01)",
    "quantile_sketch_of_days": "quantile_sketch_agg(d, 0.01)",
    "tail_sketch": "quantile_sketch_agg(x, 0.01, tail => 'high')",
    "summed_sketch": "quantile_sketch_agg(x, 0.01, sum => true)",
    "summed_tail_sketch": "quantile_sketch_agg(CAST(id AS INT), 0.01, tail => 'low', sum => true)",
    "ddsketch": "ddsketch_agg(x)",
    "ddsketch_of_ties": "ddsketch_agg(round(x, -1))",
    "ddsketch_of_whole_numbers": "ddsketch_agg(CAST(x * x AS INT), 0.1)",
    "moments": "moments_agg(x)",
    "moments_of_whole_numbers": "moments_agg(id)",
    "comoments": "comoments_agg(x, id)",
    "sample": "sample_sketch_agg(x, 100)",
    "window": "window_sketch_agg(x, t)",
    "window_of_moments": "window_moments_agg(x, t)",
    "qlove": "qlove_sketch_agg(x, t, array(0.5, 0.9), 6)",
    "history": "history_sketch_agg(x, id)",
    "imported": "sketch_from_kll(kll_sketch_agg_double(x), 'double')",
    "empty": "quantile_sketch_agg(x) FILTER (WHERE x < 0)",
    "null": "CAST(NULL AS BINARY)",
}
# The families that answer a question, and the questions.
BINNED = ("ddsketch", "ddsketch_of_ties", "ddsketch_of_whole_numbers")
QUANTILES = ("quantile_sketch", "tail_sketch", "summed_sketch", "summed_tail_sketch")
RANKED = (*QUANTILES, *BINNED, "sample", "window", "imported", "empty", "null")
CERTIFIED = (*QUANTILES, "sample", "window", "imported", "empty", "null")
COUNTED = tuple(family for family in FAMILIES if family != "history")
ALL_MOMENTS = ("moments", "moments_of_whole_numbers", "summed_sketch", "summed_tail_sketch", "null")
MOMENTS = (*ALL_MOMENTS, "window_of_moments")
PAIRS = ("comoments", "null")
QUESTIONS = [
    ("sketch_quantile(s, 0.5)", (*RANKED, "qlove")),
    ("sketch_quantile(s, p)", RANKED),
    ("sketch_quantile_bounds(s, 0.9)", RANKED),
    ("sketch_quantile_bounds(s, p)", RANKED),
    ("sketch_rank(s, 20.5)", RANKED),
    ("sketch_rank(s, DATE'2026-01-15')", ("quantile_sketch_of_days", "null")),
    ("sketch_rank_bounds(s, 20)", RANKED),
    ("sketch_cdf(s, array(10, 20.5))", RANKED),
    ("sketch_cdf_bounds(s, array(10, 20.5))", RANKED),
    ("sketch_cdf_bounds(s, array(DATE'2026-01-15'))", ("quantile_sketch_of_days", "null")),
    ("sketch_pmf(s, array(10, 20.5))", RANKED),
    ("sketch_count(s)", COUNTED),
    ("sketch_count_bounds(s)", COUNTED),
    ("sketch_min(s)", tuple({*RANKED, *ALL_MOMENTS})),
    ("sketch_max(s)", tuple({*RANKED, *ALL_MOMENTS})),
    ("sketch_rank_error(s)", CERTIFIED),
    ("sketch_sum(s)", MOMENTS),
    ("sketch_mean(s)", MOMENTS),
    ("sketch_variance(s)", MOMENTS),
    ("sketch_variance(s, true)", MOMENTS),
    ("sketch_stddev(s)", MOMENTS),
    ("sketch_skewness(s)", ALL_MOMENTS),
    ("sketch_kurtosis(s)", ALL_MOMENTS),
    ("sketch_moment_bounds(s, 'variance')", MOMENTS),
    ("sketch_covar(s)", PAIRS),
    ("sketch_covar(s, true)", PAIRS),
    ("sketch_corr(s)", PAIRS),
    ("sketch_slope(s)", PAIRS),
    ("sketch_intercept(s)", PAIRS),
    ("sketch_r2(s)", PAIRS),
    ("sketch_sample(s)", ("sample", "null")),
    ("sketch_merge_or(s, NULL)", tuple(FAMILIES)),
    ("sketch_merge_or(NULL, s)", tuple(FAMILIES)),
    ("sketch_count(sketch_merge_or(s, s))", ("quantile_sketch", "ddsketch", "moments", "sample", "null")),
    ("sketch_describe(s)", tuple(FAMILIES)),
    ("is_sketch(s)", tuple(FAMILIES)),
    ("sketch_window(s, '10 minutes')", ("window", "window_of_moments", "null")),
    ("sketch_at_version(s, 500)", ("history", "null")),
    ("sketch_ks(s, r)", RANKED),
    ("sketch_ks(r, s)", RANKED),
    ("sketch_wasserstein(s, r)", RANKED),
    ("sketch_quantile_interval(s, 0.5)", RANKED),
    ("sketch_quantile_interval(s, p, confidence => 0.9, design_effect => n)", RANKED),
    ("sketch_quantile_interval(s, 0.99, design_effect => n / 2).low", RANKED),
]


# The same for answers with logarithms or roots, which may differ in the last digits.
NEARLY = [
    ("sketch_psi(s, r)", 1e-12),
    ("sketch_psi(r, s, 4)", 1e-12),
    ("sketch_ks_p_value(s, r)", 1e-12),
    ("sketch_quantile_difference(s, r, 0.5)", 1e-6),
    ("sketch_quantile_difference(r, s, p, 0.9, n)", 1e-6),
]


@pytest.fixture(scope="module")
def stored(spark):
    """Register Python's functions beside the jar's, and store sketches of every family."""
    for name, function in functions(dialect_of(spark)):
        spark.udf.register(f"py_{name}", function)
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW v AS SELECT id, exp(randn(7)) * 20 AS x,
        date_add(DATE'2026-01-01', CAST(id % 30 AS INT)) AS d, timestamp_seconds(id) AS t
        FROM range(0, 3000, 1, 2)
    """)
    rows = []
    for family, sql in FAMILIES.items():
        found = spark.sql(f"SELECT {sql} AS s FROM v").first().s
        rows.append((family, None if found is None else bytes(found), 0.25, len(rows) % 3 + 1))
    names = "family string, s binary, p double, n int"
    spark.createDataFrame(rows, names).createOrReplaceTempView("families")
    spark.sql("""
        CREATE OR REPLACE TEMP VIEW stored AS
        SELECT * FROM families, (SELECT quantile_sketch_agg(x * 1.1 + 1, 0.05) AS r FROM v)
    """)
    return [family for family, *_ in rows]


@pytest.mark.parametrize(("question", "families"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_python_answers_as_the_jar(spark, stored, question, families):
    listed = ", ".join(f"'{family}'" for family in families)
    query = (
        f"SELECT family, {question} AS jar, py_{question} AS python FROM stored WHERE family IN ({listed})"
    )
    rows = spark.sql(query).collect()
    assert {row.family for row in rows} == set(families)
    differ = {row.family: (row.jar, row.python) for row in rows if repr(row.jar) != repr(row.python)}
    assert differ == {}


@pytest.mark.parametrize(("question", "tolerance"), NEARLY, ids=[question for question, _ in NEARLY])
def test_python_nearly_answers_as_the_jar(spark, stored, question, tolerance):
    listed = ", ".join(f"'{family}'" for family in RANKED)
    query = f"SELECT {question} AS jar, py_{question} AS python FROM stored WHERE family IN ({listed})"
    answered = 0
    for jar, python in spark.sql(query).collect():
        assert (jar is None) == (python is None)
        if jar is not None:
            answered += 1
            assert python.asDict() == pytest.approx(jar.asDict(), rel=tolerance, abs=1e-14)
    assert answered == len(RANKED) - 2


def test_shares_of_ddsketches_are_the_same_at_every_point(spark, stored):
    points = sorted({round(i * i / 7, 3) for i in range(60)} | {10.0 * i for i in range(40)})
    listed = ", ".join(f"'{family}'" for family in BINNED)
    rows = (
        spark.table("stored")
        .where(f"family IN ({listed})")
        .select("s", cf.sketch_cdf_bounds("s", points).alias("b"), cf.sketch_pmf("s", points).alias("p"))
        .collect()
    )
    assert len(rows) == len(BINNED)
    for row in rows:
        sketch = Sketch.from_bytes(bytes(row.s))
        assert [tuple(one) for one in row.b] == sketch.cdf_bounds(points)
        assert row.p == sketch.pmf(points)
        assert [one.share for one in row.b] == sketch.cdf(points)
        assert any(one.low < one.share < one.high for one in row.b)


def test_each_side_reads_and_merges_what_the_other_wrote(spark, stored):
    jars = spark.sql("SELECT quantile_sketch_agg(x, 0.01) AS s FROM v GROUP BY id % 5")
    pythons = spark.sql("SELECT py_quantile_sketch_agg(x, 0.01) AS s FROM v GROUP BY id % 5")
    jars.union(pythons).createOrReplaceTempView("parts")
    values = sorted(row.x for row in spark.table("v").collect())
    for merge in ("sketch_merge_agg", "py_sketch_merge_agg"):
        merged = spark.sql(f"SELECT {merge}(s) AS s FROM parts")
        row = merged.select(
            cf.sketch_count("s").alias("n"),
            cf.sketch_rank_error("s").alias("error"),
            cf.sketch_quantile_bounds("s", 0.5).alias("b"),
        ).first()
        assert row.n == 2 * len(values)
        assert row.error <= 0.01
        assert row.b.low <= values[len(values) // 2 - 1] <= row.b.high


@pytest.mark.parametrize("tail", ["high", "low", "both"])
def test_each_side_merges_sketches_of_a_tail_that_the_other_built(spark, stored, tail):
    call = f"quantile_sketch_agg(x, 0.05, tail => '{tail}')"
    by = "GROUP BY id % 5"
    parts = " UNION ALL ".join(f"SELECT {prefix}{call} AS s FROM v {by}" for prefix in ("", "py_"))
    values = sorted(row.x for row in spark.table("v").collect() for _ in range(2))
    for merge in ("sketch_merge_agg", "py_sketch_merge_agg"):
        data = spark.sql(f"SELECT {merge}(s) AS s FROM ({parts})").first().s
        sketch = Sketch.from_bytes(data)
        assert (sketch.family, sketch.count) == (f"quantile sketch with tail => '{tail}'", len(values))
        for phi in (0.001, 0.5, 0.999):
            low, high = sketch.bounds(phi)
            assert low <= values[math.ceil(phi * len(values)) - 1] <= high
    end = 0.001 if tail == "low" else 0.999
    answer = spark.sql(f"SELECT py_approx_quantile(x, {end}, 0.05, tail => '{tail}') FROM v").first()
    # 5 % of the last three values are less than one of them
    truth = spark.sql(f"SELECT approx_quantile(x, {end}, 0) FROM v").first()
    assert answer == truth


@pytest.mark.parametrize(
    "aggregate", ["moments_agg(id)", "moments_agg(id, id % 3)", "ddsketch_agg(x)", "ddsketch_agg(id, 0.05)"]
)
def test_sketches_without_choices_are_the_same_bytes(spark, stored, aggregate):
    jar = spark.sql(f"SELECT {aggregate} AS s FROM v").first().s
    python = spark.sql(f"SELECT py_{aggregate} AS s FROM v").first().s
    assert bytes(jar) == bytes(python)


def test_moments_of_doubles_are_within_the_bounds_of_the_jar(spark, stored):
    python = spark.sql("SELECT py_moments_agg(x) AS s FROM v").first().s
    jar = spark.sql("SELECT moments_agg(x) AS s FROM v").first().s
    ours, theirs = Sketch.from_bytes(bytes(python)), Sketch.from_bytes(bytes(jar))
    assert ours.count == theirs.count
    for moment in ("sum", "mean", "variance", "stddev_pop"):
        one, other = ours.moment_bounds(moment), theirs.moment_bounds(moment)
        assert max(one.lower, other.lower) <= min(one.upper, other.upper)
    assert ours.skewness() == pytest.approx(theirs.skewness(), rel=1e-12)
    assert ours.kurtosis() == pytest.approx(theirs.kurtosis(), rel=1e-12)


TYPES = [
    "tinyint",
    "bigint",
    "float",
    "double",
    "decimal(10,2)",
    "date",
    "timestamp",
    "timestamp_ntz",
    "time(6)",
]


@pytest.fixture
def with_time(spark):
    """Let the session have the TIME type, which Spark 4.2 has only if it is told so."""
    before = spark.conf.get("spark.sql.timeType.enabled")
    spark.conf.set("spark.sql.timeType.enabled", "true")
    yield spark
    spark.conf.set("spark.sql.timeType.enabled", before)


@pytest.mark.parametrize("sql_type", TYPES)
def test_the_jar_reads_sketches_of_two_stages_in_their_type(with_time, sql_type):
    spark = with_time
    day = "date_add(DATE'2026-01-01', CAST(id AS INT))"
    text = {
        "date": day,
        "timestamp": f"CAST({day} AS TIMESTAMP)",
        "timestamp_ntz": f"CAST({day} AS TIMESTAMP_NTZ)",
        "time(6)": "make_time(CAST(id % 24 AS INT), 0, 0.5BD)",
    }.get(sql_type, f"CAST(id AS {sql_type})")
    rows = spark.sql(f"SELECT id % 3 AS k, {text} AS v FROM range(1, 101)")
    staged = cs.portable.sketch(rows, by="k", values="v", epsilon=0)
    jar = rows.groupBy("k").agg(cf.quantile_sketch_agg("v", 0).alias("sketch"))

    def asked(frame):
        columns = [
            cf.sketch_quantile("sketch", [0.1, 0.5, 1], sql_type).alias("q"),
            cf.sketch_describe("sketch")["value_type"].alias("t"),
            cf.sketch_count("sketch").alias("n"),
        ]
        return frame.select("k", *columns).orderBy("k").collect()

    assert asked(staged) == asked(jar)
