"""Invalid arguments and tables are refused before a row is read, even if there is nothing new."""

import json

import chronosketch as cs
import pytest
from chronosketch.errors import HistoryError
from following import check_versions, create, follower, refused
from pyspark.errors import AnalysisException

OTHER = {
    "value": ("amount + 1", "value='amount', not 'amount + 1'"),
    "by": (["upper(region) AS region"], "by=['region'], not ['upper(region) AS region']"),
    "where": ("amount > 0", "where=None, not 'amount > 0'"),
    "epsilon": (0.01, "epsilon=0.05, not 0.01"),
    "start": (1, "start=0, not 1"),
}


@pytest.mark.every_start
def test_other_arguments_are_refused_if_nothing_is_new(spark, orders):
    create(spark, orders)
    follower(orders).step(spark)
    for name, (given, message) in OTHER.items():
        other = follower(orders, **{name: given})
        assert message in refused(spark, other)[1]
        with pytest.raises(HistoryError, match="HISTORY_DIFFERS"):
            other.tick(spark.range(1), 0)
        with pytest.raises(HistoryError, match="HISTORY_DIFFERS"):
            other.run(spark, 1)
        with pytest.raises(HistoryError, match="HISTORY_DIFFERS"):  # the table was not replaced
            follower(orders, **{name: given}, on_replace="rebuild").step(spark)
    condition, message = refused(spark, follower(orders, value="no_column", where="amount > 0"))
    assert condition == "HISTORY_DIFFERS"
    assert "value='amount', not 'no_column', and with where=None, not 'amount > 0'" in message
    assert "Give value='amount', where=None" in message
    assert follower(orders, by="region").step(spark) is None
    assert follower(orders, start=0).step(spark) is None


def test_expressions_that_do_not_resolve_are_refused(spark, orders):
    create(spark, orders)
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")

    for changed in ({"value": "amuont"}, {"by": ["regoin"]}, {"where": "amuont > 1"}, {"where": "amount"}):
        with pytest.raises(AnalysisException):
            follower(orders, **changed).step(spark)
    condition, message = refused(spark, follower(orders, by=["region", "upper(region) AS REGION"]))
    assert condition == "NAME_TAKEN"
    assert "by=['REGION AS another_REGION']" in message
    assert not spark.catalog.tableExists(f"{orders}_history")


@pytest.mark.every_start
def test_a_missing_source_is_named(spark, orders, tmp_path):
    create(spark, orders)
    (tmp_path / "empty").mkdir()
    near = f"{orders[:-1]}z"
    there = {
        near: f"There is no table {near} in spark_catalog.default",
        f"default.{near}": f"There is no table {near} in spark_catalog.default",
        f"nowhere.{orders}": f"There is no table {orders} in spark_catalog.nowhere",
        f"nowhere.sales.{orders}": f"There is no table {orders} in spark_catalog.nowhere.sales",
        f"delta.`{tmp_path}/none`": f"There is no Delta table at delta.`{tmp_path}/none`",
        f"delta.`{tmp_path}/empty`": f"There is no Delta table at delta.`{tmp_path}/empty`",
    }
    for name, message in there.items():
        condition, text = refused(spark, cs.history.Follower(name, "amount", f"{orders}_history"))
        assert condition == "SOURCE_NOT_FOUND", text
        assert message in text
        assert "rebuild" not in text
        assert "still ask" not in text
        assert (f"Similar names there: {orders}" in text) == name.endswith(near)
    follower(orders).step(spark)
    for name in there:
        mistyped = cs.history.Follower(name, "amount", f"{orders}_history", ["region"], epsilon=0.05)
        condition, text = refused(spark, mistyped)
        assert condition == "SOURCE_NOT_FOUND"
        assert f"still ask {orders}_history for versions 0 to 0" in text
        assert "rebuild" not in text


def test_a_source_without_versions_is_named(spark, orders):
    create(spark, orders)
    spark.sql(f"CREATE OR REPLACE TEMP VIEW seen AS SELECT * FROM {orders}")
    spark.sql(f"CREATE OR REPLACE VIEW seen_by_all AS SELECT * FROM {orders}")
    spark.sql(f"CREATE TABLE {orders}_history (amount INT) USING parquet")
    try:
        for name, what in {
            "seen": "seen is a view",
            "seen_by_all": "seen_by_all is a view",
            f"{orders}_history": "is a table of format parquet",
        }.items():
            condition, message = refused(spark, cs.history.Follower(name, "amount", "its_history"))
            assert condition == "SOURCE_NOT_VERSIONED"
            assert what in message
    finally:
        spark.catalog.dropTempView("seen")
        spark.sql("DROP VIEW seen_by_all")


def test_a_missing_schema_is_named_before_the_source_is_read(spark, orders):
    follow = cs.history.Follower(orders, "amount", "nowhere.history")  # the source does not exist either
    condition, message = refused(spark, follow)
    assert condition == "INTO_NOT_FOUND"
    assert message.endswith("CREATE SCHEMA nowhere")
    assert refused(spark, cs.history.Follower(orders, "amount", "no.where.history"))[0] == "INTO_NOT_FOUND"


def test_another_source_does_not_drop_the_history(spark, orders):
    create(spark, orders)
    create(spark, f"{orders}_others")
    try:
        spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
        follower(orders).step(spark)
        for on_replace in ("error", "rebuild", "continue"):
            others = cs.history.Follower(
                f"{orders}_others",
                "amount",
                f"{orders}_history",
                ["region"],
                epsilon=0.05,
                on_replace=on_replace,
            )
            condition, message = refused(spark, others)
            assert condition == "HISTORY_DIFFERS"
            assert (
                f"source='spark_catalog.default.{orders}', not 'spark_catalog.default.{orders}_others'"
                in message
            )
        spark.sql(f"DROP TABLE {orders}_others")
        # The same table under another name continues, and its new name is stored.
        spark.sql(f"ALTER TABLE {orders} RENAME TO {orders}_others")
        spark.sql(f"INSERT INTO {orders}_others VALUES (2, 'north', 2)")
        others = cs.history.Follower(
            f"default.{orders}_others", "amount", f"{orders}_history", ["region"], epsilon=0.05
        )
        assert others.step(spark)[:2] == (2, 2)
        check_versions(spark, f"{orders}_others", [1, 2], into=f"{orders}_history")
        spark.sql(f"DROP TABLE {orders}_others")
        create(spark, f"{orders}_others")
        assert refused(spark, others)[0] == "SOURCE_REPLACED"
    finally:
        spark.sql(f"DROP TABLE IF EXISTS {orders}_others")


def test_a_history_of_a_newer_format_is_refused(spark, orders):
    create(spark, orders)
    follower(orders).step(spark)
    into = f"{orders}_history"
    newer = "replace(step.definition, '\"format\":1', '\"format\":2')"
    spark.sql(f"UPDATE {into} SET step.definition = {newer} WHERE kind = 'step'")
    for _ in range(2):
        condition, message = refused(spark, follower(orders))
        assert condition == "HISTORY_TOO_NEW"
        assert f"{into} has format 2, and this chronosketch reads format 1" in message
        with pytest.raises(HistoryError, match="HISTORY_TOO_NEW"):
            cs.history.at(spark, into, version=0)
        spark.sql(f"ALTER TABLE {into} SET TBLPROPERTIES ('a commit' = 'without a note')")


def test_a_step_stores_the_definition(spark, orders):
    create(spark, orders)
    follower(orders, where="amount > 0").step(spark)
    into = f"{orders}_history"
    (row,) = spark.table(into).where("kind = 'step'").select("step.definition").collect()
    note = json.loads(spark.sql(f"DESCRIBE HISTORY {into} LIMIT 1").first().userMetadata)
    assert json.loads(row.definition) == note["definition"]
    assert note["definition"] == {
        "format": 1,
        "value": "amount",
        "value_type": "int",
        "by": ["region"],
        "by_types": ["string"],
        "by_names": ["region"],
        "where": "amount > 0",
        "epsilon": 0.05,
        "source": f"spark_catalog.default.{orders}",
    }
    assert note["table"] == spark.sql(f"DESCRIBE DETAIL {orders}").first().id


def test_a_table_that_is_not_a_history_is_not_changed(spark, orders):
    create(spark, orders)
    into = f"{orders}_history"

    def check(why):
        before = spark.table(into).collect()
        condition, message = refused(spark, follower(orders))
        assert condition == "NOT_A_HISTORY"
        assert why in message
        with pytest.raises(HistoryError, match="NOT_A_HISTORY"):
            cs.history.at(spark, into, version=0)
        assert spark.table(into).collect() == before

    # A table with the same column names but other types.
    spark.sql(
        f"CREATE TABLE {into} USING delta AS SELECT 'a' AS kind, 1 AS from_version, X'01' AS sketch, "
        "named_struct('number', 1) AS step"
    )
    check("not a history that follow has written.")
    spark.sql(f"DROP TABLE {into}")
    follower(orders).step(spark)
    spark.sql(f"UPDATE {into} SET step.definition = '{{}}' WHERE kind = 'step'")
    check("its definition is '{}'")
    spark.sql(f"DELETE FROM {into} WHERE kind = 'step'")
    spark.sql(f"INSERT INTO {into} (kind) VALUES ('open')")
    check("it has rows, but none of a step")


def test_columns_of_a_history_are_those_of_its_definition(spark, orders):
    create(spark, orders)
    into = f"{orders}_history"
    follower(orders).step(spark)
    spark.sql(f"ALTER TABLE {into} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    spark.sql(f"ALTER TABLE {into} RENAME COLUMN region TO district")
    condition, message = refused(spark, follower(orders))
    assert condition == "NOT_A_HISTORY"
    assert "it has no column region" in message


CHANGES = {
    "renamed": ["RENAME COLUMN amount TO price"],
    "swapped": [
        "RENAME COLUMN amount TO price",
        "RENAME COLUMN id TO amount",
        "RENAME COLUMN price TO id",
    ],
    "made again": ["DROP COLUMN amount", "ADD COLUMN amount INT"],
    "widened": ["ALTER COLUMN amount TYPE BIGINT"],
    "a group widened": ["ALTER COLUMN id TYPE BIGINT"],
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_columns_of_a_source_are_refused(spark, orders, change):
    create(
        spark, orders, feed="true, 'delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true'"
    )
    spark.sql(f"INSERT INTO {orders} VALUES (1, 'north', 1)")
    follow = follower(orders, by=["id"])
    follow.step(spark)
    for statement in CHANGES[change]:
        spark.sql(f"ALTER TABLE {orders} {statement}")
    assert refused(spark, follow)[0] == "SOURCE_SCHEMA_CHANGED"
    spark.sql(f"INSERT INTO {orders} VALUES (2, 'south', 2)")
    assert refused(spark, follow)[0] == "SOURCE_SCHEMA_CHANGED"
