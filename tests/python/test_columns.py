"""Sketches are BINARY values, so they work wherever a column does."""

import pytest
from chronosketch import functions as cf
from pyspark.sql import functions as F


@pytest.fixture
def by_remainder(spark):
    return (
        spark.range(1, 1001)
        .groupBy((F.col("id") % 3).alias("k"))
        .agg(cf.quantile_sketch_agg("id").alias("s"))
    )


def median(df):
    merged = cf.sketch_merge_agg("s")
    row = df.agg(cf.sketch_quantile(merged, 0.5, "bigint"), cf.sketch_count(merged)).collect()[0]
    return tuple(row)


def test_parquet(spark, by_remainder, tmp_path):
    path = str(tmp_path / "sketches")
    by_remainder.write.parquet(path)
    assert median(spark.read.parquet(path)) == (500, 1000)


def test_a_temporary_view(spark, by_remainder):
    by_remainder.createOrReplaceTempView("kept")
    row = spark.sql("SELECT sketch_quantile(sketch_merge_agg(s), 0.5, 'bigint') FROM kept").collect()[0]
    assert row[0] == 500


def test_a_view_over_the_aggregate_itself(spark):
    spark.range(1, 1001).createOrReplaceTempView("ids")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW made AS SELECT quantile_sketch_agg(id) AS s FROM ids")
    assert spark.sql("SELECT sketch_count(s) FROM made").collect()[0][0] == 1000


def test_a_cached_table(spark, by_remainder):
    by_remainder.createOrReplaceTempView("cached")
    spark.sql("CACHE TABLE cached")
    try:
        assert median(spark.table("cached")) == (500, 1000)
    finally:
        spark.sql("UNCACHE TABLE cached")


def test_collect_and_back(spark, by_remainder):
    rows = by_remainder.collect()
    assert all(isinstance(row.s, bytes | bytearray) for row in rows)
    assert median(spark.createDataFrame(rows, "k BIGINT, s BINARY")) == (500, 1000)


def test_pandas_and_back(spark, by_remainder):
    frame = by_remainder.toPandas()
    assert all(isinstance(s, bytes | bytearray) for s in frame["s"])
    assert median(spark.createDataFrame(frame, "k BIGINT, s BINARY")) == (500, 1000)


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [("INT", "BIGINT"), ("SMALLINT", "INT"), ("FLOAT", "DOUBLE"), ("DECIMAL(5,2)", "DECIMAL(12,2)")],
)
def test_values_that_widen_merge(spark, narrow, wide):
    df = spark.range(1, 101)
    sketches = df.agg(
        cf.quantile_sketch_agg(F.col("id").cast(narrow)).alias("a"),
        cf.quantile_sketch_agg(F.col("id").cast(wide)).alias("b"),
    )
    merged = sketches.select(cf.sketch_merge("a", "b").alias("s"))
    row = merged.select(
        cf.sketch_count("s"), cf.sketch_max("s"), cf.sketch_describe("s").alias("d")
    ).collect()[0]
    assert (row[0], row[1], row.d.value_type) == (200, 100.0, wide)


def test_an_outer_join_keeps_the_sketches_of_both_sides(spark):
    def days(first):
        rows = spark.range(first, first + 20).withColumn("day", F.expr("id DIV 10"))
        return rows.groupBy("day").agg(cf.quantile_sketch_agg("id").alias("s"))

    both = days(0).join(days(10).withColumnRenamed("s", "t"), "day", "full")
    counts = both.select("day", cf.sketch_count(cf.sketch_merge_or("s", "t")).alias("n")).orderBy("day")
    assert [tuple(row) for row in counts.collect()] == [(0, 10), (1, 20), (2, 10)]


def test_one_sketch_answers_several_questions(spark):
    sketch = cf.quantile_sketch_agg("id")
    row = (
        spark.range(1, 101)
        .agg(cf.sketch_quantile(sketch, 0.5), cf.sketch_count(sketch), cf.sketch_max(sketch))
        .collect()[0]
    )
    assert tuple(row) == (50.0, 100, 100.0)


def test_a_window_frame(spark):
    from pyspark.sql import Window

    frame = Window.partitionBy(F.lit(1)).orderBy("id").rowsBetween(-2, 0)
    rows = spark.range(1, 6).select(cf.approx_quantile("id", 0.5).over(frame).alias("m")).collect()
    assert [row.m for row in rows] == [1, 1, 2, 3, 4]
