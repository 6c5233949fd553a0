"""The Scala functions in the spark-shell of pip's pyspark: the quickstart's code, and some typed lines."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pyspark
import pytest
from chronosketch.jar import jar_path

TYPED = """
import chronosketch.spark.functions._
import org.apache.spark.sql.functions.col
val bag = spark.range(1, 101)
println("p99 = " + bag.agg(approx_quantile(col("id"), 0.99)).head.get(0))
val sketch = bag.agg(quantile_sketch_agg(col("id"), 0.01).as("s"))
val quartiles = sketch.select(sketch_quantile(col("s"), Seq(0.25, 0.75), "bigint"))
println("quartiles = " + quartiles.head.getSeq[Long](0).mkString(","))
:quit
"""


@pytest.fixture(scope="module")
def shell(top, tmp_path_factory):
    """Start one shell, which is slow. It loads the quickstart's Scala code, then reads typed lines."""
    page = (top / "docs" / "quickstart.md").read_text("utf-8")
    (scala,) = re.findall(r"^```scala\n(.*?)^```$", page, flags=re.M | re.S)
    folder = tmp_path_factory.mktemp("shell")
    program = folder / "quickstart.scala"
    program.write_text(scala, encoding="utf-8")
    home = Path(pyspark.__file__).parent
    options = ("--master", "local[1]", "--conf", "spark.ui.enabled=false", "--jars", jar_path())
    return subprocess.run(
        [home / "bin" / "spark-shell", *options, "-I", program],
        input=TYPED,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home)},
        timeout=600,
        check=False,
    )


def test_the_quickstarts_scala_runs(shell):
    assert "p99 of all" in shell.stdout, shell.stdout + shell.stderr
    assert "error:" not in shell.stdout
    assert shell.returncode == 0


def test_functions_have_their_types(shell):
    answers = [
        line.split("scala> ")[-1].split("\r")[-1].strip()
        for line in shell.stdout.splitlines()
        if " = " in line
    ]
    assert any(line.endswith("p99 = 99") for line in answers), shell.stdout + shell.stderr
    assert any(line.endswith("quartiles = 25,75") for line in answers), shell.stdout + shell.stderr
