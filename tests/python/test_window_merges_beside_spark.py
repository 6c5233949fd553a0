"""Window sketches merged in Python have the same bytes as in SQL."""

import pytest
from chronosketch import functions as cf
from chronosketch.sketch import ChronosketchError, Sketch
from pyspark.sql import functions as F

pytestmark = pytest.mark.classic

SIZES = (0, 1, 30, 500, 4000)

# Orders of rows: sorted, at a few times, all at one time, unordered, in bursts with gaps.
TIMES = {
    "rising": "i",
    "crowded": "i DIV 200",
    "once": "7",
    "scattered": "pmod(xxhash64(i), 100000)",
    "bursts": "i DIV 300 * 1000000 + pmod(i * i, 97)",
}

VALUES = {
    "scattered": "xxhash64(i) % 1000000",
    "few": "xxhash64(i) % 5",
    "far": "9007199254740993 + i % 3",
    "growing": "i * i * i - 1000000",
}

DOUBLES = {
    "lognormal": "exp((xxhash64(i) % 1000) / 200.0)",
    "signed": "(xxhash64(i) % 2000) / 7.0",
    "special": "CASE i % 700 WHEN 5 THEN double('NaN') WHEN 6 THEN 1e308 * 10 ELSE double(i % 40) END",
    "huge": "1e300 * (i % 9 - 4)",
    "near": "1e15 + (xxhash64(i) % 100) / 8.0",
}

BUILT = {
    "keys": (VALUES, lambda f: cf.window_sketch_agg("x", "t", 0.05, filters=f)),
    "few keys": (VALUES, lambda f: cf.window_sketch_agg("x", "t", 0.4, filters=f, retention=5000)),
    "all keys": (VALUES, lambda f: cf.window_sketch_agg("x", "t", 0.0)),
    "doubles": (DOUBLES, lambda f: cf.window_sketch_agg("x", "t", 0.1)),
    "moments": (VALUES, lambda f: cf.window_moments_agg("x", "t", 0.05, filters=f)),
    "moments of doubles": (DOUBLES, lambda f: cf.window_moments_agg("x", "t", 0.2, retention=90_000)),
    "sample": (VALUES, lambda f: cf.window_sample_agg("x", "t", 50, seed=3)),
    "long sample": (DOUBLES, lambda f: cf.window_sample_agg("x", "t", 20_000, retention=2000)),
}


def built(spark, which):
    """Return a sketch for each order of rows, type of values and number of rows."""
    values, sketch_of = BUILT[which]
    cases = [(n, time, value) for n in SIZES for time in TIMES for value in values]
    rows = spark.createDataFrame(cases, "n INT, time STRING, value STRING")

    def case(column, of):
        return f"CASE {column} " + " ".join(f"WHEN '{name}' THEN {sql}" for name, sql in of.items()) + " END"

    rows = rows.selectExpr("*", "explode(sequence(1L, greatest(n, 1))) AS i")
    rows = rows.selectExpr(
        "n", "time", "value", f"IF(n = 0, NULL, {case('time', TIMES)}) AS t", f"{case('value', values)} AS x"
    )
    filters = {"odd": F.col("x") % 2 != 0}
    return rows.groupBy("n", "time", "value").agg(sketch_of(filters).alias("s")).localCheckpoint()


def pairs(sketches, modulus):
    """Return some of all pairs, with their union in SQL."""
    a, b = sketches.alias("a"), sketches.alias("b")
    some = F.xxhash64("a.n", "a.time", "a.value", "b.n", "b.time", "b.value") % modulus == 0
    both = a.crossJoin(b).where(some & (F.length("a.s") + F.length("b.s") < 60_000))
    which = "concat_ws(' ', a.n, a.time, a.value, b.n, b.time, b.value) AS which"
    both = both.selectExpr(which, "a.s AS s", "b.s AS t")
    return both.select("*", cf.sketch_merge("s", "t").alias("u")).localCheckpoint()


def unlike(merged):
    """Return the pairs whose union differs between Python and SQL."""
    rows = merged.collect()
    assert len(rows) > 40
    return [
        row.which
        for row in rows
        if Sketch.from_bytes(row.s).merge(Sketch.from_bytes(row.t)).to_bytes() != bytes(row.u)
    ]


@pytest.mark.parametrize("which", list(BUILT))
def test_merges_have_the_same_bytes(spark, which):
    once = pairs(built(spark, which), 130)
    assert unlike(once) == []
    # also unions of unions
    again = once.selectExpr("0 AS n", "'' AS time", "which AS value", "u AS s")
    assert unlike(pairs(again, 100)) == []


def test_incompatible_sketches_are_refused_as_in_sql(spark):
    row = (
        spark.sql("SELECT 1 AS x, 2 AS i, DATE'2026-01-01' AS d")
        .agg(
            cf.window_sketch_agg("x", "i").alias("s"),
            cf.window_sketch_agg("x", "d").alias("of_days"),
            cf.window_sketch_agg("x", "i", filters={"one": F.col("x") == 1}).alias("filtered"),
        )
        .first()
    )
    sketch, of_days, filtered = map(Sketch.from_bytes, row)
    with pytest.raises(ChronosketchError, match=r"TIME_TYPES_DIFFER.*INT.*DATE"):
        sketch.merge(of_days)
    with pytest.raises(ChronosketchError, match=r"FILTERS_DIFFER.*none.*one"):
        sketch.merge(filtered)
