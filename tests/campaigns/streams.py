"""Kill drivers of streams repeatedly, and check everything that they have written. Run by hand, in slices.

python tests/campaigns/streams.py FOLDER --kills 100 --seconds 400

A killed driver has three streams of different kinds: hopping windows or Spark's own aggregation, in append or update mode, with
RocksDB or Spark's default state store. The parent has no Spark: it reads what was committed, and computes the right windows from
the rows. A slice stops after --seconds, and the next one continues in the same folder.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

# Python gets times in the time zone of the session
os.environ["TZ"] = "UTC"
time.tzset()

import chronosketch as cs  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from random_queries.groups import allowed  # noqa: E402
from random_queries.truth import Sorted, WrongAnswerError, check_between, need  # noqa: E402
from warehouse import ended, forget_unbegun, session  # noqa: E402

FILES, ROWS, LATE = 30, 300, 60
SIZE, SLIDE = 600, 120
BASE = 1767225600
EPSILON, PHIS = "0.05", ("0.01", "0.5", "0.99")
SCHEMA = "id BIGINT, host STRING, ts TIMESTAMP, v BIGINT"
STORES = {
    "RocksDB": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "default": "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider",
}
# the default state store does not support update mode for hopping windows
KINDS = [
    f"{what}-{mode}-{store}"
    for what in ("hopping_sketch", "group_by_window")
    for mode in ("append", "update")
    for store in STORES
    if (what, mode, store) != ("hopping_sketch", "update", "default")
]
AGGREGATES = {
    "q": f"approx_quantile(v, array({', '.join(PHIS)}), {EPSILON})",
    "b": f"approx_quantile_bounds(v, array({', '.join(PHIS)}), {EPSILON})",
    "k": f"sketch_count(quantile_sketch_agg(v, {EPSILON}))",
    "n": "count(*)",
    "least": "min(v)",
    "most": "max(v)",
}


def arrivals():
    """Return the rows of each file in the order of arrival, each up to a minute late."""
    rng = random.Random(19)
    rows = [
        (i, f"web-{i % 3}", BASE + i, rng.randrange(10 ** rng.randint(1, 9))) for i in range(FILES * ROWS)
    ]
    order = sorted(rows, key=lambda row: row[2] + rng.randrange(LATE))
    files = [order[i : i + ROWS] for i in range(0, len(order), ROWS)]
    # a last row closes all windows
    return [*files, [(-1, "end", BASE + 10 * len(rows), 0)]]


def write_files(folder):
    """Write the files with increasing ages, so that they are read in order."""
    source = Path(folder, "source")
    if source.exists():
        return
    source.mkdir(parents=True)
    now = time.time()
    for i, rows in enumerate(arrivals()):
        ids, hosts, times, values = zip(*rows, strict=True)
        at = pa.array([t * 10**6 for t in times], pa.timestamp("us", "UTC"))
        table = pa.table({"id": ids, "host": hosts, "ts": at, "v": values})
        file = source / f"{i:03}.parquet"
        pq.write_table(table, file)
        os.utime(file, (now - 1000 + i, now - 1000 + i))


def windows_of(rows):
    """Return the values of each host and window start."""
    groups = defaultdict(list)
    for _, host, t, v in rows:
        start = t - t % SLIDE
        while start > t - SIZE:
            groups[host, start].append(v)
            start -= SLIDE
    return groups


def work(folder, streams):
    """Run streams when the parent asks, until killed."""
    spark = session()
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    # load the jar's functions and the codecs first
    spark.range(10).selectExpr("approx_quantile(id, 0.5)").collect()
    if not sys.stdin.readline():
        return
    for name in streams:
        begin(spark, Path(folder), name)
    print("begun", flush=True)

    def watch():
        while all(query.isActive for query in spark.streams.active):
            time.sleep(0.1)
            if len(spark.streams.active) < len(streams):
                break
        # the parent kills this process; ending by itself is a failure
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    threading.Event().wait()


def begin(spark, folder, name):
    """Start or continue one stream."""
    what, mode, store, _ = name.split("-")
    into = folder / name
    forget_unbegun(into / "checkpoint")
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", STORES[store])
    rows = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(f"{folder}/source")
    rows = rows.withWatermark("ts", f"{LATE} seconds")
    asked = [f"{sql} AS {alias}" for alias, sql in AGGREGATES.items()]
    from pyspark.sql import functions as F

    aggs = [F.expr(text) for text in asked]
    if what == "hopping_sketch":
        out = cs.hopping(rows, "ts", f"{SIZE} seconds", f"{SLIDE} seconds", by=["host"], aggs=aggs)
    else:
        out = rows.groupBy("host", F.window("ts", f"{SIZE} seconds", f"{SLIDE} seconds")).agg(*aggs)
    out = out.selectExpr("host", "unix_seconds(window.start) AS start", *AGGREGATES)
    writer = out.writeStream.outputMode(mode).option("checkpointLocation", str(into / "checkpoint"))
    if mode == "append":
        writer.format("parquet").start(str(into / "out"))
    else:

        def keep(batch, number):
            batch.coalesce(1).write.mode("overwrite").parquet(str(into / "out" / f"batch={number}"))

        writer.foreachBatch(keep).start()


def committed(into, mode):
    """Yield the rows of each committed batch, with the number of the last file that it read."""
    commits = into / "checkpoint" / "commits"
    done = sorted(int(f.name) for f in commits.iterdir() if f.name.isdigit()) if commits.exists() else []
    if mode == "update":
        for number in done:
            files = sorted((into / "out" / f"batch={number}").glob("part-*.parquet"))
            # batch numbers do not give the last file, because batches without a file also have numbers
            offset = (into / "checkpoint" / "offsets" / str(number)).read_text()
            read = int(re.search(r'"logOffset":(\d+)', offset)[1])
            yield read, [row for file in files for row in pq.read_table(file).to_pylist()]
        return
    # the batches that the sink has committed; a compacted log includes all before it
    log = into / "out" / "_spark_metadata"
    names = [f.name.split(".")[0] for f in log.iterdir()] if log.exists() else []
    numbers = sorted({int(name) for name in names if name.isdigit()})
    need(
        not done or (numbers and done[-1] <= numbers[-1]),
        f"batch {done[-1:]} is committed, {numbers[-1:]} written",
    )
    seen = set()
    for number in numbers:
        file = log / (f"{number}.compact" if (log / f"{number}.compact").exists() else str(number))
        lines = [json.loads(line)["path"] for line in file.read_text().splitlines()[1:]]
        new = [path for path in lines if path not in seen]
        seen.update(new)
        yield None, [row for path in new for row in pq.read_table(path.removeprefix("file://")).to_pylist()]


def check_window(values, row):
    """Compare the output for a window with its rows."""
    exact = Sorted(values)
    need(row["n"] == row["k"] == exact.count, f"{row['n']}, {row['k']} rows and not {exact.count}: {row}")
    exact.check_extremes(row["least"], row["most"])
    for phi, answer, bounds in zip(PHIS, row["q"], row["b"], strict=True):
        exact.check_quantile(phi, answer, allowed(EPSILON, exact.count))
        check_between(exact.quantile(phi), (bounds["low"], bounds["high"]), f"phi {phi}")


class Truth:
    """The right windows after each file."""

    def __init__(self):
        self._files = arrivals()
        self.whole = windows_of(row for file in self._files for row in file)
        self._after = {}

    def after(self, batch):
        """Return the windows of the files up to this batch."""
        if batch not in self._after:
            self._after[batch] = windows_of(row for file in self._files[: batch + 1] for row in file)
        return self._after[batch]

    def check(self, into, mode):
        """Compare all committed output with the rows. Return the number of windows, and whether the stream is complete."""
        checked, seen, read = 0, set(), -1
        for number, rows in committed(into, mode):
            names = [(row["host"], row["start"]) for row in rows]
            need(len(set(names)) == len(names), f"{into.name}: a window came twice at once")
            if mode == "update":
                # check that no window of the files is missing
                touched = set(windows_of(row for file in self._files[read + 1 : number + 1] for row in file))
                need(touched <= set(names), f"{into.name}: {sorted(touched - set(names))[:3]} are not there")
                read = number
            for name, row in zip(names, rows, strict=True):
                need(mode == "update" or name not in seen, f"{into.name}: window {name} came twice")
                check_window((self.after(number) if mode == "update" else self.whole)[name], row)
                seen.add(name)
                checked += 1
        is_read = mode == "append" or read == len(self._files) - 1
        return checked, is_read and seen >= {name for name in self.whole if name[0] != "end"}


class Tally:
    """Counts the outcomes of all slices."""

    def __init__(self, folder):
        self._file = Path(folder, "tally.json")
        self.counts = {
            "kills": 0,
            "by_kind": dict.fromkeys(KINDS, 0),
            "windows": 0,
            "whole": dict.fromkeys(KINDS, 0),
            "generation": dict.fromkeys(KINDS, 0),
            "violations": 0,
        }
        if self._file.exists():
            self.counts = json.loads(self._file.read_text())

    def store(self):
        """Store the counts for the next slice."""
        self._file.write_text(json.dumps(self.counts, indent=1))


def kill(folder, options):
    """Kill -9 a driver at any moment, and check its output."""
    write_files(folder)
    rng, tally, truth = random.Random(), Tally(folder), Truth()
    end = time.monotonic() + options.seconds
    chosen = rng.sample(KINDS, 3)
    waiting = started(folder, tally, chosen)
    try:
        while tally.counts["kills"] < options.kills and time.monotonic() < end:
            (child, streams), waiting = waiting, None
            try:
                child.stdin.write(b"go\n")
                child.stdin.flush()
                assert child.stdout.readline(), "the driver did not begin"
                waiting = started(folder, tally, rng.sample(KINDS, 3))
                wait(folder, streams, child, rng, options.life)
                assert child.poll() is None, "the driver ended by itself"
            finally:
                ended(child)
            tally.counts["kills"] += 1
            begun_anew = False
            for name in streams:
                kind = name.rpartition("-")[0]
                tally.counts["by_kind"][kind] += 1
                try:
                    windows, is_whole = truth.check(Path(folder, name), kind.split("-")[1])
                except WrongAnswerError as e:
                    print(f"after kill {tally.counts['kills']}: {name}: {e}", flush=True)
                    tally.counts["violations"] += 1
                    windows, is_whole = 0, True
                tally.counts["windows"] += windows
                if is_whole:
                    # the stream is complete, so the next one starts from scratch
                    tally.counts["whole"][kind] += 1
                    tally.counts["generation"][kind] += 1
                    begun_anew = True
            tally.store()
            if begun_anew:
                ended(waiting[0])
                waiting = started(folder, tally, rng.sample(KINDS, 3))
            print(
                f"{tally.counts['kills']} kills; {tally.counts['windows']} windows checked, {sum(tally.counts['whole'].values())} streams whole",
                flush=True,
            )
    finally:
        if waiting:
            ended(waiting[0])
    print(json.dumps(tally.counts, indent=1))


def wait(folder, streams, child, rng, life):
    """Let a driver run: for a moment, or until it has committed some batches and a moment longer."""
    before = batches(folder, streams)
    wanted, end = rng.choice((0, 1, 2, 4, 8)), time.monotonic() + 60
    while batches(folder, streams) < before + wanted and time.monotonic() < end and child.poll() is None:
        time.sleep(0.02)
    end = time.monotonic() + rng.random() * life
    while time.monotonic() < end and child.poll() is None:
        time.sleep(0.01)


def batches(folder, streams):
    """Return the number of committed batches of some streams."""
    commits = [Path(folder, name, "checkpoint", "commits") for name in streams]
    return sum(file.name.isdigit() for of in commits if of.exists() for file in of.iterdir())


def started(folder, tally, kinds):
    """Start a driver with these kinds of streams, each in its own generation."""
    streams = [f"{kind}-{tally.counts['generation'][kind]}" for kind in kinds]
    command = [sys.executable, __file__, folder, "--work", *streams]
    pipe = subprocess.PIPE
    with Path(folder, "driver.log").open("ab") as log:
        child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log, start_new_session=True)
    return child, streams


def main():
    """Run a slice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--work", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument(
        "--life", type=float, default=2, help="how long a driver lives after that at most, in seconds"
    )
    options = parser.parse_args()
    folder = str(Path(options.folder).resolve())
    if options.work:
        work(folder, options.work)
    else:
        kill(folder, options)


if __name__ == "__main__":
    main()
