"""Run docs/rollups.md, with streams that end between a batch's write and its commit, and start again."""

import sys
from pathlib import Path

import chronosketch as cs
import pytest
from chronosketch.sessions import CATALOG, CATALOG_CLASS
from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.readwriter import DataStreamReader, DataStreamWriter

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "python"))

import pages  # noqa: E402

PAGE = TESTS.parent / "docs" / "rollups.md"
ARRIVING = (
    "SELECT timestamp_seconds(1772409600 + 7 * id) AS ts, IF(id % 9 = 0, NULL, concat('service-', id % 2)) "
    "AS service, concat('/', id % 3) AS endpoint, double(pmod(id * 7919, 1009)) AS latency_ms "
    "FROM range({first}, {last}, 1, 1)"
)
FILES, ROWS = 3, 1000


class CrashError(Exception):
    """Ends a stream after a batch was written, before it is committed to the checkpoint."""


@pytest.fixture
def crashing_streams(monkeypatch):
    """Let each stream crash after each batch was written, and start it again until it has all files."""
    crashed = []
    read, write, start = DataStreamReader.parquet, DataStreamWriter.foreachBatch, DataStreamWriter.start

    def foreach_batch(self, function):
        def crash(batch, number):
            function(batch, number)
            if (function.__name__, number) not in crashed:
                crashed.append((function.__name__, number))
                raise CrashError

        return write(self, crash)

    def to_table(self, name):
        run(self.trigger(availableNow=True), lambda writer: whole_to_table(writer, name))

    def run(writer, begin):
        for _ in range(2 * FILES):
            try:
                begin(writer).awaitTermination()
                return
            except StreamingQueryException as error:
                assert "CrashError" in str(error)
        raise AssertionError("the stream does not end")

    whole_to_table = DataStreamWriter.toTable
    monkeypatch.setattr(
        DataStreamReader, "parquet", lambda self, path: read(self.option("maxFilesPerTrigger", 1), path)
    )
    monkeypatch.setattr(DataStreamWriter, "foreachBatch", foreach_batch)
    monkeypatch.setattr(DataStreamWriter, "start", lambda self: run(self.trigger(availableNow=True), start))
    monkeypatch.setattr(DataStreamWriter, "toTable", to_table)
    return crashed


@pytest.fixture
def database(spark):
    spark.conf.set(CATALOG, CATALOG_CLASS)  # for CALL in SQL
    spark.sql("CREATE DATABASE rollups_page")
    spark.sql("USE rollups_page")
    yield spark
    spark.sql("USE default")
    spark.sql("DROP DATABASE rollups_page CASCADE")


def check_stream(spark, table, files):
    """Compare a table of hourly sketches with the rows of all files."""
    rolled = spark.sql(
        "SELECT bucket, service, endpoint, sum(rows) AS n, sketch_count(sketch_merge_agg(latency)) AS m, "
        f"sketch_max(sketch_merge_agg(latency)) AS most FROM {table} GROUP BY ALL"
    )
    exact = spark.sql(
        "SELECT date_trunc('hour', ts) AS bucket, service, endpoint, count(*) AS n, count(*) AS m, "
        f"max(latency_ms) AS most FROM parquet.`{files}` GROUP BY ALL"
    )
    assert sorted(map(repr, rolled.collect())) == sorted(map(repr, exact.collect()))


def test_the_page_runs_and_its_streams_count_each_row_once(database, tmp_path, monkeypatch, crashing_streams):
    spark = database
    for part in range(FILES):
        rows = spark.sql(ARRIVING.format(first=part * ROWS, last=part * ROWS + ROWS))
        rows.write.mode("append").parquet(str(tmp_path / "arriving"))
        # the folders of two nights have the rows of the stream
        night = "2026-03-03" if part == FILES - 1 else "2026-03-02"
        rows.write.mode("append").parquet(str(tmp_path / "nightly" / night))
    # the page follows forever
    monkeypatch.setattr(cs.rollup.Follower, "run", lambda self, spark, every: self.step(spark))
    text = PAGE.read_text("utf-8")
    assert ' title="needs Delta Lake"' in text
    answers = pages.run(spark, text.replace(' title="needs Delta Lake"', ""), str(tmp_path), PAGE.name)
    for name in ("replace", "add"):
        assert {(name, batch) for batch in range(FILES)} <= set(crashing_streams)
    assert "tick" in {function for function, _ in crashing_streams}
    copied = spark.sql("SELECT count(DISTINCT bucket), hour(max(bucket)), max(level) FROM requests_archive")
    assert copied.first() == (12, 11, "1 hour")
    for change in (
        "DELETE FROM requests WHERE endpoint = '/0'",
        "UPDATE requests SET latency_ms = 1 + latency_ms",
    ):
        spark.sql(change)
        answers.names["ticking"].start()  # a tick, although no row was added
        lag = cs.rollup.describe(spark, "requests_hourly").lag_versions
        assert lag == 0, change
    fed = "(SELECT * FROM fed_hourly WHERE level = '1 hour')"
    for table in ("hourly", fed):
        check_stream(spark, table, tmp_path / "arriving")
    counted = spark.sql("SELECT level, sum(rows) AS n FROM fed_hourly GROUP BY level").collect()
    assert spark.sql("SELECT sum(rows), sum(latency_count) FROM loaded_hourly").first() == (FILES * ROWS,) * 2
    assert sorted(counted) == [("1 day", FILES * ROWS), ("1 hour", FILES * ROWS)]
    check_source(spark)


def check_source(spark):
    """Compare the roll-up with the rows of its source."""
    exact = spark.sql(
        "SELECT date_trunc('hour', ts), service, endpoint, count(*), count(latency_ms), sum(latency_ms), "
        "max(latency_ms) FROM requests GROUP BY ALL"
    )
    rolled = spark.sql(
        "SELECT bucket, service, endpoint, rows, sketch_count(latency), latency_sum, latency_max "
        "FROM requests_hourly WHERE level = '1 hour'"
    )
    assert sorted(map(repr, map(tuple, rolled.collect()))) == sorted(map(repr, map(tuple, exact.collect())))
