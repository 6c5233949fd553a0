"""Keep roll-ups in Iceberg, of an Iceberg table, a Delta table and a stream, and compare them with these.

test_iceberg.py runs it with the Python of an environment: python rollup_in_iceberg.py FOLDER PACKAGES
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import chronosketch as cs
from follow_iceberg import start
from pyspark.errors import AnalysisException

REQUESTS = "lake.sales.requests"
INTO = "lake.sales.requests_hourly"
ICEBERG = "USING iceberg TBLPROPERTIES ('format-version' = '2')"
DELTA = "USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')"
COLUMNS = "ts TIMESTAMP, service STRING, ms DOUBLE"
# epsilon is 0, so that the quantiles are exact
MEASURED = {"time": "ts", "by": ["service"], "values": {"latency": "ms"}, "epsilon": 0}
LEVELS = {"1 hour": "hour", "1 day": "day"}
HOUR = 3600
NEW_YEAR = 1767225600


def insert(source, since, rows):
    """Return a statement that appends a row a minute."""
    columns = f"timestamp_seconds({since} + id * 60), concat('s', id % 3), id * 1.5D"
    return f"INSERT INTO {source} SELECT {columns} FROM range({rows})"


def follow(spark, source, into, levels=tuple(LEVELS), **others):
    """Make a step."""
    return cs.rollup.follow(spark, source=source, into=into, levels=list(levels), **MEASURED, **others)


def compare(spark, source, into):
    """Compare each bucket of both levels with the rows of the source."""
    columns = "rows, latency_count, latency_sum, latency_min, latency_max, sketch_quantile(latency, 0.5)"
    exact_columns = (
        "count(*), count(ms), sum(ms), min(ms), max(ms), percentile_disc(0.5) WITHIN GROUP (ORDER BY ms)"
    )
    for level, unit in LEVELS.items():
        stored = spark.sql(
            f"SELECT bucket, service, {columns} FROM {into} WHERE level = '{level}' ORDER BY ALL"
        ).collect()
        exact = spark.sql(
            f"SELECT date_trunc('{unit}', ts) AS bucket, service, {exact_columns} FROM {source} "
            "GROUP BY ALL ORDER BY ALL"
        ).collect()
        assert [tuple(row) for row in stored] == [tuple(row) for row in exact], (level, stored, exact)


def refused(condition, call):
    """Check that a call is refused."""
    try:
        call()
    except AnalysisException as error:
        assert error.getCondition() == condition, error
    else:
        raise AssertionError(f"{condition} was expected")


def newest(spark, into):
    """Return the id of a roll-up's newest snapshot, and how many branches there are beside main."""
    main = spark.sql(f"SELECT snapshot_id FROM {into}.refs WHERE name = 'main'").first()[0]
    others = spark.sql(f"SELECT name FROM {into}.refs WHERE type = 'BRANCH' AND name <> 'main'")
    return main, others.count()


def changes(spark, source, using, into, write_mode):
    """Follow changes of all kinds. A second call of a step changes nothing."""
    spark.sql(f"CREATE TABLE {source} ({COLUMNS}) {using}")
    assert follow(spark, source, into).rows == 0
    spark.sql(f"ALTER TABLE {into} SET TBLPROPERTIES ('write.delete.mode' = '{write_mode}')")
    four_to_six = "ts >= TIMESTAMP'2026-01-01 04:00:00' AND ts < TIMESTAMP'2026-01-01 06:00:00'"
    for statement in (
        insert(source, NEW_YEAR, 300),
        insert(source, NEW_YEAR + 2 * HOUR, 2000),
        f"UPDATE {source} SET ms = ms + 1 WHERE service = 's1' AND ts < TIMESTAMP'2026-01-01 03:00:00'",
        f"DELETE FROM {source} WHERE {four_to_six}",
        f"DELETE FROM {source} WHERE service = 's2' AND ts < TIMESTAMP'2026-01-01 01:00:00'",
        f"INSERT INTO {source} VALUES (NULL, 's0', 1), (TIMESTAMP'2025-12-31 23:59:59', NULL, 7)",
    ):
        spark.sql(statement)
        now = spark.sql(f"SELECT sum(rows) FROM rollup_now('{into}') WHERE level = '1 day'").first()[0]
        assert now == spark.table(source).count(), (statement, now)
        step = follow(spark, source, into)
        assert step.is_new, statement
        compare(spark, source, into)
        before = newest(spark, into)
        assert before[1] == 0, "a branch of a step was left behind"
        assert cs.rollup.refresh(spark, into).is_new is False
        assert newest(spark, into) == before
    # an update that changes nothing is a step without rows
    spark.sql(f"UPDATE {source} SET ms = ms WHERE service = 's1'")
    assert cs.rollup.refresh(spark, into).rows == 0
    assert cs.rollup.refresh(spark, into).is_new is False
    compare(spark, source, into)
    described = cs.rollup.describe(spark, into)
    assert (described.lag_versions, described.steps[0].kind) == (0, "refresh"), described
    assert min(described.files, described.bytes) > 0, described
    assert described.rows == spark.table(into).count()


def maintenance(spark):
    """Compact files, expire snapshots and roll back: the next step goes on from there."""
    spark.sql(insert(REQUESTS, NEW_YEAR + 30 * HOUR, 10))
    cs.rollup.refresh(spark, INTO)
    step = newest(spark, INTO)[0]
    table = "table => 'sales.requests_hourly'"
    spark.sql(f"CALL lake.system.rewrite_data_files({table}, options => map('rewrite-all', 'true'))")
    assert newest(spark, INTO)[0] != step
    assert cs.rollup.refresh(spark, INTO).is_new is False
    # a tag keeps the snapshot of the last step
    older = "older_than => TIMESTAMP'2100-01-01', retain_last => 1"
    spark.sql(f"CALL lake.system.expire_snapshots({table}, {older})")
    assert spark.table(f"{INTO}.snapshots").count() == 2
    assert cs.rollup.refresh(spark, INTO).is_new is False
    spark.sql(insert(REQUESTS, NEW_YEAR + 31 * HOUR, 10))
    assert cs.rollup.refresh(spark, INTO).is_new
    compare(spark, REQUESTS, INTO)
    before = newest(spark, INTO)[0]
    spark.sql(insert(REQUESTS, NEW_YEAR + 32 * HOUR, 10))
    cs.rollup.refresh(spark, INTO)
    spark.sql(f"CALL lake.system.rollback_to_snapshot('sales.requests_hourly', {before})")
    assert cs.rollup.refresh(spark, INTO).is_new
    compare(spark, REQUESTS, INTO)
    # a process that was killed leaves its branch, which does no harm
    spark.sql(f"ALTER TABLE {INTO} CREATE BRANCH chronosketch_killed")
    spark.sql(f"DELETE FROM {INTO}.branch_chronosketch_killed WHERE level = '1 hour'")
    assert cs.rollup.refresh(spark, INTO).is_new is False
    compare(spark, REQUESTS, INTO)
    spark.sql(f"ALTER TABLE {INTO} DROP BRANCH chronosketch_killed")


def foreign_writes(spark):
    """Refuse rows that something else has written, until they are built anew."""
    for statement in (
        f"DELETE FROM {INTO} WHERE level = '1 hour' AND bucket >= TIMESTAMP'2026-01-02 00:00:00'",
        f"INSERT INTO {INTO} SELECT * FROM {INTO} LIMIT 1",
    ):
        spark.sql(statement)
        refused("CHRONOSKETCH_ROLLUP_CHANGED", lambda: cs.rollup.refresh(spark, INTO))
        refused("CHRONOSKETCH_ROLLUP_CHANGED", lambda: cs.rollup.now(spark, INTO))
        assert cs.rollup.rebuild(spark, INTO).is_new
        compare(spark, REQUESTS, INTO)
    since, until = "2026-01-01 03:00:00", "2026-01-01 04:00:00"
    assert cs.rollup.rebuild(spark, INTO, since=since, until=until).is_new
    compare(spark, REQUESTS, INTO)
    refused("CHRONOSKETCH_ROLLUP_DIFFERS", lambda: follow(spark, REQUESTS, INTO, ["1 hour"]))
    refused("CHRONOSKETCH_NOT_A_ROLLUP", lambda: follow(spark, REQUESTS, REQUESTS))


def two_followers(spark):
    """Refresh from two threads at once: each change counts once."""
    steps = cs.rollup.describe(spark, INTO).steps[0].step
    for i in range(3):
        spark.sql(insert(REQUESTS, NEW_YEAR + (40 + i) * HOUR, 10))
        with ThreadPoolExecutor(2) as pool:
            made = list(pool.map(lambda _: cs.rollup.refresh(spark, INTO), range(2)))
        assert sorted(step.is_new for step in made) == [False, True], made
        compare(spark, REQUESTS, INTO)
    assert cs.rollup.describe(spark, INTO).steps[0].step == steps + 3
    assert newest(spark, INTO)[1] == 0


def rewrite(spark, source, into):
    """Answer a query of a Delta table from its roll-up in Iceberg."""
    query = (
        f"SELECT service, count(*), max(ms), approx_quantile(ms, 0.5, 0) FROM {source} "
        "WHERE ts >= TIMESTAMP'2026-01-01 01:30:00' AND ts < TIMESTAMP'2026-01-02' "
        "GROUP BY service ORDER BY service"
    )
    exact = spark.sql(query).collect()
    spark.conf.set("spark.chronosketch.rollup.tables", into)
    spark.conf.set("spark.chronosketch.rollup.rewrite", "true")
    plan = spark.sql(f"EXPLAIN {query}").first()[0]
    assert f"SketchRollup(rollup={into}" in plan, plan
    assert spark.sql(query).collect() == exact
    spark.conf.set("spark.chronosketch.rollup.rewrite", "false")


def retention(spark, source):
    """Drop old hours, and keep their days."""
    into = "lake.sales.retained"
    follow(spark, source, into, retention={"1 hour": "1 hour"})
    spark.sql(insert(source, NEW_YEAR + 50 * HOUR, 10))
    cs.rollup.refresh(spark, into)
    levels = spark.sql(f"SELECT DISTINCT level FROM {into} WHERE bucket IS NOT NULL").collect()
    assert [row.level for row in levels] == ["1 day"], levels
    rows = spark.sql(f"SELECT sum(rows) FROM {into} WHERE level = '1 day'").first()[0]
    assert rows == spark.table(source).count()


def stream(spark, folder):
    """Feed a roll-up from a stream. A checkpoint that is run again adds nothing."""
    into, arriving = "lake.sales.fed", f"{folder}/arriving"
    spark.table(REQUESTS).write.parquet(arriving)
    rows = spark.readStream.schema(COLUMNS).parquet(arriving)
    feeding = cs.rollup.attach(rows, into=into, levels=list(LEVELS), **MEASURED)
    for _ in range(2):
        fed = feeding.option("checkpointLocation", f"{folder}/fed").trigger(availableNow=True).start()
        fed.awaitTermination()
        compare(spark, f"parquet.`{arriving}`", into)
    refused("CHRONOSKETCH_ROLLUP_FED_OTHERWISE", lambda: cs.rollup.refresh(spark, into))


def main(folder, packages):
    """Keep roll-ups of an Iceberg table, of a Delta table and of a stream."""
    spark = start(folder, packages)
    parts = (
        lambda: changes(spark, REQUESTS, ICEBERG, INTO, "copy-on-write"),
        lambda: maintenance(spark),
        lambda: foreign_writes(spark),
        lambda: two_followers(spark),
        lambda: stream(spark, folder),
        lambda: changes(spark, "requests", DELTA, "lake.sales.of_delta", "merge-on-read"),
        lambda: rewrite(spark, "requests", "lake.sales.of_delta"),
        lambda: retention(spark, "requests"),
    )
    for part in parts:
        part()
    # another table of the same name is refused, not merged
    spark.sql(f"DROP TABLE {REQUESTS}")
    spark.sql(f"CREATE TABLE {REQUESTS} ({COLUMNS}) {ICEBERG}")
    spark.sql(insert(REQUESTS, NEW_YEAR, 10))
    refused("CHRONOSKETCH_ROLLUP_SOURCE_REPLACED", lambda: cs.rollup.refresh(spark, INTO))
    print("All of it holds")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
