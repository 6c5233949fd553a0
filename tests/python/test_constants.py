"""Every Python function takes its constants as Python's own, as numpy's or pandas', and as columns."""

import inspect
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import chronosketch as cs
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from chronosketch import functions as cf
from chronosketch.columns import literal
from chronosketch.sql_text import plain
from pyspark.errors import AnalysisException
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType


def sketch():
    return cf.quantile_sketch_agg("v")


def window():
    return cf.window_sketch_agg("v", "v", filters={"even": F.col("v") % 2 == 0})


def moments():
    return cf.moments_agg("v")


def history():
    return cf.history_sketch_agg("v", "v")


# A call of each function that takes a constant. `a` is applied to the constants.
CALLS = {
    "among_last": lambda f, a: cf.approx_window_quantile("v", "v", 0.5, f(a(7))),
    "approx_quantile": lambda f, a: f("v", a([0.25, 0.5]), a(0.01), a(2), a("nearest"), a("high")),
    "approx_quantile_at_version": lambda f, a: f("v", "v", None, a(0.5), a(9), a(0.01)),
    "approx_quantile_bounds": lambda f, a: f("v", a(0.5), epsilon=a(0.1), interpolation=a("linear")),
    "approx_window_quantile": lambda f, a: f("v", "ts", a(0.5), a(timedelta(minutes=9)), a(0.1)),
    "ddsketch_agg": lambda f, a: f("v", a(0.05), a(3)),
    "history_sketch_agg": lambda f, a: f("v", "v", a(1), a(0.1)),
    "moments_agg": lambda f, a: f("v", a(3)),
    "n_greatest": lambda f, a: f("v", a(3)),
    "n_least": lambda f, a: f("v", a(3)),
    "passing": lambda f, a: cf.sketch_count(cf.sketch_window(window(), f(a("even")))),
    "qlove_sketch_agg": lambda f, a: f("v", "v", a([0.5, 0.99]), a(6), a(0)),
    "quantile_sketch_agg": lambda f, a: f("v", a(0.01), a(2), a("low"), a(True)),
    "sample_sketch_agg": lambda f, a: f("v", a(10), a("priority"), a(5), "v", delta=a(0.01)),
    "sketch_at_version": lambda f, a: f(history(), a(9)),
    "sketch_box": lambda f, a: f(sketch(), "int"),
    "sketch_cast": lambda f, a: cf.sketch_max(f(sketch(), "double")),
    "sketch_cdf": lambda f, a: f(sketch(), a([10, 20])),
    "sketch_cdf_bounds": lambda f, a: f(sketch(), a(20)),
    "sketch_covar": lambda f, a: f(cf.comoments_agg("v", "v"), a(True)),
    "sketch_from_ddsketch": lambda f, a: f(
        cf.sketch_to_ddsketch(cf.ddsketch_agg("v")), a("java"), a("none"), a(0.5), a(99.5)
    ),
    "sketch_from_exponential_histogram": lambda f, a: f(
        a(0), a(1), a(3), a([10, 20]), a(0), a([5]), a(0.5), a(-9.0), a(99.0)
    ),
    "sketch_from_histogram": lambda f, a: f(a([10, 20]), a([5, 6, 7]), a(False), a(0), a(50)),
    "sketch_from_kll": lambda f, a: f(cf.sketch_to_kll(sketch()), "bigint"),
    "sketch_histogram": lambda f, a: f(sketch(), a(4), "int"),
    "sketch_ks": lambda f, a: f(sketch(), sketch(), "int"),
    "sketch_max": lambda f, a: f(sketch(), "int"),
    "sketch_min": lambda f, a: f(sketch(), "int"),
    "sketch_moment_bounds": lambda f, a: f(moments(), a("mean")),
    "sketch_pmf": lambda f, a: f(sketch(), a(20)),
    "sketch_quantile": lambda f, a: f(sketch(), a(0.5), "double", a("linear")),
    "sketch_quantile_bounds": lambda f, a: f(sketch(), a([0.5]), "int", a("nearest")),
    "sketch_rank": lambda f, a: f(sketch(), a(20.5)),
    "sketch_rank_bounds": lambda f, a: f(sketch(), a(20)),
    "sketch_sample": lambda f, a: f(cf.sample_sketch_agg("v"), "int"),
    "sketch_stddev": lambda f, a: f(moments(), a(False)),
    "sketch_to_ddsketch": lambda f, a: f(cf.ddsketch_agg("v"), a("python")),
    "sketch_to_kll": lambda f, a: f(sketch(), a(16)),
    "sketch_psi": lambda f, a: f(sketch(), sketch(), a(4)),
    "sketch_quantile_difference": lambda f, a: f(sketch(), sketch(), a(0.5), a(0.9), a(2)),
    "sketch_quantile_interval": lambda f, a: f(sketch(), a(0.5), a(0.9), a(2)),
    "sketch_trimmed_mean": lambda f, a: f(sketch(), a(0.1), a(0.8)),
    "sketch_variance": lambda f, a: f(moments(), a(True)),
    "sketch_versions": lambda f, a: f(history(), "int"),
    "sketch_window": lambda f, a: cf.sketch_count(f(window(), a(7), a(30))),
    "window_moments_agg": lambda f, a: cf.sketch_sum(f("v", "v", a(0.1), a(9))),
    "window_sample_agg": lambda f, a: f("v", "v", a(5), a(30), a(7), "v"),
    "window_sketch_agg": lambda f, a: cf.sketch_count(f("v", "ts", a(0.1), a(timedelta(minutes=9)))),
    "within_last": lambda f, a: cf.approx_window_quantile("v", "v", 0.5, f(a(7))),
}


def as_numpy(value):
    """Return a constant as numpy has it."""
    kinds = {bool: np.bool_, int: np.int64, float: np.float64, str: np.str_, list: np.array}
    if isinstance(value, timedelta):
        return np.timedelta64(value)
    return kinds[type(value)](value)


def as_column(value):
    """Return a constant as a column."""
    return [F.lit(one) for one in value] if isinstance(value, list) else F.lit(value)


@pytest.fixture(scope="module")
def values(spark):
    return spark.range(1, 41).select(
        F.col("id").cast("int").alias("v"), F.timestamp_seconds(F.col("id") * 60).alias("ts")
    )


def test_each_function_with_a_constant_is_called_here():
    constant = {
        name
        for name in cf.__all__
        for one in inspect.signature(getattr(cf, name)).parameters.values()
        if one.annotation not in ("ColumnOrName", "ColumnOrName | None")
    }
    assert constant <= set(CALLS) <= set(cf.__all__)


@pytest.mark.parametrize("name", CALLS)
def test_constants_of_numpy_and_columns_answer_as_pythons_own(values, name):
    def called(change):
        return CALLS[name](getattr(cf, name), change)

    usual, numpy, columns = (
        values.agg(called(change).alias("a")).collect()[0].a
        for change in (lambda value: value, as_numpy, as_column)
    )
    assert repr(numpy) == repr(usual)
    assert repr(columns) == repr(usual)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (np.float32(0.25), 0.25),
        (np.longdouble(0.25), 0.25),
        (np.array(7), 7),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.datetime64("2026-01-02"), date(2026, 1, 2)),
        (np.datetime64("2026-01-02T03:04:05.678901234"), datetime(2026, 1, 2, 3, 4, 5, 678901)),
        (np.timedelta64(90, "m"), timedelta(minutes=90)),
        (np.timedelta64(2, "D"), timedelta(days=2)),
        (pd.Timestamp("2026-01-02T03:04"), datetime(2026, 1, 2, 3, 4)),
        (pd.Timedelta("90min"), timedelta(minutes=90)),
        (np.bytes_(b"ab"), b"ab"),
        (pa.scalar(0.25), 0.25),
        (pa.scalar(None, pa.int64()), None),
        (Decimal("1.5"), Decimal("1.5")),
        (None, None),
    ],
)
def test_a_scalar_stands_for_a_python_value(given, wanted):
    assert plain(given) == wanted
    assert type(plain(given)) is type(wanted)


@pytest.mark.parametrize(
    "given", [pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT"), np.datetime64(10**9, "Y")]
)
def test_a_time_that_python_cannot_hold_is_refused(given):
    with pytest.raises(TypeError, match="not a time that Python can hold"):
        plain(given)


@pytest.mark.parametrize("given", [Fraction(1, 3), pd.NA, object(), {"a": 1}, 1j])
def test_a_value_of_another_type_is_named(given):
    with pytest.raises(TypeError, match=f"of type {type(given).__name__}, is not a constant of SQL: give"):
        literal(given)


@pytest.mark.parametrize(
    "given",
    [Decimal("NaN"), Decimal("-Infinity"), Decimal("1e38"), Decimal("1e-39"), Decimal("1" * 39), 10**38],
)
def test_a_number_that_no_decimal_holds_is_refused(given):
    for function in (cf.sketch_rank, cf.sketch_cdf, cf.quantile_sketch_agg):
        with pytest.raises(TypeError, match="is not a DECIMAL of at most 38 digits: give a float"):
            function("s", given)


def test_a_whole_number_beyond_bigint_is_a_decimal_as_in_sql(values):
    for given in (2**63, -(2**63) - 1, np.uint64(2**64 - 1), 10**37):
        for asked in (cf.sketch_rank(sketch(), given), cf.sketch_cdf(sketch(), [given])):
            with pytest.raises(AnalysisException, match=r"CHRONOSKETCH_UNSUPPORTED_TYPE.*DECIMAL\("):
                values.agg(asked).collect()
    assert values.agg(cf.sketch_rank(sketch(), 2**63 - 1)).first()[0] == 40


def test_a_set_has_no_order(values):
    for given in ({10, 20}, frozenset([0.5]), np.array([{1}], dtype=object)[0]):
        for function in (cf.sketch_quantile, cf.sketch_cdf, cs.portable.sketch_quantile):
            with pytest.raises(TypeError, match="has no order: give a list, such as"):
                function("s", given)
    asked = values.agg(cf.sketch_cdf(sketch(), {10: "a", 20: "b"}.keys()))
    assert asked.first()[0] == [0.25, 0.5]


def test_arrays_of_arrow_are_lists(values):
    shares, points = pa.array([0.25, 0.5]), pa.chunked_array([[10, 20]])
    asked = values.agg(
        cf.sketch_quantile(sketch(), shares, "int"),
        cf.sketch_cdf(sketch(), points),
        cf.approx_quantile("v", pa.scalar(0.5)),
    )
    assert tuple(asked.first()) == ([10, 20], [0.25, 0.5], 20)


def test_a_sketch_may_be_a_view_of_bytes(values):
    data = bytes(values.agg(sketch()).first()[0])
    for given in (data, bytearray(data), memoryview(data)):
        assert values.select(cf.sketch_count(given)).first()[0] == 40


def test_a_warehouse_reads_no_text_letter_by_letter(spark, tmp_path):
    w = cs.warehouse.create(spark, tmp_path / "w", value="v")
    for given in ("1", b"1", "0.5", True, {"a": 1}, None):
        with pytest.raises(cs.ChronosketchError, match="is not a number"):
            w.quantile(given)
    for given in ("19", b"19"):
        with pytest.raises(cs.ChronosketchError, match="Give an int, a float"):
            w.rank(given)
    for by in (F.col("g"), None, [7]):
        with pytest.raises(cs.ChronosketchError, match=r"Write by=\['host'\]"):
            cs.warehouse.create(spark, tmp_path / "x", value="v", by=by)


@pytest.mark.parametrize(
    "phi",
    ["0.5", "p", None, b"a", bytearray(b"a"), np.str_("0.5"), object(), True, np.True_, {0.5: 1}, float, 1j],
)
def test_a_phi_of_another_type_is_refused(phi):
    with pytest.raises(TypeError, match=r"phi is .*give a number from 0 to 1"):
        cf.approx_quantile("v", phi)
    with pytest.raises(TypeError, match=r"phi has the element .*give numbers"):
        cf.sketch_quantile("s", [phi])


def test_a_type_may_be_a_class_of_pyspark(values):
    row = values.agg(
        cf.sketch_max(sketch(), IntegerType).alias("a"), cf.sketch_max(sketch(), IntegerType()).alias("b")
    )
    assert tuple(row.collect()[0]) == (40, 40)
    with pytest.raises(TypeError, match=r"type is <class 'int'>: give the name of a SQL type"):
        cf.sketch_max("s", int)


def test_filters_are_named(spark):
    with pytest.raises(TypeError, match=r"filters is \[.*give a dict of names and conditions"):
        cf.window_sketch_agg("v", "v", filters=["even"])


def test_one_column_is_a_list_of_it(values):
    keyed = values.withColumn("host", F.lit("a"))
    aggs = F.count("*").alias("n")
    alone = cs.hopping(keyed, "ts", np.timedelta64(30, "m"), "20 minutes", by="host", aggs=aggs)
    listed = cs.hopping(keyed, "ts", "30 minutes", pd.Timedelta("20min"), by=[F.col("host")], aggs=[aggs])
    assert alone.columns == ["host", "window", "n"]
    assert sorted(alone.collect()) == sorted(listed.collect())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"aggs": []}, r"aggs is empty\. Write aggs=\[cf\.approx_quantile"),
        ({"aggs": "count(*)"}, r"aggs has 'count\(\*\)', of type str\. Write aggs=\["),
        ({"aggs": 7}, r"aggs has 7, of type int\. Write aggs=\["),
        ({"by": None}, r"by has None, of type NoneType\. Write by=\['host'\]"),
        ({"by": [0.5]}, r"by has 0\.5, of type float\. Write by=\['host'\]"),
        ({"structure": 7}, "7, of type int, is not text"),
    ],
)
def test_other_keys_and_aggregates_are_refused(values, given, message):
    arguments = {"aggs": [F.count("*")], **given}
    with pytest.raises(cs.ChronosketchError, match=message):
        cs.hopping(values, "ts", "30 minutes", "20 minutes", **arguments)


def test_a_warehouse_takes_them_too(spark, tmp_path):
    w = cs.warehouse.create(
        spark,
        tmp_path / "w",
        value="v",
        by="g",
        epsilon=np.float32(0.25),
        kappa=np.int64(3),
        steps=np.int32(9),
    )
    assert w.describe()["by"] == ["g"]
    assert (w.describe()["epsilon"], w.describe()["kappa"]) == (0.25, 3)
    w.append(spark.range(1, 101).selectExpr("'a' AS g", "id AS v"), step=np.int64(1))
    assert w.quantile(np.float64(0.5), window=np.int64(1)).first()["value"] == 50
    assert [row.phi for row in w.quantile(np.array([0.25, 0.5])).orderBy("phi").collect()] == [0.25, 0.5]
    assert w.rank(np.float64(9.5)).first()["rank_low"] == 9
    assert w.rank(np.array([9, 10])).count() == 2
    assert cs.warehouse.open(spark, tmp_path / "w").path == w.path
    with pytest.raises(cs.ChronosketchError, match=r"kappa is 2\.5, of type float\. Give a whole number"):
        cs.warehouse.create(spark, str(tmp_path / "x"), value="v", kappa=2.5)
    with pytest.raises(cs.ChronosketchError, match=r"7, of type int, is not text"):
        cs.warehouse.create(spark, 7, value="v")


def test_advice_takes_numbers_of_numpy():
    usual = cs.advise(aggregate="quantile", retention_rows=10**6, slide_rows=100, epsilon=0.01, memory=2**20)
    numpy = cs.advise(
        aggregate="quantile",
        retention_rows=np.int64(10**6),
        slide_rows=np.float32(100),
        epsilon=np.float64(0.01),
        memory=np.int64(2**20),
    )
    assert str(numpy) == str(usual)


def test_a_column_is_never_changed(spark):
    column = F.col("v")
    assert literal(column) is column
    assert isinstance(column, Column)
