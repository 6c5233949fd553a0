"""Environments with pip's pyspark for a Spark version and a Python, created once and cached."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]

# PySpark 3.5 takes no newer one.
NUMPY_OF_SPARK_3 = "numpy==1.26.4"


def environment(version, folder, python=sys.executable):
    """Create an environment that has pyspark and none of our packages, if absent."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chronosketch"
    about = or_raise(python, "-c", "import sys; print(sys.version)").rstrip("\n")
    name = f"smoke-{version}" if about == sys.version else f"smoke-{version}-python-{about.split()[0]}"
    home = cache / name
    recipe = hashlib.sha256("\n".join([about, *pins(version)]).encode()).hexdigest()
    stamp = home / "complete"
    if not (stamp.is_file() and stamp.read_text() == recipe):
        shutil.rmtree(home, ignore_errors=True)
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(pins(version)))
        or_raise(python, "-m", "venv", home)
        pip = (home / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check")
        or_raise(*pip, "-c", constraints, f"pyspark[connect]=={version}")
        stamp.write_text(recipe)
    if not archive_of(home).exists():
        or_raise(home / "bin" / "python", TOP / "make" / "archive.py", archive_of(home))
    return home / "bin" / "python"


def archive_of(home):
    """Return the class data archive of an environment's Spark."""
    return home / "spark.jsa"


def options_of(python):
    """Set an environment's class data archive in its JVM options, because Make's is for another Spark."""
    given = os.environ.get("SPARK_SUBMIT_OPTS", "")
    return f"{given} -Xlog:disable -XX:SharedArchiveFile={archive_of(python.parents[1])}".strip()


def lay_out_package(folder):
    """Unpack both wheels into a folder, so that the cached environments do not change."""
    wheels = sorted((TOP / "target" / "dist").glob("*.whl"))
    or_raise(sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", folder, *wheels)
    return folder


def run_beside(package, folder, python, options, program, *arguments, **environment):
    """Run a program with an environment's Python and the unpacked package. Return its result."""
    return subprocess.run(
        [str(python), str(program), *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(package),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_SUBMIT_OPTS": options,
            **environment,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def pins(version):
    """Return the packages pinned beside pyspark for the other tests, without those for uploading."""
    lines = (TOP / "requirements-dev.txt").read_text().splitlines()
    kept = [line for line in lines if not line.startswith(("pyspark", "py4j", "twine"))]
    if not version.startswith("3."):
        return kept
    return [NUMPY_OF_SPARK_3 if line.startswith("numpy==") else line for line in kept]


def or_raise(*command):
    """Run a command that must succeed, and return its output."""
    done = subprocess.run(
        [str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode:
        message = done.stdout[-2000:] + done.stderr[-2000:]
        raise RuntimeError(f"{message}\nThe environment could not be made: check the network.")
    return done.stdout
