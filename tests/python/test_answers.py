"""Answers of the Python functions, compared with the definition of the nearest rank."""

import math
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest
from chronosketch import functions as cf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F


def nearest_rank(values, phi):
    """Return the element of rank max(1, ceil(phi N)), with phi read as a decimal number."""
    rank = max(1, math.ceil(Fraction(str(phi)) * len(values)))
    return sorted(values)[rank - 1]


def one(df):
    return df.collect()[0][0]


@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    values=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=40),
    phis=st.lists(st.decimals(0, 1, places=3), min_size=1, max_size=4),
)
def test_an_exact_quantile_is_the_nearest_rank(spark, values, phis):
    df = spark.createDataFrame([(v,) for v in values], "v BIGINT")
    expected = [nearest_rank(values, phi) for phi in phis]
    of_floats = cf.approx_quantile("v", [float(phi) for phi in phis], epsilon=0)
    row = df.agg(cf.approx_quantile("v", phis, epsilon=0).alias("a"), of_floats.alias("b")).first()
    assert row.a == row.b == expected


def test_phi_is_the_decimal_it_is_written_as(spark):
    # With doubles, ceil(0.07 * 100) would be 8.
    of_both = cf.approx_quantile("id", 0.07), cf.approx_quantile("id", Decimal("0.07"))
    assert tuple(spark.range(1, 101).agg(*of_both).first()) == (7, 7)


@pytest.mark.parametrize(
    ("sql_type", "values"),
    [
        ("TINYINT", [-128, 0, 127]),
        ("SMALLINT", [-32768, 0, 32767]),
        ("INT", [-(2**31), 0, 2**31 - 1]),
        ("BIGINT", [-(2**63), 2**53 + 1, 2**63 - 1]),
        ("FLOAT", [-1.5, 0.25, 1e30]),
        ("DOUBLE", [-1e300, 0.1, math.inf]),
        ("DECIMAL(18,2)", [Decimal("-9999999999999999.99"), Decimal("0.01"), Decimal("9999999999999999.99")]),
        ("DATE", [date(1, 1, 1), date(1970, 1, 1), date(9999, 12, 31)]),
        (
            "TIMESTAMP_NTZ",
            [datetime(1900, 1, 1), datetime(1970, 1, 1), datetime(2200, 1, 1, 1, 2, 3, 456789)],
        ),
        ("INTERVAL DAY TO SECOND", [timedelta(-5), timedelta(0), timedelta(3, 4, 5)]),
    ],
)
def test_an_answer_has_the_type_of_its_values(spark, sql_type, values):
    df = spark.createDataFrame([(v,) for v in values], f"v {sql_type}")
    answer = df.agg(
        cf.approx_quantile("v", [0.0, 0.5, 1.0]).alias("q"),
        cf.approx_quantile_bounds("v", 0.5).alias("b"),
        F.sort_array(F.collect_list("v")).alias("sorted"),
    )
    assert answer.schema["q"].dataType.elementType == df.schema["v"].dataType
    row = answer.first()
    assert row.q == row.sorted
    assert row.b.low == row.b.high == row.sorted[1]


def test_a_timestamp_answers_as_a_timestamp(spark):
    df = spark.createDataFrame(
        [(datetime(2020, 1, 1, tzinfo=timezone.utc),), (datetime(2021, 1, 1, tzinfo=timezone.utc),)],
        "t TIMESTAMP",
    )
    assert df.agg(cf.approx_quantile("t", 1.0).alias("q")).schema["q"].dataType.typeName() == "timestamp"
    sketch = df.agg(cf.quantile_sketch_agg("t").alias("s"))
    latest = sketch.select(cf.sketch_quantile("s", 1.0, type="timestamp").cast("string"))
    assert one(latest) == "2021-01-01 00:00:00"


def test_frequency_counts_copies(spark):
    df = spark.createDataFrame([(1, 9), (2, 1), (3, None), (4, 0)], "v INT, n BIGINT")
    assert one(df.agg(cf.approx_quantile("v", [0.9, 0.91], frequency="n"))) == [1, 2]
    assert one(df.agg(cf.sketch_count(cf.quantile_sketch_agg("v", frequency=F.col("n"))))) == 10


def test_without_values_answers_are_null_and_the_sketch_is_empty(spark):
    nothing = spark.range(0)
    assert one(nothing.agg(cf.approx_quantile("id", 0.5))) is None
    assert one(nothing.agg(cf.approx_quantile("id", [0.5, 0.9]))) is None
    empty = nothing.agg(cf.quantile_sketch_agg("id").alias("s"))
    row = empty.select(
        cf.sketch_count("s"), cf.sketch_min("s"), cf.sketch_quantile("s", 0.5), cf.sketch_rank_error("s")
    ).collect()[0]
    assert tuple(row) == (0, None, None, None)


def test_nan_is_the_largest_value(spark):
    df = spark.createDataFrame([(math.nan,), (math.inf,), (1.0,)], "v DOUBLE")
    low, middle, high = one(df.agg(cf.approx_quantile("v", [0.0, 0.5, 1.0])))
    assert (low, middle) == (1.0, math.inf)
    assert math.isnan(high)


def test_bounds_and_certified_error_hold_if_the_sketch_is_not_exact(spark):
    values = [(7919 * i) % 100_003 for i in range(100_003)]
    df = spark.createDataFrame([(v,) for v in values], "v INT").repartition(7)
    sketch = df.agg(cf.quantile_sketch_agg("v", 0.01).alias("s")).cache()
    error = one(sketch.select(cf.sketch_rank_error("s")))
    assert 0 < error <= 0.01
    phis = [0.0, 0.01, 0.5, 0.99, 1.0]
    answers, bounds = sketch.select(
        cf.sketch_quantile("s", phis, "int"), cf.sketch_quantile_bounds("s", phis, "int")
    ).collect()[0]
    for phi, answer, (low, high) in zip(phis, answers, bounds, strict=True):
        exact = nearest_rank(values, phi)
        assert low <= exact <= high
        # The values are 0 to N - 1, so differences of values are differences of ranks.
        assert abs(answer - exact) <= error * len(values)
    sketch.unpersist()


def test_phi_and_values_may_be_columns(spark, hundred):
    asked = hundred.crossJoin(
        spark.createDataFrame([(0.25, 10), (0.75, 20), (None, None)], "phi DOUBLE, v INT")
    )
    rows = asked.select(
        cf.sketch_quantile("s", F.col("phi"), "int"),
        cf.sketch_rank("s", "v"),
        cf.sketch_rank_bounds("s", F.col("v") + 0.5),
    ).collect()
    assert [tuple(row) for row in rows] == [(25, 10, (10, 10)), (75, 20, (20, 20)), (None, None, None)]


def test_shares(hundred):
    cdf, pmf = hundred.select(cf.sketch_cdf("s", [0, 10, 50.5, 100]), cf.sketch_pmf("s", [10, 50])).collect()[
        0
    ]
    assert cdf == [0.0, 0.1, 0.5, 1.0]
    assert pmf == pytest.approx([0.1, 0.4, 0.5])


def test_ranks_of_dates(spark):
    days = spark.sql("SELECT explode(sequence(DATE'2013-01-01', DATE'2013-12-31')) AS d")
    sketch = days.agg(cf.quantile_sketch_agg("d").alias("s"))
    assert one(sketch.select(cf.sketch_rank("s", date(2013, 1, 31)))) == 31


def test_a_column_may_be_given_by_name(spark):
    df = spark.range(1, 101)
    by_name = df.agg(cf.approx_quantile(value="id", phi=1, epsilon=0.001))
    by_column = df.agg(cf.approx_quantile(F.col("id"), 1.0, 0.001))
    assert one(by_name) == one(by_column) == 100


@pytest.mark.parametrize("phi", ["0.5", None, [0.5, "0.9"]])
def test_a_phi_that_is_not_a_number_is_rejected_in_python(phi):
    with pytest.raises(TypeError, match=r"phi (is|has the element) .*: give (a number|numbers) from 0 to 1"):
        cf.approx_quantile("id", phi)


def test_a_window_of_a_sample_and_its_bounds_match_its_rows(spark):
    # one row for each minute
    df = spark.range(0, 30_000, 1, 3).select(
        (F.col("id") * 7919 % 30_000).alias("v"),
        F.timestamp_seconds(F.col("id") * 60).alias("ts"),
        "id",
    )

    def windows(rows):
        kept = rows.agg(cf.window_sample_agg("v", "ts", 200, retention="20 days", id="id").alias("s"))
        last = cf.sketch_window("s", timedelta(days=5))
        past = cf.sketch_window("s", "5 days", datetime(1970, 1, 12, 7, 59, tzinfo=timezone.utc))
        return kept.select(
            cf.sketch_sample(last, "bigint").alias("values"),
            cf.sketch_quantile(last, 0.5).alias("q"),
            cf.sketch_quantile_bounds(last, 0.5).alias("b"),
            cf.sketch_count_bounds(last).alias("n"),
            cf.sketch_describe(last).confidence.alias("confidence"),
            cf.sketch_describe(past).kept.alias("of_past"),
            cf.sketch_count_bounds(past).alias("n_past"),
        ).first()

    row = windows(df)
    last = {i * 7919 % 30_000 for i in range(30_000 - 7200, 30_000)}
    assert len(row["values"]) == 200
    assert row["values"] == sorted(row["values"])
    assert set(row["values"]) <= last
    assert row.b.low <= nearest_rank(last, 0.5) <= row.b.high
    assert row.b.low <= row.q <= row.b.high
    assert row.n.low <= 7200 <= row.n.high <= 1.011 * row.n.low
    assert row.confidence == 0.9999
    assert row.n_past.low <= 7200 <= row.n_past.high
    assert 0 < row.of_past < 200
    # the same rows, in another order and other partitions
    assert windows(df.repartition(5, "v"))["values"] == row["values"]
