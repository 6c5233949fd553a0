"""One session for the suite, classic or Connect. Most tests do not depend on which it is."""

from __future__ import annotations

import os
import sys

import chronosketch as cs
import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--mode", choices=["classic", "connect"], default="classic", help="kind of Spark session"
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "classic: says nothing of Connect, and is asked in classic mode only")


def pytest_collection_modifyitems(config, items):
    """Skip tests on Connect that use text only, their own process, or no Spark."""
    if config.getoption("--mode") == "classic":
        return
    left = [item for item in items if item.get_closest_marker("classic")]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


@pytest.fixture(scope="session")
def mode(request):
    return request.config.getoption("--mode")


def suite_session(warehouse):
    """Return the settings of every session of the suite, with a folder for its tables."""
    # workers run this Python; without a word Spark takes the first python3 of the PATH
    os.environ["PYSPARK_PYTHON"] = sys.executable
    return (
        cs.session("chronosketch tests")
        .config("spark.ui.enabled", "false")
        .config("spark.log.level", "OFF")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.ui.explainMode", "simple")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", str(warehouse))
    )


@pytest.fixture(scope="session")
def spark(mode, tmp_path_factory):
    builder = suite_session(tmp_path_factory.mktemp("warehouse"))
    start = builder.master("local[2]") if mode == "classic" else builder.remote("local[2]")
    session = start.getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def hundred(spark):
    """Return a sketch of the numbers 1 to 100, as column `s`."""
    from chronosketch import functions as cf

    return spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
