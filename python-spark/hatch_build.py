"""Adds the jar and a bill of materials to the wheel. Builds the jar first if it is missing or out of date."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The sbt launcher is fetched with the Ivy that pyspark contains. Nothing else of pyspark is used.
IVY = "pyspark==4.2.0"

_BUILD = ("VERSION", "build.sbt", "project/plugins.sbt", "project/BillOfMaterials.scala")


class JarHook(BuildHookInterface[Any]):
    """Adds the one jar to the wheel as ``chronosketch_spark/jars/<jar>``."""

    def dependencies(self) -> list[str]:
        """Return the build's dependencies: pyspark for its Ivy if the jar must be built."""
        return [] if self._is_fresh() else [IVY]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the jar unless there is one of this version that is newer than its sources."""
        if not self._is_fresh():
            self._build()
        build_data["force_include"][str(self._jar)] = f"chronosketch_spark/jars/{self._jar.name}"
        build_data["sbom_files"].append(str(self._write_bill()))

    @property
    def _top(self) -> Path:
        # In a clone the sources are in the folder above, and in a source distribution in this one.
        here = Path(self.root)
        return here if (here / "build.sbt").is_file() else here.parent

    @property
    def _jar(self) -> Path:
        version = (self._top / "VERSION").read_text().strip()
        return self._top / "target" / "jar" / f"chronosketch-spark_2.13-{version}.jar"

    def _write_bill(self) -> Path:
        """Write the wheel's bill of materials: the jar, and the components in the jar's own bill."""
        with zipfile.ZipFile(self._jar) as archive:
            bill = json.loads(archive.read("META-INF/sbom/chronosketch-spark.cdx.json"))
        jar = bill["metadata"]["component"]
        jar["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(self._jar.read_bytes()).hexdigest()}]
        purl = f"pkg:pypi/{self.metadata.name}@{jar['version']}"
        bill["metadata"]["component"] = {
            "type": "library",
            "bom-ref": purl,
            "name": self.metadata.name,
            "version": jar["version"],
            "licenses": jar["licenses"],
            "purl": purl,
        }
        bill["components"].insert(0, jar)
        bill["dependencies"].insert(0, {"ref": purl, "dependsOn": [jar["bom-ref"]]})
        file = self._top / "target" / "sbom" / f"{self.metadata.name}.cdx.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")
        return file

    def _is_fresh(self) -> bool:
        if not self._jar.is_file():
            return False
        built = self._jar.stat().st_mtime
        build = [self._top / name for name in _BUILD]
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
