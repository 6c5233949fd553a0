"""Functions OVER windows, from Python: all frames that Window supports."""

import pytest
from chronosketch import functions as cf
from pyspark.sql import Window
from pyspark.sql import functions as F

N = 200


@pytest.fixture
def rows(spark):
    value = F.when(F.col("id") % 7 != 0, (F.col("id") * 37) % 101)
    return spark.range(N).select("id", (F.col("id") % 3).alias("k"), value.alias("v"))


def quantile(values, numerator, denominator):
    """Return the element at rank max(1, ⌈φn⌉), by the definition."""
    ordered = sorted(values)
    return ordered[max(1, -(-numerator * len(ordered) // denominator)) - 1] if ordered else None


def values_of(ids):
    return [(i * 37) % 101 for i in ids if i % 7 != 0]


def ordered():
    return Window.partitionBy("k").orderBy("id")


# Window objects need a session
FRAMES = {
    "the last rows": (lambda: ordered().rowsBetween(-4, 0), lambda i: range(max(i % 3, i - 12), i + 1, 3)),
    "rows ahead": (lambda: ordered().rowsBetween(1, 3), lambda i: range(i + 3, min(N, i + 10), 3)),
    "a range": (
        lambda: ordered().rangeBetween(-10, 5),
        lambda i: [j for j in range(N) if j % 3 == i % 3 and i - 10 <= j <= i + 5],
    ),
    "growing": (
        lambda: ordered().rowsBetween(Window.unboundedPreceding, Window.currentRow),
        lambda i: range(i % 3, i + 1, 3),
    ),
    "whole": (lambda: Window.partitionBy("k"), lambda i: range(i % 3, N, 3)),
    "without partitions": (
        lambda: Window.orderBy(F.desc("id")).rowsBetween(-4, 0),
        lambda i: range(i, min(N, i + 5)),
    ),
}


# Connect's client always warns about a window without partitions
@pytest.mark.filterwarnings("ignore:.*No Partition Defined")
@pytest.mark.parametrize("name", FRAMES)
def test_frames(rows, name):
    made, seen = FRAMES[name]
    window = made()
    answers = rows.select(
        "id",
        cf.approx_quantile("v", 0.9).over(window).alias("p90"),
        cf.approx_quantile("v", [0.25, 0.5]).over(window).alias("both"),
        cf.approx_quantile_bounds("v", 0.5).over(window).alias("bounds"),
    ).collect()
    assert len(answers) == N
    for row in answers:
        values = values_of(seen(row.id))
        median = quantile(values, 1, 2)
        assert row.p90 == quantile(values, 9, 10)
        if values:
            assert row.both == [quantile(values, 1, 4), median]
            assert (row.bounds.low, row.bounds.high) == (median, median)
        else:
            assert row.both is None
            assert row.bounds is None


def test_beside_functions_of_spark(rows):
    window = ordered().rowsBetween(-4, 0)
    answers = rows.select(
        "id",
        F.row_number().over(ordered()).alias("number"),
        F.sum("v").over(window).alias("sum"),
        cf.approx_quantile("v", 0.5).over(window).alias("p50"),
    ).collect()
    for row in answers:
        values = values_of(range(max(row.id % 3, row.id - 12), row.id + 1, 3))
        assert row.number == row.id // 3 + 1
        assert row.sum == (sum(values) if values else None)
        assert row.p50 == quantile(values, 1, 2)


def test_it_can_be_turned_off(spark, rows):
    window = ordered().rowsBetween(-4, 0)
    asked = rows.select("id", cf.approx_quantile("v", 0.5).over(window).alias("p50"))
    expected = sorted(tuple(row) for row in asked.collect())
    spark.conf.set("spark.chronosketch.sliding.enabled", "false")
    try:
        assert sorted(tuple(row) for row in asked.select("*").collect()) == expected
    finally:
        spark.conf.unset("spark.chronosketch.sliding.enabled")


def test_sketches_over_frames(spark, rows):
    window = ordered().rowsBetween(-4, 0)
    stored = rows.groupBy("k", "id").agg(cf.quantile_sketch_agg("v").alias("s"))
    united = stored.select("id", cf.sketch_merge_agg("s").over(window).alias("m"))
    built = rows.select(
        "id",
        cf.quantile_sketch_agg("v").over(window).alias("b"),
        cf.approx_quantile("v", 0.9, frequency=F.col("id") % 3 + 1).over(window).alias("f"),
    )
    asked = united.join(built, "id").select(
        "id", "f", cf.sketch_quantile("m", 0.9).alias("p90"), (F.col("m") == F.col("b")).alias("same")
    )
    answers = asked.collect()
    assert len(answers) == N
    for row in answers:
        values = values_of(range(max(row.id % 3, row.id - 12), row.id + 1, 3))
        assert row.same
        assert row.p90 == quantile(values, 9, 10)
        assert row.f == quantile(values * (row.id % 3 + 1), 9, 10)
