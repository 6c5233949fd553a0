"""Run random SQL under random settings, and compare every answer with sorting. Run by hand, in slices.

python tests/campaigns/queries.py FOLDER --seed 1 --queries 10000 --seconds 400

Each slice continues after the last one in the same folder, and stops after --seconds. A failing query is printed with its
table and settings, and added to `failures.sql` in the folder.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

# Python gets times in the time zone of the session
os.environ["TZ"] = "UTC"
time.tzset()

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import chronosketch as cs  # noqa: E402
from harness.results import provenance  # noqa: E402
from random_queries import frames, groups, merges, relations, windows  # noqa: E402
from random_queries.settings import Settings  # noqa: E402
from random_queries.tables import KEYS, ORDERS, Column, Table  # noqa: E402
from random_queries.truth import WrongAnswerError  # noqa: E402

RELATIONS, QUESTIONS = 12, 5
CALL = re.compile(r"\b(approx_\w*quantile\w*|\w+_sketch_agg|sketch_merge_agg|n_least|n_greatest)\(")
OVER_ROWS = 500
# Spark's optimizer breaks a union under grouping sets if an aggregate has a FILTER on a grouping column; max(v) fails too
SPARKS_OWN = "Rule org.apache.spark.sql.catalyst.optimizer.RemoveRedundantAliases in batch"
SPOILT = re.compile(r"FILTER \(WHERE k.* UNION ALL .*GROUP BY (ROLLUP|CUBE|GROUPING SETS)", re.DOTALL)


def session(folder):
    """Start the session of a slice."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.memory": "2g",
        # with many plans of few rows, optimised compilation takes longer than execution
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:MetaspaceSize=1g",
        # a slice may be suspended while something else is measured
        "spark.network.timeout": "7200s",
        "spark.executor.heartbeatInterval": "3600s",
        "spark.sql.ui.retainedExecutions": "5",
        "spark.ui.retainedJobs": "5",
        "spark.ui.retainedStages": "5",
        "spark.ui.retainedTasks": "50",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.timeType.enabled": "true",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
    }
    builder = cs.session("queries").master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


class Tally:
    """Counts of queries in all slices, by kind and by setting."""

    def __init__(self, folder, seed):
        self._file = Path(folder, "tally.json")
        self.counts = {
            "seed": seed,
            "tables": 0,
            "queries": 0,
            "rows": 0,
            "calls": 0,
            "answers": 0,
            "failures": 0,
            "refused": 0,
            "seconds": {},
            "kinds": {},
            "settings": {},
            "sources": {},
        }
        if self._file.exists():
            self.counts = json.loads(self._file.read_text())
            self.counts.setdefault("calls", 0)
            self.counts.setdefault("refused", 0)
            assert self.counts["seed"] == seed, "this folder is of another seed"

    def add(self, name, n=1):
        """Count something."""
        self.counts[name] += n

    def add_of(self, name, what, n=1):
        """Count something by its kind."""
        of = self.counts[name]
        of[what] = of.get(what, 0) + n

    def store(self, more):
        """Store the counts for the next slice."""
        self._file.write_text(json.dumps({**self.counts, **more}, indent=1))


class Campaign:
    """One slice."""

    def __init__(self, spark, folder, tally, options):
        self._spark, self._folder, self._tally, self._options = spark, folder, tally, options
        self._settings = Settings(spark)
        self._end = time.monotonic() + options.seconds

    def goes_on(self):
        """Return whether there is time left and another query to run."""
        return time.monotonic() < self._end and self._tally.counts["queries"] < self._options.queries

    def table(self, number):
        """Create a table, and run queries on it."""
        rng = random.Random(f"{self._options.seed} {number}")
        table = Table(rng, number, 4 if rng.random() < 0.15 else 3.2)
        self._settings.set({"spark.sql.ansi.enabled": "false"})
        for statement in table.statements(self._folder):
            self._spark.sql(statement)
        self._tally.add("tables")
        self._tally.add("rows", table.rows)
        self._tally.add_of("sources", table.source)
        try:
            for _ in range(RELATIONS):
                if not self.goes_on():
                    return
                self._relation(rng, table)
        finally:
            # also uncache tables, as they are not used again
            self._spark.catalog.clearCache()
            self._spark.sql(f"DROP VIEW IF EXISTS view_of_{table.name}")
            self._spark.sql(f"DROP VIEW IF EXISTS {table.name}")
            shutil.rmtree(Path(self._folder, table.name), ignore_errors=True)

    def _relation(self, rng, table):
        is_over = rng.random() < 0.3
        source = relations.relation(rng, table, sets_only=is_over)
        if is_over and table.rows > OVER_ROWS:
            step = -(-table.rows // OVER_ROWS)
            source = relations.Relation(
                source.prefix,
                f"(SELECT * FROM {source.source} WHERE id % {step} = 0) o",
                True,
                source.statements,
            )
        for statement in source.statements:
            self._spark.sql(statement)
        rows = self._rows(table, source)
        for _ in range(QUESTIONS):
            if not self.goes_on():
                return
            kind = (
                "OVER" if is_over else rng.choices(("GROUP BY", "merged sketches", "windows"), (6, 1.5, 2))[0]
            )
            self._settings.draw(rng)
            if kind == "OVER":
                text, check = frames.query(rng, table, source, self._settings.now)
            elif kind == "GROUP BY":
                text, check = groups.query(rng, table, source)
            elif kind == "windows":
                text, check = windows.query(rng, table, source)
            else:
                text, check = merges.query(rng, table, source)
            self._ask(kind, table, source, rows, text, check)

    def _rows(self, table, source):
        """Return the rows of a relation as dicts, by a query without our functions."""
        self._settings.set(
            {
                "spark.sql.ansi.enabled": "false",
                "spark.sql.adaptive.enabled": "true",
                "spark.sql.shuffle.partitions": "1",
            }
        )
        columns = [Column("id", "BIGINT"), *[Column(n, "") for n in (*KEYS, *ORDERS)], *table.values]
        names = [c.name for c in columns]
        text = f"{source.prefix} SELECT {', '.join(c.out(c.name) for c in columns)} FROM {source.source}"
        return [dict(zip(names, row, strict=True)) for row in self._spark.sql(text.strip()).collect()]

    def _ask(self, kind, table, source, rows, text, check):
        self._tally.add("queries")
        self._tally.add_of("kinds", kind)
        self._tally.add("calls", len(CALL.findall(text)))
        for name, value in self._settings.now.items():
            self._tally.add_of("settings", f"{name} = {value}")
        try:
            begun = time.monotonic()
            answers = [tuple(row) for row in self._spark.sql(text).collect()]
            asked = time.monotonic()
            self._tally.add("answers", len(answers))
            check(rows, answers)
            self._tally.add_of("seconds", "asking", asked - begun)
            self._tally.add_of("seconds", "checking", time.monotonic() - asked)
        except Exception as e:
            if SPARKS_OWN in str(e) and SPOILT.search(text):
                self._tally.add("refused")
                return
            self._tally.add("failures")
            what = str(e) if isinstance(e, WrongAnswerError) else f"{type(e).__name__}: {str(e)[:1500]}"
            report = "\n".join(
                (
                    f"-- {kind}: {what}".replace("\n", "\n-- "),
                    *[f"{s};" for s in (*table.statements("/path/to"), *source.statements)],
                    *self._settings.statements(),
                    f"{text};\n",
                )
            )
            print(report if self._options.verbose else report[:1200], flush=True)
            with Path(self._folder, "failures.sql").open("a") as file:
                file.write(report + "\n")


def main():
    """Run a slice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--table", type=int, help="ask again what this table was asked, and count nothing")
    parser.add_argument("--verbose", action="store_true", help="print failing queries whole")
    options = parser.parse_args()
    folder = str(Path(options.folder).resolve())
    Path(folder).mkdir(parents=True, exist_ok=True)
    tally = Tally(folder, options.seed)
    spark = session(folder)
    campaign = Campaign(spark, folder, tally, options)
    begun = time.monotonic()
    if options.table is not None:
        campaign.table(options.table)
        print(f"table {options.table}: {tally.counts['failures']} failures with those before")
        return
    while campaign.goes_on():
        before = tally.counts["queries"]
        campaign.table(tally.counts["tables"])
        tally.store({})
        took = time.monotonic() - begun
        print(
            f"{took:.0f} s, table {tally.counts['tables']}, {tally.counts['queries']} queries "
            f"(+{tally.counts['queries'] - before}), {tally.counts['failures']} failures",
            file=sys.stderr,
            flush=True,
        )
    command = f"python tests/campaigns/queries.py FOLDER --seed {options.seed} --queries {options.queries}"
    tally.store({"provenance": provenance(spark, command)})
    of = Counter(tally.counts["kinds"])
    print(f"{tally.counts['queries']} queries ({dict(of)}), {tally.counts['failures']} failures")


if __name__ == "__main__":
    main()
