"""A history that follows an Iceberg table, on the newest Spark line that Iceberg has a runtime for."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import archive_of, environment

LINE = "4.1.4"
PACKAGES = "io.delta:delta-spark_4.1_2.13:4.4.0,org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"


@pytest.fixture
def iceberg_python(tmp_path):
    """Name the Python of the environment of that line."""
    return environment(LINE, tmp_path)


def test_an_iceberg_table_is_followed(iceberg_python, package, tmp_path):
    archive = archive_of(iceberg_python.parents[1])
    options = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} -Xlog:disable -XX:SharedArchiveFile={archive}"
    done = subprocess.run(
        [str(iceberg_python), str(Path(__file__).with_name("follow_iceberg.py")), str(tmp_path), PACKAGES],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(package),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SUBMIT_OPTS": options.strip(),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-6000:]
    assert done.stdout.splitlines()[-1] == "All of it holds"
