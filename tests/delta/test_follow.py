"""Histories that follow a Delta table, compared with time travel. tests/campaigns has more cases."""

import dataclasses
from threading import Event, Thread

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from chronosketch.errors import HistoryError
from following import check, check_versions, create, follower, latest, refused
from pyspark.sql import functions as F

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
    "ALTER TABLE {table}_history SET TBLPROPERTIES ('written by' = 'another')",
    "INSERT OVERWRITE {table} SELECT * FROM {table} WHERE id % 2 = 0",
    "TRUNCATE TABLE {table}",
    "a step",
    "RESTORE {table} TO VERSION AS OF 5",
    "a step",
]


def test_every_version_answers_as_time_travel_does(spark, orders):
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
    assert [step.first for step in steps] == [0, *(step.last + 1 for step in steps[:-1])]
    assert steps[-1].last == latest(spark, orders) == 9
    # Read every version with one query over the history's table, as its page describes.
    every = spark.table(f"{orders}_history").where("kind IN ('sealed', 'open')")
    every = every.withColumn("asked", F.expr("explode(sequence(from_version, to_version))"))
    then = F.expr("sketch_at_version(sketch, least(asked, sketch_versions(sketch).last))")
    check(spark, orders, range(steps[-1].last + 1), every.withColumn("sketch", then))
    check_versions(spark, orders, [steps[1].last, steps[-1].last])


@pytest.mark.every_start
def test_a_stream_makes_steps(spark, orders, tmp_path):
    create(spark, orders)
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1), (2, 'south', 5)")
    tick(spark, orders, tmp_path)
    (then,) = cs.history.at(spark, f"{orders}_history", version=1).where("region = 'south'").collect()
    assert spark.range(1).select(cf.sketch_max(F.lit(then.sketch), "int")).first()[0] == 5


def tick(spark, orders, folder):
    """Follow with a stream, up to the table's latest version."""
    feed = spark.readStream.option("readChangeFeed", "true").table(orders)
    stream = feed.writeStream.foreachBatch(follower(orders).tick).trigger(availableNow=True)
    stream.option("checkpointLocation", str(folder)).start().awaitTermination()


def test_ticks_moments_and_errors(spark, orders, tmp_path):
    create(spark, orders)
    for statement in (f"INSERT INTO {orders} VALUES (1, 'north', 1)", f"UPDATE {orders} SET amount = 2"):
        spark.sql(statement)
        tick(spark, orders, tmp_path)
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


def test_run_stops_at_its_event(spark, orders, monkeypatch):
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


@pytest.mark.long
def test_groups_and_values_are_equal_as_in_sql(spark, orders):
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
def test_times_do_not_depend_on_the_time_zone(spark, orders):
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
