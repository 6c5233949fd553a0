"""SQL's chronosketch_advise and Python's cs.advise give the same advice, as they read one model."""

import math
from datetime import timedelta

import chronosketch as cs
import pytest
from chronosketch.sql_text import split_statements

MEMORY = {"4k": 4096, "1m": 1 << 20, None: None}


def asked(aggregate, retention, slide, epsilon, delta, memory):
    """Return a question in SQL and in Python."""
    values = {"epsilon": epsilon, "delta": delta, "memory": memory and f"'{memory}'"}
    given = "".join(f", {name} => {value}" for name, value in values.items() if value is not None)
    sql = f"aggregate => '{aggregate}', retention => {retention}, slide => {slide}{given}"
    python = {
        "aggregate": aggregate,
        "retention_rows": retention,
        "slide_rows": slide,
        "epsilon": epsilon or 0.0,
        "delta": delta,
        "memory": MEMORY[memory],
    }
    return sql, python


QUESTIONS = [
    asked(aggregate, retention, slide, epsilon, delta, memory)
    for aggregate in ("quantile", "variance", "sum", "kurtosis", "median")
    for retention, slide in ((19_200, 320), (1_000, 1), (1_000, 7), (5_000_000, 5_000_000), (1_234_567, 89))
    for epsilon, delta, memory in (
        (0.01, 1e-4, None),
        (None, None, "1m"),
        (0.05, None, "4k"),
        (0.3, 0.5, "1m"),
    )
]


def close(a, b):
    if a is None or b is None:
        return a is b
    return math.isclose(a, b, rel_tol=1e-9)


@pytest.mark.parametrize(("sql", "python"), QUESTIONS)
def test_sql_and_python_advise_the_same(spark, sql, python):
    rows = spark.sql(f"SELECT * FROM chronosketch_advise({sql})").collect()
    advice = cs.advise(**python)
    assert [row.approach for row in rows] == [choice.approach for choice in advice]
    for row, choice in zip(rows, advice, strict=True):
        in_sql = (row.rank, row.title, row.promise, row.within_memory, tuple(row.extrapolated))
        expected = (choice.rank, choice.title, choice.promise, choice.within_memory, choice.extrapolated)
        assert in_sql == expected
        assert (row.guideline, row.section) == (choice.guideline.name, choice.guideline.section)
        assert (row.excluded, row.sql) == (choice.excluded, choice.sql)
        for predicted, cost in ((row.time, choice.time), (row.bytes, choice.bytes)):
            assert (predicted is None) == (cost is None)
            if cost is not None:
                assert close(predicted.value, cost.value)
                assert close(predicted.low, cost.low)
                assert close(predicted.high, cost.high)


def test_lengths_of_time_take_a_rate(spark):
    window = "aggregate => 'quantile', retention => '1 hour', slide => INTERVAL '1' MINUTE"
    more = "rate => 320, epsilon => 0.01, delta => 1e-4, memory => '64m'"
    best = spark.sql(f"SELECT * FROM chronosketch_advise({window}, {more})").first()
    python = cs.advise(
        aggregate="quantile",
        retention="1 hour",
        slide="1 minute",
        rate=320,
        epsilon=0.01,
        delta=1e-4,
        memory="64m",
    ).best
    assert (best.approach, best.rank, best.sql) == (python.approach, 1, python.sql)
    assert close(best.load, python.load)


@pytest.mark.parametrize(("retention", "slide", "rate"), [(128, 5, 128), (9, 2, 1e8), (2.5, 1, 1), (7, 3, 3)])
def test_lengths_are_rounded_alike(spark, retention, slide, rate):
    seconds = {"retention": retention / rate, "slide": slide / rate}
    lengths = ", ".join(f"{name} => INTERVAL '{length:f}' SECOND" for name, length in seconds.items())
    if rate == 1e8:
        lengths = f"retention => {retention}, slide => {slide}"
    question = f"'quantile', {lengths}, rate => {rate}, epsilon => 0.01"
    row = spark.sql(f"SELECT sql FROM chronosketch_advise({question}) WHERE rank = 1").first()
    rows = {"retention_rows": retention, "slide_rows": slide}
    times = {"retention": timedelta(seconds=retention / rate), "slide": timedelta(seconds=slide / rate)}
    given = rows if rate == 1e8 else times
    assert row.sql == cs.advise(aggregate="quantile", **given, rate=rate, epsilon=0.01).best.sql


@pytest.mark.parametrize("aggregate", ["quantile", "average", "stddev"])
def test_the_statements_run(spark, aggregate):
    columns = ("timestamp_seconds(id) AS time", "sin(id) AS value", "cos(id) AS other")
    spark.range(300).selectExpr(*columns).createOrReplaceTempView("events")
    lengths = [
        {"retention_rows": 100, "slide_rows": 1},
        {"retention": "90 seconds", "slide": "500 milliseconds", "rate": 20},
    ]
    written = {
        choice.sql
        for length in lengths
        for allowed in ({}, {"epsilon": 0.05, "delta": 0.01})
        for choice in cs.advise(aggregate=aggregate, **length, **allowed)
        if choice.sql
    }
    assert len(written) >= 2
    for sql in sorted(written):
        for statement in split_statements(sql):
            assert spark.sql(statement).collect()
        for name in ("accelerate", "structure", "delta", "epsilon"):
            spark.conf.unset(f"spark.chronosketch.sliding.{name}")
