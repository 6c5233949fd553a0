"""The queries of the fault campaign: each is asked of a table, and its answer must not depend on what dies meanwhile.

A query gets the name of a view of all rows. The same rows arrive as a stream in the view with `_arriving` behind its name.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import chronosketch as cs
from chronosketch import functions as cf
from pyspark.sql import functions as F

ROWS, FILES = 60_000, 12
# one key has nine tenths of the rows
KEY = "IF(id % 10 = 0, CAST(id % 70 AS INT) + 1, 0)"
COLUMNS = "id BIGINT, k INT, ts TIMESTAMP, v DOUBLE"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SKETCHES = (
    "quantile_sketch_agg(v, 0.01)",
    "quantile_sketch_agg(v, 0.01, tail => 'high')",
    "quantile_sketch_agg(v, 0.01, sum => true)",
    "ddsketch_agg(v)",
    "moments_agg(v)",
    "comoments_agg(v, id)",
    "window_sketch_agg(v, ts)",
    "window_moments_agg(v, ts)",
    "history_sketch_agg(v, id)",
    "qlove_sketch_agg(v, ts, 0.9, 4)",
    "sample_sketch_agg(v, 1000, id => id)",
    "sample_sketch_agg(v, 1000, 'priority', id => id)",
)
HOPPING = (
    "hopping_sketch(TABLE({0}), event_time => 'ts', size => '10 minutes', slide => '1 minute', by => array('k'), "
    "aggs => array('approx_quantile(v, array(0.5, 0.99)) AS q', 'count(*) AS n'))"
)
OVER = "approx_quantile(v, 0.99, 0) OVER ({0} ORDER BY {1})"
ROLLED = {"time": "ts", "by": ["k"], "values": {"v": "v"}, "levels": ["1 hour", "1 day"], "epsilon": 0.02}


def create(spark, folder):
    """Create the table of all queries, and the same rows as a stream."""
    path = Path(folder, "rows")
    if not (path / "_SUCCESS").exists():
        spark.range(0, ROWS, 1, FILES).selectExpr(
            "id",
            f"{KEY} AS k",
            "timestamp_seconds(1767225600 + id) AS ts",
            "CASE WHEN id % 97 = 0 THEN NULL WHEN id % 101 = 0 THEN DOUBLE('NaN') "
            "ELSE round(exp(CAST(xxhash64(id) AS DOUBLE) / 4e18), 3) END AS v",
        ).write.mode("overwrite").parquet(str(path))
    # a stream reads files in the order of their ages
    now = time.time() - FILES
    for i, file in enumerate(sorted(path.glob("part-*"))):
        os.utime(file, (now + i, now + i))
    spark.read.parquet(str(path)).createOrReplaceTempView("plain")
    arriving(spark, folder).createOrReplaceTempView("plain_arriving")


def arriving(spark, folder):
    """Return the rows as a stream of four batches."""
    return (
        spark.readStream.schema(COLUMNS)
        .option("maxFilesPerTrigger", FILES // 4)
        .parquet(str(Path(folder, "rows")))
    )


@contextmanager
def emptied(spark):
    """Return a new folder, and delete it after use."""
    folder = tempfile.mkdtemp(dir=spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sketched_in_python(spark, table):
    """Sketch in workers of Python, which die with their executor."""
    return cs.portable.sketch(spark.table(table), "k", "v", 0.01).selectExpr("k", "md5(sketch)")


def merged_in_python(spark, table):
    """Merge sketches of parts in workers of Python."""
    parts = (
        spark.table(table)
        .groupBy("k", F.expr("id % 5"))
        .agg(cf.quantile_sketch_agg("v", 0.01).alias("sketch"))
    )
    return cs.portable.merge(parts.select("k", "sketch"), "k").selectExpr("k", "md5(sketch)")


def warehouse(spark, table):
    """Append two steps to a new warehouse, and ask it. Tasks that run twice must not add rows twice."""
    with emptied(spark) as folder:
        rows = spark.table(table).where("NOT isnan(v)")
        created = cs.warehouse.create(spark, f"{folder}/w", value="v", by=["k"], epsilon=0.05)
        for half in (0, 1):
            created.append(rows.where(f"id % 2 = {half}"))
        found = created.quantile([0.01, 0.5, 0.99]).collect()
        counted = created.quantile(0.5, accuracy="quick").collect()
        return [tuple(str(row[name]) for name in ("k", "phi", "value")) for row in found] + [len(counted)]


def hopping_stream(spark, table):
    """Run a stream of hopping windows to its end. Its state is in RocksDB, in the executors."""
    with emptied(spark) as folder:
        spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
        aggs = [cf.approx_quantile("v", [0.5, 0.99]).alias("q"), F.count("*").alias("n")]
        rows = spark.table(f"{table}_arriving").withWatermark("ts", "1 minute")
        windows = cs.hopping(rows, "ts", "40 minutes", "20 minutes", by=["k"], aggs=aggs)
        return streamed(windows.selectExpr("k", "window.start", "q", "n"), folder)


def grouped_stream(spark, table):
    """Run a streaming aggregation in Spark's operator to its end."""
    with emptied(spark) as folder:
        spark.conf.unset("spark.sql.streaming.stateStore.providerClass")
        rows = spark.table(f"{table}_arriving").withWatermark("ts", "1 minute")
        grouped = rows.groupBy("k", F.window("ts", "1 hour")).agg(
            cf.quantile_sketch_agg("v", 0.01).alias("s"), F.count("*").alias("n")
        )
        return streamed(grouped.selectExpr("k", "window.start", "md5(s)", "n"), folder)


def streamed(windows, folder):
    """Write the windows of a stream as files, and return them."""
    writer = windows.writeStream.format("parquet").option("checkpointLocation", f"{folder}/checkpoint")
    query = writer.trigger(availableNow=True).start(f"{folder}/out")
    query.awaitTermination()
    return list(map(tuple, windows.sparkSession.read.parquet(f"{folder}/out").collect()))


def followed(spark, table, follow, columns):
    """Follow a Delta table over an insert, a delete and another insert. Return the followers' last rows."""
    with emptied(spark) as folder:
        source, into = f"delta.`{folder}/source`", f"delta.`{folder}/into`"
        spark.sql(
            f"CREATE TABLE {source} ({COLUMNS}) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)"
        )
        spark.sql(f"INSERT INTO {source} SELECT * FROM {table} WHERE id % 2 = 0")
        follow(source, into)
        spark.sql(f"DELETE FROM {source} WHERE id % 6 = 0")
        spark.sql(f"INSERT INTO {source} SELECT * FROM {table} WHERE id % 2 = 1")
        follow(source, into)
        return list(map(tuple, columns(into).collect()))


def history_follow(spark, table):
    """Follow a table, and ask each version of its history."""

    def follow(source, into):
        cs.history.follow(spark, source=source, value="v", into=into, by=["k"], epsilon=0.05)

    def versions(into):
        return (
            cs.history.at(spark, into, version=1)
            .unionAll(cs.history.at(spark, into, version=3))
            .selectExpr(
                "k",
                "sketch_count_bounds(sketch)",
                "sketch_quantile(sketch, array(0.01, 0.5, 0.99), 'double')",
            )
        )

    return followed(spark, table, follow, versions)


def rollup_follow(spark, table):
    """Roll a table up in two steps."""

    def follow(source, into):
        cs.rollup.follow(spark, source=source, into=into, **ROLLED)

    return followed(spark, table, follow, lambda into: rolled(spark, into))


def rollup_batches(spark, table):
    """Roll two batches of a stream up. The first one comes twice."""
    with emptied(spark) as folder:
        into = f"delta.`{folder}/into`"
        for number, half in ((0, 0), (0, 0), (1, 1)):
            spark.table(table).where(f"id % 2 = {half}").createOrReplaceTempView("batch_of_rows")
            spark.sql(
                f"CALL chronosketch.rollup_batch('batch_of_rows', '{into}', batch => {number}L, query => 'q', time => 'ts', "
                "by => array('k'), values => map('v', 'v'), levels => array('1 hour', '1 day'), epsilon => 0.02D)"
            ).collect()
        return list(map(tuple, rolled(spark, into).collect()))


def rolled(spark, into):
    """Return the rows of a roll-up."""
    # a sum of doubles depends on the order of its parts, in Spark's own operator too
    return spark.sql(
        f"SELECT level, bucket, k, rows, v_count, round(v_sum, 3), v_min, v_max, md5(v) FROM {into}"
    )


#: The queries by name: texts with a place for the table, or functions of the session and the table.
QUERIES = {
    "GROUP BY": "SELECT k, approx_quantile(v, array(0.01, 0.5, 0.99)) AS q, count(*), max(v) FROM {0} GROUP BY k",
    "no key": "SELECT approx_quantile(v, array(0.01, 0.5, 0.99)), approx_quantile_bounds(v, 0.5) FROM {0}",
    "CUBE": "SELECT k, id % 3 AS m, approx_quantile(v, 0.9, 0.01) FROM {0} GROUP BY CUBE(k, id % 3)",
    "DISTINCT": "SELECT k, approx_quantile(DISTINCT v, 0.5), count(DISTINCT v), approx_quantile(v, 0.9) FROM {0} GROUP BY k",
    "merged": (
        "SELECT k, md5(sketch_merge_agg(s)) FROM (SELECT k, quantile_sketch_agg(v, 0.01) AS s FROM {0} GROUP BY k, id % 50) GROUP BY k"
    ),
    **{
        f"OVER {name}": f"SELECT bit_xor(xxhash64(id, q)) FROM (SELECT id, {OVER.format(*frame)} AS q FROM {{0}})"
        for name, frame in {
            "rows": ("PARTITION BY k", "id ROWS 99 PRECEDING"),
            "a range": ("PARTITION BY k", "ts RANGE INTERVAL 5 MINUTES PRECEDING"),
            "one window, cut into ranges": ("", "ts RANGE INTERVAL 5 MINUTES PRECEDING"),
        }.items()
    },
    "hopping": f"SELECT k, window.start, q, n FROM {HOPPING}",
    "hopping in a stream": hopping_stream,
    "GROUP BY in a stream": grouped_stream,
    **{
        f"`{sketch}`": f"SELECT k, length(s), md5(s) FROM (SELECT k, {sketch} AS s FROM {{0}} GROUP BY k)"
        for sketch in SKETCHES
    },
    "`cs.portable.sketch`": sketched_in_python,
    "`cs.portable.merge`": merged_in_python,
    "warehouse": warehouse,
    "`cs.history.follow`": history_follow,
    "`cs.rollup.follow`": rollup_follow,
    "batches of a roll-up": rollup_batches,
}


def ask(spark, name, table):
    """Return the sorted rows of a query's answer as texts."""
    query = QUERIES[name]
    asked = spark.sql(query.format(table)) if isinstance(query, str) else query(spark, table)
    return sorted(map(repr, asked if isinstance(asked, list) else map(tuple, asked.collect())))
