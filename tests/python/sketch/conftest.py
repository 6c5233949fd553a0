"""Mark the tests that need no Spark. They run once, not for each kind of session, and may be slow."""

from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent

settings.register_profile("sketches", deadline=None)
settings.load_profile("sketches")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("classic")
