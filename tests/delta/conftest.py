"""One session that has Delta Lake too, started in one of three ways that no test asks about."""

from __future__ import annotations

import chronosketch as cs
import pytest
from delta import configure_spark_with_delta_pip
from pyspark.sql import SparkSession


def pytest_addoption(parser):
    parser.addoption(
        "--start",
        choices=["configured", "attached", "connect"],
        default="configured",
        help="how the session gets the functions",
    )


@pytest.fixture(scope="session")
def start(request):
    return request.config.getoption("--start")


@pytest.fixture(scope="session")
def spark(start, tmp_path_factory):
    settings = {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    builder = configure_spark_with_delta_pip(SparkSession.builder.appName("chronosketch and Delta"))
    for key, value in settings.items():
        builder = builder.config(key, value)
    if start == "attached":
        session = cs.attach(builder.master("local[2]").getOrCreate())
    elif start == "configured":
        session = cs.configure(builder.master("local[2]")).getOrCreate()
    else:
        session = cs.configure(builder.remote("local[2]")).getOrCreate()
    yield session
    session.stop()
