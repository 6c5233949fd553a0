"""The README's Scala runs in the spark-shell that pip's pyspark brings."""

import re
from pathlib import Path

import pyspark
from chronosketch.jar import jar_path


def test_the_scala_runs(top, tmp_path, run):
    (scala,) = re.findall(r"^```scala\n(.*?)^```$", (top / "README.md").read_text("utf-8"), flags=re.M | re.S)
    program = tmp_path / "readme.scala"
    program.write_text(f"{scala}\nSystem.exit(0)\n", encoding="utf-8")
    home = Path(pyspark.__file__).parent
    shell = run(
        home / "bin" / "spark-shell",
        *("--master", "local[1]", "--conf", "spark.ui.enabled=false", "--jars", jar_path(), "-I", program),
        SPARK_HOME=str(home),
    )
    assert "p99 of all" in shell.stdout, shell.stdout + shell.stderr
    assert "error:" not in shell.stdout
    assert shell.returncode == 0
