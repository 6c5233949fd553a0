"""Run the blocks of docs/history.md that need Delta Lake. tests/python/test_pages.py runs all others."""

import re
from pathlib import Path

import chronosketch as cs
from chronosketch import functions as cf
from chronosketch.sql_text import split_statements

PAGE = Path(__file__).resolve().parents[2] / "docs" / "history.md"


def filled_in(block, latest):
    return block.replace("1734", str(latest.version)).replace("2026-03-03 12:00:00", str(latest.timestamp))


def test_following_a_table_runs_as_it_stands(spark, monkeypatch):
    text = PAGE.read_text("utf-8")
    blocks, queries = (
        re.findall(rf'^```{language} title="needs Delta Lake"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
        for language in ("python", "sql")
    )
    assert (len(blocks), len(queries)) == (3, 1)
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
    finally:
        for query in spark.streams.active:
            query.stop()
        for table in ("orders", "orders_history"):
            spark.sql(f"DROP TABLE IF EXISTS {table}")
