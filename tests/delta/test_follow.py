"""Histories that follow a Delta table, held against time travel. More cases: tests/campaigns."""

import dataclasses
import math
from fractions import Fraction
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlparse

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from chronosketch.errors import HistoryError
from chronosketch.history import writing
from chronosketch.history.ledger import Ledger
from pyspark.errors import AnalysisException

PHIS = [0.0, 0.1, 0.5, 0.99, 1.0]
EPSILON = 0.05


@pytest.fixture
def orders(spark, request):
    """Name a table and its history, of the test's own; both are dropped after it."""
    name = f"{request.node.originalname}_orders"
    yield name
    for table in (name, f"{name}_history"):
        spark.sql(f"DROP TABLE IF EXISTS {table}")


def create(spark, table, columns="id INT, region STRING, amount INT", feed="true"):
    spark.sql(
        f"CREATE TABLE {table} ({columns}) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = {feed})"
    )


def latest(spark, table):
    return spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").first().version


def follower(table, **changed):
    arguments = {"value": "amount", "by": ["region"], "epsilon": EPSILON, **changed}
    return cs.history.Follower(table, into=f"{table}_history", **arguments)


def nearest_rank(values, phi):
    return values[max(1, math.ceil(Fraction(str(phi)) * len(values))) - 1]


def check_version(spark, table, version, into=None):
    """Hold all groups of a version against what time travel says."""
    truth = {}
    rows = spark.sql(f"SELECT region, amount FROM {table} VERSION AS OF {version} WHERE amount IS NOT NULL")
    for region, amount in rows.collect():
        truth.setdefault(region, []).append(amount)
    answers = (
        cs.history.at(spark, into or f"{table}_history", version=version)
        .select(
            "region",
            cf.sketch_count_bounds("sketch").alias("n"),
            cf.sketch_rank_error("sketch").alias("error"),
            cf.sketch_quantile_bounds("sketch", PHIS, "int").alias("bounds"),
        )
        .collect()
    )
    assert {row.region for row in answers} == set(truth), version
    for row in answers:
        values = sorted(truth[row.region])
        assert row.n.low <= len(values) <= row.n.high, (version, row)
        assert row.error <= EPSILON, (version, row)
        for phi, bounds in zip(PHIS, row.bounds, strict=True):
            assert bounds.low <= nearest_rank(values, phi) <= bounds.high, (version, phi, row)


LIFE = [
    "INSERT INTO {table} SELECT id, IF(id % 4 = 0, NULL, concat('r', id % 4)), id FROM range(60)",
    "MERGE INTO {table} t USING (SELECT id FROM range(40, 80)) s ON t.id = s.id "
    "WHEN MATCHED AND s.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET t.amount = NULL "
    "WHEN NOT MATCHED THEN INSERT (id, region, amount) VALUES (s.id, 'r1', 7)",
    "OPTIMIZE {table}",
    "a step",
    "ALTER TABLE {table} ADD COLUMN note STRING",
    "UPDATE {table} SET region = 'r2', amount = amount WHERE id < 20",
    "DELETE FROM {table} WHERE region IS NULL OR id = 5",
    "a step",
    "INSERT OVERWRITE {table} SELECT * FROM {table} WHERE id % 2 = 0",
    "TRUNCATE TABLE {table}",
    "a step",
    "RESTORE {table} TO VERSION AS OF 5",
    "a step",
]


def test_every_version_answers_as_time_travel_does(spark, orders, monkeypatch):
    monkeypatch.setattr(writing, "SEAL_LEAST", 100)
    monkeypatch.setattr(writing, "BUILD_SHARE", 1.5)
    spark.sql(
        f"CREATE TABLE {orders} (id INT, region STRING, amount DECIMAL(10, 2)) USING delta "
        "PARTITIONED BY (region) TBLPROPERTIES (delta.enableChangeDataFeed = true, "
        "delta.enableDeletionVectors = true, 'delta.columnMapping.mode' = 'name')"
    )
    steps = []
    for statement in LIFE:
        if statement == "a step":
            steps.append(follower(orders).step(spark))
        else:
            spark.sql(statement.format(table=orders))
    assert follower(orders).step(spark) is None
    made = spark.table(f"{orders}_history").where("kind = 'step'").orderBy("from_version")
    waiting = [row[0] > 0 for row in made.select("step.waiting").collect()]
    assert [(step.sealed, waits) for step, waits in zip(steps, waiting, strict=True)] == [
        (False, False),
        (True, False),
        (False, True),
        (False, False),
    ], steps
    assert [step.first for step in steps] == [0, *(step.last + 1 for step in steps[:-1])]
    sealed = spark.table(f"{orders}_history").where("kind = 'sealed'")
    assert sealed.select("from_version").distinct().count() == sum(step.sealed for step in steps)
    assert steps[-1].last == latest(spark, orders) == 9
    for version in range(latest(spark, orders) + 1):
        check_version(spark, orders, version)


@pytest.mark.every_start
def test_ticks_moments_and_errors(spark, orders, tmp_path):
    create(spark, orders)
    for statement in (f"INSERT INTO {orders} VALUES (1, 'north', 1)", f"UPDATE {orders} SET amount = 2"):
        spark.sql(statement)
        feed = spark.readStream.option("readChangeFeed", "true").table(orders)
        stream = feed.writeStream.foreachBatch(follower(orders).tick).trigger(availableNow=True)
        stream.option("checkpointLocation", str(tmp_path)).start().awaitTermination()
    into = f"{orders}_history"
    times = spark.sql(f"DESCRIBE HISTORY {orders}").selectExpr("version", "CAST(timestamp AS STRING)")
    for version, time in sorted(map(tuple, times.collect())):
        then = cs.history.at(spark, into, timestamp=time).select(cf.sketch_max("sketch", "int")).collect()
        assert then == ([(version,)] if version else [])
    with pytest.raises(HistoryError, match=r"TIMESTAMP_OUT_OF_RANGE.*2020-01-01"):
        cs.history.at(spark, into, timestamp="2020-01-01")
    with pytest.raises(HistoryError, match=r"VERSION_OUT_OF_RANGE.*0 to 2.*3"):
        cs.history.at(spark, into, version=3)
    with pytest.raises(HistoryError, match="NO_HISTORY"):
        cs.history.at(spark, "nowhere", version=1)
    with pytest.raises(cs.ChronosketchError, match="either version or timestamp"):
        cs.history.at(spark, into)
    for state in ("false", "true"):
        spark.sql(f"ALTER TABLE {orders} SET TBLPROPERTIES (delta.enableChangeDataFeed = {state})")
        spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    assert refused(spark, follower(orders))[0] == "CHANGE_FEED_OFF"


class Killed(BaseException):
    """What no handler of the package catches."""


def test_a_step_that_is_killed_is_made_once(spark, orders, monkeypatch):
    monkeypatch.setattr(writing, "SEAL_LEAST", 1)
    create(spark, orders)
    whole = Ledger.commit
    for moment in ("before", "after"):
        spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1), (2, 'south', -1)")

        def commit(self, *arguments, moment=moment):
            if moment == "after":
                assert whole(self, *arguments)
            raise Killed

        with monkeypatch.context() as patched:
            patched.setattr(Ledger, "commit", commit)
            with pytest.raises(Killed):
                follower(orders).step(spark)
        step = follower(orders).step(spark)
        assert (step is None) == (moment == "after")
    for version in range(3):
        check_version(spark, orders, version)


def test_of_two_followers_one_makes_the_step(spark, orders, monkeypatch):
    create(spark, orders)
    whole, raced = Ledger.commit, []

    def commit(self, *arguments):
        if not raced:
            raced.append(True)
            assert follower(orders).step(spark).last == 0
            spark.sql(f"INSERT INTO {orders} VALUES (2, 'north', 2)")
        return whole(self, *arguments)

    monkeypatch.setattr(Ledger, "commit", commit)
    step = follower(orders).step(spark)
    assert (step.first, step.last) == (1, 1)
    steps = spark.table(f"{orders}_history").where("kind = 'step'").orderBy("from_version")
    assert [tuple(row) for row in steps.select("from_version", "to_version").collect()] == [(0, 0), (1, 1)]
    check_version(spark, orders, 1)


def test_a_loop_stops_when_it_is_told(spark, orders, monkeypatch):
    stop, steps = Event(), []

    def step(self, session):
        assert session is spark
        steps.append(self)
        if len(steps) == 3:
            stop.set()

    monkeypatch.setattr(cs.history.Follower, "step", step)
    loop = Thread(target=follower(orders).run, args=(spark, 0.01, stop), daemon=True)
    loop.start()
    loop.join(60)
    assert not loop.is_alive()
    assert len(steps) == 3


def refused(spark, follow):
    with pytest.raises(HistoryError) as error:
        follow.step(spark)
    return error.value.condition.removeprefix("CHRONOSKETCH_"), str(error.value)


def where_to_begin(said):
    """Read from a message from which version a history can begin."""
    return int(said[said.index("start=") + 6 :].split(".")[0])


def test_a_feed_that_is_off_and_on(spark, orders):
    create(spark, orders, feed="false")
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    condition, said = refused(spark, follower(orders))
    assert condition == "CHANGE_FEED_OFF"
    assert not spark.catalog.tableExists(f"{orders}_history")
    spark.sql(said[said.index("ALTER TABLE") : said.index(". A history begins there")])
    spark.sql(f"DELETE FROM {orders}")
    step = follower(orders).step(spark)
    assert (step.first, step.last) == (1, 3)
    for version in (1, 2, 3):
        check_version(spark, orders, version)
    for state in ("false", "true"):
        spark.sql(f"ALTER TABLE {orders} SET TBLPROPERTIES (delta.enableChangeDataFeed = {state})")
        spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    condition, said = refused(spark, follower(orders))
    assert condition == "CHANGE_FEED_OFF"
    assert where_to_begin(said) == 5
    spark.sql(said[said.index("DROP TABLE") : said.index(", then follow")])
    assert follower(orders, start=5).step(spark).last == 7
    for version in (5, 7):
        check_version(spark, orders, version)


@pytest.mark.long
def test_a_renamed_column_and_another_definition(spark, orders):
    create(spark, orders)
    spark.sql(f"ALTER TABLE {orders} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    follower(orders).step(spark)
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    assert refused(spark, follower(orders, where="id > 0"))[0] == "HISTORY_DIFFERS"
    assert refused(spark, follower(orders, epsilon=0.01))[0] == "HISTORY_DIFFERS"
    spark.sql(f"ALTER TABLE {orders} RENAME COLUMN id TO number")
    condition, said = refused(spark, follower(orders))  # of a column that the history does not use
    assert condition == "SOURCE_SCHEMA_CHANGED"
    assert where_to_begin(said) in (2, 3)
    spark.sql(f"ALTER TABLE {orders} RENAME COLUMN amount TO price")
    condition, said = refused(spark, follower(orders))
    assert condition == "SOURCE_SCHEMA_CHANGED"
    assert where_to_begin(said) == 4
    spark.sql(said[said.index("DROP TABLE") : said.index(", then follow")])
    assert follower(orders, value="price", start=4).step(spark).last == 4


def test_files_and_the_log_are_gone(spark, orders):
    create(spark, orders)
    follower(orders).step(spark)
    for amount in (1, 2):
        spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', {amount})")
    place = Path(urlparse(spark.sql(f"DESCRIBE DETAIL {orders}").first().location).path)
    for file in place.glob("*.parquet"):
        file.unlink()
    condition, said = refused(spark, follower(orders))
    assert condition == "SOURCE_FILES_GONE"
    assert where_to_begin(said) == 2
    spark.conf.set("spark.sql.files.ignoreMissingFiles", "true")
    condition, said = refused(spark, follower(orders))
    assert condition == "CHANGES_COULD_BE_SKIPPED"
    exec(said[said.index("spark.conf.set") :])
    (place / "_delta_log" / f"{1:020}.json").unlink()
    assert refused(spark, follower(orders))[0] == "SOURCE_LOG_GONE"


@pytest.mark.long
def test_a_replaced_table(spark, orders):
    create(spark, orders)
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    follower(orders).step(spark)
    spark.sql(
        f"CREATE OR REPLACE TABLE {orders} (id INT, region STRING, amount INT) USING delta "
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    spark.sql(f"INSERT INTO {orders} VALUES (2, 'south', 2)")
    condition, said = refused(spark, follower(orders))
    assert condition == "SOURCE_REPLACED"
    assert "on_replace='continue'" in said
    follower(orders, on_replace="continue").step(spark)
    for version in range(4):
        check_version(spark, orders, version)

    spark.sql(f"DROP TABLE {orders}")
    create(spark, orders)
    for amount in range(4):  # as many versions as the old one had, and one more
        spark.sql(f"INSERT INTO {orders} VALUES (3, 'west', {amount})")
    condition, said = refused(spark, follower(orders, on_replace="continue"))
    assert condition == "SOURCE_REPLACED"
    assert "on_replace='continue'" not in said
    assert follower(orders, on_replace="rebuild").step(spark).last == 4
    for version in (0, 4):
        check_version(spark, orders, version)


@pytest.mark.long
def test_a_history_that_was_set_back(spark, orders):
    create(spark, orders)
    follower(orders).step(spark)
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    follower(orders).step(spark)
    spark.sql(f"RESTORE {orders}_history TO VERSION AS OF 1")
    condition, said = refused(spark, follower(orders))
    assert condition == "HISTORY_SET_BACK"
    spark.sql(said[said.index("CREATE TABLE") :])
    again = cs.history.Follower(orders, "amount", f"{orders}_history_again", ["region"], epsilon=EPSILON)
    assert again.step(spark).last == 1
    check_version(spark, orders, 1, into=f"{orders}_history_again")
    spark.sql(f"DROP TABLE {orders}_history_again")


def test_tables_and_names_that_do_not_fit(spark, orders):
    create(spark, orders, "version INT, amount INT")
    create(spark, f"{orders}_history")
    assert refused(spark, follower(orders, by=[]))[0] == "NOT_A_HISTORY"
    spark.sql(f"DROP TABLE {orders}_history")
    condition, said = refused(spark, follower(orders, by=["version"]))
    assert condition == "NAME_TAKEN"
    assert "by=['version AS its_version']" in said
    condition, said = refused(spark, follower(orders, by=["version + 1"]))
    assert condition == "NAME_TAKEN"
    assert "(version + 1)" in said
    with pytest.raises(AnalysisException, match="CHRONOSKETCH_UNSUPPORTED_TYPE"):
        follower(orders, by=[], value="array(amount)").step(spark)
    assert not spark.catalog.tableExists(f"{orders}_history")


@pytest.mark.long
def test_keys_and_values_are_as_sql_groups_them(spark, orders):
    create(spark, orders, "k DOUBLE, `it's a` INT, v DOUBLE", "true, 'delta.columnMapping.mode' = 'name'")
    spark.sql(
        f"INSERT INTO {orders} VALUES (0D, 1, -0D), (-0D, 1, double('NaN')), (NULL, 1, 2), "
        "(double('NaN'), NULL, 1), (-double('NaN'), NULL, 1), (1, 1, NULL)"
    )
    follow = follower(orders, value="v", by=["k", "`it's a` AS `a``.b`"])
    follow.step(spark)
    spark.sql(f"UPDATE {orders} SET k = -k, v = IF(isnan(v), 7, -v)")
    spark.sql(f"DELETE FROM {orders} WHERE k IS NULL")
    follow.step(spark)
    ends = "count(v), string(min(v) + 0), string(max(v) + 0)"  # -0.0 is 0.0 in a sketch
    of_sketch = "sketch_count(sketch)", "string(sketch_min(sketch))", "string(sketch_max(sketch))"
    for version in range(4):
        truth = spark.sql(
            f"SELECT string(k), `it's a`, {ends} FROM {orders} VERSION AS OF {version} "
            f"WHERE v IS NOT NULL GROUP BY k, `it's a`"
        )
        then = cs.history.at(spark, f"{orders}_history", version=version)
        answers = then.selectExpr("string(k)", "`a``.b`", *of_sketch)
        assert sorted(map(repr, map(tuple, answers.collect()))) == sorted(
            map(repr, map(tuple, truth.collect()))
        ), version


@pytest.mark.long
def test_times_are_kept_in_any_time_zone(spark, orders):
    create(spark, orders, "ts TIMESTAMP")
    times = "(TIMESTAMP'2025-10-26 00:30:00Z'), (TIMESTAMP'2025-10-26 01:30:00.000001Z')"
    spark.sql(f"INSERT INTO {orders} VALUES {times}")
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")  # where both are at half past two
    try:
        follower(orders, value="ts", by=[]).step(spark)
        since = follower(orders, value="ts - TIMESTAMP'2025-10-26 00:00:00Z'", by=[])
        since = dataclasses.replace(since, into=f"{orders}_history_since")
        since.step(spark)
        spark.sql(f"DELETE FROM {orders} WHERE ts < TIMESTAMP'2025-10-26 01:00:00Z'")
        since.step(spark)
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    then = cs.history.at(spark, f"{orders}_history", version=1)
    ends = "unix_micros(sketch_{}(sketch, 'timestamp')) - unix_micros(TIMESTAMP'2025-10-26 00:30:00Z')"
    assert tuple(then.selectExpr(ends.format("min"), ends.format("max")).first()) == (0, 3_600_000_001)
    least = "string(sketch_min(sketch, 'interval day to second'))"
    then = [
        cs.history.at(spark, since.into, version=version).selectExpr(least).first()[0] for version in (1, 2)
    ]
    # Spark subtracts times by the clocks of the session's zone, which were set back in between
    assert then == ["INTERVAL '0 00:30:00' DAY TO SECOND", "INTERVAL '0 00:30:00.000001' DAY TO SECOND"]
    spark.sql(f"DROP TABLE {since.into}")
