"""Break executors and tasks of a cluster at random while queries run. Every answer must be that of an undisturbed run.

python tests/campaigns/faults.py FOLDER --jobs 10000 --seconds 400
python tests/campaigns/faults.py FOLDER --job 17
python tests/campaigns/faults.py FOLDER --report

The first continues after the last job that ran in the folder, and stops after --seconds. The second repeats one job: its query, its
fault, and the moment of the fault. The third publishes the counts.
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
from collections import Counter
from pathlib import Path

import chronosketch as cs
from pyspark import TaskContext
from pyspark.sql import functions as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from harness.results import RESULTS, footer, provenance
from harness.spread import spaced

SEED = 47
EXECUTORS = 3
ROWS, FILES = 60_000, 12
# one key has nine tenths of the rows
KEY = "IF(id % 10 = 0, CAST(id % 70 AS INT) + 1, 0)"
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
OVER = "approx_quantile(v, 0.99, 0) OVER (PARTITION BY k ORDER BY {0})"


def merged_in_python(spark, table):
    """Sketch in workers of Python, which die with their executor."""
    return cs.portable.sketch(spark.table(table), "k", "v", 0.01).selectExpr("k", "md5(sketch)")


def warehouse(spark, table):
    """Append two steps to a new warehouse, and ask it. Tasks that run twice must not add rows twice."""
    folder = tempfile.mkdtemp(dir=spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:"))
    try:
        rows = spark.table(table).where("NOT isnan(v)")
        created = cs.warehouse.create(spark, f"{folder}/w", value="v", by=["k"], epsilon=0.05)
        for half in (0, 1):
            created.append(rows.where(f"id % 2 = {half}"))
        found = created.quantile([0.01, 0.5, 0.99]).collect()
        counted = created.quantile(0.5, accuracy="quick").collect()
        return [tuple(str(row[name]) for name in ("k", "phi", "value")) for row in found] + [len(counted)]
    finally:
        shutil.rmtree(folder)


#: The queries by name: texts with a place for the table, or functions of the session and the table.
QUERIES = {
    "GROUP BY": "SELECT k, approx_quantile(v, array(0.01, 0.5, 0.99)) AS q, count(*), max(v) FROM {0} GROUP BY k",
    "no key": "SELECT approx_quantile(v, array(0.01, 0.5, 0.99)), approx_quantile_bounds(v, 0.5) FROM {0}",
    "CUBE": "SELECT k, id % 3 AS m, approx_quantile(v, 0.9, 0.01) FROM {0} GROUP BY CUBE(k, id % 3)",
    "DISTINCT": "SELECT k, approx_quantile(DISTINCT v, 0.5), count(DISTINCT v), approx_quantile(v, 0.9) FROM {0} GROUP BY k",
    "merged": (
        "SELECT k, md5(sketch_merge_agg(s)) FROM (SELECT k, quantile_sketch_agg(v, 0.01) AS s FROM {0} GROUP BY k, id % 50) GROUP BY k"
    ),
    "OVER rows": f"SELECT bit_xor(xxhash64(id, q)) FROM (SELECT id, {OVER.format('id ROWS 99 PRECEDING')} AS q FROM {{0}})",
    "OVER a range": (
        "SELECT bit_xor(xxhash64(id, q)) FROM "
        f"(SELECT id, {OVER.format('ts RANGE INTERVAL 5 MINUTES PRECEDING')} AS q FROM {{0}})"
    ),
    "hopping": f"SELECT k, window.start, q, n FROM {HOPPING}",
    **{
        f"`{sketch}`": f"SELECT k, length(s), md5(s) FROM (SELECT k, {sketch} AS s FROM {{0}} GROUP BY k)"
        for sketch in SKETCHES
    },
    "`cs.portable.sketch`": merged_in_python,
    "warehouse": warehouse,
}


class Cluster:
    """A session on a cluster of executors of their own processes."""

    def __init__(self, folder):
        self._local = Path(folder, "local")
        builder = cs.session("faults").master(f"local-cluster[{EXECUTORS},1,1024]")
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "OFF",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "1g",
            "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.local.dir": str(self._local),
            # executors that were killed are replaced, as often as they are killed
            "spark.deploy.maxExecutorRetries": "-1",
            "spark.task.maxFailures": "20",
            "spark.stage.maxConsecutiveAttempts": "20",
            "spark.speculation": "true",
            "spark.speculation.interval": "50ms",
            "spark.speculation.quantile": "0.5",
            "spark.speculation.minTaskRuntime": "300ms",
            "spark.decommission.enabled": "true",
            "spark.storage.decommission.enabled": "true",
            "spark.storage.decommission.shuffleBlocks.enabled": "true",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.adaptive.coalescePartitions.enabled": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.spark = builder.getOrCreate()
        self._app = self.spark.sparkContext.applicationId

    def executors(self):
        """Return the process of each executor that runs."""
        found = subprocess.run(
            ["pgrep", "-f", f"CoarseGrainedExecutorBackend.*{self._app}"],
            capture_output=True,
            text=True,
            check=False,
        )
        return sorted(int(pid) for pid in found.stdout.split())

    def wait_for_executors(self):
        """Wait until replaced executors have registered."""
        end = time.monotonic() + 120
        backend = self.spark.sparkContext._jsc.sc().schedulerBackend()
        while backend.getExecutorIds().size() < EXECUTORS:
            if time.monotonic() > end:
                raise TimeoutError("executors are missing for two minutes")
            time.sleep(0.05)

    def signal_one(self, rng, number):
        """Send a signal to one of the executors. Return whether there was one."""
        running = self.executors()
        if running:
            os.kill(rng.choice(running), number)
        return bool(running)

    def lose_shuffle_files(self, rng):
        """Delete what the map tasks of one executor have written. Return whether there was anything."""
        stored = sorted({file.parent.parent for file in self._local.rglob("shuffle_*.data")})
        if not stored:
            return False
        for file in rng.choice(stored).rglob("shuffle_*"):
            file.unlink(missing_ok=True)
        return True


def create(spark, folder):
    """Create the table of all queries."""
    path = str(Path(folder, "rows"))
    if not Path(path, "_SUCCESS").exists():
        spark.range(0, ROWS, 1, FILES).selectExpr(
            "id",
            f"{KEY} AS k",
            "timestamp_seconds(1767225600 + id) AS ts",
            "CASE WHEN id % 97 = 0 THEN NULL WHEN id % 101 = 0 THEN DOUBLE('NaN') "
            "ELSE round(exp(CAST(xxhash64(id) AS DOUBLE) / 4e18), 3) END AS v",
        ).write.mode("overwrite").parquet(path)
    spark.read.parquet(path).createOrReplaceTempView("plain")


def through_python(spark, name, passes):
    """Create a view that asks a function of Python about each row, which may fail or wait in first attempts of tasks."""
    check = F.udf(passes, "boolean", useArrow=False).asNondeterministic()
    spark.table("plain").where(check("id")).createOrReplaceTempView(name)


def failing(chosen, attempts):
    """Return a function that fails on the chosen rows in this many attempts of their task."""

    def passes(row):
        if row in chosen and TaskContext.get().attemptNumber() < attempts:
            raise RuntimeError(f"row {row} was chosen to fail")
        return True

    return passes


def waiting(chosen, seconds):
    """Return a function that waits at the chosen rows in the first attempt, so that a second one runs beside it."""

    def passes(row):
        if row in chosen and TaskContext.get().attemptNumber() == 0:
            time.sleep(seconds)
        return True

    return passes


class Fault:
    """Does something to the cluster while a query runs, at a moment that the random numbers decide."""

    def __init__(self, act, rng, seconds):
        self._act, self._rng = act, rng
        self._moments = sorted(rng.uniform(0, 1.1 * seconds) for _ in range(rng.choice((1, 1, 2))))
        self._end = threading.Event()
        self.happened = 0

    def _run(self):
        began = time.monotonic()
        for moment in self._moments:
            if self._end.wait(max(0.0, began + moment - time.monotonic())):
                return
            self.happened += bool(self._act(self._rng))

    def __enter__(self):
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()


class Campaign:
    """Runs jobs, each of one query and one fault, on one cluster."""

    def __init__(self, cluster):
        self._cluster, self._spark = cluster, cluster.spark
        self._undisturbed = {}
        self.faults = {
            "executor killed": lambda rng: cluster.signal_one(rng, signal.SIGKILL),
            "executor decommissioned": lambda rng: cluster.signal_one(rng, signal.SIGPWR),
            "map output lost": cluster.lose_shuffle_files,
            "task failed": None,
            "task waited": None,
        }

    def undisturbed(self, name):
        """Return the answer of a query without faults, and the seconds that it takes."""
        if name not in self._undisturbed:
            self._ask(name, "plain")
            began = time.monotonic()
            answer = self._ask(name, "plain")
            self._undisturbed[name] = answer, time.monotonic() - began
        return self._undisturbed[name]

    def run(self, number):
        """Run a job. Return its query, its fault, how often the fault happened, and whether the answer is right."""
        rng = random.Random(f"{SEED} {number}")
        name, fault = rng.choice(list(QUERIES)), rng.choice(list(self.faults))
        right, seconds = self.undisturbed(name)
        self._cluster.wait_for_executors()
        chosen = frozenset(rng.sample(range(ROWS), rng.choice((1, 3))))
        if fault == "task failed":
            through_python(self._spark, "frail", failing(chosen, rng.choice((1, 2))))
            answer, happened = self._ask(name, "frail"), len(chosen)
        elif fault == "task waited":
            through_python(self._spark, "slow", waiting(chosen, 1.5))
            answer, happened = self._ask(name, "slow"), len(chosen)
        else:
            with Fault(self.faults[fault], rng, seconds) as acting:
                answer = self._ask(name, "plain")
            happened = acting.happened
        return name, fault, happened, answer == right

    def _ask(self, name, table):
        query = QUERIES[name]
        asked = self._spark.sql(query.format(table)) if isinstance(query, str) else query(self._spark, table)
        return sorted(map(repr, asked if isinstance(asked, list) else map(tuple, asked.collect())))


def report(folder):
    """Write the counts, as JSON and as a page."""
    of = json.loads(Path(folder, "faults.json").read_text())
    counts = Counter(of["counts"])
    lines = ["# Tasks and executors that die", ""]
    lines += [
        f"{spaced(counts['jobs'])} jobs on {EXECUTORS} executors of their own processes, each one query and one fault at a random moment. "
        f"Every answer must be that of an undisturbed run, to the bit. **{counts['violations']} were not.**",
        "",
        "| fault | jobs | times that it happened |",
        "|---|---|---|",
    ]
    faults = [name.removeprefix("jobs, ") for name in counts if name.startswith("jobs, ")]
    lines += [
        f"| {name} | {spaced(counts[f'jobs, {name}'])} | {spaced(counts[f'times, {name}'])} |"
        for name in sorted(faults)
    ]
    lines += ["", "| query | jobs |", "|---|---|"]
    asked = [name.removeprefix("queries, ") for name in counts if name.startswith("queries, ")]
    lines += [f"| {name} | {spaced(counts[f'queries, {name}'])} |" for name in sorted(asked)]
    text = "\n".join([*lines, "", *footer(of)]) + "\n"
    (RESULTS / "robustness_faults.json").write_text(json.dumps(of, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "robustness_faults.md").write_text(text, encoding="utf-8")
    print(text)


def main():
    """Run a slice, or one job."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--job", type=int, help="repeat this job, and count nothing")
    parser.add_argument("--report", action="store_true", help="publish the counts of the folder")
    options = parser.parse_args()
    folder = str(Path(options.folder).resolve())
    if options.report:
        report(folder)
        return
    for part in ("local", "warehouse"):
        Path(folder, part).mkdir(parents=True, exist_ok=True)
    tally = Path(folder, "faults.json")
    counts = Counter(json.loads(tally.read_text())["counts"] if tally.exists() else {})
    os.environ["PYSPARK_PYTHON"] = sys.executable
    cluster = Cluster(folder)
    create(cluster.spark, folder)
    campaign = Campaign(cluster)
    if options.job is not None:
        print(campaign.run(options.job))
        return
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and counts["jobs"] < options.jobs:
        number = counts["jobs"]
        name, fault, happened, is_right = campaign.run(number)
        counts.update({"jobs": 1, f"jobs, {fault}": 1, f"times, {fault}": happened, f"queries, {name}": 1})
        if not is_right:
            counts["violations"] += 1
            print(f"job {number}: {name}, {fault}: another answer", flush=True)
        if number % 10 == 0:
            print(f"{number} jobs, {counts['violations']} violations", file=sys.stderr, flush=True)
        tally.write_text(json.dumps({"counts": counts}, indent=1))
    of = provenance(cluster.spark, "python tests/campaigns/faults.py FOLDER")
    tally.write_text(json.dumps({**of, "counts": counts}, indent=1))
    print(json.dumps(counts, indent=1))


if __name__ == "__main__":
    main()
