"""Follow a table of many versions, kill the follower, and measure steps. Run by hand, in slices.

python tests/campaigns/follow.py grow FOLDER --versions 500
python tests/campaigns/follow.py check FOLDER
python tests/campaigns/follow.py kill FOLDER --kills 100
python tests/campaigns/follow.py size FOLDER --rows 10000000

Each command stops after --seconds, and continues from there when called again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import chronosketch as cs
from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "delta"))

import following as checks  # noqa: E402

SEED = 15


def session(folder):
    builder = SparkSession.builder.appName("follow").master("local[2]")
    settings = {
        "spark.driver.memory": "4g",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    return configure_spark_with_delta_pip(cs.configure(builder)).getOrCreate()


def without_codegen(spark):
    """Disable code generation: with many plans of few rows, compilation takes longer than execution."""
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    return spark


def tables(folder):
    return f"delta.`{folder}/orders`", f"delta.`{folder}/orders_history`"


def follower(folder):
    source, into = tables(folder)
    return cs.history.Follower(source, "amount", into, ["region"], epsilon=checks.EPSILON)


def orders(spark, folder):
    source, _ = tables(folder)
    if not Path(folder, "orders").exists():
        checks.create(spark, source)
    return source


def some_statement(rng, table, version):
    """Return a random statement that creates a version."""
    low = rng.randrange(400)
    some = f"id BETWEEN {low} AND {low + rng.randrange(100)}"
    region = rng.choice(["'north'", "'south'", "'west'", "NULL"])
    rows = (
        f"SELECT id, {region} AS region, CAST(pmod(id * 7919 + {version}, 1009) AS INT) AS amount "
        f"FROM range({low}, {low + 120}, 1, 1)"
    )
    insert = f"INSERT INTO {table} (id, region, amount) {rows}"
    merge = (
        f"MERGE INTO {table} t USING ({rows}) s ON t.id = s.id AND t.region <=> s.region "
        "WHEN MATCHED AND s.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET t.amount = s.amount "
        "WHEN NOT MATCHED THEN INSERT (id, region, amount) VALUES (s.id, s.region, s.amount)"
    )
    often = [
        insert,
        insert,
        merge,
        f"UPDATE {table} SET amount = amount + {rng.randrange(100)} WHERE {some}",
        f"UPDATE {table} SET region = {region} WHERE {some}",
        f"UPDATE {table} SET amount = NULL WHERE {some} AND id % 7 = 0",
        f"DELETE FROM {table} WHERE {some}",
    ]
    seldom = [
        f"UPDATE {table} SET amount = amount",
        f"ALTER TABLE {table} SET TBLPROPERTIES ('note' = '{version}')",
        f"INSERT OVERWRITE {table} SELECT * FROM {table} WHERE id % 2 = 0",
        f"TRUNCATE TABLE {table}",
        f"RESTORE {table} TO VERSION AS OF {rng.randrange(max(1, version))}",
        f"OPTIMIZE {table}",
    ]
    return rng.choice(seldom if rng.random() < 0.12 else often)


class Slice:
    """The time limit of this call."""

    def __init__(self, seconds):
        self._end = time.monotonic() + seconds

    def goes_on(self):
        """Return whether there is time left."""
        return time.monotonic() < self._end


def grow(spark, folder, options):
    """Create versions, and follow them a few at a time."""
    source, _ = tables(folder)
    orders(spark, folder)
    version, tried = checks.latest(spark, source), 0
    now = Slice(options.seconds)
    while version < options.versions and now.goes_on():
        # a statement that changes nothing creates no version, so try another one
        tried += 1
        rng = random.Random(f"{SEED} {version} {tried}")
        spark.sql(some_statement(rng, source, version))
        version = checks.latest(spark, source)
        if rng.random() < 0.2 or version >= options.versions:
            follower(folder).step(spark)
    print(f"{version} versions of {options.versions}")


def check(spark, folder, options):
    """Compare each version with time travel. The file `checked` stores the progress."""
    source, into = tables(folder)
    done = Path(folder, "checked")
    version = int(done.read_text()) + 1 if done.exists() else 0
    last = spark.read.table(into).where("kind = 'step'").agg({"to_version": "max"}).first()[0]
    now = Slice(options.seconds)
    while version <= last and now.goes_on():
        some = range(version, min(version + 10, last + 1))
        checks.check_versions(spark, source, some, into=into)
        version = some.stop
        done.write_text(str(version - 1))
    print(f"{version} of {last + 1} versions hold")


def check_steps(spark, folder):
    """Check that no version is missing or doubled, and that the newest ones are right."""
    source, into = tables(folder)
    follower(folder).step(spark)
    steps = spark.read.table(into).where("kind = 'step'").orderBy("from_version")
    ranges = [tuple(row) for row in steps.select("from_version", "to_version").collect()]
    assert ranges[0][0] == 0
    assert all(after[0] == before[1] + 1 for before, after in itertools.pairwise(ranges)), ranges
    last = checks.latest(spark, source)
    assert ranges[-1][1] == last
    checks.check_versions(spark, source, range(max(0, last - 8), last + 1), into=into)
    return len(ranges)


def follow(folder):
    """Make steps when the parent asks, until killed. Tell the parent about each."""
    spark = without_codegen(session(folder))
    warm_up(spark, folder)
    print("ready", flush=True)
    if not sys.stdin.readline():
        return
    while True:
        if follower(folder).step(spark) is not None:
            print("a step", flush=True)


def warm_up(spark, top):
    """Make two steps in another folder: the first step of a JVM takes ten seconds, later ones two."""
    with tempfile.TemporaryDirectory(dir=top) as folder:
        source = orders(spark, folder)
        follower(folder).step(spark)
        spark.sql(f"UPDATE {source} SET amount = amount + 1")
        follower(folder).step(spark)


def kill(spark, folder, options):
    """Kill -9 a follower and its JVM repeatedly, at any moment during or between steps."""
    source, _ = tables(folder)
    orders(spark, folder)
    tally = Tally(folder)
    now = Slice(options.seconds)
    # start the next follower while one runs, because starting takes longer than running
    waiting = started(folder)
    try:
        while tally.kills < options.kills and now.goes_on():
            child, waiting = waiting, started(folder)
            try:
                ended = lived(spark, source, child, random.random() * options.life)
            finally:
                end(child)
            tally.add(ended + len(child.stdout.read().splitlines()))
    finally:
        end(waiting)
    print(f"{tally}; {check_steps(spark, folder)} steps up to {checks.latest(spark, source)} hold")


class Tally:
    """Counts of kills in all slices, by what was finished before."""

    def __init__(self, folder):
        self._file = Path(folder, "kills")
        self.kills, self._steps, self._after = (
            json.loads(self._file.read_text()) if self._file.exists() else (0, 0, 0)
        )

    def add(self, steps):
        """Count a kill, and the steps finished before it."""
        self.kills, self._steps, self._after = self.kills + 1, self._steps + steps, self._after + (steps > 0)
        self._file.write_text(json.dumps([self.kills, self._steps, self._after]))

    def __str__(self):
        return f"{self.kills} kills, {self._after} of them after a step had ended, {self._steps} such steps"


def lived(spark, source, child, seconds):
    """Create a version for each of a follower's steps. Return the number of steps finished in this time."""
    assert child.stdout.readline(), "the follower did not begin"
    child.stdin.write(b"go\n")
    left, ended = Slice(seconds), 0
    while left.goes_on():
        version = checks.latest(spark, source)
        # a statement that changes nothing creates no version
        while checks.latest(spark, source) == version:
            spark.sql(some_statement(random, source, version))
        while left.goes_on() and not select.select([child.stdout], [], [], 0.05)[0]:
            assert child.poll() is None, "the follower ended by itself"
        ended += len(left_over(child.stdout).splitlines())
    return ended


def started(folder):
    command = [sys.executable, __file__, "follow", folder]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0, start_new_session=True)


def end(child):
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def left_over(pipe):
    """Read what is available without blocking."""
    return os.read(pipe.fileno(), 4096) if select.select([pipe], [], [], 0)[0] else b""


def size(spark, folder, options):
    """Measure the time and bytes of steps of 500 changed rows, and of enough to rebuild the open rows, for one group."""
    source, into = tables(folder)
    rows = f"SELECT id, 'all' AS region, CAST(rand({SEED}) * 1e9 AS INT) AS amount FROM range({options.rows})"
    spark.sql(
        f"CREATE OR REPLACE TABLE {source} USING delta "
        f"TBLPROPERTIES (delta.enableChangeDataFeed = true, delta.enableDeletionVectors = true) AS {rows}"
    )

    def timed(what, do):
        begun, cpu = time.monotonic(), cpu_seconds(spark)
        answer = do()
        took, used = time.monotonic() - begun, cpu_seconds(spark) - cpu
        print(f"{what}: {took:.1f} s, {used:.1f} s of CPU; {answer}", flush=True)

    def ask():
        then = cs.history.at(spark, into, version=checks.latest(spark, source))
        return then.selectExpr("sketch_count(sketch)", "sketch_quantile(sketch, 0.5)").first()

    def update(low, count):
        spark.sql(f"UPDATE {source} SET amount = amount + 1 WHERE id BETWEEN {low} AND {low + count - 1}")

    timed("the first step", lambda: follower(folder).step(spark))
    many = options.rows // 50  # open rows are rebuilt when more than 1 % of the values have changed
    for count in (500, 500, many, many):
        timed(f"an update of {count} rows", lambda n=count: update(random.randrange(options.rows // 2), n))
        timed(
            "a step" if count < many else "a step that builds open rows", lambda: follower(folder).step(spark)
        )
        timed("a question about its version", ask)
    files = spark.read.table(into).selectExpr("kind", "_metadata.file_path AS f", "_metadata.file_size AS n")
    by_kind = files.distinct().groupBy("kind").agg({"f": "count", "n": "sum"})
    for row in by_kind.orderBy("kind").collect():
        print(f"{row[0]}: {tuple(row)[1:]}")
    sketch = spark.read.table(into).where("kind = 'open'").selectExpr("octet_length(sketch)").collect()
    print(f"open sketches: {[row[0] for row in sketch]} bytes")


def cpu_seconds(spark):
    """Return the CPU seconds that the driver's JVM has used."""
    pid = spark._jvm.java.lang.ProcessHandle.current().pid()
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["grow", "check", "kill", "size", "follow"])
    parser.add_argument("folder")
    parser.add_argument("--versions", type=int, default=500)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--life", type=float, default=8, help="how long a follower lives at most, in seconds")
    options = parser.parse_args()
    folder = str(Path(options.folder).resolve())
    if options.what == "follow":
        follow(folder)
    spark = session(folder)
    if options.what != "size":
        without_codegen(spark)
    {"grow": grow, "check": check, "kill": kill, "size": size}[options.what](spark, folder, options)


if __name__ == "__main__":
    main()
