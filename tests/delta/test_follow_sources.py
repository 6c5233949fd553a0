"""Sources of Delta: no or a late change feed, row tracking, paths, and logs that were cleaned up."""

import dataclasses
import os
import shutil
import time

import chronosketch as cs
import pytest
from following import EPSILON, check_versions, create, follower, latest, refused, where_to_begin

SWITCH = "spark.databricks.delta.changelogV2.enabled"


@pytest.fixture
def sales(spark):
    """Return the name of a table, and let Spark derive changes from row ids during the test."""
    spark.conf.set(SWITCH, "true")
    yield "followed_by_row"
    spark.conf.unset(SWITCH)
    for table in ("", "_history", "_history_all", "_history_late"):
        spark.sql(f"DROP TABLE IF EXISTS followed_by_row{table}")


@pytest.mark.every_start
def test_changes_by_row(spark, sales):
    spark.sql(
        f"CREATE TABLE {sales} (region STRING, amount INT) USING delta "
        "TBLPROPERTIES (delta.enableRowTracking = true)"
    )
    spark.sql(f"INSERT INTO {sales} VALUES ('north', 1), ('south', 2), ('south', 3)")
    follower(sales).step(spark)
    spark.sql(f"DELETE FROM {sales} WHERE amount = 2")
    assert follower(sales).step(spark) == (2, 2, 1, False)
    check_versions(spark, sales, [1, 2])


@pytest.mark.long
def test_changes_by_row_if_the_feed_is_off_or_late(spark, sales):
    spark.sql(
        f"CREATE TABLE {sales} (id INT, region STRING, amount INT) USING delta "
        "TBLPROPERTIES (delta.enableRowTracking = true, delta.enableDeletionVectors = false)"
    )
    turn = "ALTER TABLE {t} SET TBLPROPERTIES (delta.enable%s = %s)"
    steps = []
    for statement in [
        "INSERT INTO {t} SELECT id, IF(id % 4 = 0, NULL, concat('r', id % 4)), id FROM range(0, 60, 1, 2)",
        "MERGE INTO {t} t USING (SELECT id FROM range(40, 80)) s ON t.id = s.id "
        "WHEN MATCHED AND s.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET t.amount = NULL "
        "WHEN NOT MATCHED THEN INSERT (id, region, amount) VALUES (s.id, 'r1', 7)",
        "OPTIMIZE {t}",
        "ALTER TABLE {t} ADD COLUMN note STRING",
        "a step",
        "INSERT OVERWRITE {t} SELECT * FROM {t} WHERE id % 2 = 0",
        turn % ("DeletionVectors", "true"),
        "DELETE FROM {t} WHERE id = 22 OR id = 26",  # CHANGES would miss this from the version before
        "RESTORE {t} TO VERSION AS OF 5",
        "a step",
        turn % ("ChangeDataFeed", "true"),
        "UPDATE {t} SET region = 'r2' WHERE id < 20",
        "a step",
        turn % ("ChangeDataFeed", "false"),
        "DELETE FROM {t} WHERE region IS NULL",
        turn % ("ChangeDataFeed", "true"),
        "INSERT INTO {t} (id, region, amount) VALUES (90, 'r9', 9)",
        "a step",
    ]:
        if statement == "a step":
            steps.append(follower(sales).step(spark)[:2])
        else:
            spark.sql(statement.format(t=sales))
    assert steps == [(0, 4), (5, 8), (9, 10), (11, 14)]
    every = dataclasses.replace(follower(sales), into=f"{sales}_history_all")
    assert every.step(spark)[:2] == (0, 14)  # although the feed begins at 13
    check_versions(spark, sales, (2, 5, 7, 8, 10, 12, 14))  # after each kind of change
    check_versions(spark, sales, [7], into=every.into)

    spark.conf.unset(SWITCH)
    late = dataclasses.replace(follower(sales), into=f"{sales}_history_late")
    assert late.step(spark)[:2] == (12, 14)
    spark.sql((turn % ("ChangeDataFeed", "false")).format(t=sales))
    spark.sql(f"DROP TABLE {late.into}")
    condition, message = refused(spark, late)
    assert condition == "CHANGE_FEED_OFF"
    exec(message[message.index("spark.conf.set") :])
    assert late.step(spark)[:2] == (0, 15)


@pytest.mark.long
def test_a_log_that_delta_has_cleaned_up(spark, tmp_path):
    orders, into = (f"delta.`{tmp_path / name}`" for name in ("orders", "history"))
    create(spark, orders, feed="true, delta.checkpointInterval = 4")
    follow = cs.history.Follower(orders, "amount", into, ["region"], epsilon=EPSILON)
    for amount in range(5):
        spark.sql(f"INSERT INTO {orders} VALUES ({amount}, 'north', {amount})")
        if amount < 2:
            follow.step(spark)
    check_versions(spark, orders, [0, 2], into=into)
    # Delta removes logs by whole days, at a checkpoint.
    retention = "delta.{}RetentionDuration = 'interval 0 days'".format
    spark.sql(f"ALTER TABLE {orders} SET TBLPROPERTIES ({retention('deletedFile')}, {retention('log')})")
    days_ago = time.time() - 3 * 86_400
    log = tmp_path / "orders" / "_delta_log"
    for version in range(6):
        os.utime(log / f"{version:020}.json", (days_ago + version, days_ago + version))
    for amount in range(5, 8):
        spark.sql(f"INSERT INTO {orders} VALUES ({amount}, 'south', {amount})")
    assert not (log / f"{3:020}.json").exists()
    condition, message = refused(spark, follow)
    assert condition == "SOURCE_LOG_GONE"
    first = where_to_begin(message)
    assert first >= 4
    assert f"delete the folder {tmp_path / 'history'}, then" in message  # DROP TABLE would leave it there
    shutil.rmtree(tmp_path / "history")
    again = dataclasses.replace(follow, start=first)
    assert again.step(spark)[:2] == (first, latest(spark, orders))
    check_versions(spark, orders, [first], into=into)


@pytest.fixture
def orders_vacuumed_at_once(spark, orders):
    """Create a table whose first versions VACUUM has deleted."""
    settings = {
        "spark.databricks.delta.retentionDurationCheck.enabled": "false",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",  # VACUUM lists with 10 000 tasks
    }
    create(spark, orders)
    spark.sql(f"INSERT INTO {orders} SELECT id, 'north', id FROM range(9)")
    for amount in (1, 2):
        spark.sql(f"UPDATE {orders} SET amount = {amount} WHERE id < 3")
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        spark.sql(f"VACUUM {orders} RETAIN 0 HOURS")
    finally:
        for name in settings:
            spark.conf.unset(name)
    spark.sql(f"INSERT INTO {orders} VALUES (10, 'south', 10)")
    return orders


def test_a_first_step_after_vacuum_fails_no_job(spark, orders_vacuumed_at_once):
    orders = orders_vacuumed_at_once
    context = spark.sparkContext
    context.setJobGroup("a first step", "after VACUUM")
    try:
        step = follower(orders).step(spark)
    finally:
        for name in ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"):
            context.setLocalProperty(name, None)
    assert step[:2] == (3, latest(spark, orders))
    check_versions(spark, orders, [step.first, step.last])
    tracker = context.statusTracker()
    jobs = tracker.getJobIdsForGroup("a first step")
    assert {tracker.getJobInfo(job).status for job in jobs} == {"SUCCEEDED"}


def test_a_first_step_without_its_files_names_no_history(spark, orders_vacuumed_at_once):
    orders = orders_vacuumed_at_once
    condition, message = refused(spark, follower(orders, start=0))
    assert condition == "SOURCE_FILES_GONE"
    assert "still ask" not in message  # there is no history yet
    assert "DROP TABLE" not in message
    step = follower(orders, start=where_to_begin(message + ".")).step(spark)
    assert step.last == latest(spark, orders)
