"""Histories built by Spark: all versions and unions have the same bytes in Python as in SQL."""

from datetime import date, timedelta

import pytest
from chronosketch import functions as cf
from chronosketch.sketch import Sketch
from pyspark.sql import functions as F

pytestmark = pytest.mark.classic

# Small histories are logs, large ones are trees, and those that shrink and grow have several trees.
SHAPES = {
    "small": ("id < 300", "xxhash64(id) % 20", "id", "id % 90 + 400"),
    "inserts": ("id < 20000", "xxhash64(id) % 5000", "id DIV 10", "NULL"),
    "sliding": ("id < 20000", "id", "id", "id + 6000"),
    "copies": ("id < 9000", "xxhash64(id) % 7", "id DIV 3", "id DIV 3 + 1 + pmod(xxhash64(id, 1), 2000)"),
    "halves": (
        "id < 16000",
        "CASE WHEN id % 2 = 0 THEN id ELSE -id END",
        "id",
        "id + 1 + id * 7 % 9000",
    ),
}


@pytest.fixture(scope="module", params=[0.02, 0.1])
def histories(spark, request):
    rows = spark.range(20_000)
    built = None
    for name, (condition, value, version, until) in SHAPES.items():
        made = (
            rows.where(condition)
            .selectExpr(f"{value} AS x", f"CAST({version} AS BIGINT) AS v", f"CAST({until} AS BIGINT) AS u")
            .agg(cf.history_sketch_agg("x", "v", until="u", epsilon=request.param).alias("s"))
            .select(F.lit(name).alias("which"), "s")
        )
        built = made if built is None else built.union(made)
    return built.localCheckpoint()


def test_versions_have_the_same_bytes(histories):
    shares = [0.0, 0.1, 0.3, 0.5, 0.77, 0.99, 1.0]
    ends = cf.sketch_versions("s")
    versions = [
        (ends["first"] + F.floor(share * (ends["last"] - ends["first"]))).alias("v") for share in shares
    ]
    asked = histories.select("which", "s", ends.alias("ends"), F.array(*versions).alias("vs"))
    for row in (
        asked.select("*", F.explode("vs").alias("v"))
        .select("*", cf.sketch_at_version("s", "v").alias("t"), cf.sketch_describe("s").alias("d"))
        .collect()
    ):
        history = Sketch.from_bytes(row.s)
        assert history.to_bytes() == bytes(row.s), row.which
        assert tuple(history.versions()) == tuple(row.ends)
        assert history.at_version(row.v).to_bytes() == bytes(row.t), (row.which, row.v)
        assert history.describe().count == row.d["count"]
        assert (history.trees, history.clamped) == (row.d.trees, row.d.clamped)


def test_unions_have_the_same_bytes(histories):
    a, b = histories.alias("a"), histories.alias("b")
    pairs = a.crossJoin(b).select(F.col("a.s").alias("s"), F.col("b.s").alias("t"))
    merged = pairs.select("*", cf.sketch_merge("s", "t").alias("u")).collect()
    for row in merged:
        assert Sketch.from_bytes(row.s).merge(Sketch.from_bytes(row.t)).to_bytes() == bytes(row.u)


def test_unions_of_versions_have_the_same_bytes(histories):
    versions = [cf.sketch_at_version("s", F.lit(v)) for v in (50, 400)]
    for row in histories.select("which", *versions, cf.sketch_merge(*versions)).collect():
        one, other, union = map(Sketch.from_bytes, row[1:])
        assert one.merge(other) == union, row.which


def test_a_history_by_days_goes_on(spark):
    first = date(2026, 1, 1)
    rows = spark.range(1000).selectExpr("id % 90 AS x", "date_add(DATE'2026-01-01', int(id % 40)) AS v")
    early = rows.where("v <= DATE'2026-01-20'").agg(cf.history_sketch_agg("x", "v").alias("s"))
    whole = rows.agg(cf.history_sketch_agg("x", "v").alias("s"))
    for built, days in ((early, 20), (whole, 40)):
        row = built.select(
            "s", cf.sketch_count(cf.sketch_at_version("s", date(2026, 1, 10))).alias("n")
        ).first()
        history = Sketch.from_bytes(row.s)
        assert tuple(history.versions())[:2] == (first, first + timedelta(days=days - 1))
        assert history.at_version(date(2026, 1, 10)).count == row.n
