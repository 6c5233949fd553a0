"""Any past version through the Python functions, compared with replaying the rows."""

import math
import random
from datetime import date, datetime, timedelta
from fractions import Fraction

import pytest
from chronosketch import functions as cf
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

PHIS = [0.0, 0.1, 0.5, 0.99, 1.0]
EPSILON = 0.1


def held(seed, of_version):
    """Return rows of a group, a value, its first version, and the version where it ends."""
    made = random.Random(seed)
    rows = []
    for _ in range(3000):
        begin = made.randrange(200)
        end = None if made.random() < 0.3 else begin + made.randrange(40)
        rows.append(
            (
                made.randrange(3),
                made.randrange(500),
                of_version(begin),
                None if end is None else of_version(end),
            )
        )
    return rows


def alive(rows, group, version):
    return sorted(
        v for k, v, begin, end in rows if k == group and begin <= version and (end is None or end > version)
    )


def nearest_rank(values, phi):
    return values[max(1, math.ceil(Fraction(str(phi)) * len(values))) - 1]


VERSIONS = {
    "BIGINT": lambda i: i,
    "DATE": lambda i: date(2026, 1, 1) + timedelta(days=i),
    "TIMESTAMP_NTZ": lambda i: datetime(2026, 1, 1) + timedelta(minutes=i),
}


@pytest.mark.parametrize("sql_type", VERSIONS)
def test_every_version_matches_a_replay(spark, sql_type):
    of_version = VERSIONS[sql_type]
    rows = held(7, of_version)
    df = spark.createDataFrame(rows, f"k INT, v INT, begins {sql_type}, ends {sql_type}")
    history = cf.history_sketch_agg("v", "begins", epsilon=EPSILON, until="ends")
    versions = [of_version(i) for i in range(0, 200, 7)]
    calendar = spark.createDataFrame([(v,) for v in versions], f"version {sql_type}")
    then = cf.sketch_at_version("s", "version")
    answers = (
        df.groupBy("k")
        .agg(history.alias("s"))
        .crossJoin(calendar)
        .select(
            "k",
            "version",
            cf.sketch_count_bounds(then).alias("n"),
            cf.sketch_rank_error(then).alias("error"),
            cf.sketch_quantile_bounds(then, PHIS, "int").alias("bounds"),
            cf.sketch_rank_bounds(then, F.lit(250)).alias("rank"),
        )
        .collect()
    )
    assert len(answers) == 3 * len(versions)
    for row in answers:
        truth = alive(rows, row.k, row.version)
        assert row.n.low <= len(truth) <= row.n.high
        assert row.error <= EPSILON
        assert row["rank"].low <= sum(v <= 250 for v in truth) <= row["rank"].high
        for phi, bounds in zip(PHIS, row.bounds, strict=True):
            assert bounds.low <= nearest_rank(truth, phi) <= bounds.high


def test_versions_without_a_stored_sketch(spark):
    rows = [(10, 1, 1), (20, 2, 3), (20, 3, -1), (30, 4, 1)]
    df = spark.createDataFrame(rows, "v INT, version INT, change INT")

    def ask(at, change="change"):
        return (
            df.agg(cf.approx_quantile_at_version("v", "version", change, [0, 0.5, 1], at).alias("q"))
            .first()
            .q
        )

    assert [ask(at) for at in range(6)] == [
        None,
        [10] * 3,
        [10, 20, 20],
        [10, 20, 20],
        [10, 20, 30],
        [10, 20, 30],
    ]
    assert ask(3, change=None) == [10, 20, 20]


def test_the_versions_of_a_history(spark):
    days = spark.sql("SELECT id AS v, date_add(DATE'2026-01-01', CAST(id AS INT)) AS day FROM range(10)")
    history = days.agg(cf.history_sketch_agg("v", "day").alias("s"))
    versions = history.select(cf.sketch_versions("s", "date").alias("v")).first().v
    assert (versions.first, versions.last) == (date(2026, 1, 1), date(2026, 1, 10))
    described = history.select(cf.sketch_describe("s").alias("d")).first().d
    assert (described.family, described.time_type, described.clamped) == ("history", "DATE", 0)
    with pytest.raises(PySparkException) as refused:
        history.select(cf.sketch_at_version("s", date(2026, 2, 1))).collect()
    assert refused.value.getCondition() == "CHRONOSKETCH_VERSION_OUT_OF_RANGE"
    for words in ("2026-02-01", "2026-01-01", "2026-01-10"):
        assert words in str(refused.value)


def test_parts_add_up_and_histories_follow_one_another(spark):
    rows = held(3, lambda i: i)
    df = spark.createDataFrame(rows, "k INT, v INT, begins INT, ends INT")
    parts = df.groupBy("k").agg(cf.history_sketch_agg("v", "begins", until="ends").alias("s"))
    merged = parts.agg(cf.sketch_merge_agg("s").alias("s"))
    for version in (0, 50, 150):
        truth = sorted(v for k in range(3) for v in alive(rows, k, version))
        then = cf.sketch_at_version("s", version)
        row = merged.select(
            cf.sketch_count_bounds(then).alias("n"),
            cf.sketch_quantile_bounds(then, PHIS, "int").alias("bounds"),
        ).first()
        assert row.n.low <= len(truth) <= row.n.high
        for phi, bounds in zip(PHIS, row.bounds, strict=True):
            assert bounds.low <= nearest_rank(truth, phi) <= bounds.high
