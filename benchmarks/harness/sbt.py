"""Runs sbt commands, for benchmarks without Spark."""

from __future__ import annotations

import subprocess
import sys

from harness.provenance import TOP


def sbt(command: str) -> str:
    """Run one sbt command and return its output. Exit if it fails."""
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
