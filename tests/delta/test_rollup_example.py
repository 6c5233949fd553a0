"""examples/rollup.py keeps hours and days of a table that changes."""

import importlib.util
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_rollup(spark, requests):
    spec = importlib.util.spec_from_file_location("rollup", EXAMPLES / "rollup.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    example.create(spark, requests)
    for hour in (0, 6):
        example.arrive(spark, requests, hour)
        assert example.follower(requests).step(spark).is_new
    example.arrive(spark, requests, 3, hours=1)
    spark.sql(f"DELETE FROM {requests} WHERE latency_ms > 400")
    example.follower(requests).step(spark)
    exact = spark.sql(
        f"""
        SELECT service, count(*) AS n, avg(latency_ms) AS mean, max(latency_ms) AS slowest,
          percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS p99
        FROM {requests} GROUP BY service ORDER BY service
        """
    ).collect()
    assert len(exact) == 2
    for level in ("1 hour", "1 day"):
        rows = example.by_service(spark, requests, level).collect()
        for row, truth in zip(rows, exact, strict=True):
            assert (row.service, row.n, row.slowest) == (truth.service, truth.n, truth.slowest)
            assert abs(row.mean - truth.mean) <= 1e-9 * truth.mean
            assert row.bounds.low <= truth.p99 <= row.bounds.high
            assert row.certified <= 1e-3
