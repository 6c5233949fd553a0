"""Runs in an environment of another Spark version, without the jar: the functions in Python."""

import math
import os
import sys
import warnings

import chronosketch as cs
import pyspark
from chronosketch import functions as cf
from chronosketch.sketch import Sketch
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

HUNDRED = "(SELECT quantile_sketch_agg(id) AS s FROM range(1, 101))"
ANSWERS = [
    (f"SELECT sketch_quantile(s, 0.5) FROM {HUNDRED}", 50.0),
    (f"SELECT sketch_quantile_bounds(s, 0.99) FROM {HUNDRED}", (99.0, 99.0)),
    (f"SELECT sketch_rank(s, 40.5) FROM {HUNDRED}", 40),
    (f"SELECT sketch_cdf(s, array(10, 50)) FROM {HUNDRED}", [0.1, 0.5]),
    (f"SELECT sketch_describe(s).family FROM {HUNDRED}", "quantile sketch"),
    (f"SELECT sketch_describe(s).parameters['epsilon'] FROM {HUNDRED}", 0.001),
    (
        f"SELECT sketch_count(sketch_merge(s, s)) FROM {HUNDRED}",
        200,
    ),
    ("SELECT sketch_quantile_bounds(NULL, 0.5)", None),
    ("SELECT is_sketch(X'CAFE')", False),
    ("SELECT sketch_mean(moments_agg(id)) FROM range(1, 101)", 50.5),
    ("SELECT sketch_max(ddsketch_agg(id, 0.1)) FROM range(1, 101)", 100.0),
    ("SELECT approx_quantile(id, 0.99) FROM range(1, 101)", 99.0),
    ("SELECT approx_quantile(v, 0.5) FROM VALUES (1), (NULL), (3) AS t(v)", 1.0),
    ("SELECT approx_quantile(v, 0.5) FROM VALUES (CAST(NULL AS DOUBLE)) AS t(v)", None),
    ("SELECT sketch_count(quantile_sketch_agg(v)) FROM VALUES (CAST(NULL AS INT)) AS t(v)", 0),
    ("SELECT sketch_merge_agg(CAST(NULL AS BINARY)) FROM range(2)", None),
    ("SELECT chronosketch_version()", cs.__version__),
]
NAMED = ("SELECT approx_quantile(id, 0.99, epsilon => 0) FROM range(1, 101)", 99.0)
REFUSED = [
    ("SELECT sketch_count(X'00')", "[CHRONOSKETCH_NOT_A_SKETCH] sketch_count was given 1 bytes"),
    (f"SELECT sketch_quantile(s, array(0.5)) FROM {HUNDRED}", "cs.portable.define(spark, 'sketch_quantiles'"),
    ("SELECT window_sketch_agg(id, id) FROM range(3)", "window_sketch_agg needs the jar"),
    ("SELECT sketch_box(X'00')", "sketch_box needs the jar"),
    ("SELECT * FROM hopping_sketch('x', 'y')", "hopping_sketch needs the jar"),
]
OF_PANDAS = [
    (
        "SELECT quantile_sketch_agg(TIMESTAMP'2026-01-01 00:00:00')",
        "cannot tell TIMESTAMP from TIMESTAMP_NTZ",
    ),
    ("SELECT quantile_sketch_agg(v) FROM VALUES (9007199254740993L), (NULL) AS t(v)", "beyond 2^53"),
    ("SELECT quantile_sketch_agg(9007199254740993L)", "beyond 2^53"),
    ("SELECT approx_quantile_bounds(id, 0.5) FROM range(3)", "needs Spark 4.1 without the jar"),
]


def start(mode):
    """Start a session without the jar, whose workers run this Python."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    if mode == "connect" and pyspark.__version__.startswith("3."):
        # its server is not among the jars of pip's pyspark
        server = f"org.apache.spark:spark-connect_2.12:{pyspark.__version__}"
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"--packages {server} pyspark-shell"
    builder = (
        SparkSession.builder.config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "America/New_York")
    )
    return (builder.remote("local[2]") if mode == "connect" else builder.master("local[2]")).getOrCreate()


def give_functions(spark, mode):
    """Attach where the jar cannot be loaded, and register where it could be."""
    if mode == "classic" and not spark.version.startswith("3."):
        return cs.portable.register(spark)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cs.attach(spark)
    assert any("does not have the jar" in str(one.message) for one in caught), caught
    return spark


def plain(value):
    """Return a row as a tuple."""
    return tuple(value) if hasattr(value, "asDict") else value


def run_sql(spark):
    """Ask, and be refused."""
    arrow = version_of(spark) >= (4, 1)
    for query, answer in [*ANSWERS, *([NAMED] if version_of(spark) >= (4, 0) else [])]:
        got = plain(spark.sql(query).collect()[0][0])
        assert got == answer, f"{query}: {got}, not {answer}"
    for query, words in [*REFUSED, *([] if arrow else OF_PANDAS)]:
        try:
            spark.sql(query).collect()
        except Exception as error:  # of the client, or of Spark
            assert words in str(error), f"{query}: {error}"
        else:
            raise AssertionError(f"{query} was answered")


def run_doctor(spark):
    """Ask the doctor, who needs parts of PySpark that not every version has."""
    found = {row.part: row for row in cs.doctor(spark).rows}
    assert found["GROUP BY"].status == "fell back", found
    assert found["history"].reason.startswith("history_sketch_agg needs the jar"), found


def version_of(spark):
    """Return the first two numbers of the version."""
    return tuple(int(part) for part in spark.version.split(".")[:2])


def run_types(spark):
    """Sketch values of every type in two stages."""
    for value, name in (
        ("CAST(id AS TINYINT)", "TINYINT"),
        ("IF(id = 3, NULL, id + 9007199254740993)", "BIGINT"),
        ("CAST(id AS FLOAT)", "FLOAT"),
        ("CAST(id AS DECIMAL(10, 2))", "DECIMAL(10,2)"),
        ("date_add(DATE'2026-01-01', CAST(id AS INT))", "DATE"),
        ("timestamp_seconds(id)", "TIMESTAMP"),
        ("CAST(timestamp_seconds(id) AS TIMESTAMP_NTZ)", "TIMESTAMP_NTZ"),
        ("make_dt_interval(0, CAST(id AS INT), 0, 0)", "INTERVAL DAY TO SECOND"),
        ("make_ym_interval(1, CAST(id AS INT))", "INTERVAL YEAR TO MONTH"),
    ):
        rows = spark.sql(f"SELECT id % 3 AS k, {value} AS v FROM range(0, 9, 1, 2)")
        sketches = {
            row.k: Sketch.from_bytes(bytes(row.sketch))
            for row in cs.portable.sketch(rows, "k", "v").collect()
        }
        assert {sketch.value_type for sketch in sketches.values()} == {name}, (name, sketches)
        assert sorted(sketches) == [0, 1, 2]
        total = sum(sketch.count for sketch in sketches.values())
        assert total == (8 if "NULL" in value else 9), (name, total)
    empty = cs.portable.sketch(spark.range(0), values="id").collect()
    assert [Sketch.from_bytes(bytes(row.sketch)).count for row in empty] == [0]


def run_frames(spark):
    """Call functions on DataFrames, and hold a certificate against the sorted values."""
    rows = (
        spark.range(0, 20_000, 1, 4)
        .select((F.col("id") % 7).alias("k"), F.exp(F.randn(3)).alias("v"))
        .cache()
    )
    made = rows.groupBy("k").agg(
        cf.quantile_sketch_agg("v", 0.01).alias("s"), cs.portable.approx_quantile("v", [0.5, 1])
    )
    assert made.count() == 7
    asked = made.select(
        cs.portable.sketch_quantile("s", [0.5, 1], "float").alias("q"), cf.sketch_count("s").alias("n")
    )
    assert all(len(row.q) == 2 and row.n > 2000 for row in asked.collect())
    merged = cs.portable.merge(made.select("k", "s"), sketches="s").collect()
    for data in (merged[0].s, cs.portable.sketch(rows, values="v", epsilon=0.01).collect()[0].sketch):
        sketch = Sketch.from_bytes(bytes(data))
        values = sorted(row.v for row in rows.select("v").collect())
        assert sketch.count == len(values)
        assert sketch.rank_error <= 0.01
        for phi in (0.01, 0.5, 0.99):
            low, high = sketch.bounds(phi)
            assert low <= values[math.ceil(phi * len(values)) - 1] <= high


if __name__ == "__main__":
    session = give_functions(start(sys.argv[1]), sys.argv[1])
    run_sql(session)
    run_doctor(session)
    run_types(session)
    run_frames(session)
    print(f"Spark {session.version}: {len(ANSWERS)} answers")
    session.stop()
