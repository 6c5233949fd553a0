"""Runs a command of the build, for benchmarks that need no Spark."""

from __future__ import annotations

import subprocess
import sys

from harness.provenance import TOP


def sbt(command: str) -> str:
    """Run one command of sbt and return what it prints; end it all where it fails."""
    done = subprocess.run(
        [str(TOP / "sbt"), "-Dsbt.supershell=false", command],
        cwd=TOP,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout[-4000:]}\n{done.stderr[-2000:]}\nsbt {command.split()[0]} failed")
    return done.stdout
