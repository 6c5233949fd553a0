"""Ask windows and groups over Iceberg tables whose files hold whole groups, which Spark need not move.

test_iceberg.py runs it with the Python of an environment: python windows_iceberg.py FOLDER PACKAGES
"""

import sys

from follow_iceberg import start

ROWS = "SELECT id, concat('s', id % 7) AS service, id % 100 AS t, id * 1.5D AS ms FROM range(2000)"
WINDOW = (
    "SELECT id, approx_quantile(ms, 0.5) OVER "
    "(PARTITION BY service ORDER BY t RANGE BETWEEN 9 PRECEDING AND CURRENT ROW) AS q FROM {table}"
)
GROUPS = "SELECT service, approx_quantile(ms, 0.5) AS q FROM {table} GROUP BY service"
TOLD = ("spark.sql.sources.v2.bucketing.enabled", "spark.sql.iceberg.planning.preserve-data-grouping")


def plan_of(asked):
    """Return the plan as text."""
    return asked._jdf.queryExecution().executedPlan().toString()


def main(folder, packages):
    """Compare each answer with that over a view of rows, and look for exchanges."""
    spark = start(folder, packages)
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    spark.sql(ROWS).createOrReplaceTempView("made")
    for name, partition in (("whole", "service"), ("bucketed", "bucket(4, service)")):
        table = f"lake.sales.{name}"
        spark.sql(f"CREATE TABLE {table} USING iceberg PARTITIONED BY ({partition}) AS {ROWS}")
        for query, operator in ((WINDOW, "SketchWindow"), (GROUPS, "SketchAggregate")):
            exact = sorted(map(tuple, spark.sql(query.format(table="made")).collect()))
            for told in ("false", "true"):
                for setting in TOLD:
                    spark.conf.set(setting, told)
                asked = spark.sql(query.format(table=table))
                assert sorted(map(tuple, asked.collect())) == exact, (name, query, told)
                plan = plan_of(asked)
                assert operator in plan, plan
                assert ("Exchange" in plan) == (told == "false"), (name, told, plan)
    print("All of it holds")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
