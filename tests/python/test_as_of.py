"""Windows that end at the current time, at a column, or at the answer of another query."""

from datetime import datetime

import pytest
from chronosketch import functions as cf
from pyspark.sql import functions as F


@pytest.fixture
def requests(spark):
    start = F.unix_timestamp(F.lit(datetime(2026, 1, 1))).cast("long")
    rows = spark.range(600).select(
        (F.col("id") % 2).alias("service"), F.timestamp_seconds(start + F.col("id") * 60).alias("t"), "id"
    )
    return rows.where("service = 0 OR id < 300")  # service 1 dies after 5 hours


@pytest.fixture
def sketches(requests):
    return requests.groupBy("service").agg(cf.window_sketch_agg("id", "t").alias("s")).orderBy("service")


def counts(sketches, as_of):
    column = cf.sketch_count(cf.sketch_window("s", "1 hour", as_of)).alias("n")
    return [row.n for row in sketches.select(column).collect()]


def test_a_service_that_died_has_no_rows(requests, sketches):
    newest = requests.agg(F.max("t")).scalar()
    assert counts(sketches, None) == [30, 30]
    assert counts(sketches, newest) == [30, 0]
    assert counts(sketches, F.current_timestamp()) == [0, 0]


def test_a_column(sketches):
    at = sketches.withColumn("at", F.expr("IF(service = 0, TIMESTAMP'2026-01-01 02:00:00', NULL)"))
    assert counts(at, F.col("at")) == [30, None]


def test_the_quantile_of_rows(requests):
    newest = requests.agg(F.max("t")).scalar()
    for as_of, expected in ((newest, [598, None]), (F.current_timestamp(), [None, None]), (None, [598, 299])):
        asked = cf.approx_window_quantile("id", "t", 1, "1 hour", as_of=as_of).alias("q")
        found = requests.groupBy("service").agg(asked).orderBy("service").collect()
        assert [row.q for row in found] == expected


def test_columns_have_short_names(sketches, requests):
    whole = sketches.select(
        cf.sketch_quantile("s", 0.5), cf.sketch_quantile("s", 0.5, "bigint"), cf.sketch_min("s")
    )
    assert whole.columns == ["sketch_quantile(s, 0.5)", "sketch_quantile(s, 0.5, bigint)", "sketch_min(s)"]
    grouped = requests.groupBy("service").agg(
        cf.approx_quantile("id", 0.5), cf.quantile_sketch_agg("id", tail="high")
    )
    assert grouped.columns == [
        "service",
        "approx_quantile(id, 0.5)",
        "quantile_sketch_agg(id, tail => high)",
    ]
