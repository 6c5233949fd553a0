"""Warehouses whose manifest is a Delta table, from classic sessions and on Connect."""

import threading

import chronosketch as cs
import pytest
from pyspark.errors import PySparkException


def rows(spark, first, last):
    return spark.range(first, last).selectExpr("id AS latency")


@pytest.fixture
def warehouse(spark, tmp_path):
    return cs.warehouse.create(
        spark, str(tmp_path / "it's"), value="latency", epsilon=0.05, kappa=2, store="delta"
    )


def median(warehouse, accuracy="accurate"):
    (row,) = warehouse.quantile(0.5, accuracy).collect()
    assert row.low <= row.value <= row.high
    return row.value


def test_a_warehouse_keeps_its_manifest_in_a_delta_table(spark, warehouse, tmp_path):
    for step in range(3):
        rows(spark, step * 100, step * 100 + 100).createOrReplaceTempView("hundred")
        assert warehouse.append(spark.table("hundred"), writer="loader", batch=step).is_new
    assert not warehouse.append(spark.table("hundred"), writer="loader", batch=2).is_new
    # three runs on one level exceed kappa
    assert [(w.steps, w.rows) for w in warehouse.windows()] == [(3, 300)]
    assert median(warehouse) == 149

    source = str(tmp_path / "source")
    rows(spark, 300, 320).write.parquet(source)
    stream = spark.readStream.schema("latency BIGINT").parquet(source)
    query = warehouse.attach(stream, checkpoint=str(tmp_path / "checkpoint"), trigger={"availableNow": True})
    query.awaitTermination()
    assert query.exception() is None
    assert [(w.rows, w.live_rows) for w in warehouse.windows()] == [(20, 20), (320, 20)]
    assert warehouse.end_step().rows == 20
    assert warehouse.compact() == 0
    # the three merged runs, and the live batch
    assert warehouse.vacuum("1 millisecond") == 4
    kept = spark.read.format("delta").load(f"{warehouse.path}/manifest")
    described = cs.warehouse.open(spark, warehouse.path).describe()
    assert [row.version for row in kept.select("version").collect()] == [described["version"]]
    assert described["commits"].startswith("a Delta table, its log written by ")
    assert median(warehouse) == 159
    assert abs(median(warehouse, "quick") - 159) <= 0.05 * 320
    path = warehouse.path.replace("'", "\\'")
    assert spark.sql(f"SELECT value FROM warehouse_quantile('{path}', 1)").first().value == 319


@pytest.mark.long
def test_concurrent_writers_lose_nothing(spark, warehouse):
    steps, failures = [], []

    def write(first):
        try:
            mine = cs.warehouse.open(spark, warehouse.path)
            steps.append(mine.append(rows(spark, first, first + 100)).step)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(first,)) for first in (0, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sorted(steps) == [1, 2]
    assert warehouse.describe()["rows"] == 200
    assert [median(warehouse), warehouse.quantile(1).first()["value"]] == [99, 199]


@pytest.mark.long
def test_another_session_sees_each_commit(spark, warehouse):
    mine = cs.warehouse.open(spark.newSession(), warehouse.path)
    for step in range(2):
        warehouse.append(rows(spark, 0, 100))
        assert mine.describe()["version"] == step + 1


@pytest.mark.every_start
def test_an_existing_warehouse_keeps_its_store(spark, warehouse):
    with pytest.raises(PySparkException, match="CHRONOSKETCH_WAREHOUSE_EXISTS"):
        cs.warehouse.create(spark, warehouse.path, value="latency", epsilon=0.05, kappa=2, if_not_exists=True)
    again = cs.warehouse.create(
        spark, warehouse.path, value="latency", epsilon=0.05, kappa=2, if_not_exists=True, store="delta"
    )
    assert again.describe()["id"] == warehouse.describe()["id"]
    with pytest.raises(PySparkException, match=r"given 'disk' as its store\. It must be 'files' or 'delta'"):
        cs.warehouse.create(spark, warehouse.path + "2", value="latency", store="disk")


def test_a_table_that_is_not_a_manifest_is_refused(spark, warehouse):
    spark.sql("SELECT 1L AS version, 'mine' AS text").write.format("delta").mode("append").save(
        f"{warehouse.path}/manifest"
    )
    with pytest.raises(PySparkException, match=r"CHRONOSKETCH_WAREHOUSE_DAMAGED.*version 1 is cut short"):
        cs.warehouse.open(spark, warehouse.path)
