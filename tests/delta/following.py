"""Helpers to create tables, follow them, and compare histories with time travel."""

import math
from fractions import Fraction
from functools import reduce

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from chronosketch.errors import HistoryError
from pyspark.sql import functions as F

PHIS = [0.0, 0.1, 0.5, 0.99, 1.0]
EPSILON = 0.05


def create(spark, table, columns="id INT, region STRING, amount INT", feed="true"):
    spark.sql(
        f"CREATE TABLE {table} ({columns}) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = {feed})"
    )


def latest(spark, table):
    return spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").first().version


def follower(table, **changed):
    arguments = {"value": "amount", "by": ["region"], "epsilon": EPSILON, **changed}
    return cs.history.Follower(table, into=f"{table}_history", **arguments)


def nearest_rank(values, phi):
    return values[max(1, math.ceil(Fraction(str(phi)) * len(values))) - 1]


def check_versions(spark, table, versions, into=None):
    """Compare all groups at some versions with time travel."""
    into = into or f"{table}_history"
    asked = [cs.history.at(spark, into, version=v).withColumn("asked", F.lit(v)) for v in versions]
    check(spark, table, versions, reduce(lambda a, b: a.unionByName(b), asked))


def check(spark, table, versions, sketches):
    """Compare the sketches of each `asked` version and region with time travel."""
    truth = {}
    then = "SELECT {v} AS asked, region, amount FROM {t} VERSION AS OF {v} WHERE amount IS NOT NULL"
    rows = spark.sql(" UNION ALL ".join(then.format(t=table, v=version) for version in versions))
    for asked, region, amount in rows.collect():
        truth.setdefault((asked, region), []).append(amount)
    answers = sketches.select(
        "asked",
        "region",
        cf.sketch_count_bounds("sketch").alias("n"),
        cf.sketch_rank_error("sketch").alias("error"),
        cf.sketch_quantile_bounds("sketch", PHIS, "int").alias("bounds"),
    )
    found = {(row.asked, row.region): row for row in answers.collect() if row.n.high > 0}
    assert set(found) == set(truth)
    for group, row in found.items():
        values = sorted(truth[group])
        assert row.n.low <= len(values) <= row.n.high, row
        assert row.error <= EPSILON, row
        for phi, bounds in zip(PHIS, row.bounds, strict=True):
            assert bounds.low <= nearest_rank(values, phi) <= bounds.high, (phi, row)


def refused(spark, follow):
    with pytest.raises(HistoryError) as error:
        follow.step(spark)
    return error.value.condition.removeprefix("CHRONOSKETCH_"), str(error.value)


def where_to_begin(message):
    """Parse the version that a history can begin with from a message."""
    return int(message[message.index("start=") + 6 :].split(".")[0])
