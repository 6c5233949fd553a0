"""Run the blocks of docs/history.md that need Delta Lake. tests/python/test_pages.py runs all others."""

import re
from pathlib import Path

import chronosketch as cs
from chronosketch import functions as cf

PAGE = Path(__file__).resolve().parents[2] / "docs" / "history.md"


def test_following_a_table_runs_as_it_stands(spark, monkeypatch):
    text = PAGE.read_text("utf-8")
    blocks = re.findall(r'^```python title="needs Delta Lake"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
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
            code = block.replace("1734", str(latest.version))
            code = code.replace("2026-03-03 12:00:00", str(latest.timestamp))
            exec(compile(code, PAGE.name, "exec"), names)
        for query in spark.streams.active:
            query.processAllAvailable()
            query.stop()
        assert names["then"].count() == 2
        ended = cs.history.at(spark, "orders_history", version=latest.version)
        assert {row.region for row in ended.collect()} == {"north", "south"}
    finally:
        for query in spark.streams.active:
            query.stop()
        for table in ("orders", "orders_history"):
            spark.sql(f"DROP TABLE IF EXISTS {table}")
