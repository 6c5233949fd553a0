"""Error messages are one sentence with one condition, on classic sessions and on Connect."""

import re

import pytest
from chronosketch import functions as cf
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import functions as F


def check(error, condition, sql_state, *words):
    assert error.getCondition() == condition
    assert error.getSqlState() == sql_state
    for text in (str(error), error.getMessage()):
        assert condition in text
        for word in words:
            assert word in text, (word, text)
        # The text of a message without a template, or with unfilled parameters.
        assert "Cannot find main error class" not in text
        assert "boundreference" not in text
        assert not re.search(r"<[a-zA-Z]+>", text.split("\n")[0]), text


@pytest.mark.parametrize(
    ("ask", "condition", "sql_state", "words"),
    [
        (
            lambda: cf.approx_quantile("id", 1.5),
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            "42K09",
            ["phi", "1.5", "[0.0, 1.0]"],
        ),
        (
            lambda: cf.approx_quantile("id", [0.5, -0.1]),
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            "42K09",
            ["phi", "-0.1"],
        ),
        (
            lambda: cf.approx_quantile("id", 0.5, epsilon=2),
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            "42K09",
            ["epsilon", "2"],
        ),
        (
            lambda: cf.quantile_sketch_agg("id", -1),
            "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
            "42K09",
            ["epsilon", "-1"],
        ),
        (
            lambda: F.call_function("chronosketch_approx_quantile", "id", F.lit(None)),
            "DATATYPE_MISMATCH.UNEXPECTED_NULL",
            "42K09",
            ["phi"],
        ),
        (
            lambda: F.call_function("chronosketch_quantile_sketch_agg", "id", F.col("id") / 1000),
            "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
            "42K09",
            ["epsilon"],
        ),
        (
            lambda: cf.approx_quantile("id", 0.5, frequency=F.lit(0.5)),
            "CHRONOSKETCH_FRACTIONAL_FREQUENCY",
            "42K09",
            ["decimals of up to 18 digits", "CAST(0.5D AS DECIMAL(18,6))"],
        ),
        (
            lambda: F.max(cf.sketch_count("id")),
            "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
            "42K09",
            ["first parameter", "BINARY"],
        ),
        (
            lambda: cf.approx_quantile(F.col("id").cast("string"), 0.5),
            "CHRONOSKETCH_UNSUPPORTED_TYPE",
            "42K09",
            ["approx_quantile", "STRING", "CAST"],
        ),
        (
            lambda: cf.quantile_sketch_agg(F.col("id").cast("decimal(38,2)")),
            "CHRONOSKETCH_UNSUPPORTED_TYPE",
            "42K09",
            ["DECIMAL(38,2)", "CAST"],
        ),
    ],
)
def test_an_invalid_query_is_refused_when_it_is_analysed(spark, ask, condition, sql_state, words):
    with pytest.raises(AnalysisException) as caught:
        spark.range(10).agg(ask()).schema  # noqa: B018  Connect analyses when the schema is asked for
    check(caught.value, condition, sql_state, *words)


def corrupt(sketch, how):
    data = bytearray(sketch)
    if how == "foreign":
        return b"not a sketch at all"
    if how == "truncated":
        return bytes(data[:-3])
    if how == "flipped":
        data[-6] ^= 0x10
    return bytes(data)


@pytest.mark.parametrize(
    ("how", "condition", "sql_state", "words"),
    [
        ("foreign", "CHRONOSKETCH_NOT_A_SKETCH", "22000", ["sketch_count", "19 bytes", "is_sketch"]),
        ("truncated", "CHRONOSKETCH_TRUNCATED_SKETCH", "22000", ["sketch_count", "is_sketch"]),
        ("flipped", "CHRONOSKETCH_CORRUPT_SKETCH", "22000", ["sketch_count", "is_sketch"]),
    ],
)
def test_truncated_bytes_are_named(spark, hundred, how, condition, sql_state, words):
    bad = corrupt(hundred.collect()[0].s, how)
    df = spark.createDataFrame([(bad,)], "s BINARY")
    with pytest.raises(PySparkException) as caught:
        df.select(cf.sketch_count("s")).collect()
    check(caught.value, condition, sql_state, *words)
    assert df.select(cf.is_sketch("s")).collect()[0][0] is False


def test_the_error_of_incompatible_sketches_names_both(spark):
    df = spark.range(10).agg(
        cf.quantile_sketch_agg("id").alias("a"), cf.quantile_sketch_agg(F.current_date()).alias("b")
    )
    with pytest.raises(PySparkException) as caught:
        df.select(cf.sketch_merge("a", "b")).collect()
    check(caught.value, "CHRONOSKETCH_VALUE_TYPES_DIFFER", "42846", "BIGINT", "DATE")


def test_a_date_asked_as_a_number_shows_the_right_call(spark):
    df = spark.range(1).agg(cf.quantile_sketch_agg(F.current_date()).alias("s"))
    with pytest.raises(PySparkException) as caught:
        df.select(cf.sketch_quantile("s", 0.5)).collect()
    check(caught.value, "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE", "42846", "DATE", "'date'")


def test_a_phi_from_a_column_is_checked_row_by_row(spark, hundred):
    with pytest.raises(PySparkException) as caught:
        hundred.crossJoin(spark.createDataFrame([(99.0,)], "phi DOUBLE")).select(
            cf.sketch_quantile("s", F.col("phi"))
        ).collect()
    check(caught.value, "CHRONOSKETCH_INVALID_PHI", "22003", "99", "0.99")


def test_points_that_do_not_increase(hundred):
    with pytest.raises(PySparkException) as caught:
        hundred.select(cf.sketch_cdf("s", [1, 3, 2])).collect()
    check(caught.value, "CHRONOSKETCH_INVALID_POINTS", "22023", "strictly increase")


def test_a_negative_frequency(spark):
    with pytest.raises(PySparkException) as caught:
        spark.range(5).agg(cf.approx_quantile("id", 0.5, frequency=F.col("id") * 0 - 3)).collect()
    check(caught.value, "CHRONOSKETCH_INVALID_FREQUENCY", "22003", "-3")
