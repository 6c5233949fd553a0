"""Mark the tests of columns, which need no Spark and read the golden files of sketches."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "sketch"))

settings.register_profile("columns", deadline=None)
settings.load_profile("columns")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("classic")
