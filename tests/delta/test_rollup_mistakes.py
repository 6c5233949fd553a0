"""A roll-up refuses wrong arguments and what it cannot follow, and writes nothing then."""

import chronosketch as cs
import pytest
from pyspark.errors import AnalysisException
from rolling_up import create, follower, latest, refused, rows


def test_mistakes_are_refused_and_write_nothing(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 50)}")
    wrong = [
        {"time": "no_such_column"},
        {"time": "id"},
        {"by": ["service +"]},
        {"by": ["service", "upper(service) AS service"]},
        {"by": ["service AS rows"]},
        {"values": {"amount": "no_such_column"}},
        {"values": {"service": "amount"}},
        {"values": {"amount": "sum(amount)"}},
        {"bucket": "7 minutes"},
        {"bucket": "an hour"},
        {"bucket": "1 month"},
        {"bucket": "0 hours"},
        {"levels": ["1 day", "1 hour"]},
        {"levels": ["2 days", "3 days"]},
        {"zone": "Europe/Nowhere"},
        {"retention": {"1 day": "30 days"}},
        {"retention": {"1 hour": "soon"}},
    ]
    for changed in wrong:
        with pytest.raises(AnalysisException):
            follower(requests, **changed).step(spark)
        assert not spark.catalog.tableExists(f"{requests}_rolled"), changed
    assert refused(cs.rollup.refresh, spark, f"{requests}_rolled")
    assert refused(cs.rollup.refresh, spark, requests)
    assert refused(cs.rollup.now, spark, requests)


def test_other_arguments_than_at_the_beginning_are_refused(spark, requests):
    create(spark, requests)
    spark.sql(f"INSERT INTO {requests} {rows(0, 50)}")
    follower(requests).step(spark)
    version = latest(spark, f"{requests}_rolled")
    for changed in (
        {"epsilon": 0.01},
        {"by": []},
        {"values": {"amount": "amount + 1"}},
        {"bucket": "1 day"},
        {"zone": "Europe/Berlin"},
        {"retention": {"1 hour": "30 days"}},
    ):
        refused(follower(requests, **changed).step, spark)
    assert latest(spark, f"{requests}_rolled") == version
    assert not follower(requests).step(spark).is_new


def test_a_source_without_a_change_feed_is_refused(spark, requests):
    spark.sql(f"CREATE TABLE {requests} (id INT, ts TIMESTAMP, service STRING, amount INT) USING delta")
    condition, message = refused(follower(requests).step, spark)
    assert condition == "CHANGE_FEED_OFF"
    assert "delta.enableChangeDataFeed" in message
