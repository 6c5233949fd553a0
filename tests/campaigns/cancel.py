"""Cancel queries, streams, followers and calibrations at random moments, and measure how long they take to end.

python tests/campaigns/cancel.py run FOLDER --cancels 2000 --seconds 400
python tests/campaigns/cancel.py run FOLDER --cancel 17
python tests/campaigns/cancel.py report FOLDER

The first continues after the last cancel in the folder, and stops after --seconds. The second repeats one: its kind and the moment.
The last one writes the times of each kind to benchmarks/results/robustness_cancel.json and .md.

A cancel has ended when the caller has its exception, no task runs and no job is left. Afterwards nothing may be left: no file of a
task, no new file in the folder of a warehouse, no cached rows, no thread of ours. Then the same is run again, without a cancel, and
must give the answer of an undisturbed run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path

import chronosketch as cs
from follow import session

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "delta"), str(TESTS.parent / "benchmarks")]

import rolling_up as checks  # noqa: E402
from harness.results import RESULTS, footer, provenance  # noqa: E402
from harness.spread import spaced  # noqa: E402

SEED = 47
ROWS, GROUPS, SKETCHES = 1_200_000, 600_000, 60_000
PATIENCE = 60

#: Questions whose answer is one row, so that no time goes into moving rows to Python.
HASHED = "SELECT count(*), bit_xor(xxhash64({0})) FROM ({1})"
HOPPING = (
    "SELECT k, window.start AS t, q, n FROM hopping_sketch(TABLE({0}), event_time => 'ts', size => '10 minutes', "
    "slide => '10 seconds', by => array('k'), aggs => array('approx_quantile(v, 0.9) AS q', 'count(*) AS n'))"
)
OVER = "SELECT id, approx_quantile(v, 0.9) OVER ({0}) AS q FROM rows"
QUERIES = {
    "GROUP BY": HASHED.format(
        "k, q, n",
        f"SELECT id % {GROUPS} AS k, approx_quantile(v, 0.9) AS q, count(*) AS n FROM rows GROUP BY 1",
    ),
    "no key": "SELECT approx_quantile(v, array(0.01, 0.5, 0.99)), approx_quantile_bounds(v, 0.5, 0.0001) FROM rows",
    "merged": HASHED.format("k, s", "SELECT k, sketch_merge_agg(s) AS s FROM sketches GROUP BY k"),
    "OVER rows": HASHED.format("id, q", OVER.format("ORDER BY id ROWS 9999 PRECEDING")),
    "OVER all rows before": HASHED.format("id, q", OVER.format("ORDER BY id")),
    "OVER a range": HASHED.format(
        "id, q", OVER.format("PARTITION BY k ORDER BY ts RANGE INTERVAL 1 HOUR PRECEDING")
    ),
    "hopping": HASHED.format("k, t, q, n", HOPPING.format("rows")),
    "CUBE": HASHED.format(
        "k, a, b, q",
        "SELECT k, id % 7 AS a, id % 3000 AS b, approx_quantile(v, 0.9) AS q FROM rows GROUP BY CUBE(k, id % 7, id % 3000)",
    ),
    "history": HASHED.format(
        "k, s", "SELECT id % 1000 AS k, history_sketch_agg(v, id) AS s FROM rows GROUP BY 1"
    ),
}
PLAIN = (
    f"SELECT max(hash(id, k, v)) FROM rows CROSS JOIN (SELECT id AS copy FROM range({2 * ROWS // 10_000}))"
)
# PySpark's handler of Ctrl-C calls the JVM on the connection that waits for the query, which fails
CTRL_C, PLAIN_CTRL_C = "GROUP BY, Ctrl-C", "Spark's own max, Ctrl-C"
BROADCAST = (
    "SELECT /*+ BROADCAST(s) */ count(*), sum(length(s)) FROM (SELECT DISTINCT k FROM rows) JOIN "
    f"(SELECT id % {GROUPS} % 1000 AS k, id % {GROUPS} AS g, quantile_sketch_agg(v) AS s FROM rows GROUP BY 1, 2) s USING (k)"
)


def create(spark, folder):
    """Create the tables of all queries."""
    rows, sketches = str(Path(folder, "rows")), str(Path(folder, "sketches"))
    if not Path(sketches, "_SUCCESS").exists():
        spark.range(0, ROWS, 1, 8).selectExpr(
            "id",
            "CAST(id % 10 AS INT) AS k",
            "timestamp_seconds(1767225600 + id div 20) AS ts",
            "CAST(pmod(xxhash64(id), 1000003) AS INT) AS v",
        ).write.mode("overwrite").parquet(rows)
        spark.sql(
            f"SELECT g % 20 AS k, quantile_sketch_agg(v) AS s FROM (SELECT id % {SKETCHES} AS g, xxhash64(id) AS v "
            f"FROM range(0, {SKETCHES * 20}, 1, 4)) GROUP BY g"
        ).write.mode("overwrite").parquet(sketches)
    spark.read.parquet(rows).createOrReplaceTempView("rows")
    spark.read.parquet(sketches).createOrReplaceTempView("sketches")
    warehouse = Path(folder, "warehouse")
    if not Path(folder, "warehouse.done").exists():
        shutil.rmtree(warehouse, ignore_errors=True)
        made = cs.warehouse.create(spark, str(warehouse), value="v", by=["k"], epsilon=0.02, kappa=2)
        for step in range(2):
            made.append(spark.sql(f"SELECT v, CAST(id % 3000 AS INT) AS k FROM rows WHERE id % 2 = {step}"))
        Path(folder, "warehouse.done").touch()
    for step in range(6):
        place = Path(folder, "stream", f"part-{step}.parquet")
        if not place.exists():
            spark.sql(f"SELECT * FROM rows WHERE id div {ROWS // 6} = {step}").coalesce(1).write.mode(
                "overwrite"
            ).parquet(f"{folder}/part")
            place.parent.mkdir(exist_ok=True)
            shutil.move(next(Path(folder, "part").glob("*.parquet")), place)
    requests = f"delta.`{folder}/requests`"
    if not Path(folder, "requests").exists():
        checks.create(spark, requests)
        spark.sql(f"INSERT INTO {requests} {checks.rows(0, ROWS // 6, every=1)}")


class Engine:
    """Watches the tasks and jobs of the session."""

    def __init__(self, spark, folder):
        self.spark, self.context = spark, spark.sparkContext
        self._java = self.context._jsc.sc()
        source = self._java.env().metricsSystem().getSourcesByName("executor").apply(0)
        self._tasks = source.metricRegistry().getGauges().get("threadpool.activeTasks")
        self._local = Path(folder, "local")

    def is_busy(self):
        """Return whether a task runs or a job is left."""
        return self._tasks.getValue() > 0 or bool(self.context.statusTracker().getActiveJobsIds())

    def wait_until_idle(self):
        """Return the moment at which the last task ended. Jobs may follow each other, so idleness has to last."""
        last = time.monotonic()
        end = last + PATIENCE
        while time.monotonic() < min(last + 0.3, end):
            if self.is_busy():
                last = time.monotonic()
            time.sleep(0.005)
        return last

    def left_over(self):
        """Return what a cancelled query has left behind."""
        files = [file.name for file in self._local.rglob("temp_*") if file.is_file()]
        running = self.context._jvm.java.lang.Thread.getAllStackTraces().keySet()
        threads = [thread.getName() for thread in running if "chronosketch" in thread.getName()]
        # Delta keeps the states of tables, under this name
        stored = [rdd.toString() for rdd in self.context._jsc.getPersistentRDDs().values()]
        return [*files, *threads, *[name for name in stored if "Delta Table State" not in name]]


class Query:
    """Cancels a query by its job group, or by Ctrl-C."""

    def __init__(self, engine, text):
        self._engine, self._text = engine, text

    def run(self):
        """Run to the end, and return the answer."""
        return repr(self._engine.spark.sql(self._text).collect())

    def after(self):
        """Return the answer after the cancel."""
        return self.run()

    def left(self):
        """Return what is left in folders of its own."""
        return []


class Search(Query):
    """Cancels a question to a warehouse."""

    def __init__(self, engine, folder):
        self._engine, self._folder = engine, Path(folder, "warehouse")
        self._before = files_in(self._folder)

    def run(self):
        """Run to the end, and return the answer."""
        found = cs.warehouse.open(self._engine.spark, str(self._folder)).quantile([0.1, 0.5, 0.99])
        return repr(sorted(repr(tuple(row)) for row in found.select("k", "phi", "value").collect()))

    def left(self):
        """Return what is left in folders of its own."""
        return sorted(files_in(self._folder) ^ self._before)


class Append(Query):
    """Cancels an append to a copy of a warehouse. A cancelled append may have won."""

    def __init__(self, engine, folder):
        self._engine, self._from, self._folder = engine, Path(folder, "warehouse"), Path(folder, "appended")

    def run(self):
        """Run to the end, and return the answer."""
        shutil.rmtree(self._folder, ignore_errors=True)
        shutil.copytree(self._from, self._folder)
        self._before = files_in(self._folder)
        return self._append()

    def _append(self):
        spark = self._engine.spark
        more = spark.sql("SELECT v + 1 AS v, CAST(id % 3000 AS INT) AS k FROM rows")
        warehouse = cs.warehouse.open(spark, str(self._folder))
        warehouse.append(more, writer="campaign", batch=1)
        found = warehouse.quantile([0.5], "quick").selectExpr("count(*)", "sum(count_low)", "sum(count_high)")
        return repr(found.collect())

    def left(self):
        """Return what is left in folders of its own."""
        now = files_in(self._folder)
        manifests = {name for name in now - self._before if name.startswith("manifest")}
        # a commit that came before the cancel names its files
        return [] if manifests else sorted(now - self._before)

    def after(self):
        """Return the answer of the run after the cancel."""
        return self._append()


class Steps(Query):
    """Cancels a step of a roll-up's follower."""

    def __init__(self, engine, folder, runs=False):
        self._engine, self._folder, self._runs = engine, folder, runs
        self._table, self._into = f"delta.`{folder}/requests`", f"delta.`{folder}/rolled`"

    def run(self):
        """Run to the end, and return the answer."""
        shutil.rmtree(f"{self._folder}/rolled", ignore_errors=True)
        if self._runs:
            end = threading.Event()
            threading.Timer(PATIENCE, end.set).start()
            self._follower().run(self._engine.spark, every=0.2, until=end)
        return self.after()

    def _follower(self):
        return checks.follower(self._table, into=self._into, levels=["15 minutes", "1 day"])

    def after(self):
        """Return the answer of the run after the cancel."""
        self._follower().step(self._engine.spark)
        rolled = self._engine.spark.read.format("delta").load(f"{self._folder}/rolled")
        return repr(rolled.selectExpr("count(*)", "sum(rows)", "sum(amount_sum)").collect())


class Stream(Query):
    """Stops a stream of hopping windows. The next query continues where it was stopped."""

    def __init__(self, engine, folder):
        self._engine, self._folder = engine, folder
        self.query = None
        self._is_stopped = False

    def stop(self):
        """Stop the stream, if it has started."""
        if self.query is not None:
            self._is_stopped = True
            self.query.stop()

    def run(self):
        """Run to the end, and return the answer."""
        self.query = None
        for name in ("windows", "checkpoint"):
            shutil.rmtree(f"{self._folder}/{name}", ignore_errors=True)
        return self.after()

    def after(self):
        """Return the answer of the run after the cancel."""
        self._is_stopped = False
        spark = self._engine.spark
        schema = spark.table("rows").schema
        rows = (
            spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(f"{self._folder}/stream")
        )
        rows.withWatermark("ts", "1 minute").createOrReplaceTempView("streamed")
        self.query = (
            spark.sql(HOPPING.format("streamed"))
            .writeStream.trigger(availableNow=True)
            .option("checkpointLocation", f"{self._folder}/checkpoint")
            .start(f"{self._folder}/windows", format="parquet")
        )
        self.query.awaitTermination()
        if self._is_stopped:
            raise RuntimeError("the stream was stopped")
        spark.read.parquet(f"{self._folder}/windows").createOrReplaceTempView("windows")
        return repr(spark.sql(HASHED.format("k, t, q, n", "SELECT * FROM windows")).collect())


def files_in(folder):
    """Return the files of a folder, without checksums."""
    return {str(f.relative_to(folder)) for f in Path(folder).rglob("*") if f.is_file() and f.suffix != ".crc"}


class Canceller(threading.Thread):
    """Acts at a moment, and again until the query has ended: between two jobs Spark finds nothing to cancel."""

    def __init__(self, act, moment, repeats):
        super().__init__(daemon=True)
        self._act, self._moment, self._repeats = act, moment, repeats
        self.ended = threading.Event()
        self.acted = None

    def run(self):
        """Wait for the moment, and act."""
        if self.ended.wait(self._moment):
            return
        self.acted = time.monotonic()
        self._act()
        while self._repeats and not self.ended.wait(0.02):
            self._act()


class Campaign:
    """Runs each kind until it is cancelled."""

    def __init__(self, spark, folder):
        self._engine, self._folder = Engine(spark, folder), folder
        self._undisturbed = {}
        queries = {name: Query(self._engine, text) for name, text in QUERIES.items()}
        steps = Steps(self._engine, folder)
        # a kind is what runs, and how it ends
        self.kinds = {
            **{name: (query, "cancelJobGroup") for name, query in queries.items()},
            "warehouse search": (Search(self._engine, folder), "cancelJobGroup"),
            "append to a warehouse": (Append(self._engine, folder), "cancelJobGroup"),
            "step of a roll-up": (steps, "cancelJobGroup"),
            "hopping stream": (Stream(self._engine, folder), "query.stop"),
            CTRL_C: (queries["GROUP BY"], "Ctrl-C"),
            PLAIN_CTRL_C: (Query(self._engine, PLAIN), "Ctrl-C"),
            "follower's run(), Ctrl-C": (Steps(self._engine, folder, runs=True), "Ctrl-C"),
            "broadcast of sketches": (Query(self._engine, BROADCAST), "time-out"),
            "calibration, Ctrl-C": (None, "Ctrl-C"),
        }

    def _normal(self, name, work):
        if name not in self._undisturbed:
            job = Steps(self._engine, self._folder) if isinstance(work, Steps) else work
            job.run()
            began = time.monotonic()
            answer = job.run()
            self._undisturbed[name] = answer, time.monotonic() - began
        return self._undisturbed[name]

    def run(self, number, kinds):
        """Cancel once. Return the record of it."""
        rng = random.Random(f"{SEED} {number}")
        name = rng.choice(kinds or list(self.kinds))
        work, way = self.kinds[name]
        record = {"number": number, "kind": name, "way": way}
        if work is None:
            return {**record, **calibration(rng)}
        right, seconds = self._normal(name, work)
        moment = rng.uniform(0, seconds)
        context = self._engine.context
        group = f"cancel {number}"
        context.setJobGroup(group, name, interruptOnCancel=rng.random() < 0.5)
        acts = {
            "cancelJobGroup": lambda: context.cancelJobGroup(group),
            "query.stop": lambda: work.stop(),
            "Ctrl-C": lambda: os.kill(os.getpid(), signal.SIGINT),
            "time-out": lambda: None,
        }
        if way == "time-out":
            self._engine.spark.conf.set("spark.sql.broadcastTimeout", 1)
            # with AQE the sketches are complete before the broadcast begins
            self._engine.spark.conf.set("spark.sql.adaptive.enabled", "false")
            moment = seconds + PATIENCE
        canceller = Canceller(acts[way], moment, way == "cancelJobGroup")
        canceller.start()
        error = None
        try:
            work.run()
        except (Exception, KeyboardInterrupt) as thrown:
            error = thrown
        ended = time.monotonic()
        try:
            canceller.ended.set()
            canceller.join()
        except KeyboardInterrupt:  # the interrupt came after the answer
            canceller.join()
        for setting in ("spark.sql.broadcastTimeout", "spark.sql.adaptive.enabled"):
            self._engine.spark.conf.unset(setting)
        idle = self._engine.wait_until_idle()
        context.setJobGroup("campaign", "an undisturbed run")
        began = ended if way == "time-out" else canceller.acted
        is_hit = error is not None and began is not None
        if is_hit:
            record.update(caller=ended - began, tasks=max(0.0, idle - began), error=type(error).__name__)
        left = self._engine.left_over() + work.left()
        return {**record, "moment": moment, "hit": is_hit, "left": left, "right": work.after() == right}


def calibration(rng):
    """Interrupt a calibration. Its Java process has to end, too."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "-c",
            "from chronosketch.cli import main; main()",
            "calibrate",
            "--grid",
            "small",
            "--no-spark",
            "--out",
            folder,
        ]
        process = subprocess.Popen(
            [sys.executable, *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        moment = rng.uniform(2, 8)
        time.sleep(moment)
        is_hit = process.poll() is None
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        ended = time.monotonic()
        while time.monotonic() < ended + PATIENCE and in_session(process.pid):
            time.sleep(0.005)
        seconds = {
            "caller": ended - began,
            "tasks": time.monotonic() - began,
            "error": str(process.returncode),
        }
        left = [f"process {pid}" for pid in in_session(process.pid)]
        return {**(seconds if is_hit else {}), "moment": moment, "hit": is_hit, "left": left, "right": True}


def in_session(leader):
    """Return the processes that a process has left in its session."""
    found = subprocess.run(["pgrep", "-s", str(leader)], capture_output=True, text=True, check=False)
    return found.stdout.split()


def slowest(record):
    return max(record["caller"], record["tasks"])


def share(times, part):
    """Return the nearest-rank quantile of some times."""
    return sorted(times)[max(0, -(-int(part * 1000) * len(times) // 1000) - 1)]


def report(folder):
    """Write the times of each kind, as JSON and as a page."""
    lines = Path(folder, "cancels.jsonl").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    kinds = defaultdict(list)
    for record in records:
        kinds[record["kind"]].append(record)
    rows = []
    others = [record for record in records if record["kind"] not in (CTRL_C, PLAIN_CTRL_C)]
    for name, all_of_kind in [*sorted(kinds.items()), ("all without Ctrl-C of a query", others)]:
        times = [slowest(record) for record in all_of_kind if record["hit"]]
        if times:
            rows.append(
                {
                    "kind": name,
                    "cancels": len(times),
                    "median": round(statistics.median(times), 3),
                    "p99": round(share(times, 0.99), 3),
                    "worst": round(max(times), 3),
                    "left": sum(bool(record["left"]) for record in all_of_kind),
                    "wrong": sum(not record["right"] for record in all_of_kind),
                }
            )
    page = ["# Cancelled queries, streams and followers", ""]
    page += ["Seconds from the cancel until the caller has its exception and no task runs.", ""]
    page += [
        "| what | cancels | median | p99 | worst | left something | wrong afterwards |",
        "|---|---|---|---|---|---|---|",
    ]
    page += [
        f"| {r['kind']} | {spaced(r['cancels'])} | {r['median']} | {r['p99']} | {r['worst']} | {r['left']} | {r['wrong']} |"
        for r in rows
    ]
    page += [
        "",
        "Ctrl-C in PySpark raises KeyboardInterrupt at once, but its query runs on to its end, with or without us: PySpark's handler "
        "calls the JVM on the connection that waits for the query, and fails. `Follower.run` and `chronosketch calibrate` end theirs.",
    ]
    of = json.loads(Path(folder, "provenance.json").read_text())
    text = "\n".join([*page, "", *footer(of)]) + "\n"
    stored = json.dumps({**of, "kinds": rows}, indent=1) + "\n"
    (RESULTS / "robustness_cancel.json").write_text(stored, encoding="utf-8")
    (RESULTS / "robustness_cancel.md").write_text(text, encoding="utf-8")
    print(text)


def main():
    """Run a slice or one cancel, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["run", "report"])
    parser.add_argument("folder")
    parser.add_argument("--cancels", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--cancel", type=int, help="repeat this cancel, and count nothing")
    parser.add_argument(
        "--kinds", nargs="*", help="choose among these only; their numbers mean other cancels"
    )
    options = parser.parse_args()
    folder = str(Path(options.folder).resolve())
    if options.what == "report":
        report(folder)
        return
    Path(folder, "local").mkdir(parents=True, exist_ok=True)
    os.environ["SPARK_LOCAL_DIRS"] = f"{folder}/local"
    spark = session(folder)
    state = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    spark.conf.set("spark.sql.streaming.stateStore.providerClass", state)
    create(spark, folder)
    campaign = Campaign(spark, folder)
    if options.cancel is not None:
        print(campaign.run(options.cancel, options.kinds))
        return
    Path(folder, "provenance.json").write_text(
        json.dumps(provenance(spark, "python tests/campaigns/cancel.py run FOLDER"))
    )
    stored = Path(folder, "cancels.jsonl")
    number = len(stored.read_text().splitlines()) if stored.exists() else 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and number < options.cancels:
        record = campaign.run(number, options.kinds)
        with stored.open("a") as file:
            file.write(json.dumps(record) + "\n")
        if record["left"] or not record["right"] or (record["hit"] and slowest(record) > 1):
            print(record, flush=True)
        number += 1
    print(f"{number} cancels", flush=True)


if __name__ == "__main__":
    main()
