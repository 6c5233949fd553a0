"""Keep a roll-up of an Iceberg table in Delta, and compare it with the table.

test_iceberg.py runs it with the Python of an environment: python rollup_iceberg.py FOLDER PACKAGES
"""

import sys

import chronosketch as cs
from follow_iceberg import start
from pyspark.errors import AnalysisException

REQUESTS = "lake.sales.requests"
INTO = "requests_hourly"


def refresh(spark):
    """Refresh the roll-up, and compare each bucket with the rows of the table."""
    cs.rollup.refresh(spark, INTO)
    columns = "rows, latency_count, latency_sum, latency_min, latency_max, sketch_quantile(latency, 0.5)"
    stored = spark.sql(f"SELECT bucket, service, {columns} FROM {INTO} ORDER BY ALL").collect()
    exact = spark.sql(
        "SELECT date_trunc('hour', ts) AS bucket, service, count(*), count(ms), sum(ms), min(ms), max(ms), "
        f"percentile_disc(0.5) WITHIN GROUP (ORDER BY ms) FROM {REQUESTS} GROUP BY ALL ORDER BY ALL"
    ).collect()
    assert [tuple(row) for row in stored] == [tuple(row) for row in exact], (stored, exact)
    assert cs.rollup.refresh(spark, INTO).is_new is False


def main(folder, packages):
    """Make a roll-up, and refresh it after changes of all kinds."""
    spark = start(folder, packages)
    spark.sql(
        f"CREATE TABLE {REQUESTS} (ts TIMESTAMP, service STRING, ms DOUBLE) USING iceberg "
        "TBLPROPERTIES ('format-version' = '2')"
    )
    insert = (
        f"INSERT INTO {REQUESTS} SELECT timestamp_seconds({{}} + id * 60), concat('s', id % 3), id * 1.5D "
        "FROM range({})"
    )
    spark.sql(insert.format(1767225600, 300))
    # epsilon is 0, so that the quantiles are exact
    cs.rollup.follow(
        spark, source=REQUESTS, into=INTO, time="ts", by=["service"], values={"latency": "ms"}, epsilon=0
    )
    spark.sql(insert.format(1767232800, 100))
    statements = (
        f"UPDATE {REQUESTS} SET ms = ms + 1 WHERE service = 's1' AND ts < TIMESTAMP'2026-01-01 03:00:00'",
        f"DELETE FROM {REQUESTS} WHERE ts >= TIMESTAMP'2026-01-01 04:00:00'",
        f"ALTER TABLE {REQUESTS} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')",
        f"DELETE FROM {REQUESTS} WHERE service = 's2' AND ts < TIMESTAMP'2026-01-01 01:00:00'",
        f"INSERT INTO {REQUESTS} VALUES (TIMESTAMP'2025-12-31 23:59:59', NULL, 7), "
        "(TIMESTAMP'2026-01-01 00:00:00', 's0', NULL)",
    )
    for statement in statements:
        spark.sql(statement)
        if not statement.startswith("ALTER"):
            refresh(spark)
    now = spark.sql(f"SELECT count(*) FROM rollup_now('{INTO}')").first()[0]
    assert now == spark.table(INTO).count()
    # another table of the same name is refused, not merged
    spark.sql(f"DROP TABLE {REQUESTS}")
    spark.sql(f"CREATE TABLE {REQUESTS} (ts TIMESTAMP, service STRING, ms DOUBLE) USING iceberg")
    spark.sql(insert.format(1767225600, 10))
    try:
        cs.rollup.refresh(spark, INTO)
    except AnalysisException as error:
        assert error.getCondition() == "CHRONOSKETCH_ROLLUP_SOURCE_REPLACED", error
    else:
        raise AssertionError("another table was followed")
    print("All of it holds")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
