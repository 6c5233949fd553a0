"""An environment for each Spark line."""

from __future__ import annotations

from pathlib import Path

import pytest
from environments import environment, lay_out_package, options_of, run_beside

# The oldest line we promise and the newest there is; 4.2 is what all other tests run on.
LINES = ("4.0.5", "4.3.0")

# The newest line that Iceberg has a runtime for.
ICEBERG_LINE = "4.1.4"


def pytest_addoption(parser):
    parser.addoption("--line", choices=["oldest", "others"], help="one part of the lines; all unless given")


def pytest_collection_modifyitems(config, items):
    """Leave the other part out: the parts can run beside each other."""
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
    """Name the Python of the line's environment."""
    return environment(request.param, tmp_path_factory.mktemp("pins"))


@pytest.fixture
def submit_options(line_python):
    """Give the options of the line's JVM."""
    return options_of(line_python)


@pytest.fixture
def beside_iceberg(tmp_path):
    """Name the Python and the JVM's options of the line that Iceberg has a runtime for."""
    python = environment(ICEBERG_LINE, tmp_path)
    return python, options_of(python)


@pytest.fixture
def run_script(package, tmp_path):
    """Run a script of this folder in another line's environment, with the wheel; return what it prints."""

    def _run_script(python, options, script, *arguments):
        program = Path(__file__).with_name(script)
        done = run_beside(package, tmp_path, python, options, program, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr[-6000:]
        return done.stdout

    return _run_script


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """Lay the wheel out."""
    return lay_out_package(tmp_path_factory.mktemp("package"))
