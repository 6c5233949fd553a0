"""Change a table at random, roll it up, and compare with exact answers; kill followers. Run by hand, in slices.

python tests/campaigns/rollup.py dml FOLDER --sequences 10000
python tests/campaigns/rollup.py kill FOLDER --kills 100

python tests/campaigns/rollup.py report FOLDER --streams FOLDER

The first two stop after --seconds, and continue from there when called again. In a new folder they continue after what
is published. The last one writes their counts, and those of rollup_streams.py, to benchmarks/results/robustness_rollup.json and .md.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import chronosketch as cs
from follow import Slice, end, left_over, session, without_codegen
from pyspark.errors import AnalysisException, PySparkException

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "delta"), str(TESTS.parent / "benchmarks")]

import rolling_up as checks  # noqa: E402
from harness.results import RESULTS, footer, provenance  # noqa: E402
from harness.spread import spaced  # noqa: E402

SEED = 45
LEVELS = (
    ["1 hour"],
    ["1 hour", "1 day"],
    ["15 minutes", "6 hours", "1 day", "7 days"],
    ["1 day", "30 days"],
)
ZONES = ("UTC", "Europe/Berlin", "Asia/Kolkata")
# A week in which clocks change in Berlin
START = 1_774_483_200
HOURS = 24 * 7

PUBLISHED = RESULTS / "robustness_rollup.json"

# A step may be refused with these conditions. Then a rebuild must heal the roll-up.
REFUSALS = {"CHRONOSKETCH_SOURCE_FILES_GONE", "CHRONOSKETCH_ROLLUP_SOURCE_REPLACED"}


class Tally:
    """Counts of all slices, kept in a file of the folder together with where they come from."""

    def __init__(self, folder, name, spark):
        self._file = Path(folder, f"rollup_{name}.json")
        self._from = provenance(spark, f"python tests/campaigns/rollup.py {name} FOLDER")
        # seeds go on where the published ones ended, so that slices of many days add up
        before = self._file if self._file.exists() else PUBLISHED
        known = json.loads(before.read_text()) if before.exists() else {}
        self.counts = Counter((known.get(name, {}) if before == PUBLISHED else known).get("counts", {}))

    def add(self, **counts):
        """Add counts, and write the file."""
        self.counts.update(counts)
        self._file.write_text(
            json.dumps({**self._from, "counts": dict(sorted(self.counts.items()))}, indent=1)
        )

    def __str__(self):
        return ", ".join(f"{n} {name}" for name, n in sorted(self.counts.items()))


def rows(rng, first, count):
    """Return a query of rows at any time of the week. Some have a NULL time, key or value."""
    low = rng.randrange(HOURS)
    width = rng.choice((1, 3, HOURS))
    seconds = f"{START} + {3600 * low} + pmod(id * 7919 + {rng.randrange(10_000)}, {3600 * width})"
    service = rng.choice(("concat('s', id % 3)", "'s1'", "IF(id % 4 = 0, NULL, concat('s', id % 4))"))
    return (
        f"SELECT CAST(id AS INT) AS id, IF(id % 41 = 0, NULL, timestamp_seconds({seconds})) AS ts, {service} AS service, "
        f"IF(id % 13 = 0, NULL, CAST(pmod(id * 6151 + {rng.randrange(1000)}, 2003) AS INT)) AS amount "
        f"FROM range({first}, {first + count}, 1, {rng.choice((1, 2))})"
    )


def some_statement(rng, table, number):
    """Return the kind of a random change, and its statement. `number` is the number of the statement in its sequence."""
    low = rng.randrange(600)
    some = rng.choice(
        (
            f"id BETWEEN {low} AND {low + rng.randrange(200)}",
            f"id % {rng.randrange(2, 40)} = 0",
            f"ts >= timestamp_seconds({START + 3600 * rng.randrange(HOURS)})",
            "service IS NULL",
            "ts IS NULL",
        )
    )
    columns = "(id, ts, service, amount)"
    source = rows(rng, low, rng.choice((1, 30, 200)))
    often = {
        "append": f"INSERT INTO {table} {columns} {rows(rng, 1000 * number, rng.choice((1, 50, 300)))}",
        "update a value": f"UPDATE {table} SET amount = amount + {rng.randrange(1, 50)} WHERE {some}",
        "update a key": f"UPDATE {table} SET service = {rng.choice(('NULL', repr('s2'), repr('s8')))} WHERE {some}",
        "update a time": f"UPDATE {table} SET ts = ts + INTERVAL {rng.randrange(-200, 200)} HOURS WHERE {some}",
        "delete": f"DELETE FROM {table} WHERE {some}",
        "merge": f"MERGE INTO {table} t USING ({source}) s ON t.id = s.id WHEN MATCHED AND s.id % 3 = 0 THEN DELETE "
        f"WHEN MATCHED THEN UPDATE SET t.ts = s.ts, t.amount = s.amount WHEN NOT MATCHED THEN INSERT {columns} "
        "VALUES (s.id, s.ts, s.service, s.amount)",
    }
    seldom = {
        "update nothing": f"UPDATE {table} SET amount = amount",
        "overwrite": f"INSERT OVERWRITE {table} SELECT * FROM {table} WHERE id % 3 > 0",
        "overwrite with others": f"INSERT OVERWRITE {table} {columns} {rows(rng, 1000 * number, 200)}",
        "truncate": f"TRUNCATE TABLE {table}",
        "restore": f"RESTORE {table} TO VERSION AS OF {rng.randrange(number + 1)}",
        "optimize": f"OPTIMIZE {table}",
        "vacuum": f"VACUUM {table} RETAIN 0 HOURS",
        "replace": f"CREATE OR REPLACE TABLE {table} USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true) "
        f"AS {rows(rng, 1000 * number, 100)}",
    }
    kinds = often if rng.random() < 0.7 else seldom
    kind = rng.choice(list(kinds))
    return kind, kinds[kind]


def dml(spark, folder, options):
    """Make sequences of changes and refreshes, each in a table of its own."""
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    # VACUUM lists with 10 000 tasks
    spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "1")
    tally, now = Tally(folder, "dml", spark), Slice(options.seconds)
    while tally.counts["sequences"] < options.sequences and now.goes_on():
        seed = f"{SEED} {tally.counts['sequences']}"
        counts = Counter(sequences=1)
        try:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                sequence(spark, place, random.Random(seed), counts)
        except AssertionError as error:
            counts.update(violations=1)
            print(f"VIOLATION in the sequence of seed {seed!r}: {error}", flush=True)
        tally.add(**counts)
    print(tally)


def sequence(spark, place, rng, counts):
    """Make one sequence, and check each step."""
    table, into = f"delta.`{place}/requests`", f"delta.`{place}/rolled`"
    properties = f", delta.enableDeletionVectors = {rng.choice(('true', 'false'))}"
    partitions = rng.choice(("", "", "PARTITIONED BY (service)"))
    spark.sql(
        f"CREATE TABLE {table} ({checks.COLUMNS}) USING delta {partitions} "
        f"TBLPROPERTIES (delta.enableChangeDataFeed = true {properties})"
    )
    levels, zone = rng.choice(LEVELS), rng.choice(ZONES)
    spark.sql(f"INSERT INTO {table} {rows(rng, 0, 400)}")
    follow = checks.follower(table, into=into, levels=levels, zone=zone)
    follow.step(spark)
    for number in range(1, rng.randrange(4, 10)):
        kind, statement = some_statement(rng, table, number)
        try:
            spark.sql(statement)
        except PySparkException:
            # RESTORE needs files that VACUUM deleted
            assert kind == "restore", statement
            continue
        counts.update(statements=1, **{f"of kind {kind}": 1})
        if rng.random() < 0.6:
            step(spark, follow, rng, counts, (table, levels, zone))
    step(spark, follow, rng, counts, (table, levels, zone))


def step(spark, follow, rng, counts, source):
    """Compare `now` or a step with the source. Rebuild what cannot follow."""
    table, levels, zone = source
    try:
        if rng.random() < 0.3:
            fresh = cs.rollup.now(spark, follow.into)
            counts.update(rows=checks.check(spark, table, fresh, levels, zone=zone), asked_now=1)
        follow.step(spark)
        counts.update(steps=1)
    except AnalysisException as refused:
        assert refused.getCondition() in REFUSALS, refused
        cs.rollup.rebuild(spark, follow.into)
        counts.update(rebuilds=1)
    if rng.random() < 0.1:
        since = START + 3600 * rng.randrange(HOURS)
        limits = {"since": f"{since}", "until": f"{since + 86_400}"}
        limits = {name: spark.sql(f"SELECT timestamp_seconds({t})").first()[0] for name, t in limits.items()}
        cs.rollup.rebuild(spark, follow.into, **limits)
        counts.update(rebuilds_of_ranges=1)
    into = spark.read.format("delta").load(follow.into[len("delta.`") : -1])
    counts.update(rows=checks.check(spark, table, into, levels, zone=zone))


def of_kill(folder):
    """Return the table that is followed while followers are killed, and its follower."""
    table = f"delta.`{folder}/requests`"
    into = f"delta.`{folder}/rolled`"
    return table, checks.follower(table, into=into, levels=LEVELS[1], zone=ZONES[1])


def follow_until_killed(folder):
    """Make steps from when the parent asks until killed. Tell the parent about each.

    The first step of a JVM takes seconds, so that most kills are in the middle of it.
    """
    spark = without_codegen(session(folder))
    _, follow = of_kill(folder)
    print("ready", flush=True)
    if not sys.stdin.readline():
        return
    while True:
        if has_stepped(follow, spark):
            print("a step", flush=True)


def has_stepped(follow, spark):
    """Make a step, and return whether it was new. The other follower may be faster five times in a row."""
    try:
        return follow.step(spark).is_new
    except AnalysisException as refused:
        if refused.getCondition() != "CHRONOSKETCH_ROLLUP_CONCURRENT":
            raise
        return False


def kill(spark, folder, options):
    """Kill -9 a follower and its JVM at any moment, while the table changes and another follower makes steps too."""
    table, follow = of_kill(folder)
    if not Path(folder, "requests").exists():
        checks.create(spark, table)
        spark.sql(f"INSERT INTO {table} {rows(random, 0, 400)}")
        follow.step(spark)
    tally, now = Tally(folder, "kill", spark), Slice(options.seconds)
    # start the next follower while one runs, because starting takes longer than running
    waiting = started(folder)
    try:
        while tally.counts["kills"] < options.kills and now.goes_on():
            child, waiting = waiting, started(folder)
            try:
                counts = lived(spark, table, follow, child, random.random() * options.life)
            finally:
                end(child)
            steps = counts["steps"] + len(child.stdout.read().splitlines())
            follow.step(spark)
            into = spark.read.format("delta").load(f"{folder}/rolled")
            try:
                compared = checks.check(spark, table, into, LEVELS[1], zone=ZONES[1])
            except AssertionError as error:
                compared = 0
                counts["violations"] += 1
                print(f"VIOLATION after {tally.counts['kills']} kills: {error}", flush=True)
                cs.rollup.rebuild(spark, follow.into)
            tally.add(**{**counts, "steps": steps, "kills": 1, "rows": compared})
    finally:
        end(waiting)
    print(tally)


def lived(spark, table, follow, child, seconds):
    """Change the table while a follower lives. Return counts of changes, and of steps by both followers."""
    assert child.stdout.readline(), "the follower did not begin"
    child.stdin.write(b"go\n")
    left, counts = Slice(seconds), Counter()
    while left.goes_on():
        kind, statement = some_statement(random, table, random.randrange(1, 50))
        if kind in ("restore", "vacuum", "replace", "truncate"):
            continue
        # the other follower does not change the source, so no write conflicts
        spark.sql(statement)
        counts["statements"] += 1
        if random.random() < 0.3:
            counts["steps of a second follower"] += has_stepped(follow, spark)
        assert child.poll() is None, "the follower ended by itself"
        counts["steps"] += len(left_over(child.stdout).splitlines())
    return counts


def started(folder):
    command = [sys.executable, __file__, "follow", folder]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0, start_new_session=True)


def report(folder, streams):
    """Write the counts of the campaigns, as JSON and as a page."""
    files = {name: Path(folder, f"rollup_{name}.json") for name in ("dml", "kill")}
    parts = {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}
    if streams:
        command = {"command": "python tests/campaigns/rollup_streams.py FOLDER --kills 100"}
        parts["streams"] = {
            **list(parts.values())[-1],
            **command,
            "counts": json.loads(Path(streams, "tally.json").read_text()),
        }
    counts = {name: Counter(part["counts"]) for name, part in parts.items()}
    lines = ["# Roll-ups of tables that change at random", ""]
    lines += ["Each check compares all rows of a roll-up with answers computed row by row in Python.", ""]
    lines += ["| campaign | how many | violations |", "|---|---|---|"]
    if c := counts.get("dml"):
        many = (
            f"{spaced(c['sequences'])} sequences of {spaced(c['statements'])} changes, {spaced(c['steps'])} steps, "
            f"{spaced(c['rebuilds'])} rebuilds after a refusal, {spaced(c['rebuilds_of_ranges'])} rebuilds of ranges, "
            f"{spaced(c['asked_now'])} times `rollup_now`; {spaced(c['rows'])} rows checked"
        )
        lines.append(f"| random changes | {many} | {c['violations']} |")
    if c := counts.get("kill"):
        many = (
            f"{c['kills']} kills during {spaced(c['statements'])} changes, {spaced(c['steps'])} steps of those killed, "
            f"{spaced(c['steps of a second follower'])} of a second follower; {spaced(c['rows'])} rows checked"
        )
        lines.append(f"| `kill -9` of followers | {many} | {c['violations']} |")
    if c := counts.get("streams"):
        many = (
            f"{c['kills']} kills, {c['whole']} streams read whole, {c['batches_to_repeat']} batches written and not noted, "
            f"{c['unfinished_creations']} kills between creating the table and the first batch; "
            f"{spaced(c['rows_checked'])} rows checked"
        )
        lines.append(f"| `kill -9` of streams into roll-ups | {many} | {c['violations']} |")
    kinds = {name: n for name, n in counts.get("dml", {}).items() if name.startswith("of kind ")}
    if kinds:
        lines += ["", "| change | how many |", "|---|---|"]
        lines += [f"| {name.removeprefix('of kind ')} | {spaced(n)} |" for name, n in kinds.items()]
    for part in parts.values():
        lines += ["", *footer(part)]
    text = "\n".join(lines) + "\n"
    stored = json.dumps(parts, indent=1, ensure_ascii=False) + "\n"
    PUBLISHED.write_text(stored, encoding="utf-8")
    (RESULTS / "robustness_rollup.md").write_text(text, encoding="utf-8")
    print(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=["dml", "kill", "report", "follow"])
    parser.add_argument("folder")
    parser.add_argument("--sequences", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--streams", help="the folder of rollup_streams.py")
    parser.add_argument(
        "--life", type=float, default=16, help="how long a follower lives at most, in seconds"
    )
    options = parser.parse_args()
    folder = Path(options.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if options.what == "follow":
        follow_until_killed(str(folder))
        return
    if options.what == "report":
        report(folder, options.streams)
        return
    for left in folder.glob("tmp*"):  # of killed processes
        shutil.rmtree(left, ignore_errors=True)
    spark = without_codegen(session(str(folder)))
    {"dml": dml, "kill": kill}[options.what](spark, str(folder), options)


if __name__ == "__main__":
    main()
