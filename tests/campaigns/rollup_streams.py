"""Kill drivers of streams that feed roll-ups, and compare the roll-ups with the rows. Run by hand, in slices.

python tests/campaigns/rollup_streams.py FOLDER --kills 100 --seconds 400

A driver runs a stream from a folder of Parquet into a roll-up of two levels, batch by batch, until it is killed with -9. The next
driver goes on from the same checkpoint. After each kill the roll-up must have the rows of all files of its committed batches, each
once. A stream that has read all files is complete: it is compared with all rows, and the next one begins anew. A slice stops after
--seconds. The next one continues in the same folder, or in a new one after what is published. `rollup.py report` publishes the counts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
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
from delta import configure_spark_with_delta_pip  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from random_queries.truth import WrongAnswerError, need  # noqa: E402
from warehouse import ended, forget_unbegun  # noqa: E402

FILES, ROWS = 40, 200
BASE, HOUR, DAY = 1767225600, 3600, 86400
LEVELS = {"1 hour": HOUR, "1 day": DAY}
SCHEMA = "host STRING, ts TIMESTAMP, v BIGINT"
ROLLUP = "rollup"
PUBLISHED = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "robustness_rollup.json"


def arrivals():
    """Return the rows of each file: times of two days in any order, some NULL times, groups and values."""
    rng = random.Random(45)

    def row():
        host = rng.choice((None, "a", "b"))
        at = None if rng.random() < 0.01 else BASE + rng.randrange(2 * DAY)
        return host, at, None if rng.random() < 0.05 else rng.randrange(10**6)

    return [[row() for _ in range(ROWS)] for _ in range(FILES)]


def write_files(folder):
    """Write the files with increasing ages, so that they are read in order."""
    source = Path(folder, "source")
    if source.exists():
        return
    source.mkdir(parents=True)
    now = time.time()
    for i, rows in enumerate(arrivals()):
        hosts, times, values = zip(*rows, strict=True)
        at = pa.array([None if t is None else t * 10**6 for t in times], pa.timestamp("us", "UTC"))
        file = source / f"{i:03}.parquet"
        pq.write_table(pa.table({"host": hosts, "ts": at, "v": values}), file)
        os.utime(file, (now - 1000 + i, now - 1000 + i))


class Truth:
    """The right rows of a roll-up after each file."""

    def __init__(self):
        self._files = arrivals()

    def after(self, files):
        """Return rows, count, sum, least and greatest value of each (level, bucket, group) of the first files."""
        found = defaultdict(list)
        for host, at, value in (row for file in self._files[:files] for row in file):
            for level, width in LEVELS.items():
                found[level, None if at is None else at - at % width, host].append(value)
        return {key: self._aggregated(values) for key, values in found.items()}

    @staticmethod
    def _aggregated(values):
        counted = sorted(v for v in values if v is not None)
        if not counted:
            return (len(values), 0, None, None, None, 0)
        return (len(values), len(counted), sum(counted), counted[0], counted[-1], len(counted))


def session():
    settings = {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        # a driver runs for seconds only, so optimised compilation does not pay off
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder = SparkSession.builder.appName("rollup streams").master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return configure_spark_with_delta_pip(cs.configure(builder)).getOrCreate()


def attached(spark, into):
    """Return the writer of the stream of a generation."""
    rows = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(f"{into.parent}/source")
    writer = cs.rollup.attach(
        rows,
        into=f"delta.`{into}/{ROLLUP}`",
        time="ts",
        by=["host"],
        values={"v": "v"},
        levels=list(LEVELS),
        epsilon=0.02,
    )
    return writer.option("checkpointLocation", f"{into}/checkpoint")


def stored(spark, into):
    """Return the number of batches in a roll-up, and its rows as `Truth` has them."""
    table = f"delta.`{into}/{ROLLUP}`"
    if not Path(into, ROLLUP, "_delta_log").exists():
        return 0, {}
    version = cs.rollup.describe(spark, table).version
    rows = spark.sql(
        "SELECT level, unix_seconds(bucket), host, rows, v_count, v_sum, v_min, v_max, "
        f"coalesce(sketch_count(v), 0) FROM {table}"
    ).collect()
    found = {tuple(row[:3]): tuple(row[3:]) for row in rows}
    need(len(found) == len(rows), f"{into.name}: a bucket and group has two rows")
    return 0 if version is None else version + 1, found


def work(folder, name):
    """Compare the roll-up that the last driver left, and feed it when the parent asks, until killed."""
    spark = session()
    into, truth = Path(folder, name), Truth()
    # load the jar's functions and the codecs first
    spark.range(10).selectExpr("approx_quantile(id, 0.5)").collect()
    while line := sys.stdin.readline().strip():
        if line == "check":
            print(json.dumps(checked(spark, into, truth)), flush=True)
            continue
        forget_unbegun(into / "checkpoint")
        query = attached(spark, into).trigger(processingTime="0 seconds").start()
        print("begun", flush=True)
        threading.Thread(target=watch, args=(query,), daemon=True).start()


def watch(query):
    """End the process if the stream ends. The parent kills this process; ending by itself is a failure."""
    while query.isActive:
        time.sleep(0.1)
    print(query.exception(), file=sys.stderr, flush=True)
    os._exit(1)


def checked(spark, into, truth):
    """Compare a roll-up with the rows of the files in it. Return what to add to the counts."""
    try:
        batches, found = stored(spark, into)
        files = files_in(into, batches)
        right = truth.after(files)
        need(found.keys() == right.keys(), f"{into.name}: {len(found)} rows and not {len(right)}")
        wrong = [(key, found[key], right[key]) for key in right if found[key] != right[key]]
        need(not wrong, f"{into.name}: {len(wrong)} rows of {files} files are wrong, as {wrong[:1]}")
        noted = commits(into)
        need(noted <= batches, f"{into.name}: the checkpoint has {noted} batches and the roll-up {batches}")
        return {"rows": len(found), "files": files, "repeated": int(noted < batches), "wrong": ""}
    except WrongAnswerError as e:
        return {"rows": 0, "files": 0, "repeated": 0, "wrong": str(e)}


def files_in(into, batches):
    """Return the number of files in the first batches. One has two if a driver died after it chose a file and before it began."""
    if not batches:
        return 0
    offsets = Path(into, "checkpoint", "offsets", str(batches - 1)).read_text("utf-8")
    return json.loads(offsets.splitlines()[-1])["logOffset"] + 1


def commits(into):
    """Return the number of batches that the checkpoint has noted."""
    folder = into / "checkpoint" / "commits"
    done = [int(file.name) for file in folder.iterdir() if file.name.isdigit()] if folder.exists() else []
    return max(done, default=-1) + 1


class Tally:
    """Counts the outcomes of all slices."""

    def __init__(self, folder):
        self._file = Path(folder, "tally.json")
        self.counts = {
            "kills": 0,
            "batches_to_repeat": 0,
            "unfinished_creations": 0,
            "rows_checked": 0,
            "whole": 0,
            "generation": 0,
            "violations": 0,
        }
        if self._file.exists():
            self.counts = json.loads(self._file.read_text())
        elif PUBLISHED.exists():
            self.counts = json.loads(PUBLISHED.read_text()).get("streams", {}).get("counts", self.counts)

    def store(self):
        """Store the counts for the next slice."""
        self._file.write_text(json.dumps(self.counts, indent=1))


def kill(folder, options):
    """Kill -9 a driver at any moment. The next one checks the roll-up, and goes on."""
    write_files(folder)
    rng, tally = random.Random(), Tally(folder)
    end = time.monotonic() + options.seconds
    child, waiting = started(folder, tally), None
    try:
        while tally.counts["kills"] < options.kills and time.monotonic() < end:
            ask(child, "go")
            waiting = started(folder, tally)  # starts Spark meanwhile
            wait(Path(folder, generation(tally)), child, rng, options.life)
            assert child.poll() is None, "the driver ended by itself"
            ended(child)
            child, waiting = waiting, None
            tally.counts["kills"] += 1
            found = json.loads(ask(child, "check"))
            if found["wrong"]:
                print(f"after kill {tally.counts['kills']}: {found['wrong']}", flush=True)
                tally.counts["violations"] += 1
            tally.counts["rows_checked"] += found["rows"]
            tally.counts["batches_to_repeat"] += found["repeated"]
            into = Path(folder, generation(tally))
            tally.counts["unfinished_creations"] += int(not found["files"] and Path(into, ROLLUP).exists())
            if found["wrong"] or found["files"] == FILES:
                tally.counts["whole"] += int(not found["wrong"])
                tally.counts["generation"] += 1
                ended(child)
                child = started(folder, tally)
            tally.store()
            print(
                f"{tally.counts['kills']} kills; {tally.counts['rows_checked']} rows checked, "
                f"{tally.counts['batches_to_repeat']} batches to repeat, {tally.counts['whole']} streams whole",
                flush=True,
            )
    finally:
        for process in (child, waiting):
            if process:
                ended(process)
    print(json.dumps(tally.counts, indent=1))


def ask(child, request):
    """Send a line to a driver and return its answer."""
    child.stdin.write(f"{request}\n".encode())
    child.stdin.flush()
    answer = child.stdout.readline()
    assert answer, "the driver ended by itself"
    return answer


def wait(into, child, rng, life):
    """Let a driver run: for a moment, or until it has committed some batches and a moment longer."""
    before = commits(into)
    wanted, end = rng.choice((0, 1, 1, 2, 4)), time.monotonic() + 60
    while commits(into) < min(before + wanted, FILES) and time.monotonic() < end and child.poll() is None:
        time.sleep(0.01)
    end = time.monotonic() + rng.random() * life
    while time.monotonic() < end and child.poll() is None:
        time.sleep(0.01)


def generation(tally):
    """Return the folder name of the stream that runs now."""
    return f"stream-{tally.counts['generation']}"


def started(folder, tally):
    """Start a driver."""
    command = [sys.executable, __file__, folder, "--work", generation(tally)]
    pipe = subprocess.PIPE
    with Path(folder, "driver.log").open("ab") as log:
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log, start_new_session=True)


def main():
    """Run a slice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--work", help=argparse.SUPPRESS)
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
