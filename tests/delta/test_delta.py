"""Sketches in Delta tables, in sessions with Delta's extension and catalog."""

import re
import sys
from pathlib import Path

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from chronosketch.sql_text import split_statements
from pyspark.sql import functions as F

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "python"))

from pages import blocks  # noqa: E402

SKETCH_TABLES = (TESTS.parent / "docs" / "sketch-tables.md").read_text("utf-8")
ROWS = (
    "SELECT id, concat('web-', id % 3) AS host, timestamp_seconds(1767225600 + 20 * id) AS ts, "
    "pmod(id * 7919, 1009) AS latency FROM range({first}, {last}, 1, 1)"
)
SKETCHES = "SELECT host, to_date(ts) AS day, quantile_sketch_agg(latency) AS s FROM {rows} GROUP BY host, day"
EXACT = (
    "SELECT host, to_date(ts) AS day, count(*) AS n, "
    "percentile_disc(0.9) WITHIN GROUP (ORDER BY latency) AS p90 FROM {rows} GROUP BY host, day"
)


@pytest.fixture
def table(spark, request):
    """Return the name of a table for one test, and drop the table afterwards."""
    names = []

    def _table(purpose):
        names.append(f"{request.node.originalname}_{purpose}")
        return names[-1]

    yield _table
    for name in names:
        spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture
def rows(spark, table):
    """Write a Delta table with three days of requests to three hosts."""
    name = table("rows")
    spark.sql(f"CREATE TABLE {name} USING delta AS {ROWS.format(first=0, last=12_000)}")
    return name


def check_sketches(spark, sketches, rows):
    """Compare each day of each host with the exact answers, and return how many there are."""
    days = spark.sql(
        f"SELECT e.*, sketch_count(s) AS counted, sketch_quantile_bounds(s, 0.9) AS bounds "
        f"FROM ({EXACT.format(rows=rows)}) e FULL JOIN {sketches} USING (host, day)"
    ).collect()
    for day in days:
        assert day.n == day.counted, day
        assert day.bounds.low <= day.p90 <= day.bounds.high, day
    return len(days)


@pytest.mark.every_start
def test_the_session_has_both(spark, rows):
    assert cs.check_installed(spark) == cs.__version__
    assert spark.sql(f"DESCRIBE DETAIL {rows}").first().format == "delta"


def test_a_table_keeps_sketches(spark, table, rows):
    kept = table("kept")
    made = spark.table(rows).groupBy("host", F.to_date("ts").alias("day"))
    made.agg(cf.quantile_sketch_agg("latency").alias("s")).write.format("delta").saveAsTable(kept)
    assert check_sketches(spark, kept, rows) == 9
    week = spark.sql(f"SELECT sketch_count(sketch_merge_agg(s)) AS n FROM {kept} WHERE host = 'web-1'")
    assert week.first().n == 4000


def test_merge_adds_late_rows_to_their_sketches(spark, table, rows):
    kept, late = table("kept"), table("late")
    spark.sql(f"CREATE TABLE {kept} USING delta AS {SKETCHES.format(rows=rows)}")
    spark.sql(f"CREATE TABLE {late} USING delta AS {ROWS.format(first=10_000, last=16_000)}")
    spark.sql(
        f"MERGE INTO {kept} USING ({SKETCHES.format(rows=late)}) AS late "
        f"ON {kept}.host = late.host AND {kept}.day = late.day "
        f"WHEN MATCHED THEN UPDATE SET s = sketch_merge({kept}.s, late.s) WHEN NOT MATCHED THEN INSERT *"
    )
    assert check_sketches(spark, kept, f"(TABLE {rows} UNION ALL TABLE {late})") == 12
    assert check_sketches(spark, f"(SELECT * FROM {kept} VERSION AS OF 0)", rows) == 9


def test_the_page_of_sketch_tables_merges_late_rows(spark, table):
    """Run the blocks that MERGE needs, on a table where a row has no sketch yet and a host is NULL."""
    kept = table("daily_latency")
    requests, arrived, create, merge, replace = page_statements(
        kept,
        "VIEW requests",
        "VIEW arrived",
        "CREATE TABLE daily_latency",
        "MERGE INTO daily_latency",
        "INSERT INTO daily_latency",
    )
    try:
        for text in (requests, arrived):
            spark.sql(re.sub(r"concat\('web-', id % \d\)", r"nullif(\g<0>, 'web-1')", text))
        spark.sql(create)
        spark.sql(f"UPDATE {kept} SET s = NULL WHERE day = DATE'2026-01-25' AND host = 'web-0'")
        spark.sql(merge)
        counts = counts_by_day(spark, f"SELECT day, host, sketch_count(s) AS n FROM {kept}")
        expected = counts_by_day(
            spark,
            "SELECT day, host, count(*) AS n FROM (SELECT day, host FROM requests UNION ALL "
            "SELECT day, host FROM arrived) GROUP BY 1, 2",
        )
        late = "SELECT count(*) FROM arrived WHERE day = DATE'2026-01-25' AND host = 'web-0'"
        assert counts == {**expected, ("2026-01-25", "web-0"): spark.sql(late).first()[0]}
        day = f"SELECT day, host, sketch_count(s) AS n FROM {kept} WHERE day = DATE'2026-01-03'"
        of_day = "SELECT day, host, count(*) AS n FROM requests WHERE day = DATE'2026-01-03' GROUP BY 1, 2"
        for _ in range(2):
            spark.sql(replace)
            assert counts_by_day(spark, day) == counts_by_day(spark, of_day)
    finally:
        drop_views(spark)


def test_the_page_of_sketch_tables_adds_a_column(spark, table):
    """Run the page's example of a change: the backfill touches the days that it names."""
    kept = table("daily_latency")
    fill = "INSERT INTO daily_latency REPLACE WHERE day BETWEEN"
    words = ("VIEW requests", "VIEW arrived", "CREATE TABLE daily_latency", "MERGE INTO daily_latency")
    try:
        for text in page_statements(kept, *words, "ALTER TABLE daily_latency", fill):
            spark.sql(text)
        (shown,) = (block for block in blocks(SKETCH_TABLES) if fill in block.code)
        asked = split_statements(shown.code)[-1].replace("daily_latency", kept)
        assert spark.sql(asked)._show_string(50, False).rstrip() == shown.shown.rstrip()
    finally:
        drop_views(spark)


def page_statements(table, *words):
    """Return the first statement of the page with each of some words, on a table of another name."""
    fences = re.findall(r"^```sql.*?\n(.*?)^```$", SKETCH_TABLES, re.M | re.S)
    statements = [text for fence in fences for text in split_statements(fence)]
    return [
        next(text for text in statements if word in text).replace("daily_latency", table) for word in words
    ]


def drop_views(spark):
    """Drop the page's views: other tests make tables of these names."""
    for view in ("requests", "arrived"):
        spark.catalog.dropTempView(view)


def counts_by_day(spark, query):
    """Collect the counts of days and hosts, each of which has one row."""
    rows = spark.sql(query).collect()
    counts = {(str(row.day), row.host): row.n for row in rows}
    assert len(counts) == len(rows)
    return counts


@pytest.mark.every_start
def test_hopping_windows_of_a_table(spark, rows):
    aggs = [F.count("*").alias("n"), cf.approx_quantile("latency", 0.9).alias("p90"), F.avg("latency")]
    ours = cs.hopping(spark.table(rows), "ts", "3 hours", "1 hour", by=["host"], aggs=aggs)
    truth = spark.table(rows).groupBy("host", F.window("ts", "3 hours", "1 hour")).agg(*aggs)
    assert ours.columns == truth.columns
    answers = ours.orderBy("host", "window").collect()
    assert len(answers) == 3 * 69
    assert answers == truth.orderBy("host", "window").collect()


def test_hopping_windows_are_written_to_a_table(spark, table, rows):
    windows = table("windows")
    spark.sql(
        f"CREATE TABLE {windows} USING delta AS SELECT host, window.start AS start, s FROM hopping_sketch("
        f"TABLE({rows}), event_time => 'ts', size => '3 hours', slide => '1 hour', by => array('host'), "
        "aggs => array('quantile_sketch_agg(latency) AS s'))"
    )
    total = spark.sql(f"SELECT sum(sketch_count(s)) AS n FROM {windows}").first().n
    assert total == 3 * 12_000


@pytest.mark.every_start
def test_a_stream_merges_each_batch_into_a_table(spark, table, rows, tmp_path):
    kept = table("kept")
    spark.sql(f"CREATE TABLE {kept} (host STRING, day DATE, s BINARY) USING delta")
    spark.sql(f"INSERT INTO {rows} {ROWS.format(first=12_000, last=13_000)}")
    sketches = SKETCHES.format(rows="batch")

    # Connect sends the function to the server, with everything that it refers to
    def merge(batch, number):
        batch.createOrReplaceTempView("batch")
        batch.sparkSession.sql(
            f"MERGE INTO {kept} USING ({sketches}) AS batch "
            f"ON {kept}.host = batch.host AND {kept}.day = batch.day "
            f"WHEN MATCHED THEN UPDATE SET s = sketch_merge({kept}.s, batch.s) WHEN NOT MATCHED THEN INSERT *"
        )

    stream = spark.readStream.option("maxFilesPerTrigger", "1").table(rows)
    query = stream.writeStream.foreachBatch(merge).option("checkpointLocation", f"{tmp_path}/checkpoint")
    query = query.trigger(availableNow=True).start()
    query.awaitTermination()
    assert query.exception() is None
    versions = spark.sql(f"DESCRIBE HISTORY {kept}").where("operation = 'MERGE'").count()
    assert versions > 1, "the stream came as one batch"
    assert check_sketches(spark, kept, rows) == 12


def test_hopping_windows_of_a_stream_go_into_a_table(spark, table, rows, tmp_path):
    windows = table("windows")
    spark.sql(f"INSERT INTO {rows} SELECT -1, 'end', TIMESTAMP'2027-01-01', 0")
    aggs = [F.count("*").alias("n"), cf.approx_quantile("latency", 0.9).alias("p90")]

    def windows_of(frame):
        return cs.hopping(frame, "ts", "3 hours", "1 hour", by=["host"], aggs=aggs)

    stream = spark.readStream.option("maxFilesPerTrigger", "1").table(rows).withWatermark("ts", "1 minute")
    query = (
        windows_of(stream).writeStream.format("delta").option("checkpointLocation", f"{tmp_path}/checkpoint")
    )
    query.trigger(availableNow=True).toTable(windows).awaitTermination()
    truth = windows_of(spark.table(rows).where("host != 'end'"))
    made = spark.table(windows).orderBy("host", "window").collect()
    assert len(made) == 3 * 69
    assert made == truth.orderBy("host", "window").collect()
