"""Kill the driver of a warehouse repeatedly, during concurrent operations. Run by hand, in slices.

python tests/campaigns/warehouse.py FOLDER --kills 100 --seconds 280

The killed driver has two writers, a stream, a compactor, vacuum and two readers. Another driver reads meanwhile and checks
after each kill. Each source writes the numbers from 0 on, in order, as its own group, so that any answer at any version can be
checked by itself. Killing stops after --seconds, and continues in the same folder when called again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from fractions import Fraction
from math import ceil
from pathlib import Path

import chronosketch as cs

FILES = 400
ROWS = 50
PHIS = [0, 0.01, 0.25, 0.5, 0.77, 0.999, 1]
STREAM = "stream"
# longer than any query, append or merge takes here
GRACE = "60 seconds"


def session():
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        # a driver runs for seconds only, so optimised compilation does not pay off
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder = cs.session("warehouse").master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def opened(spark, folder, memory):
    """Return the warehouse in a folder, and the files of its stream with increasing ages, so that they are read in order."""
    if Path(folder, "warehouse", "manifest").exists():
        return cs.warehouse.open(spark, f"{folder}/warehouse")
    numbers = spark.range(0, FILES * ROWS, 1, FILES)
    numbers.selectExpr("id AS v", f"'{STREAM}' AS source").write.parquet(f"{folder}/source")
    before = time.time() - FILES
    for i, file in enumerate(sorted(Path(folder, "source").glob("part-*"))):
        os.utime(file, (before + i, before + i))
    limit = {"epsilon": 0.05} if memory is None else {"memory": memory}
    return cs.warehouse.create(spark, f"{folder}/warehouse", value="v", by=["source"], kappa=3, **limit)


class Reader:
    """Queries the warehouse and checks the answers. Versions and counts must never decrease."""

    def __init__(self, spark, warehouse, name):
        self._spark, self._warehouse, self._name = spark, warehouse, name
        self._version, self._counts, self.asked = 0, {}, 0

    def ask(self):
        """Query quantiles and ranks, and now and then all views."""
        accuracy = random.choice(["accurate", "quick"])
        self._one_version(self._warehouse.quantile(PHIS, accuracy).collect(), self._quantile)
        values = [-1, 0, ROWS, 777, 10**9]
        self._one_version(self._warehouse.rank(values, accuracy).collect(), self._rank)
        if self.asked % 8 == 0:
            self._views()
        self.asked += 1

    def warm_up(self):
        """Run the same queries without checks."""
        self._warehouse.quantile(PHIS).collect()
        self._warehouse.rank([ROWS]).collect()
        self._warehouse.register(self._name)
        self._spark.table(f"{self._name}_summaries").collect()

    def _one_version(self, rows, check):
        if not rows:
            # no source has written a row yet
            assert not self._counts, self._counts
            return
        (version,) = {row.version for row in rows}
        assert version >= self._version, (version, self._version)
        self._version = version
        counts = {}
        for row in rows:
            assert row.count_low == row.count_high, row
            assert row.count_low % ROWS == 0, row
            assert counts.setdefault(row.source, row.count_low) == row.count_low, row
            check(row, row.count_low)
        self._grown(counts, rows[0].rows_total)

    def _grown(self, counts, total):
        assert sum(counts.values()) == total, (counts, total)
        fallen = {k: n for k, n in self._counts.items() if counts.get(k, 0) < n}
        assert not fallen, (fallen, counts)
        self._counts = counts

    def _quantile(self, row, n):
        exact = max(1, ceil(Fraction(str(row.phi)) * n)) - 1
        assert row.low <= exact <= row.high, row
        assert abs(row.value - exact) <= row.rank_error, row
        assert row.accuracy == "quick" or row.source == STREAM or row.rank_error == 0, row

    def _rank(self, row, n):
        exact = min(max(row.value + 1, 0), n)
        assert row.rank_low <= exact <= row.rank_high, row
        assert row.accuracy == "quick" or row.source == STREAM or row.rank_low == exact == row.rank_high, row

    def _views(self):
        version = self._warehouse.register(self._name)
        assert version >= self._version
        self._version = version
        lines = self._spark.sql(
            f"SELECT version, rows FROM {self._name}_runs UNION ALL "
            f"SELECT version, rows FROM {self._name}_live"
        ).collect()
        groups = self._spark.sql(
            f"SELECT source, version, sum(rows) AS rows, sketch_count(sketch_merge_agg(sketch)) AS n, "
            f"sketch_max(sketch_merge_agg(sketch)) AS last FROM {self._name}_summaries GROUP BY ALL"
        ).collect()
        assert {row.version for row in [*lines, *groups]} <= {version}, (version, lines, groups)
        assert all(row.rows == row.n == row.last + 1 for row in groups), groups
        self._grown({row.source: row.rows for row in groups}, sum(row.rows for row in lines))


def warm_up(spark):
    """Do a little of everything in another folder, because a new JVM takes seconds for it."""
    with tempfile.TemporaryDirectory() as folder:
        warehouse = cs.warehouse.create(spark, folder, value="v", by=["source"], epsilon=0.05, kappa=1)
        for batch in range(2):
            warehouse.append(
                spark.range(ROWS).selectExpr("id AS v", "'a' AS source"), writer="a", batch=batch
            )
        Reader(spark, warehouse, "warm").warm_up()


def forget_unbegun(checkpoint):
    """Delete the checkpoint of a stream that was killed before its first batch: Spark cannot continue it."""
    offsets = checkpoint / "offsets"
    if offsets.exists() and not any(file.name.isdigit() for file in offsets.iterdir()):
        shutil.rmtree(checkpoint)


def work(folder):
    """Do everything at once when the parent asks, until killed."""
    spark = session()
    warm_up(spark)
    if not sys.stdin.readline():
        return
    warehouse = cs.warehouse.open(spark, f"{folder}/warehouse")

    def write(name):
        # the last started batch may have been appended or not, so repeat it
        ledger = Path(folder, name)
        batch = int(ledger.read_text()) if ledger.exists() else 0
        while True:
            ledger.with_suffix(".new").write_text(str(batch))
            ledger.with_suffix(".new").replace(ledger)
            first = batch * ROWS
            rows = spark.range(first, first + ROWS, 1, 2).selectExpr("id AS v", f"'{name}' AS source")
            warehouse.append(rows, writer=name, batch=batch)
            batch += 1

    def stream():
        forget_unbegun(Path(folder, "checkpoint"))
        reader = spark.readStream.schema("v BIGINT, source STRING").option("maxFilesPerTrigger", 1)
        source = reader.parquet(f"{folder}/source")
        warehouse.attach(source, checkpoint=f"{folder}/checkpoint", step="2 seconds").awaitTermination()

    def compact():
        while True:
            time.sleep(random.random())
            warehouse.compact()
            warehouse.end_step()

    def vacuum():
        while True:
            time.sleep(random.random())
            warehouse.vacuum(GRACE)

    def read(name):
        reader = Reader(spark, warehouse, name)
        while True:
            reader.ask()

    def failing(body, *arguments):
        try:
            body(*arguments)
        except BaseException:
            traceback.print_exc()
        # the parent kills this process; ending by itself is a failure
        os._exit(1)

    # answers have no types before the first rows
    if warehouse.describe()["version"] == 0:
        empty = spark.range(0).selectExpr("id AS v", "'a' AS source")
        warehouse.append(empty, writer="first", batch=0)
    parts = [(write, "a"), (write, "b"), (stream,), (compact,), (vacuum,), (read, "one"), (read, "two")]
    for body, *arguments in parts:
        threading.Thread(target=failing, args=(body, *arguments), daemon=True).start()
    print("begun", flush=True)
    threading.Event().wait()


def started(folder):
    command = [sys.executable, __file__, "--work", folder]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


def ended(child):
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def kill(folder, options):
    """Kill -9 a driver at any moment. Query meanwhile and afterwards."""
    spark = session()
    warehouse = opened(spark, folder, options.memory)
    reader = Reader(spark, warehouse, "beside")
    before = warehouse.describe()
    end, killed = time.monotonic() + options.seconds, 0
    # start the next driver while one runs, because starting takes longer than running
    waiting = started(folder)
    try:
        while killed < options.kills and time.monotonic() < end:
            child, waiting = waiting, started(folder)
            try:
                child.stdin.write(b"go\n")
                child.stdin.flush()
                assert child.stdout.readline(), "the driver did not begin"
                until = time.monotonic() + random.random() * options.life
                while time.monotonic() < until and child.poll() is None:
                    reader.ask()
                assert child.poll() is None, "the driver ended by itself"
            finally:
                ended(child)
            killed += 1
            reader.ask()
    finally:
        ended(waiting)
    warehouse.end_step()
    warehouse.compact()
    reader.ask()
    warehouse.vacuum("1 microsecond")
    now = warehouse.describe()
    folders = len(list(Path(folder, "warehouse", "runs").iterdir()))
    assert (folders, now["live_batches"]) == (now["runs"], 0), (folders, now)
    for row in warehouse.quantile(PHIS).collect():
        # there are no live rows, so answers are exact
        assert row.rank_error == 0, row
    reader.ask()
    more = {name: now[name] - before[name] for name in ("rows", "version")}
    with Path(folder, "slices.jsonl").open("a") as file:
        summary = {
            "kills": killed,
            "batches": more["rows"] // ROWS,
            "commits": more["version"],
            "asked": reader.asked,
        }
        file.write(json.dumps(summary) + "\n")
    print(
        f"{killed} kills, {more['rows'] // ROWS} batches, {more['version']} commits, "
        f"{reader.asked} times asked beside them: every row once"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=280)
    parser.add_argument("--life", type=float, default=8, help="how long a driver lives at most, in seconds")
    parser.add_argument("--memory", help="of a new warehouse, in place of an epsilon, as in 20k")
    options = parser.parse_args()
    if options.work:
        work(options.folder)
    else:
        kill(options.folder, options)


if __name__ == "__main__":
    main()
