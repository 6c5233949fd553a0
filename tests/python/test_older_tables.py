"""Sketches of older versions, from the golden files, merge with new ones."""

from pathlib import Path

import pytest
from chronosketch import functions as cf
from pyspark.sql import functions as F

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
PHIS = [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.fixture(scope="module")
def older(spark, tmp_path_factory):
    """Return all golden sketches as a stored table: name, description, bytes."""
    # KLL sketches are of another library
    files = sorted(set(GOLDEN.rglob("*.bin")) - set(GOLDEN.rglob("kll/*.bin")))
    rows = [(f"{file.parent.name}/{file.stem}", bytearray(file.read_bytes())) for file in files]
    path = str(tmp_path_factory.mktemp("older") / "table")
    spark.createDataFrame(rows, "name STRING, s BINARY").coalesce(1).write.parquet(path)
    return spark.read.parquet(path).withColumn("d", cf.sketch_describe("s"))


def test_older_sketches_merge_with_new_ones(older):
    # Panes and histories of the same time cannot be merged twice, and counts are limited to 63 bits.
    mergeable = older.where("d.family NOT IN ('qlove sketch', 'history') AND d.count < 1L << 60")
    newer = mergeable.select("name", cf.sketch_merge("s", "s").alias("s"))
    union = mergeable.select("name", "s").unionByName(newer).groupBy("name")
    merged = union.agg(cf.sketch_merge_agg("s").alias("m"))
    bounds = [cf.sketch_count_bounds(s).alias(name) for s, name in (("s", "old"), ("m", "both"))]
    kinds = [cf.sketch_describe(s)["family"].alias(f"{s}_family") for s in ("s", "m")]
    rows = mergeable.join(merged, "name").select("name", *bounds, *kinds).collect()
    assert len(rows) > 80
    for row in rows:
        assert tuple(row.both) == tuple(3 * end for end in row.old), row.name
        assert row.s_family == row.m_family, row.name


def test_quantiles_of_both_are_certified(older):
    kept = older.where("d.family = 'quantile sketch' AND d.count BETWEEN 1 AND 1L << 60").collect()
    # Spark 4.2 does not store TIME columns by default
    types = {row.d.value_type: row for row in kept if not row.d.value_type.startswith("TIME(")}
    assert len(types) > 10
    for kind, row in types.items():
        check(older.where(F.col("name") == row.name).select("s"), kind, row)


def check(stored, kind, row):
    """Merge a stored sketch with a new one of five values. The bounds must contain the true ranks."""
    epsilon = row.d.parameters["epsilon"]
    values = stored.select(F.explode(cf.sketch_quantile("s", PHIS, kind)).alias("v"))
    new = values.agg(cf.quantile_sketch_agg("v", epsilon).alias("s"))
    merged = stored.unionByName(new).agg(cf.sketch_merge_agg("s").alias("merged"))
    ranks = (
        values.crossJoin(stored)
        .crossJoin(new.withColumnRenamed("s", "new"))
        .crossJoin(merged)
        .select(
            *(cf.sketch_rank_bounds(s, "v").alias(name) for s, name in (("s", "old"), ("new", "new"))),
            cf.sketch_rank_bounds("merged", "v").alias("both"),
            cf.sketch_count("merged").alias("n"),
            cf.sketch_rank_error("merged").alias("error"),
        )
        .collect()
    )
    assert len(ranks) == len(PHIS)
    for one in ranks:
        assert one.n == row.d["count"] + len(PHIS), row.name
        assert one.error <= epsilon, row.name
        # the bounds of both parts together must overlap those of the union
        assert one.both.low <= one.old.high + one.new.high, (row.name, one)
        assert one.both.high >= one.old.low + one.new.low, (row.name, one)
