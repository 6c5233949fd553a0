"""Python workers that do not have the package get it, and those that cannot run it are named."""

import sys

import pytest

HIDES = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name in {hidden} and not any(place.endswith("chronosketch.zip") for place in sys.path):
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        if name in {missing}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""
PROGRAM = """
import os
os.environ["PYSPARK_PYTHON"] = {python!r}
import chronosketch as cs
from pyspark.sql import SparkSession, functions as F

spark = (SparkSession.builder.master("{master}").config("spark.ui.enabled", "false")
         .config("spark.executor.memory", "512m").config("spark.log.level", "OFF").getOrCreate())

def place():
    import chronosketch
    return chronosketch.__file__

try:
    (row,) = cs.portable.sketch(spark.range(1, 101, 1, 2), values="id").collect()
    cs.portable.register(spark)
    spark.createDataFrame([row]).createOrReplaceTempView("v")
    print(spark.sql("SELECT sketch_quantile(sketch, 0.5), chronosketch_version() FROM v").first())
    print("chronosketch.zip" in spark.range(1).select(F.udf(place)()).first()[0])
except cs.ChronosketchError as refused:
    print(refused)
"""


@pytest.fixture
def worker(tmp_path):
    """Return a Python that does not find some modules, by name; it finds the first ones in a zip file."""

    def _worker(hidden=(), missing=()):
        (tmp_path / "sitecustomize.py").write_text(HIDES.format(hidden=hidden, missing=missing))
        program = tmp_path / "python"
        program.write_text(f'#!/bin/sh\nexec env PYTHONPATH="{tmp_path}:$PYTHONPATH" {sys.executable} "$@"\n')
        program.chmod(0o755)
        return str(program)

    return _worker


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[1,1,600]"])
def test_workers_without_the_package_get_it(run_python, worker, master):
    done = run_python(PROGRAM.format(python=worker(hidden=("chronosketch",)), master=master))
    assert done.stdout.startswith("Row(sketch_quantile(sketch, 0.5)=50.0, chronosketch_version()="), (
        done.stderr
    )
    assert done.stdout.endswith("True\n")


def test_workers_without_pyarrow_are_named(run_python, worker):
    done = run_python(PROGRAM.format(python=worker(missing=("pyarrow",)), master="local[2]"))
    assert "The Python workers of this session cannot run chronosketch" in done.stdout, done.stderr
    assert "No module named 'pyarrow'" in done.stdout
    assert done.stdout.endswith("or start the session with another Python: PYSPARK_PYTHON.\n")
