"""Write what an older version stores: warehouses, histories, roll-ups and checkpoints of streams.

The folders beside this program were written with it, each by the first commit that has the format. Tests continue
them with the version at hand (tests/jvm/spark/older). They are never written again: for another format, add a
folder. The jar and the Python package are those of the older commit::

    git worktree add OLD COMMIT && (cd OLD && ./sbt spark/assembly)
    PYTHONPATH=OLD/python python tests/older/write.py --jar OLD/target/jar/*.jar --into tests/older PART ...
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
ON_HEAP = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"

# the rows with ids of a range: what tests compare with
NUMBERS = (
    "SELECT concat('h', id % 3) AS host, CAST(pmod(id * 7919, 1009) AS INT) AS v FROM range({0}, {1}, 1, 1)"
)
REQUESTS = (
    "SELECT timestamp_seconds(1767225600 + (id * 7919) % 259200) AS ts, nullif(concat('s', id % 4), 's3') AS service, "
    "nullif((id * 37) % 101, 50) * 1.5D AS latency_ms FROM range({0}, {1}, 1, 1)"
)
ORDERS = (
    "SELECT id, concat('r', id % 3) AS region, CAST(id * 7 % 101 AS INT) AS amount FROM range({0}, {1}, 1, 1)"
)

HOPPING = (
    "SELECT * FROM hopping_sketch(TABLE(events), event_time => 'ts', size => '4 minutes', slide => '1 minute', "
    "by => array('host'), aggs => array('approx_quantile(v, 0.5, 0.001) AS q', 'count(*) AS n', 'sum(v) AS s', "
    "'sketch_count(moments_agg(v)) AS m'))"
)
GROUPED = (
    "SELECT host, window, approx_quantile(v, 0.5, 0.001) AS q, count(*) AS n, sum(v) AS s, "
    "sketch_count(moments_agg(v)) AS m FROM events GROUP BY host, window(ts, '4 minutes', '1 minute')"
)


def main() -> None:
    """Write the parts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jar", required=True)
    parser.add_argument("--into", required=True, type=Path)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        spark = start(options.jar, work)
        for part in options.parts:
            folder = options.into.resolve() / part
            if folder.exists():
                raise SystemExit(f"{folder} exists: what was written once is never written again")
            PARTS[part](spark, folder)
            for checksum in folder.rglob(".*.crc"):
                checksum.unlink()
            print(f"{part}: {sum(f.stat().st_size for f in folder.rglob('*') if f.is_file())} bytes")
        spark.stop()


def start(jar: str, work: str) -> SparkSession:
    """Start a session with the jar and with Delta."""
    settings = {
        "spark.jars": jar,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,chronosketch.spark.ChronosketchExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.chronosketch": "chronosketch.spark.warehouse.call.WarehouseCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.databricks.delta.writeChecksumFile.enabled": "false",
        "spark.sql.warehouse.dir": f"{work}/warehouse",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
    }
    builder = SparkSession.builder.appName("older").master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return configure_spark_with_delta_pip(builder).getOrCreate()


def numbers(spark: SparkSession, first: int, last: int) -> None:
    """Show rows to procedures as the view `numbers`."""
    spark.sql(NUMBERS.format(first, last)).createOrReplaceTempView("numbers")


def warehouse(spark: SparkSession, folder: Path) -> None:
    """Append four steps of 300 rows; three of them are merged."""
    create = f"CALL chronosketch.create('{folder}', 'v', by => array('host'), epsilon => 0.05D, kappa => 2)"
    spark.sql(create).collect()
    for step in range(4):
        numbers(spark, step * 300, step * 300 + 300)
        append = f"CALL chronosketch.append('{folder}', 'numbers', writer => 'w', batch => {step}L)"
        spark.sql(append).collect()


def live_warehouse(spark: SparkSession, folder: Path) -> None:
    """Append a step, and take two batches of a stream into the next one. The limit is a memory."""
    import chronosketch as cs

    made = cs.warehouse.create(spark, str(folder), value="v", by=["host"], memory=100_000)
    numbers(spark, 0, 300)
    spark.sql(f"CALL chronosketch.append('{folder}', 'numbers')").collect()
    with tempfile.TemporaryDirectory() as arriving:
        stream = spark.readStream.schema("host STRING, v INT").parquet(arriving)
        query = made.attach(stream, checkpoint=f"{folder}/checkpoint", step="10000 days")
        for batch in (1, 2):
            spark.sql(NUMBERS.format(batch * 300, batch * 300 + 300)).write.mode("append").parquet(arriving)
            query.processAllAvailable()
        query.stop()
    # its source is gone
    shutil.rmtree(folder / "checkpoint")


def history(spark: SparkSession, folder: Path) -> None:
    """Follow a table over five versions, in two steps."""
    import chronosketch as cs

    follow = {
        "source": "older_orders",
        "into": "older_orders_history",
        "value": "amount",
        "by": ["region"],
        "epsilon": 0.05,
    }
    spark.sql(
        "CREATE TABLE older_orders (id BIGINT, region STRING, amount INT) USING delta "
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    spark.sql(f"INSERT INTO older_orders {ORDERS.format(0, 60)}")
    cs.history.follow(spark, **follow)
    spark.sql("UPDATE older_orders SET amount = amount + 1 WHERE id % 4 = 0")
    spark.sql("DELETE FROM older_orders WHERE id % 5 = 0")
    spark.sql(f"INSERT INTO older_orders {ORDERS.format(60, 90)}")
    cs.history.follow(spark, **follow)
    keep_tables(spark, folder, "older_orders", "older_orders_history")


def rollup(spark: SparkSession, folder: Path) -> None:
    """Roll a table up in two steps, and two batches of a stream."""
    defined = (
        "time => 'ts', by => array('service'), values => map('latency', 'latency_ms'), epsilon => 0.02D, "
        "levels => array('1 hour', '1 day')"
    )
    spark.sql(
        "CREATE TABLE older_requests (ts TIMESTAMP, service STRING, latency_ms DOUBLE) USING delta "
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    for batch in (0, 1):
        rows = REQUESTS.format(batch * 200, batch * 200 + 200)
        spark.sql(f"INSERT INTO older_requests {rows}")
        spark.sql(f"CALL chronosketch.rollup('older_requests', 'older_rolled', {defined})").collect()
        spark.sql(rows).createOrReplaceTempView("arriving")
        spark.sql(
            f"CALL chronosketch.rollup_batch('arriving', 'older_fed', batch => {batch}L, query => 'q', {defined})"
        ).collect()
    keep_tables(spark, folder, "older_requests", "older_rolled", "older_fed")


def keep_tables(spark: SparkSession, folder: Path, *tables: str) -> None:
    """Copy the folders of tables, which have no paths in them."""
    for table in tables:
        place = spark.sql(f"DESCRIBE DETAIL {table}").select("location").head()[0]
        shutil.copytree(place.removeprefix("file:"), folder / table)


def hopping(spark: SparkSession, folder: Path) -> None:
    """Stop a stream of hopping windows after eight minutes of rows."""
    streamed(spark, folder, HOPPING, ROCKS_DB)


def grouped(spark: SparkSession, folder: Path) -> None:
    """Stop a streaming aggregation after eight minutes of rows."""
    streamed(spark, folder, GROUPED, ON_HEAP)


def streamed(spark: SparkSession, folder: Path, query: str, store: str) -> None:
    """Run two batches of 240 rows, one each second. The windows that the stream has closed are stored as JSON."""
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", store)
    rows = (
        spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 240).option("numPartitions", 2)
        .option("startTimestamp", 0).option("advanceMillisPerBatch", 240_000).load()
    )  # fmt: skip
    rows.selectExpr(
        "concat('h', value % 2) AS host", "timestamp_seconds(value) AS ts", "value * 37 % 100 AS v"
    ).withWatermark("ts", "1 minute").createOrReplaceTempView("events")
    closed: list[list[object]] = []

    def keep(windows: DataFrame, _: int) -> None:
        told = windows.selectExpr("host", "unix_seconds(window.start)", "q", "n", "s", "m").collect()
        closed.extend(list(row) for row in told)

    for _ in range(2):
        writer = spark.sql(query).writeStream.outputMode("append").foreachBatch(keep)
        writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(
            availableNow=True
        ).start().awaitTermination()
    (folder / "closed.json").write_text(json.dumps(sorted(closed)) + "\n", encoding="utf-8")


PARTS = {
    "warehouse": warehouse,
    "live_warehouse": live_warehouse,
    "history": history,
    "rollup": rollup,
    "hopping": hopping,
    "grouped": grouped,
}

if __name__ == "__main__":
    main()
