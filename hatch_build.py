"""Puts the jar into the wheel, and builds it first where there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The launcher takes Ivy from pyspark to fetch sbt with; nothing else of it is used.
IVY = "pyspark==4.2.0"


class JarHook(BuildHookInterface[Any]):
    """Adds ``chronosketch/jars/<jar>``, exactly one, to the wheel."""

    def dependencies(self) -> list[str]:
        """Name what the build needs: pyspark for its Ivy, unless there is no jar to build."""
        return [] if self._is_fresh() else [IVY]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the jar unless one of this version, younger than its sources, is there."""
        if not self._is_fresh():
            self._build()
        build_data["force_include"][str(self._jar)] = f"chronosketch/jars/{self._jar.name}"

    @property
    def _top(self) -> Path:
        return Path(self.root)

    @property
    def _jar(self) -> Path:
        version = (self._top / "VERSION").read_text().strip()
        return self._top / "target" / "jar" / f"chronosketch-spark_2.13-{version}.jar"

    def _is_fresh(self) -> bool:
        if not self._jar.is_file():
            return False
        built = self._jar.stat().st_mtime
        build = [self._top / name for name in ("VERSION", "build.sbt", "project/plugins.sbt")]
        sources = [*(self._top / "jvm/core/src").rglob("*"), *(self._top / "jvm/spark/src").rglob("*")]
        return all(source.stat().st_mtime <= built for source in [*build, *sources])

    def _build(self) -> None:
        environment = {**os.environ, "CHRONOSKETCH_PYTHON": sys.executable}
        done = subprocess.run(
            [str(self._top / "sbt"), "spark/assembly"],
            cwd=self._top,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\nThe jar could not be built: the reason is above.")
