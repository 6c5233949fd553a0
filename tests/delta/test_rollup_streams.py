"""Roll-ups that a stream feeds: each row counts once, also if Spark repeats a batch."""

import time
from pathlib import Path

import chronosketch as cs
import pytest
from chronosketch.errors import ChronosketchError
from pyspark.errors import AnalysisException, StreamingQueryException
from rolling_up import COLUMNS, EPSILON, check, rows

LEVELS = ["1 hour", "1 day"]
GIVEN = {"time": "ts", "by": ["service"], "values": {"amount": "amount"}, "epsilon": EPSILON}

pytestmark = pytest.mark.every_start


@pytest.fixture
def files(spark, tmp_path):
    """Return the folder of arriving files. It has two."""
    folder = tmp_path / "arriving"
    arrive(spark, folder, 0, 300)
    arrive(spark, folder, 300, 500)
    return folder


def arrive(spark, folder, first, last):
    """Write a file of rows. Some have neither a time nor a group."""
    spark.sql(rows(first, last)).coalesce(1).write.mode("append").parquet(str(folder))


def reading(spark, files):
    return spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).parquet(str(files))


def attached(spark, files, into, checkpoint, **changed):
    writer = cs.rollup.attach(reading(spark, files), into=into, **{**GIVEN, "levels": LEVELS, **changed})
    return writer.option("checkpointLocation", str(checkpoint))


def run(writer):
    """Run a stream until it has all files, and return the number of its batches."""
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    if query.exception() is not None:
        raise query.exception()
    return query


def failed(writer):
    """Return the message with which a stream fails."""
    with pytest.raises((StreamingQueryException, AnalysisException)) as error:
        run(writer)
    return str(error.value)


def check_all(spark, files, into):
    assert check(spark, f"parquet.`{files}`", into, LEVELS) > 10


def last_commit(checkpoint):
    commits = [file for file in Path(checkpoint, "commits").iterdir() if file.name.isdigit()]
    return max(commits, key=lambda file: int(file.name))


def versions(spark, table):
    return spark.sql(f"DESCRIBE HISTORY {table}").count()


def test_a_stream_feeds_a_roll_up(spark, requests, files, tmp_path):
    into, checkpoint = f"{requests}_rolled", tmp_path / "checkpoint"
    run(attached(spark, files, into, checkpoint))
    check_all(spark, files, into)
    assert versions(spark, into) == 3  # CREATE TABLE and two batches
    run(attached(spark, files, into, checkpoint))
    assert versions(spark, into) == 3
    arrive(spark, files, 100, 120)  # late rows
    query = run(attached(spark, files, into, checkpoint))
    check_all(spark, files, into)
    described = cs.rollup.describe(spark, into)
    assert described.source == f"stream {query.id}"
    assert (described.version, described.source_version, described.lag_versions) == (2, None, None)
    assert [step.kind for step in described.steps] == ["batch"] * 3
    assert cs.rollup.now(spark, into).count() == spark.table(into).count()


def test_a_batch_that_spark_repeats_counts_once(spark, requests, files, tmp_path):
    into, checkpoint = f"{requests}_rolled", tmp_path / "checkpoint"
    run(attached(spark, files, into, checkpoint))
    for _ in range(2):
        # as if the process had ended between the commit of the roll-up and that of the checkpoint
        last = last_commit(checkpoint)
        last.unlink()
        last.with_name(f".{last.name}.crc").unlink(missing_ok=True)
        before = versions(spark, into)
        run(attached(spark, files, into, checkpoint))
        assert last_commit(checkpoint) == last
        assert versions(spark, into) == before
        check_all(spark, files, into)
        arrive(spark, files, 500, 510)
        run(attached(spark, files, into, checkpoint))
        check_all(spark, files, into)


def test_another_checkpoint_is_refused(spark, requests, files, tmp_path):
    into = f"{requests}_rolled"
    run(attached(spark, files, into, tmp_path / "checkpoint"))
    before = versions(spark, into)
    assert "CHRONOSKETCH_ROLLUP_OTHER_STREAM" in failed(attached(spark, files, into, tmp_path / "other"))
    assert versions(spark, into) == before
    check_all(spark, files, into)


def test_an_older_version_of_the_roll_up_is_refused(spark, requests, files, tmp_path):
    into, checkpoint = f"{requests}_rolled", tmp_path / "checkpoint"
    run(attached(spark, files, into, checkpoint))
    spark.sql(f"RESTORE TABLE {into} TO VERSION AS OF 1")
    arrive(spark, files, 500, 510)
    assert "CHRONOSKETCH_ROLLUP_BATCHES_MISSING" in failed(attached(spark, files, into, checkpoint))
    spark.sql(f"RESTORE TABLE {into} TO VERSION AS OF 2")
    run(attached(spark, files, into, checkpoint))
    check_all(spark, files, into)


def test_two_streams_of_a_session_feed_two_roll_ups(spark, requests, files, tmp_path):
    tables = [f"{requests}_rolled", f"{requests}_again"]
    queries = [
        attached(spark, files, table, tmp_path / table).trigger(processingTime="100 milliseconds").start()
        for table in tables
    ]
    try:
        for query in queries:
            query.processAllAvailable()
        arrive(spark, files, 500, 600)
        for query in queries:
            query.processAllAvailable()
    finally:
        for query in queries:
            query.stop()
    for table, query in zip(tables, queries, strict=True):
        assert query.exception() is None
        check_all(spark, files, table)
        assert cs.rollup.describe(spark, table).source == f"stream {query.id}"


def test_a_stream_whose_rows_come_again_is_refused(spark, requests, files, tmp_path):
    counted = reading(spark, files).groupBy("ts", "service").count().withColumnRenamed("count", "amount")
    for mode in ("complete", "update"):
        writer = cs.rollup.attach(counted, into=f"{requests}_rolled", **GIVEN).outputMode(mode)
        writer = writer.option("checkpointLocation", str(tmp_path / mode))
        assert "CHRONOSKETCH_ROLLUP_STREAM_UPDATES" in failed(writer)
    with pytest.raises(AnalysisException):
        attached(spark, files, f"{requests}_rolled", tmp_path / "continuous").trigger(
            continuous="1 second"
        ).start()
    assert not spark.catalog.tableExists(f"{requests}_rolled")


def test_a_stream_does_not_feed_the_roll_up_of_a_table(spark, requests, files, tmp_path):
    into = f"{requests}_rolled"
    spark.sql(
        f"CREATE TABLE {requests} ({COLUMNS}) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    cs.rollup.follow(spark, source=requests, into=into, levels=LEVELS, **GIVEN)
    message = failed(attached(spark, files, into, tmp_path / "checkpoint"))
    assert "CHRONOSKETCH_ROLLUP_FED_OTHERWISE" in message
    run(attached(spark, files, f"{requests}_again", tmp_path / "fresh"))
    for step in (cs.rollup.refresh, cs.rollup.rebuild):
        with pytest.raises(AnalysisException) as error:
            step(spark, f"{requests}_again")
        assert error.value.getCondition() == "CHRONOSKETCH_ROLLUP_FED_OTHERWISE"


def test_only_a_stream_can_be_attached(spark):
    for frame in (spark.range(3), "requests", None):
        with pytest.raises(ChronosketchError, match=r"Give a stream, such as spark\.readStream"):
            cs.rollup.attach(frame, into="rolled", **GIVEN)
    with pytest.raises(ChronosketchError, match="epsilon is 2"):
        cs.rollup.attach(spark.readStream.format("rate").load(), into="rolled", **{**GIVEN, "epsilon": 2})


def test_old_buckets_go_by_the_time_of_rows(spark, requests, tmp_path):
    into, folder = f"{requests}_rolled", tmp_path / "arriving"
    arrive(spark, folder, 0, 300)
    started = time.time()
    run(attached(spark, folder, into, tmp_path / "checkpoint", retention={"1 hour": "2 hours"}))
    assert time.time() > started  # the rows are much older than the clock
    hours = spark.table(into).where("level = '1 hour' AND bucket IS NOT NULL").selectExpr("hour(bucket) AS h")
    assert [row.h for row in hours.distinct().orderBy("h").collect()] == [2, 3, 4]
