"""One session with Delta Lake, started in one of three ways that the tests do not depend on."""

from __future__ import annotations

import os
import sys

import chronosketch as cs
import pytest
from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession


def pytest_addoption(parser):
    parser.addoption(
        "--start",
        choices=["attached", "configured", "connect"],
        default="attached",
        help="how the session gets the functions",
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "every_start: asked however the session was started")
    config.addinivalue_line("markers", "long: asked where CHRONOSKETCH_CASES is more than 1")


def pytest_collection_modifyitems(config, items):
    """Skip slow tests unless requested, and tests that do not depend on how the session was started."""
    chosen = items
    if int(os.environ.get("CHRONOSKETCH_CASES", "1")) == 1:
        chosen = [item for item in chosen if not item.get_closest_marker("long")]
    if config.getoption("--start") != "attached":
        chosen = [item for item in chosen if item.get_closest_marker("every_start")]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


@pytest.fixture(scope="session")
def start(request):
    return request.config.getoption("--start")


@pytest.fixture(scope="session")
def spark(start, tmp_path_factory):
    # a Connect server needs a Python with pyspark's packages to run foreachBatch
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "1" if start == "attached" else "2",
        "spark.sql.ui.explainMode": "simple",
        "spark.sql.session.timeZone": "UTC",
        # with many plans of few rows, compilation and adaptive execution cost more than they save
        "spark.sql.adaptive.enabled": "false" if start == "attached" else "true",
        "spark.databricks.delta.writeChecksumFile.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    builder = SparkSession.builder.appName("chronosketch and Delta")
    builder = builder.remote("local[2]") if start == "connect" else builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    if start == "attached":
        session = cs.attach(configure_spark_with_delta_pip(builder).getOrCreate())
    else:
        session = configure_spark_with_delta_pip(cs.configure(builder)).getOrCreate()
    yield session
    session.stop()


@pytest.fixture
def orders(spark, request):
    """Return the name of a table for one test, and drop the table and its history afterwards."""
    name = f"{request.node.originalname}_orders"
    yield name
    for table in (name, f"{name}_history"):
        spark.sql(f"DROP TABLE IF EXISTS {table}")


@pytest.fixture
def requests(spark, request):
    """Return the name of a table for one test, and drop the table and its roll-ups afterwards."""
    name = f"{request.node.originalname}_requests"
    yield name
    for table in (name, f"{name}_rolled", f"{name}_again"):
        spark.sql(f"DROP TABLE IF EXISTS {table}")
