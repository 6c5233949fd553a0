"""One session without the jar for the suite, classic or Connect, with Python's functions in it."""

from __future__ import annotations

import os
import sys
import warnings

import chronosketch as cs
import pytest
from pyspark.sql import SparkSession


def pytest_addoption(parser):
    parser.addoption(
        "--mode", choices=["classic", "connect"], default="classic", help="kind of Spark session"
    )


@pytest.fixture(scope="session")
def mode(request):
    return request.config.getoption("--mode")


@pytest.fixture(scope="session")
def bare(mode, tmp_path_factory):
    """Return a session that has nothing of ours. Its workers run this Python, which has numpy and pyarrow."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = (
        SparkSession.builder.config("spark.ui.enabled", "false")
        .config("spark.log.level", "OFF")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.ui.explainMode", "simple")
        .config("spark.sql.session.timeZone", "America/New_York")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    )
    start = builder.master("local[2]") if mode == "classic" else builder.remote("local[2]")
    session = start.getOrCreate()
    assert not session.catalog.functionExists("chronosketch_version")
    # a function of the user
    session.udf.register("sketch_sum", lambda x: x + 41, "int")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def spark(bare, mode):
    """Return the session with the functions: attached on Connect, registered on classic ones."""
    if mode == "classic":
        assert cs.portable.register(bare) is bare
        return bare
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert cs.attach(bare) is bare
    said = [str(one.message) for one in caught if "does not have the jar" in str(one.message)]
    assert len(said) == 1, caught
    assert "a client cannot load a jar into a Connect server" in said[0]
    return bare


@pytest.fixture
def only(spark):
    """Run a query of one row and one column, and return the value."""

    def _only(query):
        (row,) = spark.sql(query).collect()
        return row[0]

    return _only
