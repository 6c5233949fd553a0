"""Histories and roll-ups follow Iceberg tables, and windows over them move no rows.

It runs on the newest Spark version with a runtime of Iceberg.
"""

import os

import pytest

# Spark downloads these from Maven Central at the first start, and caches them.
PACKAGES = "io.delta:delta-spark_4.1_2.13:4.4.0,org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"


@pytest.mark.skipif(
    int(os.environ.get("CHRONOSKETCH_CASES", "1")) == 1,
    reason="two minutes each, and an environment of its own: asked where CHRONOSKETCH_CASES is more than 1",
)
@pytest.mark.parametrize(
    "script", ["follow_iceberg.py", "rollup_iceberg.py", "rollup_in_iceberg.py", "windows_iceberg.py"]
)
def test_beside_iceberg(beside_iceberg, run_script, tmp_path, script):
    python, options = beside_iceberg
    message = run_script(python, options, script, str(tmp_path), PACKAGES)
    assert message.splitlines()[-1] == "All of it holds"
