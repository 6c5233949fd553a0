"""Helpers to create tables, roll them up, and compare roll-ups with answers computed row by row."""

import math
from bisect import bisect_left, bisect_right
from datetime import datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

PHIS = [0.0, 0.1, 0.5, 0.99, 1.0]
EPSILON = 0.05
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MONDAY = datetime(1969, 12, 29)  # lengths of days are counted from this day
MICRO = timedelta(microseconds=1)
COLUMNS = "id INT, ts TIMESTAMP, service STRING, amount INT"

# Half a day of rows that begin at this second of 1970. Some have a NULL key, a NULL value or a NULL time.
START = 1_772_409_600  # 2026-03-02 00:00:00 UTC, a Monday
ROWS = (
    "SELECT CAST(id AS INT) AS id, IF(id % 97 = 0, NULL, timestamp_seconds({start} + {every} * id)) AS ts, "
    "IF(id % 5 = 0, NULL, concat('s', id % 3)) AS service, "
    "IF(id % 11 = 0, NULL, CAST(pmod(id * 7919, 1009) AS INT)) AS amount FROM range({first}, {last}, 1, 1)"
)


def rows(first, last, every=60, start=START):
    """Return a query of rows that are `every` seconds apart."""
    return ROWS.format(first=first, last=last, every=every, start=start)


def create(spark, table, columns=COLUMNS, properties=""):
    spark.sql(
        f"CREATE TABLE {table} ({columns}) USING delta "
        f"TBLPROPERTIES (delta.enableChangeDataFeed = true {properties})"
    )


def follower(table, **changed):
    arguments = {
        "into": f"{table}_rolled",
        "time": "ts",
        "by": ["service"],
        "values": {"amount": "amount"},
        "epsilon": EPSILON,
        **changed,
    }
    return cs.rollup.Follower(table, **arguments)


def latest(spark, table):
    return spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").first().version


def bucket_start(micros, length, zone):
    """Return the start of a bucket in microseconds since 1970."""
    number, unit = length.split()
    moment = EPOCH + micros * MICRO
    local = moment.astimezone(ZoneInfo(zone))
    day = local.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None, fold=0)
    if unit.startswith(("day", "week")):
        days = int(number) * (7 if unit.startswith("week") else 1)
        start = day - (day - MONDAY) % timedelta(days=days)
        return (start.replace(tzinfo=ZoneInfo(zone)).astimezone(timezone.utc) - EPOCH) // MICRO
    width = timedelta(**{f"{unit.rstrip('s')}s": int(number)})
    since = day.replace(tzinfo=ZoneInfo(zone)).astimezone(timezone.utc)
    return (since + (moment - since) // width * width - EPOCH) // MICRO


def expected(spark, source, levels, zone="UTC", by=("service",), value="amount", time="ts"):
    """Return the values of each (level, bucket, group), with None for NULL, from the source's rows."""
    taken = spark.sql(
        f"SELECT unix_micros(CAST({time} AS TIMESTAMP)), {value}, {', '.join([*by, '1'])} FROM {source}"
    ).collect()
    found = {}
    for micros, amount, *group in taken:
        for level in levels:
            bucket = None if micros is None else bucket_start(micros, level, zone)
            found.setdefault((level, bucket, *group[:-1]), []).append(amount)
    return found


def check(spark, source, rolled, levels=("1 hour",), *, by=("service",), kept=None, **options):
    """Compare all rows of a roll-up with the source. `kept` says which (level, bucket) there should be."""
    truth = expected(spark, source, levels, by=by, **options)
    if kept is not None:
        truth = {group: values for group, values in truth.items() if kept(*group[:2])}
    rolled = spark.table(rolled) if isinstance(rolled, str) else rolled
    taken = rolled.select(
        "level",
        F.expr("unix_micros(CAST(bucket AS TIMESTAMP))").alias("micros"),
        *by,
        "rows",
        "amount_count",
        "amount_sum",
        "amount_min",
        "amount_max",
        F.coalesce(cf.sketch_count("amount"), F.lit(0)).alias("n"),
        cf.sketch_rank_error("amount").alias("error"),
        cf.sketch_quantile_bounds("amount", PHIS, "int").alias("bounds"),
    ).collect()
    found = {(row.level, row.micros, *(row[name] for name in by)): row for row in taken}
    assert len(found) == len(taken), "a group has two rows"
    assert set(found) == set(truth), (set(found) - set(truth), set(truth) - set(found))
    for group, row in found.items():
        values = sorted(value for value in truth[group] if value is not None)
        assert row.rows == len(truth[group]), (group, row)
        exact = (len(values), sum(values), values[0], values[-1]) if values else (0, None, None, None)
        assert (row.amount_count, row.amount_sum, row.amount_min, row.amount_max) == exact, (group, row)
        assert row.n == len(values), (group, row)
        if values:
            check_bounds(values, row)
    return len(found)


def check_bounds(values, row):
    """Check that bounds contain the exact quantiles, within the width that epsilon allows."""
    assert row.error <= EPSILON, row
    for phi, bounds in zip(PHIS, row.bounds, strict=True):
        exact = values[max(1, math.ceil(Fraction(str(phi)) * len(values))) - 1]
        assert bounds.low <= exact <= bounds.high, (phi, exact, row)
        between = bisect_left(values, bounds.high) - bisect_right(values, bounds.low)
        assert between <= 2 * EPSILON * len(values), (phi, row)


def refused(step, *arguments):
    """Return the condition and the message with which a step is refused."""
    with pytest.raises(AnalysisException) as error:
        step(*arguments)
    return error.value.getCondition().removeprefix("CHRONOSKETCH_"), str(error.value)
