"""Run the blocks of docs/history.md that need Delta Lake. tests/python/test_pages.py runs all others."""

import re
from pathlib import Path

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from chronosketch.errors import HistoryError
from chronosketch.sql_text import split_statements

PAGE = Path(__file__).resolve().parents[2] / "docs" / "history.md"


def filled_in(block, latest):
    block = block.replace("1734", str(latest.version)).replace("1735", str(latest.version + 1))
    return block.replace("2026-03-03 12:00:00", str(latest.timestamp))


def test_following_a_table_runs_as_it_stands(spark, monkeypatch):
    text = PAGE.read_text("utf-8")
    blocks, queries = (
        re.findall(rf'^```{language} title="needs Delta Lake"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
        for language in ("python", "sql")
    )
    assert (len(blocks), len(queries)) == (3, 2)
    spark.sql(
        "CREATE TABLE orders (region STRING, amount INT) USING delta "
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    for row in ("'north', 10", "'south', 30"):
        spark.sql(f"INSERT INTO orders VALUES ({row})")
    latest = spark.sql("DESCRIBE HISTORY orders LIMIT 1").first()
    # the page follows forever, and reads versions that this table lacks
    monkeypatch.setattr(cs.history.Follower, "run", lambda self, spark, every: self.step(spark))
    names = {"spark": spark, "cs": cs, "cf": cf}
    try:
        for block in blocks:
            exec(compile(filled_in(block, latest), PAGE.name, "exec"), names)
        for query in spark.streams.active:
            query.processAllAvailable()
            query.stop()
        assert names["then"].count() == 2
        follow, *asked = split_statements(filled_in(queries[0], latest))
        assert spark.sql(follow).collect() == []
        assert [spark.sql(query).count() for query in asked] == [2, 2]
        ended = cs.history.at(spark, "orders_history", version=latest.version)
        assert {row.region for row in ended.collect()} == {"north", "south"}
        for statement in split_statements(filled_in(queries[1], latest)):
            spark.sql(statement).collect()
        check_erased(spark, latest.version)
    finally:
        for query in spark.streams.active:
            query.stop()
        for table in ("orders", "orders_history"):
            spark.sql(f"DROP TABLE IF EXISTS {table}")


def check_erased(spark, before):
    """Check that the history begins with the deletion, and has none of the deleted values."""
    left = cs.history.at(spark, "orders_history", version=before + 1)
    assert [
        (row.region, row.most)
        for row in left.select("region", cf.sketch_max("sketch").alias("most")).collect()
    ] == [("south", 30)]
    with pytest.raises(HistoryError) as error:
        cs.history.at(spark, "orders_history", version=before)
    assert error.value.condition == "CHRONOSKETCH_VERSION_OUT_OF_RANGE"
    values = spark.table("orders_history").where("value IS NOT NULL")
    assert {row.value for row in values.select("value").collect()} == {30}
