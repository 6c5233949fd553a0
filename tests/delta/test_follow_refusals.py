"""The errors of a follower: each case has a condition, and says what to do."""

from pathlib import Path
from urllib.parse import urlparse

import chronosketch as cs
import pytest
from following import EPSILON, check_versions, create, follower, refused, where_to_begin
from pyspark.errors import AnalysisException


def test_each_refusal_has_a_name(spark, orders, tmp_path):
    create(spark, orders, feed="true, 'delta.columnMapping.mode' = 'name'")
    follower(orders).step(spark)
    for amount in (1, 2):
        spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', {amount})")

    def message(condition, **changed):
        name, text = refused(spark, follower(orders, **changed))
        assert name == condition
        return text

    assert "with epsilon=0.05, not 0.01" in message("HISTORY_DIFFERS", epsilon=0.01)
    spark.conf.set("spark.sql.files.ignoreMissingFiles", "true")
    text = message("CHANGES_COULD_BE_SKIPPED")
    exec(text[text.index("spark.conf.set") :])

    place = Path(urlparse(spark.sql(f"DESCRIBE DETAIL {orders}").first().location).path)
    for file in place.rglob("*.parquet"):
        file.unlink()
    assert where_to_begin(message("SOURCE_FILES_GONE")) == 2
    commit = place / "_delta_log" / f"{1:020}.json"
    commit.rename(tmp_path / commit.name)
    message("SOURCE_LOG_GONE")
    (tmp_path / commit.name).rename(commit)
    spark.sql(f"ALTER TABLE {orders} RENAME COLUMN amount TO price")
    message("SOURCE_SCHEMA_CHANGED")
    spark.sql(f"DROP TABLE {orders}")
    create(spark, orders)
    assert "on_replace='continue'" not in message("SOURCE_REPLACED", on_replace="continue")
    spark.sql(f"RESTORE {orders}_history TO VERSION AS OF 0")
    message("HISTORY_SET_BACK")


def test_tables_and_names_that_do_not_fit(spark, orders):
    create(spark, orders, "version INT, amount INT")
    create(spark, f"{orders}_history")
    assert refused(spark, follower(orders, by=[]))[0] == "NOT_A_HISTORY"
    spark.sql(f"DROP TABLE {orders}_history")
    condition, message = refused(spark, follower(orders, by=["version"]))
    assert condition == "NAME_TAKEN"
    assert "by=['version AS its_version']" in message
    condition, message = refused(spark, follower(orders, by=["version + 1"]))
    assert condition == "NAME_TAKEN"
    assert "(version + 1)" in message
    with pytest.raises(AnalysisException, match="CHRONOSKETCH_UNSUPPORTED_TYPE"):
        follower(orders, by=[], value="array(amount)").step(spark)
    assert not spark.catalog.tableExists(f"{orders}_history")


def test_changes_that_do_not_fit(spark, orders):
    create(spark, orders, "ts TIMESTAMP")
    follow = follower(orders, value="hour(ts)", by=[])
    spark.sql(f"INSERT INTO {orders} VALUES (TIMESTAMP'2026-01-01 12:00:00Z')")
    follow.step(spark)
    spark.sql(f"DELETE FROM {orders}")
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")  # where it was another hour
    try:
        condition, message = refused(spark, follow)
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert condition == "CHANGES_DO_NOT_FIT"
    assert where_to_begin(message) == 0
    assert follow.step(spark).last == 2


@pytest.mark.long
def test_a_feed_that_is_switched_off_and_on(spark, orders):
    create(spark, orders, feed="false")
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    condition, message = refused(spark, follower(orders))
    assert condition == "CHANGE_FEED_OFF"
    assert not spark.catalog.tableExists(f"{orders}_history")
    spark.sql(message[message.index("ALTER TABLE") : message.index("true)") + 5])
    spark.sql(f"DELETE FROM {orders}")
    step = follower(orders).step(spark)
    assert (step.first, step.last) == (1, 3)
    check_versions(spark, orders, [1, 2, 3])
    for state in ("false", "true"):
        spark.sql(f"ALTER TABLE {orders} SET TBLPROPERTIES (delta.enableChangeDataFeed = {state})")
        spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    condition, message = refused(spark, follower(orders))
    assert condition == "CHANGE_FEED_OFF"
    assert where_to_begin(message) == 5
    spark.sql(message[message.index("DROP TABLE") : message.index(", then follow")])
    assert follower(orders, start=5).step(spark).last == 7
    check_versions(spark, orders, [5, 7])


@pytest.mark.long
def test_a_renamed_column_and_another_definition(spark, orders):
    create(spark, orders)
    spark.sql(f"ALTER TABLE {orders} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    follower(orders).step(spark)
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    assert refused(spark, follower(orders, where="id > 0"))[0] == "HISTORY_DIFFERS"
    assert refused(spark, follower(orders, epsilon=0.01))[0] == "HISTORY_DIFFERS"
    spark.sql(f"ALTER TABLE {orders} RENAME COLUMN id TO number")
    condition, message = refused(spark, follower(orders))  # the history does not use this column
    assert condition == "SOURCE_SCHEMA_CHANGED"
    assert where_to_begin(message) in (2, 3)
    spark.sql(f"ALTER TABLE {orders} RENAME COLUMN amount TO price")
    condition, message = refused(spark, follower(orders))
    assert condition == "SOURCE_SCHEMA_CHANGED"
    assert where_to_begin(message) == 4
    spark.sql(message[message.index("DROP TABLE") : message.index(", then follow")])
    assert follower(orders, value="price", start=4).step(spark).last == 4


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
    condition, message = refused(spark, follower(orders))
    assert condition == "SOURCE_REPLACED"
    assert "on_replace='continue'" in message
    follower(orders, on_replace="continue").step(spark)
    check_versions(spark, orders, range(4))

    spark.sql(f"DROP TABLE {orders}")
    create(spark, orders)
    for amount in range(4):  # as many versions as the old one had, and one more
        spark.sql(f"INSERT INTO {orders} VALUES (3, 'west', {amount})")
    condition, message = refused(spark, follower(orders, on_replace="continue"))
    assert condition == "SOURCE_REPLACED"
    assert "on_replace='continue'" not in message
    assert follower(orders, on_replace="rebuild").step(spark).last == 4
    check_versions(spark, orders, [0, 4])


@pytest.mark.long
def test_a_history_after_restore(spark, orders):
    create(spark, orders)
    follower(orders).step(spark)
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    follower(orders).step(spark)
    spark.sql(f"RESTORE {orders}_history TO VERSION AS OF 1")
    condition, message = refused(spark, follower(orders))
    assert condition == "HISTORY_SET_BACK"
    spark.sql(message[message.index("CREATE TABLE") :])
    again = cs.history.Follower(orders, "amount", f"{orders}_history_again", ["region"], epsilon=EPSILON)
    assert again.step(spark).last == 1
    check_versions(spark, orders, [1], into=f"{orders}_history_again")
    spark.sql(f"DROP TABLE {orders}_history_again")
