"""An environment for each Spark line: pip's pyspark of that version, made once and kept in a cache."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]

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


def environment(version, folder):
    """Make an environment that has pyspark of a version and nothing of ours, unless it is there."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chronosketch"
    home = cache / f"smoke-{version}"
    recipe = hashlib.sha256("\n".join([sys.version, *pins()]).encode()).hexdigest()
    stamp = home / "complete"
    if not (stamp.is_file() and stamp.read_text() == recipe):
        shutil.rmtree(home, ignore_errors=True)
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(pins()))
        or_fail(sys.executable, "-m", "venv", home)
        pip = (home / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check")
        or_fail(*pip, "-c", constraints, f"pyspark[connect]=={version}")
        stamp.write_text(recipe)
    if not archive_of(home).exists():
        or_fail(home / "bin" / "python", TOP / "make" / "archive.py", archive_of(home))
    return home / "bin" / "python"


def archive_of(home):
    """Name the file with the classes that Spark loads in an environment."""
    return home / "spark.jsa"


@pytest.fixture
def submit_options(line_python):
    """Give the options of the line's JVM."""
    return options_of(line_python)


def options_of(python):
    """Add an environment's archive of classes to the options of its JVM: Make names that of another Spark."""
    given = os.environ.get("SPARK_SUBMIT_OPTS", "")
    return f"{given} -Xlog:disable -XX:SharedArchiveFile={archive_of(python.parents[1])}".strip()


@pytest.fixture
def beside_iceberg(tmp_path):
    """Name the Python and the JVM's options of the line that Iceberg has a runtime for."""
    python = environment(ICEBERG_LINE, tmp_path)
    return python, options_of(python)


@pytest.fixture
def run_script(package, tmp_path):
    """Run a script of this folder in another line's environment, with the wheel; return what it prints."""

    def _run_script(python, options, script, *arguments):
        done = subprocess.run(
            [str(python), str(Path(__file__).with_name(script)), *arguments],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(package),
                "SPARK_LOCAL_IP": "127.0.0.1",
                "SPARK_SUBMIT_OPTS": options,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr[-6000:]
        return done.stdout

    return _run_script


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """Lay the wheel out in a folder: the cached environments stay as they are."""
    (wheel,) = (TOP / "target" / "dist").glob("*.whl")
    folder = tmp_path_factory.mktemp("package")
    or_fail(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", folder, wheel)
    return folder


def pins():
    """Read what stands beside pyspark in the environment of all other tests."""
    lines = (TOP / "requirements-dev.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith(("pyspark", "py4j"))]


def or_fail(*command):
    """Run a command that has to work."""
    done = subprocess.run(
        [str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = done.stdout[-2000:] + done.stderr[-2000:]
        pytest.fail(f"{said}\nThe environment could not be made: check the network.", pytrace=False)
