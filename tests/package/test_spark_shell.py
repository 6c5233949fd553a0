"""The Scala functions in the spark-shell that pip's pyspark ships."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pyspark
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


def test_functions_in_spark_shell(tmp_path: Path) -> None:
    shell = Path(pyspark.__file__).parent / "bin" / "spark-shell"
    done = subprocess.run(
        [shell, "--master", "local[1]", "--conf", "spark.ui.enabled=false", "--jars", str(jar_path())],
        input=TYPED,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        timeout=600,
        check=False,
    )
    answers = [
        line.split("scala> ")[-1].split("\r")[-1].strip()
        for line in done.stdout.splitlines()
        if " = " in line
    ]
    assert any(line.endswith("p99 = 99") for line in answers), done.stdout + done.stderr
    assert any(line.endswith("quartiles = 25,75") for line in answers), done.stdout + done.stderr
