"""Sketches of DataFrames in two stages, in a session without the jar."""

import math

import chronosketch as cs
import numpy as np
import pytest
from chronosketch.sketch import Sketch
from pyspark.sql import functions as F


def opened(frame, *keys):
    """Return the sketch of each group."""
    found = {tuple(row[key] for key in keys): Sketch.from_bytes(bytes(row.sketch)) for row in frame.collect()}
    return found if keys else found[()]


@pytest.fixture(scope="module")
def skewed(spark):
    """Return 40 000 values in 300 groups, half of which are in one."""
    key = F.when(F.col("id") % 2 == 0, 0).otherwise(F.col("id") % 599)
    return spark.range(0, 40_000, 1, 5).select(key.alias("k"), F.exp(F.randn(7)).alias("v")).cache()


@pytest.mark.parametrize("epsilon", [0.0, 0.001, 0.05])
def test_the_certificate_of_every_group_holds(spark, skewed, epsilon):
    truth = {}
    for row in skewed.collect():
        truth.setdefault(row.k, []).append(row.v)
    found = opened(cs.portable.sketch(skewed, by="k", values="v", epsilon=epsilon), "k")
    assert {key for (key,) in found} == set(truth)
    for (key,), sketch in found.items():
        values = np.sort(truth[key])
        assert sketch.count == len(values)
        assert sketch.rank_error <= epsilon
        for phi in (0, 0.01, 0.5, 0.99, 1):
            exact = values[max(0, math.ceil(phi * len(values)) - 1)]
            low, high = sketch.bounds(phi)
            assert low <= exact <= high


def test_one_group_of_all_rows(spark, skewed):
    sketch = opened(cs.portable.sketch(skewed, values="v"))
    assert sketch.count == 40_000
    assert sketch.rank_error <= 0.001


@pytest.mark.parametrize(
    "rows",
    ["range(0)", "(SELECT id FROM range(9) WHERE id > 9)", "(SELECT * FROM VALUES (1) AS t(id) LIMIT 0)"],
)
def test_no_rows_give_one_empty_sketch_without_keys_and_none_with_them(spark, rows):
    frame = spark.sql(f"SELECT CAST(id AS INT) AS k, id AS v FROM {rows}")
    assert opened(cs.portable.sketch(frame, values="v")).count == 0
    assert cs.portable.sketch(frame, by=["k"], values="v").collect() == []
    assert cs.portable.merge(frame.select(F.lit(None).cast("binary").alias("sketch"))).first()[0] is None


def test_keys_that_group_by_counts_as_equal_are_one_group(spark):
    frame = spark.sql("""
        SELECT * FROM VALUES (0.0D, 1), (-0.0D, 2), (double('NaN'), 3), (-double('NaN'), 4), (NULL, 5),
        (NULL, NULL) AS t(k, v)
    """).repartition(3)
    counts = sorted(
        sketch.count for sketch in opened(cs.portable.sketch(frame, by=["k"], values="v"), "k").values()
    )
    assert counts == [1, 2, 2]


def test_keys_of_every_type(spark):
    frame = spark.sql("""
        SELECT 'a' AS s, X'01' AS b, true AS t, CAST(1 AS TINYINT) AS i, 1.5BD AS d, DATE'2026-01-01' AS day,
               TIMESTAMP'2026-01-01 00:00:00' AS at, TIMESTAMP_NTZ'2026-01-01 00:00:00' AS ntz, 1F AS f,
               id AS v FROM range(0, 10, 1, 3)
    """)
    keys = [name for name in frame.columns if name != "v"]
    found = cs.portable.sketch(frame, by=keys, values="v")
    (row,) = found.collect()
    assert row.asDict().keys() == {*keys, "sketch"}
    assert Sketch.from_bytes(bytes(row.sketch)).count == 10
    assert [row[key] for key in keys] == [frame.first()[key] for key in keys]


def test_intervals_of_months(spark):
    frame = spark.sql(
        "SELECT INTERVAL '1-2' YEAR TO MONTH AS v UNION ALL SELECT INTERVAL '-0-3' YEAR TO MONTH"
    )
    sketch = opened(cs.portable.sketch(frame, values="v"))
    assert (sketch.value_type, sketch.min(), sketch.max()) == ("INTERVAL YEAR TO MONTH", -3, 14)


def test_names_that_need_quotes_and_names_of_our_own(spark):
    frame = spark.range(10).select(
        F.lit(1).alias("a.b`c"), F.lit(2).alias("sketch"), F.col("id").alias("key")
    )
    made = cs.portable.sketch(frame, by=["a.b`c", "sketch"], values="key", column="row")
    assert made.columns == ["a.b`c", "sketch", "row"]
    assert Sketch.from_bytes(bytes(made.first().row)).count == 10


def test_stored_sketches_are_merged_in_two_stages(spark, skewed):
    days = cs.portable.sketch(skewed.withColumn("day", F.col("k") % 3), by=["day", "k"], values="v")
    by_day = opened(cs.portable.merge(days, by="day"), "day")
    assert sum(sketch.count for sketch in by_day.values()) == 40_000
    assert all(sketch.rank_error <= 0.001 for sketch in by_day.values())
    assert opened(cs.portable.merge(days)).count == 40_000


def test_explain_shows_both_stages(spark, skewed, capsys):
    cs.portable.sketch(skewed, by="k", values="v").explain()
    plan = capsys.readouterr().out
    first, second = plan.index("merge_sketches"), plan.index("build_sketches")
    assert first < plan.index("Exchange", first) < second


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"values": "w"}, "There is no column w. There are k, v"),
        ({"by": ["w"], "values": "v"}, "There is no column w"),
        ({"by": ["k"]}, "Name the column to sketch"),
        ({"by": ["k", "k"], "values": "v"}, "name each key once"),
        ({"by": ["k"], "values": "v", "column": "k"}, "name each key once"),
        ({"values": "t"}, "CHRONOSKETCH_UNSUPPORTED_TYPE.*has the type STRING"),
        ({"values": "v", "epsilon": 2}, "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE"),
        ({"by": ["l"], "values": "v"}, "group by columns of plain types"),
        ({"by": None, "values": "v"}, r"by has None, of type NoneType\. Write by=\['host'\]"),
        ({"by": [0], "values": "v"}, r"by has 0, of type int\. Write by=\['host'\]"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_runs(spark, arguments, words):
    frame = spark.sql("SELECT 1 AS k, 2 AS v, 'x' AS t, array(1) AS l")
    with pytest.raises(cs.ChronosketchError, match=words):
        cs.portable.sketch(frame, **arguments)


def test_columns_are_named_and_not_given(spark):
    frame = spark.sql("SELECT 1 AS k, 2 AS v, 'x' AS t")
    for by in (F.col("k"), [F.col("k")]):
        with pytest.raises(cs.ChronosketchError, match=r"by has Column.*Write by=\['host'\]"):
            cs.portable.sketch(frame, by=by, values="v")
    with pytest.raises(cs.ChronosketchError, match=r"values is Column.*Name the column"):
        cs.portable.sketch(frame, by="k", values=F.col("v"))
    with pytest.raises(cs.ChronosketchError, match=r"sketches is Column.*Name the column"):
        cs.portable.merge(frame, by="k", sketches=F.col("v"))
    for epsilon in ("0.1", None, True, F.lit(0.1)):
        with pytest.raises(TypeError, match=r"epsilon is .*: give a number in \[0, 0\.5\]"):
            cs.portable.sketch(frame, by="k", values="v", epsilon=epsilon)
    for name, kind in (("v", "INT"), ("t", "STRING")):
        with pytest.raises(cs.ChronosketchError, match=f"{name} is of type {kind}, and sketches are BINARY"):
            cs.portable.merge(frame, by="k", sketches=name)


def test_intervals_of_months_are_keys(spark):
    frame = spark.sql("""
        SELECT INTERVAL '1-2' YEAR TO MONTH AS a, INTERVAL '3' MONTH AS b, INTERVAL '4' YEAR AS c, id AS v
        FROM range(10) UNION ALL SELECT NULL, NULL, NULL, 1
    """)
    keys = ["a", "b", "c"]
    made = cs.portable.sketch(frame, by=keys, values="v")
    assert made.select(keys).dtypes == frame.select(keys).dtypes
    texts = made.select(*[F.col(key).cast("string") for key in keys])
    wanted = frame.select(*[F.col(key).cast("string") for key in keys])
    assert {tuple(row) for row in texts.collect()} == {tuple(row) for row in wanted.collect()}
    assert cs.portable.merge(made, by=keys).count() == 2


@pytest.mark.parametrize(
    ("interval", "name", "months"),
    [("'3' MONTH", "INTERVAL MONTH", 3), ("'-2' YEAR", "INTERVAL YEAR", -24)],
)
def test_intervals_of_years_or_months_alone(spark, interval, name, months):
    sketch = opened(cs.portable.sketch(spark.sql(f"SELECT INTERVAL {interval} AS v"), values="v"))
    assert (sketch.value_type, sketch.min()) == (name, months)
