"""Environments for other Spark versions."""

from __future__ import annotations

from pathlib import Path

import pytest
from environments import environment, lay_out_package, options_of, run_beside

# The oldest supported Spark version and the newest one. All other tests run on 4.2.
LINES = ("4.0.5", "4.3.0")

# The newest Spark version that Iceberg has a runtime for.
ICEBERG_LINE = "4.1.4"


def pytest_addoption(parser):
    parser.addoption("--line", choices=["oldest", "others"], help="one part of the lines; all unless given")


def pytest_collection_modifyitems(config, items):
    """Select one of the two parts, so that they can run in parallel."""
    part = config.getoption("--line")
    if part is None:
        return
    chosen = [item for item in items if (line_of(item) == LINES[0]) == (part == "oldest")]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def line_of(item):
    return getattr(item, "callspec", None) and item.callspec.params.get("line_python")


@pytest.fixture(scope="session", params=LINES)
def line_python(request, tmp_path_factory):
    """Return the Python of the environment."""
    return environment(request.param, tmp_path_factory.mktemp("pins"))


@pytest.fixture
def submit_options(line_python):
    """Return the options of the environment's JVM."""
    return options_of(line_python)


@pytest.fixture
def beside_iceberg(tmp_path):
    """Return the Python and the JVM options for the Spark version of Iceberg."""
    python = environment(ICEBERG_LINE, tmp_path)
    return python, options_of(python)


@pytest.fixture
def run_script(package, tmp_path):
    """Run a script of this folder in an environment, with the wheel. Return its output."""

    def _run_script(python, options, script, *arguments):
        program = Path(__file__).with_name(script)
        done = run_beside(package, tmp_path, python, options, program, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr[-6000:]
        return done.stdout

    return _run_script


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """Unpack the wheels."""
    return lay_out_package(tmp_path_factory.mktemp("package"))
