"""What pages start in a shell, from pip's pyspark: a Thrift server, beeline, a Connect server and a job."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import chronosketch as cs
import pytest

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
JDBC = "BI tools, through JDBC"


def blocks(top, page, heading, language):
    """Return the blocks of a language in a section of a page."""
    text = (top / "docs" / page).read_text("utf-8")
    (section,) = re.findall(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    return [code for found, code in FENCE.findall(section) if found == language]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def is_open(port, address="127.0.0.1"):
    try:
        socket.create_connection((address, int(port)), 1).close()
    except OSError:
        return False
    return True


def environment(folder):
    """Return the environment of a shell whose python is this one, and whose Spark keeps to a folder."""
    settings = {
        "spark.master": "local[1]",
        "spark.ui.enabled": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": f"{folder}/tables",
        "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
    }
    lines = "".join(f"{name} {value}\n" for name, value in settings.items())
    (folder / "spark-defaults.conf").write_text(lines, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "SPARK_CONF_DIR": str(folder), "SPARK_LOCAL_IP": "127.0.0.1"}


@contextmanager
def server(command, port, folder):
    """Run the server of a shell's command. Go on when its port is open, and stop it at the end."""
    log = folder / "server.log"
    with log.open("w") as out:
        started = subprocess.Popen(
            ["sh", "-c", command],
            cwd=folder,
            env=environment(folder),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        end = time.monotonic() + 300
        while not is_open(port):
            assert started.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        assert not is_open(port, "127.0.0.2"), "it listens on every interface"
        yield
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGTERM)
        started.wait(60)


def outcome(command, folder):
    """Run a command of a shell, and return what it writes."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def bi(top, tmp_path_factory):
    """Start the page's Thrift server. Return a function that runs the page's beeline with other options."""
    folder, port = tmp_path_factory.mktemp("thrift"), free_port()
    start, ask = (block.replace("10000", port) for block in blocks(top, "dashboards.md", JDBC, "sh"))
    variables = start[: start.index('"$SPARK/bin')]
    asked = variables + ask

    def _bi(statements=None):
        if statements is None:
            return outcome(asked, folder)
        (folder / "asked.sql").write_text("".join(statements), encoding="utf-8")
        return outcome(
            f"{asked.split(' -e ')[0]} --outputformat=tsv2 --showHeader=false -f asked.sql", folder
        )

    with server(start, port, folder):
        intro, recipe = (
            blocks(top, "dashboards.md", heading, "sql")[0]
            for heading in ("Dashboards and BI", "p99 of latencies")
        )
        _bi([intro, recipe, *blocks(top, "dashboards.md", JDBC, "sql")])
        yield _bi


def test_beeline_asks_a_view_that_rolls_sketches_up(top, bi):
    (shown,) = blocks(top, "dashboards.md", JDBC, "text")
    assert shown in bi()


def test_bi_tools_see_bytes_in_a_table_of_sketches_and_numbers_in_a_view(bi):
    columns = bi(["!columns latency_hourly\n", "!columns latency_numbers\n"])
    types = re.findall(r"\tdefault\t(\w+)\t(\w+)\t-?\d+\t(\w+)", columns)
    assert ("latency_hourly", "s", "BINARY") in types
    of_view = {name: found for table, name, found in types if table == "latency_numbers"}
    plain = {"n": "BIGINT", "mean": "DOUBLE", "p50": "DOUBLE", "p99": "DOUBLE", "p99_low": "DOUBLE"}
    assert of_view == {"hour": "TIMESTAMP", "service": "STRING", **plain, "p99_high": "DOUBLE"}
    assert "CHRS" in bi(["SELECT s FROM latency_hourly LIMIT 1;\n"])


def test_beeline_asks_sketches_metric_views_and_procedures(top, bi, tmp_path):
    (metric_view,) = blocks(top, "dashboards.md", "Metric views", "sql")
    merged = "sketch_quantile(sketch_merge_agg(s), 0.99)"
    came = bi(
        [
            f"SELECT 'merged', service, {merged} FROM latency_hourly GROUP BY service ORDER BY service;\n",
            metric_view,
            f"CALL chronosketch.create('{tmp_path}/made', 'latency_ms');\n",
            "SELECT 'version', chronosketch_version();\n",
        ]
    )
    assert "merged\tcheckout\t99.5\nmerged\tsearch\t99.5" in came
    assert "2026-03-02\t57600\t100.0" in came
    assert f"{tmp_path}/made" in came
    assert (tmp_path / "made").is_dir()
    assert f"version\t{cs.__version__}" in came


ASK = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("sc://127.0.0.1:{port}").getOrCreate()
print(spark.sql("SELECT sketch_quantile(quantile_sketch_agg(id), 0.99) FROM range(1, 101)").first()[0])
print(spark.sql("CALL chronosketch.create('{folder}/made', 'latency_ms')").first()[0])
"""


def test_the_connect_server_of_the_quickstart_has_the_functions_and_the_procedures(top, tmp_path, run_python):
    port = free_port()
    (start,) = blocks(top, "quickstart.md", "A Connect server", "sh")
    with server(start.replace("15002", port), port, tmp_path):
        done = run_python(ASK.format(port=port, folder=tmp_path))
        assert done.stdout.splitlines() == ["99.0", f"file:{tmp_path}/made"], done.stdout + done.stderr


APPLICATION = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
print(spark.sql("SELECT approx_quantile(id, 0.5) FROM range(1, 101)").first()[0])
print(spark.sql("CALL chronosketch.create('made', 'latency_ms')").count())
"""


def test_an_application_is_submitted_as_the_page_of_production_does(top, tmp_path):
    (submit,) = blocks(top, "production.md", "Before the first query", "sh")
    (tmp_path / "application.py").write_text(APPLICATION, encoding="utf-8")
    assert outcome(f"MASTER='local[1]'\n{submit}", tmp_path).splitlines() == ["50", "1"]
