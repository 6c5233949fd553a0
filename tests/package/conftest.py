"""Run the shipped package as a user does, each test in its own processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="only what takes minutes: see make release-check")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes minutes, and what make dist and make publish-m2 leave")


def pytest_collection_modifyitems(config, items):
    """Keep tests that take minutes apart."""
    slow = config.getoption("--slow")
    left = [item for item in items if bool(item.get_closest_marker("slow")) != slow]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


@pytest.fixture(scope="session")
def top():
    return TOP


@pytest.fixture
def run(tmp_path):
    """Run a command in an empty folder, and return its result."""

    def _run(*command, seconds=600, **environment):
        return subprocess.run(
            [str(part) for part in command],
            cwd=tmp_path,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )

    return _run


@pytest.fixture
def run_python(run, tmp_path):
    """Run a text as a Python program."""

    def _run(text):
        program = tmp_path / "program.py"
        program.write_text(text, encoding="utf-8")
        return run(sys.executable, program)

    return _run


@pytest.fixture
def chronosketch(run):
    """Run the installed command line."""
    return lambda *arguments, **environment: run(
        Path(sys.executable).parent / "chronosketch", *arguments, **environment
    )


@pytest.fixture
def ask(run):
    """Run `chronosketch ask` several times in one process. Return the output and errors of each call."""
    from test_command_line import ONE_AFTER_ANOTHER

    # Nothing of Spark can be imported: no pyspark, no Java.
    program = "import sys\nsys.modules['pyspark'] = None\n" + ONE_AFTER_ANOTHER

    def _ask(*calls):
        text = json.dumps([["ask", *map(str, arguments)] for arguments in calls])
        done = run(sys.executable, "-c", program, text, JAVA_HOME="/nowhere")
        message = [part.rpartition("ended with ")[0] for part in done.stdout.split("\0")[1:]]
        return list(zip(message, done.stderr.split("\0")[1:], strict=True))

    return _ask
