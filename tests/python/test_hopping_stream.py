"""Hopping windows of a stream survive a killed process, and each is written once."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from pyspark.sql import functions as F

SCHEMA = "host STRING, ts TIMESTAMP, latency BIGINT"
PIECES = 6
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

# A separate process that reads one file in each batch, and ends after the last.
RUN = f"""
import sys
import chronosketch as cs
from test_hopping_stream import SCHEMA, windows

(folder,) = sys.argv[1:]
builder = cs.session("killed").config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.session.timeZone", "UTC")
builder = builder.config("spark.sql.streaming.stateStore.providerClass", "{ROCKSDB}")
spark = builder.master("local[2]").getOrCreate()
rows = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", "1").json(f"{{folder}}/in")
query = windows(rows.withWatermark("ts", "1 minute")).writeStream.format("parquet")
query = query.option("checkpointLocation", f"{{folder}}/checkpoint").trigger(availableNow=True)
query.start(f"{{folder}}/out").awaitTermination()
"""


def windows(rows):
    asked = [
        cf.approx_quantile("latency", [0.5, 0.99]).alias("q"),
        F.count("*").alias("n"),
        F.avg("latency").alias("mean"),
    ]
    return cs.hopping(rows, "ts", "10 minutes", "2 minutes", by=["host"], aggs=asked)


def arrivals(spark, folder):
    """Write an hour of rows as files, each up to a minute late, and a last file that closes all windows."""
    made = spark.range(2000).selectExpr(
        "concat('web-', id % 3) AS host",
        "timestamp_seconds(1767225600 + 2 * id) AS ts",
        "pmod(xxhash64(id), 1000) AS latency",
        "2 * id + pmod(xxhash64(id, 'late'), 60) AS arrives",
    )
    length = 4060 // PIECES + 1
    for piece in range(PIECES):
        of = made.where(F.col("arrives").between(piece * length, (piece + 1) * length - 1)).drop("arrives")
        of.coalesce(1).write.mode("append").json(f"{folder}/in")
    last = spark.sql("SELECT 'end' AS host, TIMESTAMP'2027-01-01' AS ts, 0L AS latency")
    last.write.mode("append").json(f"{folder}/in")


def start(folder):
    here = str(Path(__file__).parent)
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    # the process must choose its own kind of session
    prefixes = ("SPARK_CONNECT", "SPARK_REMOTE", "SPARK_LOCAL_REMOTE", "PYSPARK_GATEWAY")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder)],
        env={**inherited, "PYTHONPATH": path},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def committed(folder):
    commits = folder / "checkpoint" / "commits"
    return sum(file.name.isdigit() for file in commits.iterdir()) if commits.exists() else 0


# the streams run in separate classic processes
@pytest.mark.classic
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="kills a group of processes")
def test_killed_in_the_middle(spark, tmp_path):
    arrivals(spark, tmp_path)
    first = start(tmp_path)
    until = monotonic() + 300
    while committed(tmp_path) < PIECES // 2 and first.poll() is None and monotonic() < until:
        sleep(0.02)
    assert first.poll() is None, first.stderr.read()
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    first.stderr.close()
    assert 0 < committed(tmp_path) < PIECES
    second = start(tmp_path)
    _, message = second.communicate(timeout=300)
    assert second.returncode == 0, message

    rows = spark.read.schema(SCHEMA).json(f"{tmp_path}/in")
    truth = windows(rows.where("host != 'end'")).orderBy("host", "window").collect()
    made = spark.read.parquet(f"{tmp_path}/out").orderBy("host", "window").collect()
    assert len(truth) == 3 * 38
    assert made == truth
