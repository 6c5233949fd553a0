"""The jar, compiled for one Spark version, works on the oldest and the newest 4.x."""

import os

import pytest
from conftest import ICEBERG_LINE, LINES
from environments import TOP, environment
from linkage import missing

# Each version runs a classic session and one other way to start; with more cases, all of them.
TURNS = {"attach": "4.3", "connect": "4.0"}


@pytest.mark.parametrize("mode", ["classic", *TURNS])
def test_every_function_works(line_python, submit_options, run_script, mode):
    line = line_python.parents[1].name.removeprefix("smoke-")
    if int(os.environ.get("CHRONOSKETCH_CASES", "1")) == 1 and not line.startswith(TURNS.get(mode, line)):
        pytest.skip(f"{mode} on {line}: asked where CHRONOSKETCH_CASES is more than 1")
    message = run_script(line_python, submit_options, "every_function.py", mode)
    assert message.startswith(f"Spark {line}: ")


# The jar refers to this type only after SparkVersion has found its name, so an older Spark may lack it.
GUARDED = {"org/apache/spark/sql/types/TimeType"}


@pytest.mark.parametrize("line", [*LINES, ICEBERG_LINE])
def test_the_jar_calls_nothing_that_a_spark_lacks(line, tmp_path):
    jars = environment(line, tmp_path).parents[1].glob("lib/*/site-packages/pyspark/jars/*.jar")
    (jar,) = (TOP / "target" / "jar").glob("chronosketch-spark_*.jar")
    absent = missing(jar, jars)
    assert {name: users for name, users in absent.items() if name not in GUARDED} == {}
