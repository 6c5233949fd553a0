"""The SQL functions in a session without the jar."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import chronosketch as cs
import numpy as np
import pandas as pd
import pytest
from chronosketch import functions as cf
from chronosketch.portable import aggregates, answers, needs_jar
from chronosketch.sketch import Sketch
from pyspark.errors import PySparkException
from pyspark.sql import Row
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType

TOP = Path(__file__).resolve().parents[2]
HUNDRED = "(SELECT quantile_sketch_agg(id) AS s FROM range(1, 101))"
NUMBERS = "(SELECT moments_agg(id) AS s FROM range(1, 101))"
TWO = "(SELECT quantile_sketch_agg(id) AS a, quantile_sketch_agg(id + 20) AS b FROM range(1, 101))"
BINS = "(SELECT ddsketch_agg(id) AS s FROM range(1, 101))"


def names_of_the_table():
    page = (TOP / "docs" / "reference.md").read_text("utf-8")
    return set(re.findall(r"^### (\w+)$", page, re.MULTILINE))


def test_every_function_of_the_table_is_in_python_or_named_as_one_of_the_jar():
    ours = {*answers.PLAIN, *answers.TYPED, *aggregates.PLAIN, *aggregates.TYPED, "chronosketch_version"}
    jars = {*needs_jar.SCALARS, *needs_jar.AGGREGATES, *needs_jar.TABLES}
    assert not ours & jars
    # the table has the newer name of a function with two
    assert (ours | jars) - {"hopping_sketch"} == names_of_the_table()


def test_the_session_has_every_name_and_every_full_name(spark):
    have = {row[0].rpartition(".")[2] for row in spark.sql("SHOW USER FUNCTIONS").collect()}
    for name in names_of_the_table() - {"chronosketch_version", "chronosketch_advise"}:
        assert name in have
        assert f"chronosketch_{name}" in have


def test_a_function_of_the_user_stays_and_ours_has_its_full_name(only):
    assert only("SELECT sketch_sum(1)") == 42
    assert only(f"SELECT chronosketch_sketch_sum(s) FROM {NUMBERS}") == 5050.0


def test_the_version_is_that_of_the_workers(spark, only):
    assert only("SELECT chronosketch_version()") == cs.__version__
    assert cs.check_installed(spark) == cs.__version__


def test_registering_or_attaching_again_changes_nothing(spark):
    assert cs.portable.register(spark) is spark


ANSWERS = [
    (f"SELECT sketch_quantile(s, 0.5) FROM {HUNDRED}", 50.0),
    (f"SELECT sketch_quantile(s, 0.5D, 'double', 'nearest') FROM {HUNDRED}", 50.0),
    (f"SELECT sketch_quantile(phi => 0.99, sketch => s) FROM {HUNDRED}", 99.0),
    (f"SELECT sketch_quantile(s, NULL) FROM {HUNDRED}", None),
    (f"SELECT array(sketch_quantile(s, 0.5), sketch_quantile(s, 1)) FROM {HUNDRED}", [50.0, 100.0]),
    (f"SELECT sketch_quantile_bounds(s, 0.5) FROM {HUNDRED}", Row(low=50.0, high=50.0)),
    (f"SELECT sketch_rank(s, 40.5) FROM {HUNDRED}", 40),
    (f"SELECT sketch_rank(s, NULL) FROM {HUNDRED}", None),
    (f"SELECT sketch_rank_bounds(s, 40) FROM {HUNDRED}", Row(low=40, high=40)),
    (f"SELECT sketch_cdf(s, array(10, 50)) FROM {HUNDRED}", [0.1, 0.5]),
    (f"SELECT sketch_cdf(sketch_cast(s, 'decimal(9, 2)'), array(25)) FROM {HUNDRED}", [0.25]),
    (f"SELECT sketch_describe(sketch_cast(s, 'DOUBLE')).value_type FROM {HUNDRED}", "DOUBLE"),
    (f"SELECT sketch_cdf_bounds(s, array(10)) FROM {HUNDRED}", [Row(share=0.1, low=0.1, high=0.1)]),
    (f"SELECT sketch_pmf(s, array(25, 75)) FROM {HUNDRED}", [0.25, 0.5, 0.25]),
    (f"SELECT sketch_count(s) FROM {HUNDRED}", 100),
    (f"SELECT sketch_count_bounds(s) FROM {HUNDRED}", Row(low=100, high=100)),
    (f"SELECT sketch_min(s) FROM {HUNDRED}", 1.0),
    (f"SELECT sketch_max(s) FROM {HUNDRED}", 100.0),
    (f"SELECT sketch_rank_error(s) FROM {HUNDRED}", 0.0),
    (f"SELECT sketch_count(sketch_merge(s, s)) FROM {HUNDRED}", 200),
    (f"SELECT sketch_merge(s, NULL) FROM {HUNDRED}", None),
    (f"SELECT sketch_count(sketch_merge_or(s, s)) FROM {HUNDRED}", 200),
    (f"SELECT sketch_count(sketch_merge_or(NULL, s)) FROM {HUNDRED}", 100),
    (f"SELECT sketch_merge_or(NULL, NULL) FROM {HUNDRED}", None),
    (f"SELECT is_sketch(s) FROM {HUNDRED}", True),
    (f"SELECT sketch_ks(a, b) FROM {TWO}", Row(distance=0.2, low=0.2, high=0.2, at=20.0)),
    (f"SELECT sketch_ks(a, NULL) FROM {TWO}", None),
    (f"SELECT sketch_ks_p_value(a, a) FROM {TWO}", Row(value=1.0, low=1.0, high=1.0)),
    (f"SELECT round(sketch_psi(a, b, bins => 10).value, 3) FROM {TWO}", 0.789),
    (f"SELECT round(sketch_wasserstein(a, b).value, 6) FROM {TWO}", 20.0),
    (f"SELECT sketch_quantile_interval(a, 0.5) FROM {TWO}", Row(value=50.0, low=40.0, high=61.0)),
    (f"SELECT sketch_quantile_interval(a, 0.5, design_effect => 4).high FROM {TWO}", 72.0),
    (f"SELECT sketch_quantile_interval(a, 0.5, design_effect => NULL) FROM {TWO}", None),
    (f"SELECT sketch_quantile_difference(a, b, 0.5).value FROM {TWO}", -20.0),
    (f"SELECT round(sketch_quantile_difference(a, b, 0.5).p_value, 4) FROM {TWO}", 0.0066),
    ("SELECT is_sketch(X'CAFE')", False),
    ("SELECT is_sketch(NULL)", None),
    (f"SELECT length(sketch_to_kll(s, 8)) > 0 FROM {HUNDRED}", True),
    (f"SELECT sketch_describe(s).value_type FROM {HUNDRED}", "BIGINT"),
    (f"SELECT sketch_describe(s).parameters['epsilon'] FROM {HUNDRED}", 0.001),
    (f"SELECT sketch_mean(s) FROM {NUMBERS}", 50.5),
    (f"SELECT sketch_variance(s) FROM {NUMBERS}", 841.6666666666666),
    (f"SELECT sketch_variance(s, population => true) FROM {NUMBERS}", 833.25),
    (f"SELECT sketch_stddev(s) FROM {NUMBERS}", 29.011491975882016),
    (f"SELECT sketch_skewness(s) FROM {NUMBERS}", 0.0),
    (f"SELECT sketch_kurtosis(s) FROM {NUMBERS}", -1.2002400240024003),
    (f"SELECT sketch_moment_bounds(s, 'mean') FROM {NUMBERS}", Row(value=50.5, lower=50.5, upper=50.5)),
    (f"SELECT round(sketch_quantile(s, 0.5)) BETWEEN 49 AND 51 FROM {BINS}", True),
    ("SELECT approx_quantile(id, 0.99) FROM range(1, 101)", 99.0),
    ("SELECT approx_quantile(id, 0.99, epsilon => 0) FROM range(1, 101)", 99.0),
    ("SELECT approx_quantile_bounds(id, 0.5) FROM range(1, 101)", Row(low=50.0, high=50.0)),
    ("SELECT approx_quantile(v, 0.5, frequency => n) FROM VALUES (1, 1), (2, 9) AS t(v, n)", 2.0),
    ("SELECT sketch_count(quantile_sketch_agg(v, frequency => n)) FROM VALUES (1, 1), (2, 9) AS t(v, n)", 10),
    ("SELECT sketch_count(quantile_sketch_agg(id, 0.01)) FROM range(1000)", 1000),
    ("SELECT sketch_sum_of(moments_agg(v, n)) FROM VALUES (1, 1), (2, 9) AS t(v, n)", 19.0),
    ("SELECT sketch_max(ddsketch_agg(id, alpha => 0.1)) FROM range(1, 101)", 100.0),
    (
        "SELECT sketch_count(sketch_merge_agg(s)) FROM "
        "(SELECT id % 7, quantile_sketch_agg(id) AS s FROM range(100) GROUP BY 1)",
        100,
    ),
]


@pytest.mark.parametrize(("query", "answer"), ANSWERS, ids=[query for query, _ in ANSWERS])
def test_answers_are_those_of_the_jar(only, query, answer):
    assert only(query.replace("sketch_sum_of", "chronosketch_sketch_sum")) == answer


EMPTY = [
    ("SELECT sketch_count(quantile_sketch_agg(v)) FROM VALUES (CAST(NULL AS INT)) AS t(v)", [0]),
    ("SELECT sketch_quantile(quantile_sketch_agg(v), 0.5) FROM VALUES (CAST(NULL AS INT)) AS t(v)", [None]),
    ("SELECT sketch_count(moments_agg(v)) FROM VALUES (CAST(NULL AS DOUBLE)) AS t(v)", [0]),
    ("SELECT sketch_count(ddsketch_agg(v)) FROM VALUES (CAST(NULL AS DOUBLE)) AS t(v)", [0]),
    ("SELECT approx_quantile(v, 0.5) FROM VALUES (CAST(NULL AS DOUBLE)) AS t(v)", [None]),
    ("SELECT sketch_merge_agg(CAST(NULL AS BINARY)) FROM range(3)", [None]),
    ("SELECT sketch_count(quantile_sketch_agg(id)) FROM range(0) GROUP BY id", []),
    # Spark runs no Python aggregate without a row, even without GROUP BY
    ("SELECT sketch_count(quantile_sketch_agg(id)) FROM range(0)", []),
]


@pytest.mark.parametrize(("query", "answers"), EMPTY, ids=[query for query, _ in EMPTY])
def test_without_values_a_group_has_an_empty_sketch(spark, query, answers):
    assert [row[0] for row in spark.sql(query).collect()] == answers


TYPES = [
    ("CAST(7 AS TINYINT)", "TINYINT", 7),
    ("CAST(7 AS SMALLINT)", "SMALLINT", 7),
    ("7", "INT", 7),
    ("9223372036854775807L", "BIGINT", 2**63 - 1),
    ("CAST(0.1 AS FLOAT)", "FLOAT", 0.10000000149011612),
    ("0.1D", "DOUBLE", 0.1),
    ("12.50BD", "DECIMAL(4,2)", Decimal("12.50")),
    ("123456789012345.678BD", "DECIMAL(18,3)", Decimal("123456789012345.678")),
    ("DATE'2026-02-28'", "DATE", date(2026, 2, 28)),
    ("TIMESTAMP_NTZ'2026-07-01 12:00:00.000001'", "TIMESTAMP_NTZ", datetime(2026, 7, 1, 12, 0, 0, 1)),
    ("INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL DAY TO SECOND", timedelta(1, 7384, 500000)),
]


@pytest.mark.parametrize(("value", "name", "answer"), TYPES, ids=[name for _, name, _ in TYPES])
def test_a_sketch_has_the_type_of_its_values(spark, value, name, answer):
    # beside NULL, which must not change the type
    rows = spark.sql(f"SELECT {value} AS v UNION ALL SELECT NULL")
    rows.agg(cf.quantile_sketch_agg("v").alias("s")).createOrReplaceTempView("typed")
    assert spark.sql("SELECT sketch_describe(s).value_type FROM typed").first()[0] == name
    found = spark.table("typed").select(
        cs.portable.sketch_quantile("s", 0.5, name), cs.portable.sketch_min("s", name)
    )
    assert list(found.first()) == [answer, answer]
    asked = rows.agg(cs.portable.approx_quantile("v", [0.5, 1], type=name)).first()[0]
    assert asked == [answer, answer]
    (staged,) = cs.portable.sketch(rows, values="v").collect()
    assert Sketch.from_bytes(bytes(staged.sketch)).value_type == name


def test_instants_do_not_depend_on_the_time_zone_of_the_session(spark):
    rows = spark.sql("SELECT TIMESTAMP'2026-11-01 01:30:00 America/New_York' + INTERVAL 1 HOUR AS v")
    for sketch in (
        rows.agg(cf.quantile_sketch_agg("v")).first()[0],
        cs.portable.sketch(rows, values="v").first()[0],
    ):
        opened = Sketch.from_bytes(bytes(sketch))
        assert opened.value_type == "TIMESTAMP"
        assert opened.min().isoformat() == "2026-11-01T06:30:00+00:00"


def test_nan_counts_as_the_largest_number(only):
    query = "SELECT sketch_{}(quantile_sketch_agg(v)) FROM VALUES (1D), (double('NaN')), (NULL) AS t(v)"
    assert only(query.format("count")) == 2
    assert str(only(query.format("max"))) == "nan"


def test_groups_with_null_keys_and_several_aggregates(spark):
    found = spark.sql("""
        SELECT k, sketch_max(quantile_sketch_agg(v)) AS a, approx_quantile(v, 0.5) AS b,
               sketch_mean(moments_agg(v)) AS c
        FROM VALUES (1, 10), (NULL, 20), (1, 30), (NULL, NULL) AS t(k, v) GROUP BY k ORDER BY k
    """)
    assert [tuple(row) for row in found.collect()] == [(None, 20.0, 20.0, 20.0), (1, 30.0, 10.0, 20.0)]


def test_one_point_has_another_type_and_says_what_to_write(spark, only):
    with pytest.raises(PySparkException, match=r"Write sketch_cdf\(s, array\(250\)\)\[0\]"):
        spark.sql(f"SELECT sketch_cdf(s, 25) FROM {HUNDRED}").collect()
    with pytest.raises(PySparkException, match=r"Write sketch_cdf_bounds\(s, array\(250\)\)\[0\]"):
        spark.sql(f"SELECT sketch_cdf_bounds(s, 25) FROM {HUNDRED}").collect()
    assert only(f"SELECT sketch_cdf(s, array(25))[0] FROM {HUNDRED}") == 0.25


WRONG = [
    ("SELECT quantile_sketch_agg(id, 'a') FROM range(3)", r"epsilon is 'a': give a number in \[0, 0\.5\]"),
    ("SELECT quantile_sketch_agg(id, true) FROM range(3)", "epsilon is True: give a number"),
    (f"SELECT sketch_cast(s, NULL) FROM {HUNDRED}", r"write sketch_cast\(s, 'double'\)"),
    (f"SELECT sketch_cast(s, 1) FROM {HUNDRED}", r"write sketch_cast\(s, 'double'\)"),
    (f"SELECT sketch_psi(a, b, 1) FROM {TWO}", "bins is 1: give a whole number from 2 to 10000"),
    (
        f"SELECT sketch_quantile_interval(a, 0.5, 0.4) FROM {TWO}",
        r"\[CHRONOSKETCH_PARAMETER_OUT_OF_RANGE\] sketch_quantile_interval",
    ),
    (
        f"SELECT sketch_quantile_difference(a, b, 0.5, design_effect => -1) FROM {TWO}",
        r"\[CHRONOSKETCH_INVALID_DESIGN_EFFECT\] sketch_quantile_difference",
    ),
    (f"SELECT sketch_min(s, 1) FROM {HUNDRED}", "type is 1: give the name of a SQL type"),
    (f"SELECT sketch_stddev(s, 'a') FROM {NUMBERS}", "population is 'a': write true or false"),
]


@pytest.mark.parametrize(("query", "words"), WRONG, ids=[query for query, _ in WRONG])
def test_an_argument_of_another_type_is_named(spark, query, words):
    with pytest.raises(PySparkException, match=words):
        spark.sql(query).collect()


DAYS = "VALUES (DATE'2026-01-31'), (DATE'2026-02-28') AS t(v)"


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("approx_quantile(v, 0.5)", "cs.portable.approx_quantile('v', 0.5, type='date')"),
        ("sketch_quantile(quantile_sketch_agg(v), 0.5)", "cs.portable.sketch_quantile('s', 0.5, 'date')"),
        ("sketch_min(quantile_sketch_agg(v))", "cs.portable.sketch_min('s', 'date')"),
        (
            "approx_quantile_bounds(v, 0.5)",
            "cs.portable.define(spark, 'approx_quantile_bounds_date', 'approx_quantile_bounds', type='date')",
        ),
    ],
)
def test_a_message_shows_a_call_that_runs(spark, function, call):
    with pytest.raises(PySparkException) as caught:
        spark.sql(f"SELECT {function} FROM {DAYS}").collect()
    assert call in str(caught.value)
    found = eval(call, {"cs": cs, "spark": spark})
    days = spark.sql(f"SELECT * FROM {DAYS}")
    if "define" in call:
        asked = spark.sql(f"SELECT approx_quantile_bounds_date(v, 0.5).low FROM {DAYS}")
    elif "approx" in call:
        asked = days.agg(found)
    else:
        asked = days.agg(cf.quantile_sketch_agg("v").alias("s")).select(found)
    assert asked.first()[0] == date(2026, 1, 31)


def test_comparisons_of_dates_show_a_call_that_runs(spark, only):
    for function, date_of in (("sketch_ks(s, s)", "at"), ("sketch_quantile_interval(s, 0.5)", "value")):
        name = function.partition("(")[0]
        stored = f"(SELECT quantile_sketch_agg(v) AS s FROM {DAYS})"
        with pytest.raises(PySparkException) as caught:
            spark.sql(f"SELECT {function} FROM {stored}").collect()
        call = f"cs.portable.define(spark, '{name}_date', '{name}', type='date')"
        assert call in str(caught.value)
        eval(call, {"cs": cs, "spark": spark})
        asked = only(f"SELECT {function.replace(name, name + '_date')}.{date_of} FROM {stored}")
        assert asked == (None if date_of == "at" else date(2026, 1, 31))


def test_constants_are_taken_as_by_the_functions_of_the_jar(spark):
    made = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    asked = [np.array(0.5), np.array([0.5]), pd.Series([0.5, 1]), (p for p in [0.5]), []]
    found = made.select(*[cs.portable.sketch_quantile("s", phi, IntegerType) for phi in asked]).first()
    assert list(found) == [50, [50], [50, 100], [50], []]
    more = spark.range(1, 101).agg(
        cs.portable.approx_quantile("id", 0.5, F.lit(0.01), 2, IntegerType()),
        cs.portable.approx_quantile("id", 1, np.float32(0.25), F.lit(3)),
    )
    assert list(more.first()) == [50, 100.0]
    cs.portable.define(spark, "whole_quantile", "sketch_quantile", IntegerType)
    made.createOrReplaceTempView("made")
    assert spark.sql("SELECT whole_quantile(s, 0.5) FROM made").first()[0] == 50
    with pytest.raises(TypeError, match="type is <class 'int'>: give the name of a SQL type"):
        cs.portable.define(spark, "whole_quantile", "sketch_quantile", int)


def test_the_doctor_names_what_needs_the_jar_and_what_runs_the_rest(spark):
    found = {row.part: row for row in cs.doctor(spark).rows}
    assert found["functions"].status == "fell back"
    assert "attach" not in found["functions"].remedy  # it changes nothing here
    assert ("ArrowAggregatePython" if spark.version > "4.1" else "InPandas") in found["GROUP BY"].reason
    for part, name in (
        ("hopping windows", "hopping"),
        ("history", "history_sketch_agg"),
        ("warehouse", "warehouse_quantile"),
    ):
        assert found[part].status == "refused"
        assert found[part].reason == f"{name} needs the jar, which this session does not have"
        assert found[part].remedy.startswith("Without it, ")
        assert found[part].remedy.endswith(".")
        assert "SQLSTATE" not in found[part].remedy


def test_python_functions_call_them(spark):
    rows = spark.range(1, 101).groupBy((F.col("id") % 2).alias("k"))
    made = rows.agg(
        cf.quantile_sketch_agg("id", epsilon=0.01).alias("s"), cf.approx_quantile("id", 0.5).alias("q")
    )
    found = made.select(
        "k", cf.sketch_quantile("s", 0.5).alias("m"), "q", cf.sketch_cdf("s", [50]).alias("c")
    )
    assert [tuple(row) for row in found.orderBy("k").collect()] == [
        (0, 50.0, 50.0, [0.5]),
        (1, 49.0, 49.0, [0.5]),
    ]
    assert made.agg(cf.sketch_count(cf.sketch_merge_agg("s"))).first()[0] == 100


def test_aggregates_slide_over_rows(spark):
    found = spark.sql("""
        SELECT id, approx_quantile(id, 0.5) OVER (ORDER BY id ROWS 2 PRECEDING) AS q FROM range(5) ORDER BY id
    """)
    assert [row.q for row in found.collect()] == [0.0, 0.0, 1.0, 2.0, 3.0]


REFUSED = [
    ("SELECT sketch_count(X'00')", "[CHRONOSKETCH_NOT_A_SKETCH] sketch_count was given 1 bytes"),
    (
        f"SELECT sketch_quantile(s, 99) FROM {HUNDRED}",
        "[CHRONOSKETCH_INVALID_PHI] sketch_quantile was asked for",
    ),
    (f"SELECT sketch_mean(s) FROM {HUNDRED}", "[CHRONOSKETCH_NO_SUMS] sketch_mean"),
    (
        f"SELECT sketch_mean(s) FROM {BINS}",
        "[CHRONOSKETCH_QUESTION_NOT_ANSWERED] sketch_mean does not work",
    ),
    ("SELECT quantile_sketch_agg('x')", "[CHRONOSKETCH_UNSUPPORTED_TYPE] quantile_sketch_agg takes a number"),
    ("SELECT quantile_sketch_agg(id, 2) FROM range(3)", "[CHRONOSKETCH_PARAMETER_OUT_OF_RANGE]"),
    ("SELECT quantile_sketch_agg(id, id) FROM range(3)", "epsilon must be the same for all rows"),
    ("SELECT quantile_sketch_agg(id, 0.1, -1) FROM range(3)", "[CHRONOSKETCH_INVALID_FREQUENCY]"),
    ("SELECT moments_agg(DATE'2026-01-01')", "[CHRONOSKETCH_UNSUPPORTED_TYPE] moments_agg takes a number"),
    ("SELECT ddsketch_agg(DATE'2026-01-01')", "[CHRONOSKETCH_NO_RELATIVE_ERROR] ddsketch_agg promises"),
    (
        "SELECT sketch_quantile(quantile_sketch_agg(DATE'2026-01-01'), 0.5)",
        "Name their type: cs.portable.sketch_quantile('s', 0.5, 'date').",
    ),
    (
        f"SELECT sketch_quantile(s, 0.5, 'bigint') FROM {HUNDRED}",
        "cs.portable.define(spark, 'sketch_quantile_bigint', 'sketch_quantile', type='bigint')",
    ),
    (f"SELECT sketch_quantile(s, 0.5, 'text') FROM {HUNDRED}", "[CHRONOSKETCH_INVALID_TYPE_NAME]"),
    (
        f"SELECT sketch_quantile(s, array(0.5, 1)) FROM {HUNDRED}",
        "cs.portable.define(spark, 'sketch_quantiles', 'sketch_quantile', several=True)",
    ),
    (f"SELECT sketch_quantile(s, 0.5, 'double', 'linear') FROM {HUNDRED}", "needs the jar"),
    (
        "SELECT sketch_merge_agg(s) FROM (SELECT quantile_sketch_agg(id) AS s FROM range(3) GROUP BY id "
        "UNION ALL SELECT quantile_sketch_agg(DATE'2026-01-01') FROM range(3) GROUP BY id)",
        "[CHRONOSKETCH_VALUE_TYPES_DIFFER] sketch_merge_agg",
    ),
    (f"SELECT sketch_quantile(s) FROM {HUNDRED}", "missing 1 required positional argument: 'phi'"),
    (f"SELECT sketch_quantile(s, fi => 0.5) FROM {HUNDRED}", "fi"),
]


@pytest.mark.parametrize(("query", "words"), REFUSED, ids=[query for query, _ in REFUSED])
def test_errors_carry_the_condition_and_a_way_out(spark, query, words):
    with pytest.raises(PySparkException) as caught:
        spark.sql(query).collect()
    assert words in str(caught.value)


def calls_of_the_jar():
    for name in needs_jar.SCALARS:
        yield name, f"SELECT {name}(X'00')"
    for name in needs_jar.AGGREGATES:
        yield name, f"SELECT {name}(id, id) FROM range(3) GROUP BY id % 2"
    for name in needs_jar.TABLES:
        yield name, f"SELECT * FROM {name}('x', 0.5)"


@pytest.mark.parametrize(("name", "query"), list(calls_of_the_jar()))
def test_functions_of_the_jar_say_so(spark, name, query):
    with pytest.raises(PySparkException) as caught:
        spark.sql(query).collect()
    assert f"{name} needs the jar, which this session does not have." in str(caught.value)


def test_the_functions_that_messages_define_work(spark, only):
    cs.portable.define(spark, "sketch_quantiles", "sketch_quantile", several=True)
    cs.portable.define(spark, "sketch_quantile_bigint", "sketch_quantile", type="bigint")
    cs.portable.define(spark, "days", "approx_quantile", type="date", several=True)
    assert only(f"SELECT sketch_quantiles(s, array(0.5, 1)) FROM {HUNDRED}") == [50.0, 100.0]
    assert only(f"SELECT sketch_quantile_bigint(s, 0.5, 'bigint') FROM {HUNDRED}") == 50
    assert only("SELECT days(d, array(0.5)) FROM VALUES (DATE'2026-01-02') AS t(d)") == [date(2026, 1, 2)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("f", "sketch_count"), "has one type of answer"),
        (("f", "sketch_quantile", "text"), "CHRONOSKETCH_INVALID_TYPE_NAME"),
        (("f", "sketch_min", "double", True), "takes no phi"),
    ],
)
def test_functions_that_cannot_be_defined_are_refused(spark, arguments, words):
    with pytest.raises(cs.ChronosketchError, match=words):
        cs.portable.define(spark, *arguments)
