"""Every docstring example runs, and every public function has one."""

import doctest
import importlib
import pkgutil

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from pyspark.sql import functions as F

# The demo starts its own session. Histories and roll-ups follow Delta tables, so tests/delta runs
# their examples.
NOT_HERE = ("chronosketch.demo", "chronosketch.history", "chronosketch.rollup")


def examples():
    found = (info.name for info in pkgutil.walk_packages(cs.__path__, "chronosketch."))
    modules = sorted(name for name in found if not name.startswith(NOT_HERE))
    finder = doctest.DocTestFinder(exclude_empty=True)
    for name in ["chronosketch", *modules]:
        for test in finder.find(importlib.import_module(name)):
            if test.examples:
                yield pytest.param(test, id=test.name)


@pytest.mark.parametrize("example", list(examples()))
def test_examples_of_docstrings_run(spark, example):
    message = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    example.globs.update(spark=spark, cf=cf, cs=cs, F=F)
    runner.run(example, out=message.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(message)


@pytest.mark.parametrize("name", cf.__all__)
def test_every_function_has_an_example(name):
    assert ">>>" in getattr(cf, name).__doc__
