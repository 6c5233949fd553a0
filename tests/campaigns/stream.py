"""Kills a stream that writes to a warehouse, again and again, and counts its rows; run by hand.

python tests/campaigns/stream.py FOLDER --kills 100 --seconds 1800

The folder is a new one. It kills no more after --seconds.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import chronosketch as cs

FILES = 400
ROWS = 50
PHIS = [0, 0.01, 0.25, 0.5, 0.77, 0.999, 1]


def session():
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    builder = cs.session("stream").master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def opened(spark, folder):
    """The warehouse in a folder, and files whose rows have the numbers from 0 on."""
    if not Path(folder, "warehouse", "manifest").exists():
        numbers = spark.range(0, FILES * ROWS, 1, FILES).selectExpr("id AS v", "id % 7 AS k")
        numbers.write.mode("overwrite").parquet(f"{folder}/source")
        return cs.warehouse.create(spark, f"{folder}/warehouse", value="v", epsilon=0.05, kappa=3)
    return cs.warehouse.open(spark, f"{folder}/warehouse")


def attached(spark, folder, warehouse, files, **options):
    reader = spark.readStream.schema("v BIGINT, k BIGINT").option("maxFilesPerTrigger", files)
    source = reader.parquet(f"{folder}/source")
    return warehouse.attach(source, checkpoint=f"{folder}/checkpoint", **options)


def stream(folder):
    """Write, end steps and merge until the process is killed; the parent learns of the first batch."""
    spark = session()
    warehouse = cs.warehouse.open(spark, f"{folder}/warehouse")
    query = attached(spark, folder, warehouse, 1, step="1 second")
    while query.lastProgress is None:
        time.sleep(0.05)
    print("begun", flush=True)
    while query.exception() is None:
        time.sleep(random.random())
        warehouse.end_step()


def hold(warehouse, low, high):
    """Every row from one number to the next is there, once."""
    wanted = list(range(low, high, max(1, (high - low) // 20)))
    for row in warehouse.rank(wanted).collect():
        assert row.rank_low <= row.value - low + 1 <= row.rank_high, row
        assert row.count_low == row.count_high == high - low, row


def kill(folder, given):
    """Kill -9 a stream and its JVM at any moment of a batch, of an end of a step, of a merge."""
    spark = session()
    warehouse = opened(spark, folder)
    end, killed = time.monotonic() + given.seconds, 0
    while killed < given.kills and time.monotonic() < end:
        command = [sys.executable, __file__, "--stream", folder]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
        child.stdout.readline()
        time.sleep(random.random() * 3)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        killed += 1
        # files are taken whole
        assert warehouse.describe()["rows"] % ROWS == 0
    taken = warehouse.describe()
    query = attached(spark, folder, warehouse, FILES, trigger={"availableNow": True})
    query.awaitTermination()
    hold(warehouse, 0, FILES * ROWS)
    warehouse.end_step()
    warehouse.compact()
    hold(warehouse, 0, FILES * ROWS)
    assert warehouse.vacuum("1 microsecond") >= 0
    last = FILES * ROWS - 1
    for row in warehouse.quantile(PHIS).collect():
        assert row.rank_error == 0, row
        assert abs(row.value - row.phi * last) <= 1, row
    batches = taken["rows"] // ROWS
    print(f"{killed} kills, {batches} batches until then, {taken['version']} commits: all rows once")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=240)
    given = parser.parse_args()
    if given.stream:
        stream(given.folder)
    else:
        kill(given.folder, given)


if __name__ == "__main__":
    main()
