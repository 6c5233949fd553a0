"""All docstring examples about following run."""

import doctest
import importlib
import pkgutil

import chronosketch as cs
import pytest
from chronosketch import functions as cf

# these examples change the table of all, so they come last, in this order
LAST = (".history.follower.follow", ".rollup.follower.follow", ".rollup.keeping.refresh")
PUBLIC = [(package, name) for package in (cs.history, cs.rollup) for name in package.__all__]


def examples():
    found = []
    finder = doctest.DocTestFinder(exclude_empty=True)
    for package in (cs.history, cs.rollup):
        modules = [info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
        for name in [package.__name__, *sorted(modules)]:
            for test in finder.find(importlib.import_module(name)):
                if test.examples:
                    found.append(test)
    found.sort(key=lambda test: next((i for i, end in enumerate(LAST, 1) if test.name.endswith(end)), 0))
    return [pytest.param(test, id=test.name) for test in found]


# one table for all of them
@pytest.fixture(scope="module")
def orders(spark):
    spark.sql(
        "CREATE TABLE orders (region STRING, amount INT) USING delta "
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    for row in ("'north', 10", "'south', 30"):
        spark.sql(f"INSERT INTO orders VALUES ({row})")
    cs.history.follow(spark, source="orders", value="amount", by=["region"], into="orders_history")
    yield
    for table in ("orders", "orders_history"):
        spark.sql(f"DROP TABLE {table}")


@pytest.fixture(scope="module")
def requests_of_docstrings(spark):
    spark.sql(
        "CREATE TABLE requests (ts TIMESTAMP, service STRING, latency_ms INT) USING delta "
        "TBLPROPERTIES (delta.enableChangeDataFeed = true)"
    )
    for row in ("'api', 30", "'web', 10", "'web', 20"):
        spark.sql(f"INSERT INTO requests VALUES (TIMESTAMP'2026-03-02 10:00:00', {row})")
    values = {"latency": "latency_ms"}
    cs.rollup.follow(
        spark, source="requests", into="requests_hourly", time="ts", by=["service"], values=values
    )
    yield
    for table in ("requests", "requests_hourly", "streamed_hourly"):
        spark.sql(f"DROP TABLE IF EXISTS {table}")


@pytest.mark.parametrize("example", examples())
def test_examples_of_docstrings_run(request, spark, example, tmp_path):
    for word, fixture in (("orders", "orders"), ("requests", "requests_of_docstrings")):
        if any(word in step.source for step in example.examples):
            request.getfixturevalue(fixture)
    message = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    example.globs.update(spark=spark, cf=cf, cs=cs, checkpoint=str(tmp_path))
    runner.run(example, out=message.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(message)


@pytest.mark.parametrize(("package", "name"), PUBLIC, ids=[name for _, name in PUBLIC])
def test_public_functions_and_followers_have_examples(package, name):
    public = getattr(package, name)
    assert ">>>" in public.__doc__ or issubclass(public, tuple)
