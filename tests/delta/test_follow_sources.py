"""Histories of Delta tables without a complete change feed, of paths, and of tables whose log was cleaned up."""

from pathlib import Path

import chronosketch as cs
import pytest
from test_follow import (
    EPSILON,
    LIFE,
    check_version,
    create,
    follower,
    latest,
    orders,  # noqa: F401
    refused,
    where_to_begin,
)

SWITCH = "spark.databricks.delta.changelogV2.enabled"


@pytest.fixture
def changes_by_row(spark):
    """Switch on what Delta keeps off: CHANGES."""
    spark.conf.set(SWITCH, "true")
    yield
    spark.conf.unset(SWITCH)


def test_changes_by_row_rescue_a_late_feed(spark, orders, changes_by_row):  # noqa: F811
    spark.sql(
        f"CREATE TABLE {orders} (id INT, region STRING, amount INT) USING delta "
        "TBLPROPERTIES (delta.enableRowTracking = true, delta.enableDeletionVectors = false)"
    )
    switch_on = f"ALTER TABLE {orders} SET TBLPROPERTIES (delta.{{}} = true)".format
    statements = [*LIFE, switch_on("enableDeletionVectors"), f"DELETE FROM {orders} WHERE id = 22", "a step"]
    for statement in statements:
        if statement == "a step":
            follower(orders).step(spark)
        else:
            spark.sql(statement.format(table=orders))
    spark.sql(switch_on("enableChangeDataFeed"))
    spark.sql(f"DELETE FROM {orders} WHERE id = 24")
    follower(orders).step(spark)
    for version in range(latest(spark, orders) + 1):
        check_version(spark, orders, version)


def test_paths_and_a_log_that_delta_cleaned_up(spark, tmp_path):
    orders, into = (f"delta.`{tmp_path / name}`" for name in ("orders", "history"))  # noqa: F811
    create(spark, orders, feed="true, delta.checkpointInterval = 2")
    follow = cs.history.Follower(orders, "amount", into, ["region"], epsilon=EPSILON)
    for amount in range(3):
        spark.sql(f"INSERT INTO {orders} VALUES ({amount}, 'north', {amount})")
        follow.step(spark)
    for version in range(4):
        check_version(spark, orders, version, into=into)
