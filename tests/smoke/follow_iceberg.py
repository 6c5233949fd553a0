"""Follow an Iceberg table with a history in Delta, and compare with reads of snapshots.

test_iceberg.py runs it with the Python of an environment: python follow_iceberg.py FOLDER PACKAGES
"""

import math
import sys

import chronosketch as cs
from chronosketch import functions as cf
from chronosketch.errors import HistoryError
from pyspark.sql import SparkSession

PHIS = [0.0, 0.5, 1.0]
ORDERS = "lake.sales.orders"
INTO = "orders_history"


def start(folder, packages):
    """Start a session with the catalogs of Iceberg and Delta."""
    extensions = (
        "io.delta.sql.DeltaSparkSessionExtension",
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    )
    settings = {
        "spark.jars.packages": packages,
        "spark.sql.extensions": ",".join(extensions),
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": f"{folder}/lake",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    builder = SparkSession.builder.appName("chronosketch and Iceberg").master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return cs.configure(builder).getOrCreate()


class Truth:
    """The rows of each version, read from its snapshot while it was new, because snapshots expire."""

    def __init__(self, spark):
        self.spark = spark
        self.snapshots = []
        self._versions = []

    def of(self, *statements):
        """Run statements that each create a snapshot."""
        for statement in statements:
            self.spark.sql(statement.format(t=ORDERS))
            self._read_newest()

    def _read_newest(self):
        (newest,) = self.spark.sql(f"SELECT snapshot_id FROM {ORDERS}.refs WHERE name = 'main'").first()
        self.snapshots.append(newest)
        rows = self.spark.read.option("versionAsOf", str(newest)).table(ORDERS)
        groups = {}
        for region, amount in rows.where("amount IS NOT NULL").select("region", "amount").collect():
            groups.setdefault(region, []).append(amount)
        self._versions.append(groups)

    def forget(self):
        """Start again with the newest snapshot."""
        self._versions.clear()
        self.snapshots.clear()
        self._read_newest()

    def check(self):
        """Compare every version with its history."""
        for version, groups in enumerate(self._versions):
            answers = cs.history.at(self.spark, INTO, version=version).select(
                "region",
                cf.sketch_count_bounds("sketch").alias("n"),
                cf.sketch_quantile_bounds("sketch", PHIS, "int").alias("bounds"),
            )
            found = {row.region: row for row in answers.collect()}
            assert set(found) == set(groups), (version, set(found), set(groups))
            for region, amounts in groups.items():
                row, values = found[region], sorted(amounts)
                assert row.n.low <= len(values) <= row.n.high, (version, row)
                for phi, bounds in zip(PHIS, row.bounds, strict=True):
                    value = values[max(1, math.ceil(phi * len(values))) - 1]
                    assert bounds.low <= value <= bounds.high, (version, phi, row)


def refused(step, condition):
    """Run a step that must fail."""
    try:
        step()
    except HistoryError as error:
        assert error.condition == f"CHRONOSKETCH_{condition}", error
        return str(error)
    raise AssertionError(f"no {condition}")


def expire(spark, retained):
    """Expire all but the newest snapshots, and delete files that only those needed."""
    spark.sql(
        "CALL lake.system.expire_snapshots(table => 'sales.orders', "
        f"older_than => TIMESTAMP'2100-01-01 00:00:00', retain_last => {retained})"
    )


def main(folder, packages):
    """Run all changes of the table's life."""
    spark = start(folder, packages)
    spark.sql("CREATE NAMESPACE lake.sales")
    spark.sql(f"CREATE TABLE {ORDERS} (id INT, region STRING, amount INT) USING iceberg")
    follower = cs.history.Follower(ORDERS, "amount", INTO, ["region"], epsilon=0.05)

    def step():
        return follower.step(spark)

    assert step() is None  # no snapshot yet
    truth = Truth(spark)
    truth.of(
        "INSERT INTO {t} SELECT id, IF(id % 4 = 0, NULL, concat('r', id % 4)), id FROM range(0, 60, 1, 2)",
        "MERGE INTO {t} t USING (SELECT id FROM range(40, 80)) s ON t.id = s.id "
        "WHEN MATCHED AND s.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET t.amount = NULL "
        "WHEN NOT MATCHED THEN INSERT (id, region, amount) VALUES (s.id, 'r1', 7)",
        "CALL lake.system.rewrite_data_files(table => 'sales.orders', options => map('rewrite-all', 'true'))",
    )
    assert step()[:2] == (0, 2)
    spark.sql(f"ALTER TABLE {ORDERS} ADD COLUMN note STRING")
    truth.of(
        "UPDATE {t} SET region = 'r2', amount = amount WHERE id < 20",
        "DELETE FROM {t} WHERE region IS NULL OR id = 5",
        "INSERT OVERWRITE {t} SELECT * FROM {t} WHERE id % 2 = 0",
    )
    assert step()[:2] == (3, 5)
    truth.of("DELETE FROM {t} WHERE true", "INSERT INTO {t} VALUES (1, 'r1', 1, 'new'), (2, 'r2', 2, NULL)")
    assert step()[:2] == (6, 7)
    truth.of("INSERT INTO {t} VALUES (3, 'r3', 3, 'x')")
    expire(spark, 1)
    truth.of("UPDATE {t} SET amount = 5 WHERE id = 1")
    assert step()[:2] == (8, 9)  # numbers do not change, although no version up to 7 is left
    truth.check()

    truth.of("INSERT INTO {t} VALUES (4, 'r4', 4, 'x')", "INSERT INTO {t} VALUES (5, 'r4', 5, 'x')")
    expire(spark, 1)
    message = refused(step, "SOURCE_LOG_GONE")
    spark.sql(message[message.index("DROP TABLE") : message.index(", then follow")])
    first = int(message[message.index("start=") + 6 :].split(".")[0])
    again = cs.history.Follower(ORDERS, "amount", INTO, ["region"], epsilon=0.05, start=first)
    assert again.step(spark)[:2] == (0, 0)
    truth.forget()

    truth.of("INSERT INTO {t} VALUES (6, 'r6', 6, 'x')")
    assert step()[:2] == (1, 1)
    spark.sql(f"CALL lake.system.rollback_to_snapshot('sales.orders', {truth.snapshots[0]})")
    assert "rolled back" in refused(step, "SOURCE_REPLACED")
    truth.forget()
    for mode in ("delete", "update", "merge"):
        spark.sql(f"ALTER TABLE {ORDERS} SET TBLPROPERTIES ('write.{mode}.mode' = 'merge-on-read')")
    truth.of(
        "INSERT INTO {t} SELECT id, 'r7', id, 'y' FROM range(0, 9, 1, 1)", "DELETE FROM {t} WHERE id = 3"
    )
    assert "on_replace='continue'" not in refused(step, "SOURCE_REPLACED")
    rebuilding = cs.history.Follower(ORDERS, "amount", INTO, ["region"], epsilon=0.05, on_replace="rebuild")
    assert rebuilding.step(spark)[:2] == (0, 2)
    truth.of("UPDATE {t} SET region = 'r8' WHERE id < 2", "INSERT INTO {t} VALUES (9, 'r9', 9, 'z')")
    assert step()[:2] == (3, 4)
    truth.check()
    spark.sql(f"ALTER TABLE {ORDERS} RENAME COLUMN amount TO price")
    spark.sql(f"INSERT INTO {ORDERS} VALUES (10, 'r9', 9, 'z')")
    refused(step, "SOURCE_SCHEMA_CHANGED")
    print("All of it holds")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
