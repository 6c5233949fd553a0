"""Run the blocks that need Delta Lake on four pages: dashboards, hopping, production and the quickstart."""

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import chronosketch as cs
import numpy as np
import pytest
from chronosketch import functions as cf
from chronosketch.sql_text import split_statements
from pyspark.sql import functions as F

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "python"))

import pages  # noqa: E402
from page_checks import check_otel  # noqa: E402

TITLE = "needs Delta Lake"


def text_of(page):
    return (TESTS.parent / "docs" / page).read_text("utf-8")


def section(page, heading):
    (found,) = re.findall(rf"^#+ {heading}\n(.*?)(?=^#+ [A-Z]|\Z)", text_of(page), re.MULTILINE | re.DOTALL)
    return found


def titled(text, language):
    """Return the code of the blocks that need Delta Lake."""
    return [block.code for block in pages.blocks(text) if (block.title, block.language) == (TITLE, language)]


@pytest.fixture
def database(spark):
    """Give a page its own tables and views."""
    spark.sql("CREATE DATABASE pages_with_delta")
    spark.sql("USE pages_with_delta")
    yield spark
    for query in spark.streams.active:
        query.stop()
    for view in ("hits", "otel_metrics", "otel_points"):
        spark.catalog.dropTempView(view)
    spark.sql("USE default")
    spark.sql("DROP DATABASE pages_with_delta CASCADE")


def forget_commit(checkpoint):
    """Take back the newest commit of a checkpoint, as if the stream had died after that of its sink."""

    def newest(log):
        files = [file for file in Path(checkpoint, log).iterdir() if file.name.isdigit()]
        return max(files, key=lambda file: int(file.name))

    def delete(file):
        file.unlink()
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)

    last = newest("commits")
    if newest("offsets").name != last.name:  # a batch that `stop` interrupted
        delete(newest("offsets"))
    delete(last)


def test_a_batch_of_histograms_that_comes_again_counts_once(database, tmp_path):
    text = section("dashboards.md", "Histograms of OpenTelemetry")
    assert len(titled(text, "sql")) == 2
    for _ in range(2):
        # the output of the page is compared each time
        pages.run(database, text.replace(f' title="{TITLE}"', ""), tmp_path, "dashboards.md")
    check_otel(database.table("otel_metrics").collect(), database.table("otel_sketches"))
    assert database.table("otel_sketches").count() == 4


@pytest.fixture
def hits(database):
    (create, *_) = split_statements(next(pages.blocks(text_of("hopping.md"))).code)
    database.sql(create)
    return database.table("hits")


def windows_of(rows):
    """Return the number and the greatest value of the rows of each host and window, by Spark."""
    windows = rows.groupBy("host", F.window("ts", "10 minutes", "1 minute"))
    counted = windows.agg(F.count("*").alias("n"), F.max("latency_ms").alias("most"))
    return {(row.host, row.window.start): (row.n, row.n, row.most) for row in counted.collect()}


def stored(table):
    columns = "host", "start", "n", "sketch_count(s) AS counted", "sketch_max(s) AS most"
    rows = [tuple(row) for row in table.selectExpr(*columns).collect()]
    windows = {row[:2]: row[2:] for row in rows}
    assert len(windows) == len(rows), "a window came twice"
    return windows


def test_windows_of_a_stream_that_dies_are_in_the_table_once(database, hits, tmp_path):
    (block,) = titled(text_of("hopping.md"), "python")
    files = str(tmp_path / "hits")
    names = {"cs": cs, "cf": cf, "F": F}

    def run(rows):
        rows.coalesce(1).write.mode("append").parquet(files)
        names["stream"] = (
            database.readStream.schema(hits.schema).parquet(files).withWatermark("ts", "1 minute")
        )
        exec(compile(block.replace("/data/", f"{tmp_path}/"), "hopping.md", "exec"), names)
        assert names["query"].exception() is None
        made, truth = stored(database.table("host_windows")), windows_of(database.read.parquet(files))
        assert {key: truth[key] for key in made} == made
        forget_commit(tmp_path / "checkpoint")
        return made, truth

    for part in (0, 1):
        second = F.unix_seconds("ts") - 1767225600
        made, _ = run(hits.where(second.between(7000 * part, 7000 * part + 6999)))
        assert len(made) > 300 * (part + 1)
    made, truth = run(database.sql("SELECT 'end' AS host, TIMESTAMP'2027-01-01' AS ts, 0D AS latency_ms"))
    assert set(made) == {key for key in truth if key[0] != "end"}


def test_a_day_of_windows_is_replaced(database, hits):
    (block,) = titled(text_of("hopping.md"), "sql")
    create, insert, ask = split_statements(block)
    database.sql(create)
    database.sql(
        "INSERT INTO windows_by_day VALUES ('other', TIMESTAMP'2026-01-05', DATE'2026-01-05', X'', 1)"
    )
    day = hits.where("ts >= TIMESTAMP'2026-01-02' AND ts < TIMESTAMP'2026-01-03 00:10:00'")
    truth = {key: row for key, row in windows_of(day).items() if str(key[1]).startswith("2026-01-02")}
    for _ in range(2):
        database.sql(insert)
        windows = database.table("windows_by_day")
        assert stored(windows.where("host != 'other'")) == truth
        assert windows.where("host = 'other'").count() == 1
    assert len(truth) == 3 * 24 * 60
    noon = day.where("ts >= TIMESTAMP'2026-01-02 12:00:00' AND ts < TIMESTAMP'2026-01-02 12:10:00'")
    exact = noon.groupBy("host").agg(F.expr("percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms)"))
    exact = dict(exact.collect())
    answers = database.sql(ask).collect()
    assert len(answers) == 3
    for host, _, bounds, _ in answers:
        assert bounds.low <= exact[host] <= bounds.high


def test_minutes_of_messages_are_in_the_table_once(database, tmp_path):
    text = section("production.md", "Kafka as a source")
    recipe, messages = (block.code for block in pages.blocks(text) if block.runs)
    start, ask = titled(text, "python")
    names = {"spark": database}

    def run(code):
        code = code.replace("/data/", f"{tmp_path}/").replace('Time="1 minute"', 'Time="0 seconds"')
        exec(compile(code, "production.md", "exec"), names)

    for code in (recipe, messages):
        run(code)
    for _ in range(2):
        run(start)
        while len(names["query"].recentProgress) < 3:
            names["query"].awaitTermination(1)
        names["query"].stop()
        assert names["query"].exception() is None
        forget_commit(tmp_path / "checkpoint")
    run(ask)
    minutes = database.table("minutes")
    closed = minutes.select("minute").distinct().count()
    assert closed >= 30
    assert minutes.count() == 3 * closed
    assert minutes.where("n != 1000 OR sketch_count(s) != 1000").count() == 0
    values = np.arange(3000 * closed)
    for host, p99, n in names["p99"].collect():
        latency = np.sort(values[values % 3 == int(host[-1])] % 997)
        assert n == len(latency)
        assert abs(np.searchsorted(latency, p99, "right") - 0.99 * n) <= 0.01 * n


def test_the_quickstart_starts_a_session_with_delta_and_both_catalogs(tmp_path):
    text = section("quickstart.md", "With Delta Lake")
    for name in ("pyspark", "delta-spark"):
        line = ".".join(version(name).split(".")[:2])
        assert f"'{name}=={line}.*'" in text
    (block,) = titled(text, "python")
    program = tmp_path / "program.py"
    asked = "print(spark.sql(\"CALL chronosketch.create('made', 'latency_ms')\").count())\n"
    program.write_text(f'{block}{asked}print(spark.sql("DESCRIBE DETAIL daily_sketches").first().format)\n')
    done = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout.splitlines()[-3:] == [f"1009.0 {cs.__version__}", "1", "delta"], done.stderr
