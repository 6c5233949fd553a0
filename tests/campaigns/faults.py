"""Break executors and tasks of a cluster at random while queries run. Every answer must be that of an undisturbed run.

python tests/campaigns/faults.py FOLDER --jobs 10000 --seconds 400 [--dynamic]
python tests/campaigns/faults.py FOLDER --job 17 [--dynamic]
python tests/campaigns/faults.py FOLDER --fixed 40
python tests/campaigns/faults.py FOLDER --report

The first continues after the last job that ran in the folder, and in a new folder after the published ones. It stops after --seconds. The second repeats one job: its query, its
fault, and the moment of the fault. The third runs jobs that have each query and each fault, and fails if an answer differs. The
fourth publishes the counts. With --dynamic, Spark's dynamic allocation adds and removes executors meanwhile.

Drivers of streams are killed by other campaigns: streams.py, rollup_streams.py.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import chronosketch as cs
from delta import configure_spark_with_delta_pip
from fault_queries import QUERIES, ROWS, arriving, ask, create
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from harness.results import RESULTS, footer, provenance
from harness.spread import spaced

PUBLISHED = RESULTS / "robustness_faults.json"
SEED = 47
EXECUTORS = 3
DYNAMIC = {
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    # executors go although others may ask for their shuffle files
    "spark.dynamicAllocation.shuffleTracking.timeout": "1s",
    "spark.dynamicAllocation.executorIdleTimeout": "1s",
    "spark.dynamicAllocation.cachedExecutorIdleTimeout": "1s",
    "spark.dynamicAllocation.schedulerBacklogTimeout": "1s",
    "spark.dynamicAllocation.sustainedSchedulerBacklogTimeout": "1s",
    "spark.dynamicAllocation.minExecutors": "1",
    "spark.dynamicAllocation.maxExecutors": str(EXECUTORS),
}


#: The name of the count of jobs, without and with dynamic allocation.
NUMBERED = {False: "jobs on three executors", True: "jobs with dynamic allocation"}


class Cluster:
    """A session on a cluster of executors of their own processes."""

    def __init__(self, folder, is_dynamic=False):
        self.folder, self.is_dynamic = folder, is_dynamic
        self._local = Path(folder, "local")
        builder = SparkSession.builder.appName("faults").master(f"local-cluster[{EXECUTORS},1,1024]")
        settings = {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.databricks.delta.snapshotPartitions": "1",
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
            # otherwise a query that is planned while an executor is missing reads files in fewer parts
            "spark.sql.leafNodeDefaultParallelism": str(EXECUTORS),
            "spark.sql.adaptive.coalescePartitions.enabled": "false",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            **(DYNAMIC if is_dynamic else {}),
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.spark = configure_spark_with_delta_pip(cs.configure(builder)).getOrCreate()
        self._app = self.spark.sparkContext.applicationId
        self._backend = self.spark.sparkContext._jsc.sc().schedulerBackend()

    def executors(self):
        """Return the process of each executor that runs."""
        found = subprocess.run(
            ["pgrep", "-f", f"CoarseGrainedExecutorBackend.*{self._app}"],
            capture_output=True,
            text=True,
            check=False,
        )
        return sorted(int(pid) for pid in found.stdout.split())

    def registered(self):
        """Return the names of the executors that the driver knows."""
        return set(self._backend.getExecutorIds().mkString(" ").split())

    def wait_for_executors(self):
        """Wait until replaced executors have registered."""
        end = time.monotonic() + 120
        while len(self.registered()) < (1 if self.is_dynamic else EXECUTORS):
            if time.monotonic() > end:
                raise TimeoutError("executors are missing for two minutes")
            time.sleep(0.05)

    def signal_one(self, rng, number):
        """Send a signal to one of the executors. Return whether there was one."""
        running = self.executors()
        if running:
            os.kill(rng.choice(running), number)
        return bool(running)

    def places(self):
        """Return the folders that have each output of a map task. Migration copies it into another one."""
        found = {}
        # files and folders may go meanwhile, which this leaves out
        for folder, _, files in os.walk(self._local):
            for name in files:
                if name.startswith("shuffle_") and name.endswith(".data"):
                    found.setdefault(name, set()).add(Path(folder).parent)
        return found

    def lose_shuffle_files(self, rng):
        """Delete what the map tasks of one executor have written. Return whether there was anything."""
        stored = sorted(set().union(*self.places().values()))
        if not stored:
            return False
        for file in rng.choice(stored).rglob("shuffle_*"):
            file.unlink(missing_ok=True)
        return True


def through_python(cluster, name, passes):
    """Create views that ask a function of Python about each row, which may fail or wait in first attempts of tasks."""
    check = F.udf(passes, "boolean", useArrow=False).asNondeterministic()
    cluster.spark.table("plain").where(check("id")).createOrReplaceTempView(name)
    rows = arriving(cluster.spark, cluster.folder)
    rows.where(check("id")).createOrReplaceTempView(f"{name}_arriving")


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


class Background:
    """Runs `_run` in a thread until the block ends, which `_end` tells."""

    def __init__(self):
        self._end = threading.Event()

    def __enter__(self):
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()


class Fault(Background):
    """Does something to the cluster while a query runs, at a moment that the random numbers decide."""

    def __init__(self, act, rng, seconds):
        super().__init__()
        self._act, self._rng = act, rng
        self._moments = sorted(rng.uniform(0, 1.1 * seconds) for _ in range(rng.choice((1, 1, 2))))
        self.happened = 0

    def _run(self):
        began = time.monotonic()
        for moment in self._moments:
            if self._end.wait(max(0.0, began + moment - time.monotonic())):
                return
            self.happened += bool(self._act(self._rng))


class Watch(Background):
    """Counts the executors that come and go, and the outputs of map tasks that decommissioned executors hand on."""

    def __init__(self, cluster):
        super().__init__()
        self._cluster = cluster
        self.changes, self.migrated = 0, 0

    def _run(self):
        known, places = self._cluster.registered(), {}
        while not self._end.wait(0.3):
            now = self._cluster.registered()
            self.changes += len(now ^ known)
            known = now
            for name, folders in self._cluster.places().items():
                self.migrated += len(folders - places.setdefault(name, set(folders)))
                places[name] |= folders


class Job(NamedTuple):
    """A query and its fault. The random numbers decide on the rest."""

    query: str
    fault: str
    rng: random.Random


class Outcome(NamedTuple):
    """What happened during a job, and whether its answer was right."""

    job: Job
    happened: int
    changes: int
    migrated: int
    is_right: bool


FAULTS = ("executor killed", "executor decommissioned", "map output lost", "task failed", "task waited")


def job(number, is_dynamic=False):
    """Return a job by its number."""
    rng = random.Random(f"{SEED} {'dynamic ' if is_dynamic else ''}{number}")
    return Job(rng.choice(list(QUERIES)), rng.choice(FAULTS), rng)


def fixed(count):
    """Return the numbers of jobs of which any few have all faults, and as many as there are queries have all queries."""
    found, faults, queries, number = [], Counter(), Counter(), 0
    while len(found) < count:
        chosen = job(number)
        is_new = queries[chosen.query] == len(found) // len(QUERIES)
        if is_new and faults[chosen.fault] <= len(found) // len(FAULTS):
            found.append(number)
            faults[chosen.fault] += 1
            queries[chosen.query] += 1
        number += 1
    return found


class Campaign:
    """Runs jobs, each of one query and one fault, on one cluster."""

    def __init__(self, cluster, runs=2):
        self._cluster, self._spark, self._runs = cluster, cluster.spark, runs
        self._undisturbed = {}
        self._acts = {
            "executor killed": lambda rng: cluster.signal_one(rng, signal.SIGKILL),
            "executor decommissioned": lambda rng: cluster.signal_one(rng, signal.SIGPWR),
            "map output lost": cluster.lose_shuffle_files,
        }

    def undisturbed(self, name):
        """Return the answer of a query without faults, and the seconds that its last run takes."""
        if name not in self._undisturbed:
            for _ in range(self._runs):
                began = time.monotonic()
                answer = ask(self._spark, name, "plain")
            self._undisturbed[name] = answer, time.monotonic() - began
        return self._undisturbed[name]

    def run(self, number):
        """Run a job."""
        asked = job(number, self._cluster.is_dynamic)
        name, fault, rng = asked
        right, seconds = self.undisturbed(name)
        if self._cluster.is_dynamic:
            # idle executors go meanwhile, but for one
            time.sleep(rng.choice((0, 2.5)))
        self._cluster.wait_for_executors()
        chosen = frozenset(rng.sample(range(ROWS), rng.choice((1, 3))))
        with Watch(self._cluster) as watch:
            if fault == "task failed":
                through_python(self._cluster, "frail", failing(chosen, rng.choice((1, 2))))
                answer, happened = ask(self._spark, name, "frail"), len(chosen)
            elif fault == "task waited":
                through_python(self._cluster, "slow", waiting(chosen, 1.5))
                answer, happened = ask(self._spark, name, "slow"), len(chosen)
            else:
                with Fault(self._acts[fault], rng, seconds) as acting:
                    answer = ask(self._spark, name, "plain")
                happened = acting.happened
        return Outcome(asked, happened, watch.changes, watch.migrated, answer == right)


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
    lines += [
        "",
        f"Decommissioned executors handed {spaced(counts['migrated'])} outputs of map tasks on. In {spaced(counts[NUMBERED[True]])} of the jobs "
        f"Spark's dynamic allocation ran, too: executors came or went {spaced(counts['changes'])} times meanwhile.",
    ]
    lines += ["", "| query | jobs |", "|---|---|"]
    asked = [name.removeprefix("queries, ") for name in counts if name.startswith("queries, ")]
    lines += [f"| {name} | {spaced(counts[f'queries, {name}'])} |" for name in sorted(asked)]
    text = "\n".join([*lines, "", *footer(of)]) + "\n"
    PUBLISHED.write_text(json.dumps(of, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "robustness_faults.md").write_text(text, encoding="utf-8")
    print(text)


def main():
    """Run a slice, or one job."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--job", type=int, help="repeat this job, and count nothing")
    parser.add_argument("--fixed", type=int, help="run this number of jobs that have all queries and faults")
    parser.add_argument("--dynamic", action="store_true", help="let Spark add and remove executors")
    parser.add_argument("--report", action="store_true", help="publish the counts of the folder")
    options = parser.parse_args()
    folder = str(Path(options.folder).resolve())
    if options.report:
        report(folder)
        return
    for part in ("local", "warehouse"):
        Path(folder, part).mkdir(parents=True, exist_ok=True)
    tally = Path(folder, "faults.json")
    # jobs go on where the published ones ended, so that slices of many days add up
    before = tally if tally.exists() else PUBLISHED
    counts = Counter(json.loads(before.read_text())["counts"] if before.exists() else {})
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # a driver that lives for minutes; warnings of its virtual machine would be read as jobs
    os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable")
    cluster = Cluster(folder, options.dynamic)
    create(cluster.spark, folder)
    if options.fixed:
        sys.exit(run_fixed(cluster, options.fixed))
    campaign = Campaign(cluster)
    if options.job is not None:
        print(campaign.run(options.job))
        return
    end, jobs = time.monotonic() + options.seconds, NUMBERED[options.dynamic]
    while time.monotonic() < end and counts[jobs] < options.jobs:
        number = counts[jobs]
        (name, fault, _), happened, changes, migrated, is_right = campaign.run(number)
        counts.update(
            {"jobs": 1, jobs: 1, f"jobs, {fault}": 1, f"times, {fault}": happened, f"queries, {name}": 1}
        )
        counts.update({"migrated": migrated, "changes": changes if options.dynamic else 0})
        if not is_right:
            counts["violations"] += 1
            print(f"{jobs}, {number}: {name}, {fault}: another answer", flush=True)
        if number % 10 == 0:
            print(f"{number} jobs, {counts['violations']} violations", file=sys.stderr, flush=True)
        tally.write_text(json.dumps({"counts": counts}, indent=1))
    of = provenance(cluster.spark, "python tests/campaigns/faults.py FOLDER")
    tally.write_text(json.dumps({**of, "counts": counts}, indent=1))
    print(json.dumps(counts, indent=1))


def run_fixed(cluster, count):
    """Run the first of the fixed jobs. Return the number of those with another answer."""
    campaign, wrong = Campaign(cluster, runs=1), 0
    for number in fixed(count):
        began = time.monotonic()
        (name, fault, _), happened, _, _, is_right = campaign.run(number)
        wrong += not is_right
        told = "right" if is_right else "another answer"
        print(
            f"job {number}: {name}, {fault} {happened} times: {told}, {time.monotonic() - began:.1f} s",
            flush=True,
        )
    return wrong


if __name__ == "__main__":
    main()
