"""Let two versions of the jar go on in turn with what the other one has stored, and mix them in one cluster.

python tests/campaigns/upgrade.py OLD_JAR NEW_JAR FOLDER
python tests/campaigns/upgrade.py --report FOLDER

The old jar is built from the first commit that has all formats, in a clone of its own, whose Python package goes with it::

    git worktree add OLD COMMIT && (cd OLD && ./sbt spark/assembly)

Each part is begun by one version and continued by the other one and by the first again, in both orders. After each turn, all that is
stored is compared with the rows. It must be right, or the turn must be refused by a named condition and have written nothing.
The second command publishes the matrix.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from bisect import bisect_left, bisect_right
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

# Python gets times in the time zone of the session
os.environ["TZ"] = "UTC"
time.tzset()

HERE = Path(__file__).resolve()
STORES = "org.apache.spark.sql.execution.streaming.state"
PHIS = "array(0.0D, 0.1D, 0.5D, 0.99D, 1.0D)"
EXACT = ", ".join(f"percentile_disc({phi}) WITHIN GROUP (ORDER BY v)" for phi in (0.0, 0.1, 0.5, 0.99, 1.0))

ROWS = (
    "SELECT id, timestamp_seconds(1767225600 + (id * 7919) % 259200) AS ts, concat('h', id % 3) AS host, "
    "CAST(pmod(id * 7919, 10007) AS INT) AS v FROM range({0}, {1}, 1, 2)"
)
# rows of a turn
EACH = 3000
OLD_KINDS = {
    "quantile": "quantile_sketch_agg(v, 0.01)",
    "exact": "quantile_sketch_agg(v, 0.0)",
    "ddsketch": "ddsketch_agg(v)",
    "moments": "moments_agg(v)",
    "comoments": "comoments_agg(v, id)",
    "window": "window_sketch_agg(v, ts)",
    "window moments": "window_moments_agg(v, ts)",
    "history": "history_sketch_agg(v, id)",
    "qlove": "qlove_sketch_agg(v, ts, 0.9, 4)",
    "sample": "sample_sketch_agg(v, 1000, id => id)",
}
NEW_KINDS = {
    "tail": "quantile_sketch_agg(v, 0.01, tail => 'high')",
    "sum": "quantile_sketch_agg(v, 0.01, sum => true)",
}
# versions of one table and panes of one time are not merged twice
UNMERGED = ("history", "qlove")
QUANTILES = ("quantile", "exact", "tail", "sum")
#: Questions to the kinds of sketches that answer them.
QUESTIONS = (
    (
        ("quantile", "exact", "tail", "sum", "ddsketch"),
        (f"sketch_quantile(s, {PHIS})", "sketch_count_bounds(s)"),
    ),
    (QUANTILES, (f"sketch_quantile_bounds(s, {PHIS}, 'int')", "sketch_rank_error(s)")),
    (("moments",), ("sketch_mean(s)", "sketch_stddev(s)", "sketch_count(s)")),
    (("comoments",), ("sketch_corr(s)", "sketch_count(s)")),
    (("window", "window moments"), ("sketch_count_bounds(sketch_window(s, '2 hours'))",)),
    (("history",), (f"sketch_quantile(sketch_at_version(s, {{0}}L), {PHIS})",)),
    (("qlove",), ("sketch_quantile(s, 0.9)",)),
    (("sample",), ("sketch_count(s)", f"sketch_quantile(s, {PHIS})")),
)


class WrongError(Exception):
    """An answer that the rows do not give."""


def need(is_right, message):
    if not is_right:
        raise WrongError(message)


def session(jar, master="local[2]", **settings):
    """Start a session with a jar and with Delta."""
    from delta import configure_spark_with_delta_pip
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.extraClassPath": jar,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,chronosketch.spark.ChronosketchExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.chronosketch": "chronosketch.spark.warehouse.call.WarehouseCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        **settings,
    }
    builder = SparkSession.builder.appName("upgrade").master(master)
    for key, value in settings.items():
        builder = builder.config(key, value)
    if "DELTA_JARS" in os.environ:
        return builder.config("spark.jars", os.environ["DELTA_JARS"]).getOrCreate()
    return configure_spark_with_delta_pip(builder).getOrCreate()


def told(rows):
    """Return sorted rows as texts."""
    return sorted(map(repr, map(tuple, rows)))


def listed(names):
    """Return names as a list of texts in SQL."""
    return ", ".join(f"'{name}'" for name in names)


class Sketches:
    """Sketches of all kinds that both versions know: each reads what the other one wrote, and merges it with its own."""

    kinds = OLD_KINDS

    def go_on(self, spark, folder, turn):
        """Add the rows of a turn."""
        spark.sql(ROWS.format(turn * EACH, turn * EACH + EACH)).createOrReplaceTempView("arrived")
        made = [
            f"SELECT '{name}' AS kind, host, {sql} AS s FROM arrived GROUP BY host"
            for name, sql in self.kinds.items()
        ]
        spark.sql(" UNION ALL ".join(made)).coalesce(1).write.parquet(f"{folder}/turn={turn}")
        self._keep_answers(spark, folder, turn)

    def _keep_answers(self, spark, folder, turn):
        stored = spark.read.parquet(f"{folder}/turn={turn}")
        Path(folder, f"_answers-{turn}.json").write_text(json.dumps(self._answers(stored, turn)))

    def _answers(self, stored, turn):
        asked = [stored.selectExpr("kind", "host", "hex(s)")]
        for kinds, question in QUESTIONS:
            some = stored.where(f"kind IN ({listed(kinds)})")
            # rows of a turn have their numbers as versions
            version = turn * EACH + 100
            asked.append(some.selectExpr("kind", "host", *(text.format(version) for text in question)))
        return [row for answers in asked for row in told(answers.collect())]

    def compare(self, spark, folder, turn):
        """Compare the answers of a turn's sketches with those that its version gave."""
        stored = spark.read.parquet(f"{folder}/turn={turn}")
        need(
            self._answers(stored, turn) == json.loads(Path(folder, f"_answers-{turn}.json").read_text()),
            f"sketches of turn {turn} have other answers",
        )

    def check(self, spark, folder, turn):
        """Compare all that is stored with the rows of all turns."""
        for then in range(turn + 1):
            self.compare(spark, folder, then)
        merged = spark.read.parquet(folder).where(f"kind NOT IN ({listed(UNMERGED)})")
        merged.groupBy("kind", "host").agg({"s": "sketch_merge_agg"}).toDF(
            "kind", "host", "s"
        ).createOrReplaceTempView("merged")
        spark.sql(ROWS.format(0, turn * EACH + EACH)).createOrReplaceTempView("whole")
        counts = spark.sql(
            "SELECT kind, b.low <= n AND n <= b.high AS is_right FROM (SELECT kind, host, sketch_count_bounds(s) AS b FROM merged) "
            "JOIN (SELECT host, count(*) AS n FROM whole GROUP BY host) USING (host)"
        ).collect()
        need(len(counts) == 3 * len(set(self.kinds) - set(UNMERGED)), f"{len(counts)} merged sketches")
        need(all(row.is_right for row in counts), f"counts of merged sketches: {counts}")
        for kind in set(self.kinds) & set(QUANTILES):
            within(spark, f"SELECT host, s FROM merged WHERE kind = '{kind}'", "whole")


def within(spark, sketches, rows, by="host"):
    """Check that the exact quantiles of each group lie within the bounds of its sketches."""
    wrong = spark.sql(
        f"SELECT * FROM (SELECT {by}, sketch_quantile_bounds(s, {PHIS}, 'int') AS b FROM ({sketches})) "
        f"FULL JOIN (SELECT {by}, array({EXACT}) AS q FROM {rows} GROUP BY {by}) USING ({by}) "
        "WHERE b IS NULL OR q IS NULL OR exists(arrays_zip(b, q), x -> NOT (x.b.low <= x.q AND x.q <= x.b.high))"
    ).collect()
    need(not wrong, f"outside of the bounds: {wrong[:2]}")


class Stream:
    """A stream that goes on from its checkpoint, two batches of 240 rows a turn."""

    def __init__(self, store, query):
        self._store, self._query = store, query

    median = "approx_quantile(v, 0.5, 0.001)"
    others = ("count(*) AS n", "sum(v) AS s", "sketch_count(moments_agg(v)) AS m")
    grouped = "SELECT host, window, {0} FROM {1} GROUP BY host, window(ts, '4 minutes', '1 minute')"
    hopping = (
        "SELECT * FROM hopping_sketch(TABLE({1}), event_time => 'ts', size => '4 minutes', slide => '1 minute', by => array('host'), "
        "aggs => array({0}))"
    )

    def query(self, median):
        """Return the query of the stream."""
        aggregates = (f"{median} AS q", *self.others)
        if self._query == self.hopping:
            return self._query.format(", ".join(f'"{text}"' for text in aggregates), "events")
        return self._query.format(", ".join(aggregates), "events")

    def go_on(self, spark, folder, turn, median=median):
        """Add the rows of a turn."""
        spark.conf.set("spark.sql.streaming.stateStore.providerClass", f"{STORES}.{self._store}")
        rows = (
            spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 240).option("numPartitions", 2)
            .option("startTimestamp", 0).option("advanceMillisPerBatch", 240_000).load()
        )  # fmt: skip
        events(rows).withWatermark("ts", "1 minute").createOrReplaceTempView("events")

        def keep(windows, number):
            found = windows.selectExpr("host", "unix_seconds(window.start) AS start", "q", "n", "s", "m")
            found.coalesce(1).write.mode("overwrite").parquet(f"{folder}/out/batch={number}")

        for _ in range(2):
            writer = spark.sql(self.query(median)).writeStream.outputMode("append").foreachBatch(keep)
            writer.option("checkpointLocation", f"{folder}/checkpoint").trigger(
                availableNow=True
            ).start().awaitTermination()

    def check(self, spark, folder, turn):
        """Compare all that is stored with the rows of all turns."""
        count = rows_read(folder)
        events(spark.range(count).toDF("value")).createOrReplaceTempView("whole")
        exact = ("percentile_disc(0.5) WITHIN GROUP (ORDER BY v) AS q", *self.others)
        windows = spark.sql(self.grouped.format(", ".join(exact), "whole"))
        columns = ["host", "unix_seconds(window.start) AS start", "CAST(q AS INT) AS q", "n", "s", "m"]
        # the watermark is a minute behind the newest row, and is known to the next batch
        right = windows.selectExpr(*columns).where(f"start + 240 <= {count - 1 - 60}")
        found = spark.read.parquet(f"{folder}/out").selectExpr(
            "host", "start", "CAST(q AS INT) AS q", "n", "s", "m"
        )
        need(
            told(found.collect()) == told(right.collect()),
            f"{found.count()} windows, and not {right.count()}",
        )


def rows_read(folder):
    """Return how many rows the committed batches of a stream have read."""
    last = max(
        int(file.name) for file in Path(folder, "checkpoint", "commits").iterdir() if file.name.isdigit()
    )
    return int(re.search(r'"offset":(\d+)', Path(folder, "checkpoint", "offsets", str(last)).read_text())[1])


def events(numbers):
    """Return rows, one each second."""
    return numbers.selectExpr(
        "concat('h', value % 2) AS host", "timestamp_seconds(value) AS ts", "value * 37 % 100 AS v"
    )


class Warehouse:
    """A warehouse whose runs are merged: two steps a turn."""

    def go_on(self, spark, folder, turn):
        """Add the rows of a turn."""
        if turn == 0:
            spark.sql(
                f"CALL chronosketch.create('{folder}/w', 'v', by => array('host'), epsilon => 0.05D, kappa => 2)"
            ).collect()
        for step in (2 * turn, 2 * turn + 1):
            spark.sql(ROWS.format(step * EACH // 2, (step + 1) * EACH // 2)).createOrReplaceTempView(
                "arrived"
            )
            spark.sql(
                f"CALL chronosketch.append('{folder}/w', 'arrived', writer => 'w', batch => {step}L)"
            ).collect()

    def check(self, spark, folder, turn):
        """Compare all that is stored with the rows of all turns."""
        import chronosketch as cs

        opened = cs.warehouse.open(spark, f"{folder}/w")
        found = opened.quantile([0.0, 0.1, 0.5, 0.99, 1.0]).selectExpr("host", "phi", "value").collect()
        spark.sql(ROWS.format(0, turn * EACH + EACH)).createOrReplaceTempView("whole")
        right = spark.sql(
            f"SELECT host, inline(arrays_zip({PHIS}, q)) FROM (SELECT host, array({EXACT}) AS q FROM whole GROUP BY host)"
        ).collect()
        found = sorted((row.host, float(row.phi), int(row.value)) for row in found)
        need(found == sorted((row[0], float(row[1]), int(row[2])) for row in right), f"quantiles of {found}")


def grown(spark, folder, turn, rows):
    """Insert the rows of a turn into the Delta table that is followed, and return its name. Create it in turn 0."""
    source = f"delta.`{folder}/source`"
    if turn == 0:
        spark.sql(
            f"CREATE TABLE {source} (id BIGINT, ts TIMESTAMP, host STRING, v INT) USING delta "
            "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
        )
    spark.sql(f"INSERT INTO {source} {ROWS.format(turn * rows, (turn + 1) * rows)}")
    return source


class History:
    """A history that follows a Delta table."""

    def go_on(self, spark, folder, turn):
        """Add the rows of a turn."""
        import chronosketch as cs

        source = grown(spark, folder, turn, 600)
        if turn:
            spark.sql(f"UPDATE {source} SET v = v + 1 WHERE id % 4 = 0")
            spark.sql(f"DELETE FROM {source} WHERE id % 7 = 0")
        cs.history.follow(
            spark, source=source, value="v", into=f"delta.`{folder}/into`", by=["host"], epsilon=0.02
        )

    def check(self, spark, folder, turn):
        """Compare all that is stored with the rows of all turns."""
        import chronosketch as cs

        last = spark.sql(f"DESCRIBE HISTORY delta.`{folder}/source` LIMIT 1").first().version
        for version in sorted({1, last // 2 + 1, last}):
            at = cs.history.at(spark, f"delta.`{folder}/into`", version=version)
            at.withColumnRenamed("sketch", "s").createOrReplaceTempView("at_version")
            within(
                spark, "SELECT host, s FROM at_version", f"delta.`{folder}/source` VERSION AS OF {version}"
            )


class Rollup:
    """A roll-up of hours and days that follows a Delta table."""

    tail = ""

    def _defined(self):
        return (
            "time => 'ts', by => array('host'), values => map('v', 'v'), levels => array('1 hour', '1 day'), "
            f"epsilon => 0.02D{self.tail}"
        )

    def go_on(self, spark, folder, turn):
        """Add the rows of a turn."""
        source = grown(spark, folder, turn, EACH)
        if turn:
            spark.sql(f"DELETE FROM {source} WHERE id % 7 = {turn}")
        self.follow(spark, folder)

    def follow(self, spark, folder):
        """Take the changes of the source."""
        spark.sql(
            f"CALL chronosketch.rollup('delta.`{folder}/source`', 'delta.`{folder}/into`', {self._defined()})"
        ).collect()

    def check(self, spark, folder, turn):
        """Compare all that is stored with the rows of all turns."""
        self.compare(spark, folder, f"delta.`{folder}/source`")

    def compare(self, spark, folder, rows):
        """Compare the roll-up with rows."""
        spark.sql(
            f"SELECT CAST(unix_seconds(bucket) AS STRING) || host || level AS host, v AS s, rows, v_count, v_sum, v_min, v_max FROM delta.`{folder}/into`"
        ).createOrReplaceTempView("stored")
        levels = [
            f"SELECT CAST(unix_seconds(date_trunc('{unit}', ts)) AS STRING) || host || '1 {unit}' AS host, v FROM {rows}"
            for unit in ("hour", "day")
        ]
        spark.sql(" UNION ALL ".join(levels)).createOrReplaceTempView("whole")
        right = spark.sql("SELECT host, count(*), count(v), sum(v), min(v), max(v) FROM whole GROUP BY host")
        found = spark.sql("SELECT host, rows, v_count, v_sum, v_min, v_max FROM stored")
        need(told(found.collect()) == told(right.collect()), "rows of the roll-up")
        within(spark, "SELECT host, s FROM stored", "whole")


class Batches(Rollup):
    """A roll-up that takes batches of a stream."""

    def go_on(self, spark, folder, turn):
        """Add the rows of a turn."""
        spark.sql(ROWS.format(turn * EACH, turn * EACH + EACH)).createOrReplaceTempView("arrived")
        # a batch that was taken comes once more
        for number in sorted({max(0, turn - 1), turn}):
            spark.sql(ROWS.format(number * EACH, number * EACH + EACH)).createOrReplaceTempView("arrived")
            spark.sql(
                f"CALL chronosketch.rollup_batch('arrived', 'delta.`{folder}/into`', batch => {number}L, query => 'q', {self._defined()})"
            ).collect()

    def check(self, spark, folder, turn):
        """Compare all that is stored with the rows of all turns."""
        self.compare(spark, folder, f"({ROWS.format(0, turn * EACH + EACH)})")


class NewSketches(Sketches):
    """Kinds of sketches that the old version does not know. It reads them."""

    kinds = NEW_KINDS

    def go_on(self, spark, folder, turn):
        """Add the rows of a turn, or read those of the first one."""
        if turn == 1:
            self._answers(spark.read.parquet(f"{folder}/turn=0"), 0)
        else:
            super().go_on(spark, folder, turn)

    def check(self, spark, folder, turn):
        """Compare the answers of stored sketches with those that their version gave."""
        for then in range(0, turn + 1, 2):
            self.compare(spark, folder, then)


class NewSketchesMerged(NewSketches):
    """The old version merges sketches of an unknown kind into a table."""

    def go_on(self, spark, folder, turn):
        """Write the sketches, or merge them."""
        if turn == 1:
            stored = spark.read.parquet(f"{folder}/turn=0").groupBy("kind", "host")
            merged = stored.agg({"s": "sketch_merge_agg"}).toDF("kind", "host", "s")
            merged.write.parquet(f"{folder}/turn=1")
        else:
            super().go_on(spark, folder, turn)


class TailRollup(Rollup):
    """A roll-up with a tail, which is of format 2."""

    tail = ", tail => 'high'"

    def follow(self, spark, folder):
        """Take the changes of the source."""
        if Path(folder, "into").exists():
            # the old version knows no tail to name
            spark.sql(f"CALL chronosketch.refresh('delta.`{folder}/into`')").collect()
        else:
            super().follow(spark, folder)


class SumStream(Stream):
    """A stream whose new version keeps sums in its sketches, continued by a query without them."""

    def go_on(self, spark, folder, turn, median=None):
        """Add the rows of a turn."""
        sums = ", sum => true" if turn % 2 == 0 else ""
        super().go_on(spark, folder, turn, f"sketch_quantile(quantile_sketch_agg(v, 0.001{sums}), 0.5)")


PARTS = {
    "sketches": Sketches(),
    "stream: hopping windows in RocksDB": Stream("RocksDBStateStoreProvider", Stream.hopping),
    "stream: GROUP BY window on the heap": Stream("HDFSBackedStateStoreProvider", Stream.grouped),
    "warehouse": Warehouse(),
    "history": History(),
    "roll-up of a table": Rollup(),
    "roll-up of a stream": Batches(),
}
#: Parts that only the new version can begin. The old one must refuse them, and write nothing.
NEW_PARTS = {
    "sketches of new kinds": NewSketches(),
    "sketches of new kinds, merged into a table": NewSketchesMerged(),
    "roll-up with a tail": TailRollup(),
    "stream with sums in its sketches": SumStream("RocksDBStateStoreProvider", Stream.hopping),
}


def fingerprint(folder):
    """Return the files that count: not what Spark notes of a batch before it runs it, and no checksums."""
    return {
        str(file.relative_to(folder)): hashlib.md5(file.read_bytes()).hexdigest()
        for file in sorted(Path(folder).rglob("*"))
        if file.is_file()
        and not file.name.startswith((".", "_"))
        and not {"offsets", "_metadata"} & set(file.parts)
        and "source" not in file.parts
    }


def condition(error):
    """Return the named condition of an error, or else its class."""
    text = f"{getattr(error, 'condition', '')} {error}"
    named = [
        word.strip("[]:.,()") for word in text.split() if word.strip("[]:.,()").startswith("CHRONOSKETCH_")
    ]
    if named:
        return {"refused": named[0]}
    for word in (
        "InvalidClassException",
        "ClassNotFoundException",
        "NoSuchMethodError",
        "NoClassDefFoundError",
    ):
        if word in text:
            # the class whose shape differs, or that is missing
            of = re.search(rf"{word}: ([\w.$]+)", text)
            return {"failed": f"{word}: {of[1]}" if of else word}
    return {"failed": text.strip()[:300]}


def attempt(spark, part, folder, turn):
    """Go on with a part, and check it. Return what happened."""
    folder.mkdir(parents=True, exist_ok=True)
    before = fingerprint(folder)
    try:
        part.go_on(spark, str(folder), turn)
    except Exception as error:
        changed = [name for name, of in fingerprint(folder).items() if before.get(name) != of]
        return {**condition(error), "written": changed}
    try:
        part.check(spark, str(folder), turn)
    except Exception as error:
        return (
            {"wrong": str(error)[:500]}
            if isinstance(error, WrongError)
            else {**condition(error), "written": []}
        )
    return {"right": True}


def take_turn(jar, folder, turn, parts):
    """Go on with all parts in a session of one version. Print what happened as JSON."""
    spark = session(jar)
    found = {}
    for name in parts:
        part = {**PARTS, **NEW_PARTS}[name]
        found[name] = attempt(spark, part, Path(folder, name.replace(":", "").replace(" ", "_")), turn)
        print(name, found[name], file=sys.stderr, flush=True)
    print(json.dumps({"jars": spark.sparkContext.getConf().get("spark.jars"), "found": found}))


#: Queries on two executors: their rows, their ε, and the quantiles that are compared.
NUMBERS, EPSILON, PARTS_OF_ONE = 40_000, 0.01, (0.0, 0.1, 0.5, 0.99, 1.0)
MIXED = {
    "GROUP BY": "SELECT host, approx_quantile(v, array(0.1, 0.99), 0.01) AS q, count(*) FROM numbers GROUP BY host",
    "merged sketches": (
        "SELECT host, hex(sketch_merge_agg(s)) FROM (SELECT host, quantile_sketch_agg(v, 0.01) AS s FROM numbers GROUP BY host, id % 20) GROUP BY host"
    ),
    "a question in each row": "SELECT host, sketch_quantile(s, 0.5, 'int') FROM (SELECT host, quantile_sketch_agg(v, 0.01) AS s FROM numbers GROUP BY host)",
    "OVER": (
        "SELECT bit_xor(xxhash64(id, q)) FROM (SELECT id, approx_quantile(v, 0.9, 0) OVER (PARTITION BY host, id % 8 ORDER BY id ROWS 99 PRECEDING) AS q FROM numbers)"
    ),
    "hopping": (
        "SELECT host, window.start, q FROM hopping_sketch(TABLE(numbers), event_time => 'ts', size => '2 hours', slide => '1 hour', "
        "by => array('host'), aggs => array('approx_quantile(v, 0.5) AS q'))"
    ),
    "moments": "SELECT host, hex(moments_agg(v)) FROM numbers GROUP BY host",
    "Spark's own aggregates": "SELECT host, percentile_disc(0.5) WITHIN GROUP (ORDER BY v), count(*) FROM numbers GROUP BY host",
}


def ask_mixed(driver, jars, folder):
    """Ask queries on two executors with the driver's jar, and on one with each. Print how the second answers compare."""
    answers = []
    for each in ([jars[driver]] * 2, [jars["old"], jars["new"]]):
        with cluster(folder, each) as master:
            spark = session(
                jars[driver],
                master,
                **{
                    # relative to the executor's own folder, so that each worker has its own
                    "spark.executor.extraClassPath": "../../chronosketch.jar",
                    "spark.executor.memory": "600m",
                    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
                    "spark.executor.cores": "1",
                    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
                    "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
                    # tasks of each stage run on both
                    "spark.sql.shuffle.partitions": "4",
                    "spark.sql.adaptive.coalescePartitions.enabled": "false",
                    "spark.locality.wait": "0",
                    "spark.driver.host": "127.0.0.1",
                    # executors cannot see the folders of a session's own classes
                    "spark.sql.artifact.isolation.enabled": "false",
                },
            )
            answers.append(answers_of(spark, folder))
            spark.stop()
    print(json.dumps({"found": {name: outcome(name, *(of[name] for of in answers)) for name in MIXED}}))


def outcome(name, right, found):
    """Compare the answer of executors with both versions with that of executors with the driver's version."""
    if isinstance(right, dict):
        return {"failed": f"with one version, too: {right}"}
    if isinstance(found, dict):
        return found
    if sorted(map(repr, found)) == sorted(map(repr, right)):
        return "right"
    return "right, with other bits" if is_within(name, found) else "another answer"


def is_within(name, rows):
    """Return whether an answer that may differ between versions is as exact as it promises. All others may not differ."""
    from chronosketch.sketch import Sketch

    values = {}
    for number in range(NUMBERS):
        values.setdefault(f"h{number % 3}", []).append(number * 7919 % 10007)
    for of in values.values():
        of.sort()

    def ranked(host, value, phi):
        of = values[host]
        rank, slack = max(1, math.ceil(phi * len(of))), EPSILON * len(of)
        return bisect_left(of, value) + 1 - slack <= rank <= bisect_right(of, value) + slack

    def sketched(host, text):
        sketch, of = Sketch.from_bytes(bytes.fromhex(text)), values[host]
        if name == "moments":
            return sketch.count == len(of) and abs(sketch.mean() - sum(of) / len(of)) < 1e-9
        bounds = zip(PARTS_OF_ONE, (sketch.bounds(phi) for phi in PARTS_OF_ONE), strict=True)
        exact = {phi: of[max(1, math.ceil(phi * len(of))) - 1] for phi in PARTS_OF_ONE}
        return sketch.count == len(of) and all(low <= exact[phi] <= high for phi, (low, high) in bounds)

    checks = {
        "GROUP BY": lambda host, q, n: (
            n == len(values[host]) and ranked(host, q[0], 0.1) and ranked(host, q[1], 0.99)
        ),
        "merged sketches": sketched,
        "a question in each row": lambda host, value: ranked(host, value, 0.5),
        "moments": sketched,
    }
    return name in checks and len(rows) == len(values) and all(checks[name](*row) for row in rows)


def answers_of(spark, folder):
    """Return the answer of each query, or how it failed."""
    if not Path(folder, "numbers").exists():
        spark.sql(ROWS.format(0, NUMBERS)).repartition(8, "id").write.parquet(f"{folder}/numbers")
    spark.read.parquet(f"{folder}/numbers").createOrReplaceTempView("numbers")
    answers = {}
    for name, query in MIXED.items():
        try:
            answers[name] = list(map(tuple, spark.sql(query).collect()))
        except Exception as error:
            answers[name] = condition(error)
        print(name, str(answers[name])[:200], file=sys.stderr, flush=True)
    return answers


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def workers(page):
    """Return how many workers a master has, by its page, or -1 if it does not answer yet."""
    try:
        with urlopen(f"http://127.0.0.1:{page}/json/", timeout=5) as told:
            return json.load(told)["aliveworkers"]
    except (OSError, ValueError):  # not there yet, or not whole
        return -1


def wait_for_workers(page, count):
    """Wait until a master has this number of workers."""
    end = time.monotonic() + 300
    while workers(page) < count:
        if time.monotonic() > end:
            raise TimeoutError("the cluster is not complete after five minutes")
        time.sleep(0.2)


@contextmanager
def cluster(folder, jars):
    """Start a master, and a worker for each jar. Each has its jar in its folder."""
    import pyspark

    home, port = Path(pyspark.__file__).parent, free_port()
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m"}

    def start(name, *arguments):
        """Start a process of the cluster. The script becomes the process, so it can be ended by its id."""
        command = [
            home / "bin" / "spark-class",
            f"org.apache.spark.deploy.{name}",
            "--host",
            "127.0.0.1",
            *arguments,
        ]
        null = subprocess.DEVNULL
        return subprocess.Popen(command, env=environment, stdout=null, stderr=null, start_new_session=True)

    page = free_port()
    processes = [start("master.Master", "--port", str(port), "--webui-port", str(page))]
    try:
        wait_for_workers(page, 0)
        for i, jar in enumerate(jars):
            work = Path(folder, f"worker-{i}")
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(parents=True)
            shutil.copy(jar, work / "chronosketch.jar")
            processes.append(
                start(
                    "worker.Worker",
                    *("--work-dir", str(work), "--cores", "1", "--memory", "1g"),
                    *("--webui-port", str(free_port()), f"spark://127.0.0.1:{port}"),
                )
            )
        wait_for_workers(page, len(jars))
        yield f"spark://127.0.0.1:{port}"
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()


class Upgrade:
    """Runs all turns, each in a process of its own."""

    def __init__(self, old, new, folder):
        self._jars, self._folder = {"old": old, "new": new}, folder
        self._log, self._delta = Path(folder, "driver.log"), None

    def child(self, version, *arguments):
        """Run a part of this program with a version, and return what it prints."""
        # the Python package of a clone that has built the jar goes with it
        beside = Path(self._jars[version]).parents[2] / "python"
        path = {"PYTHONPATH": str(beside)} if version == "old" and (beside / "chronosketch").exists() else {}
        # Spark looks for Delta's jars at the first start only
        path |= {"DELTA_JARS": self._delta} if self._delta else {}
        command = [
            sys.executable,
            HERE,
            self._jars["old"],
            self._jars["new"],
            *map(str, arguments),
            "--as",
            version,
        ]
        with self._log.open("ab") as log:
            done = subprocess.run(
                command, env={**os.environ, **path}, stdout=subprocess.PIPE, stderr=log, text=True, check=True
            )
        told = json.loads(done.stdout.splitlines()[-1])
        self._delta = told.get("jars") or self._delta
        return told["found"]

    def in_turn(self, name, turns, parts):
        """Let versions take their turns."""
        into, found = Path(self._folder, name.replace(" ", "_")), {part: [] for part in parts}
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        for turn, version in enumerate(turns):
            results = self.child(version, "--turn", turn, "--into", into, "--parts", *parts)
            for part, result in results.items():
                found[part].append({"version": version, **result})
        return found

    def mixed(self, drivers):
        """Ask queries on executors with both versions, by drivers of each."""
        into = Path(self._folder, "mixed")
        shutil.rmtree(into, ignore_errors=True)
        into.mkdir(parents=True)
        return {driver: self.child(driver, "--mixed", "--into", into) for driver in drivers}


def report(folder):
    """Write the matrix, as JSON and as a page."""
    sys.path.insert(0, str(HERE.parents[2] / "benchmarks"))
    from harness.results import RESULTS, footer

    of = json.loads(Path(folder, "upgrade.json").read_text())
    text = "\n".join([*page(of), "", *footer(of)]) + "\n"
    (RESULTS / "robustness_upgrade.json").write_text(json.dumps(of, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "robustness_upgrade.md").write_text(text, encoding="utf-8")
    print(text)


def cell(result):
    """Format what happened in a turn."""
    if "right" in result:
        return "right"
    if "wrong" in result:
        return f"**wrong**: {result['wrong']}"
    written = "nothing written" if not result["written"] else f"**{len(result['written'])} files written**"
    kind = "refused" if "refused" in result else "**failed**"
    return f"{kind}: `{result.get('refused') or result['failed']}`, {written}"


def page(of):
    """Return the lines of the page."""
    lines = ["# Two versions in turn", ""]
    lines += [
        f"The old jar was built from commit {of['old_commit']}, the first one that has all formats; the new one from {of['commit']}. Each turn adds rows to what the "
        "turn before has stored, and compares all of it with the rows: exactly where nothing is left out, else by the bounds of sketches. "
        "Nothing is written if no file of the store changed. What Spark notes of a batch before it runs it does not count: its offsets, and the metadata of its operators.",
        "",
        "| what is stored | old | then new | then old | new | then old | then new |",
        "|---|---|---|---|---|---|---|",
    ]
    for part, first in of["old first"].items():
        cells = [cell(result) for result in (*first, *of["new first"][part])]
        lines.append(f"| {part} | {' | '.join(cells)} |")
    lines += [
        "",
        "What only the new version can begin:",
        "",
        "| what is stored | new | then old | then new |",
        "|---|---|---|---|",
    ]
    lines += [f"| {part} | {' | '.join(map(cell, of['new first'][part]))} |" for part in NEW_PARTS]
    lines += [
        "",
        "A standalone cluster of two executors, of which one has the old jar and one the new one, as while a cluster is upgraded. Answers are compared with those of two "
        "executors with the driver's jar:",
        "",
        "| query | driver with the old jar | driver with the new jar |",
        "|---|---|---|",
    ]
    lines += [
        f"| {name} | {mixed(of['mixed']['old'][name])} | {mixed(of['mixed']['new'][name])} |"
        for name in MIXED
    ]
    return lines


def mixed(found):
    """Format the outcome of a query on both versions."""
    if isinstance(found, str):
        return f"**{found}**" if found == "another answer" else found
    return f"refused: `{found['refused']}`" if "refused" in found else f"fails: `{found['failed']}`"


def main():
    """Run all turns, or one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("paths", nargs="*", help="OLD_JAR NEW_JAR FOLDER, or with --report FOLDER")
    parser.add_argument("--only", help="old first, new first or mixed")
    parser.add_argument("--report", action="store_true", help="publish the matrix of the folder")
    for name in ("--as", "--turn", "--into"):
        parser.add_argument(name, dest=name.replace("--as", "version").strip("-"), help=argparse.SUPPRESS)
    parser.add_argument("--mixed", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--parts", nargs="+", help="run these parts, or drivers, only, and keep the rest")
    options = parser.parse_args()
    if options.report:
        report(options.paths[0])
        return
    paths = [str(Path(path).resolve()) for path in options.paths]
    jars = dict(zip(("old", "new"), paths, strict=False))
    if options.mixed:
        ask_mixed(options.version, jars, options.into)
    elif options.turn:
        take_turn(jars[options.version], options.into, int(options.turn), options.parts)
    else:
        run(*paths, only=options.only, parts=options.parts)


def run(old, new, folder, only, parts):
    """Run all turns, and keep the matrix in the folder."""
    began_by_old, began_by_new = (
        [name for name in of if parts is None or name in parts] for of in (PARTS, {**PARTS, **NEW_PARTS})
    )
    Path(folder).mkdir(parents=True, exist_ok=True)
    stored = Path(folder, "upgrade.json")
    found = json.loads(stored.read_text()) if stored.exists() else {}
    upgrade = Upgrade(old, new, folder)
    steps = {
        "old first": lambda: upgrade.in_turn("old first", ("old", "new", "old"), began_by_old),
        "new first": lambda: upgrade.in_turn("new first", ("new", "old", "new"), began_by_new),
        "mixed": lambda: upgrade.mixed([name for name in ("old", "new") if parts is None or name in parts]),
    }
    for name, step in steps.items():
        if only in (None, name):
            found[name] = {**found.get(name, {}), **step()}
            stored.write_text(json.dumps(found, indent=1))
            print(json.dumps({name: found[name]}, indent=1), flush=True)
    found.update(source(old, new))
    stored.write_text(json.dumps(found, indent=1))


def source(old, new):
    """Return where the versions and the answers come from."""
    sys.path.insert(0, str(HERE.parents[2] / "benchmarks"))
    from harness.results import provenance

    spark = session(new)
    git = ["git", "-C", str(Path(old).parent), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    return {
        **provenance(spark, "python tests/campaigns/upgrade.py OLD_JAR NEW_JAR FOLDER"),
        "old_commit": commit,
    }


if __name__ == "__main__":
    main()
