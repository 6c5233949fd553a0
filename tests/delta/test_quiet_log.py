"""Followers write no error into the log, neither while all is well nor when they refuse."""

import dataclasses
import time

import chronosketch as cs
import pytest
from following import create, follower, refused


class ErrorLog:
    """The lines that Spark's loggers write at the level ERROR."""

    def __init__(self, spark):
        jvm = spark.sparkContext._jvm
        self._package = jvm.org.apache.logging.log4j
        self._writer = jvm.java.io.StringWriter()
        self._root = self._package.LogManager.getContext(False).getConfiguration().getRootLogger()
        self._appender = self._package.core.appender.WriterAppender.createAppender(
            self._package.core.layout.PatternLayout.newBuilder().withPattern("%p %c %m%n").build(),
            None,
            self._writer,
            "counted",
            False,
            True,
        )

    def __enter__(self):
        """Collect errors, and leave them out of the console."""
        self._appender.start()
        self._others = [self._root.getAppenders().get(name) for name in self._root.getAppenders().keySet()]
        for appender in self._others:
            self._root.removeAppender(appender.getName())
        self._root.addAppender(self._appender, None, None)
        self._set_level("ERROR")
        return self

    def __exit__(self, *_):
        """Restore the log of the session."""
        self._set_level("OFF")
        self._root.removeAppender("counted")
        for appender in self._others:
            self._root.addAppender(appender, None, None)

    def _set_level(self, level):
        core = self._package.core.config.Configurator
        core.setRootLevel(self._package.Level.toLevel(level))

    def lines(self):
        """Return the lines so far. Executors log a failed task a little after the query has ended."""
        time.sleep(0.5)
        return [line for line in self._writer.toString().splitlines() if line.startswith("ERROR")]


def vacuum(spark, table):
    settings = {
        "spark.databricks.delta.retentionDurationCheck.enabled": "false",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",  # VACUUM lists with 10 000 tasks
    }
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        spark.sql(f"VACUUM {table} RETAIN 0 HOURS")
    finally:
        for name in settings:
            spark.conf.unset(name)


@pytest.fixture
def vacuumed(spark, orders):
    """Create a table whose first versions VACUUM has deleted."""
    create(spark, orders, "id INT, region STRING, amount INT, ts TIMESTAMP")
    spark.sql(f"INSERT INTO {orders} SELECT id, 'north', id, timestamp_seconds(id) FROM range(9)")
    change(spark, orders)
    return orders


def change(spark, table):
    """Make two versions whose files are gone, and one whose files are there."""
    for amount in (1, 2):
        spark.sql(f"UPDATE {table} SET amount = {amount} WHERE id < 3")
    vacuum(spark, table)
    spark.sql(f"INSERT INTO {table} VALUES (10, 'south', 10, timestamp_seconds(0))")


def rolled(spark, table):
    return cs.rollup.follow(
        spark,
        source=table,
        into=f"{table}_rolled",
        time="ts",
        bucket="1 hour",
        values={"amount": "amount"},
    )


def test_an_error_is_counted(spark):
    with ErrorLog(spark) as log:
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            spark.sql("SELECT 1 / (id - id) FROM range(9)").collect()
        assert log.lines()


def test_following_a_vacuumed_table_logs_no_error(spark, vacuumed):
    with ErrorLog(spark) as log:
        step = follower(vacuumed).step(spark)
        assert step.first == 3
        assert rolled(spark, vacuumed).is_new
        spark.sql(f"INSERT INTO {vacuumed} VALUES (11, 'south', 11, timestamp_seconds(0))")
        vacuum(spark, vacuumed)
        assert follower(vacuumed).step(spark).first == step.last + 1
        assert rolled(spark, vacuumed).is_new
        assert log.lines() == []
    spark.sql(f"DROP TABLE {vacuumed}_rolled")


def test_files_that_are_gone_are_refused_without_a_failed_task(spark, vacuumed):
    follower(vacuumed).step(spark)
    rolled(spark, vacuumed)
    change(spark, vacuumed)
    with ErrorLog(spark) as log:
        assert refused(spark, follower(vacuumed))[0] == "SOURCE_FILES_GONE"
        from_zero = dataclasses.replace(follower(vacuumed, start=0), into=f"{vacuumed}_new")
        assert refused(spark, from_zero)[0] == "SOURCE_FILES_GONE"
        with pytest.raises(Exception, match="CHRONOSKETCH_SOURCE_FILES_GONE"):
            rolled(spark, vacuumed)
        assert log.lines() == []
    spark.sql(f"DROP TABLE {vacuumed}_rolled")
