"""What is shipped, started as a user starts it: each test in processes of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def top():
    return TOP


@pytest.fixture
def run(tmp_path):
    """Run a command in an empty folder and return what it did."""

    def _run(*command, **environment):
        return subprocess.run(
            [str(part) for part in command],
            cwd=tmp_path,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
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
    """Run the command line as installed."""
    return lambda *arguments, **environment: run(
        Path(sys.executable).parent / "chronosketch", *arguments, **environment
    )
