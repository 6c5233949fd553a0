"""All docstring examples about following run."""

import doctest
import importlib
import pkgutil

import chronosketch as cs
import pytest
from chronosketch import functions as cf


def examples():
    found = []
    modules = [info.name for info in pkgutil.walk_packages(cs.history.__path__, "chronosketch.history.")]
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in ["chronosketch.history", *sorted(modules)]:
        for test in finder.find(importlib.import_module(name)):
            if test.examples:
                found.append(test)
    found.sort(key=lambda test: test.name.endswith(".follow"))
    return [pytest.param(test, id=test.name) for test in found]


# one table for all of them; the example of `follow` changes it, so it comes last
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


@pytest.mark.parametrize("example", examples())
def test_examples_of_docstrings_run(request, spark, example):
    if any("orders" in step.source for step in example.examples):
        request.getfixturevalue("orders")
    message = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    example.globs.update(spark=spark, cf=cf, cs=cs)
    runner.run(example, out=message.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(message)


@pytest.mark.parametrize("name", ["at", "follow", "Follower"])
def test_public_names_have_examples(name):
    assert ">>>" in getattr(cs.history, name).__doc__
