"""Jars of Maven Central, fetched once by the Ivy that PySpark ships and kept in the cache that `./sbt` has."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

from harness.provenance import TOP


def jar_of(group: str, name: str, version: str) -> Path:
    """Return where a jar is, without what it depends on; end it all where it cannot be had."""
    kept = _cache() / f"{name}-{version}.jar"
    if not kept.exists():
        _fetch(group, name, version, kept)
    return kept


def _cache() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "chronosketch"


def _fetch(group: str, name: str, version: str, kept: Path) -> None:
    ivy = next((Path(pyspark.__file__).parent / "jars").glob("ivy-*.jar"), None)
    if ivy is None:
        sys.exit(f"The PySpark at hand has no Ivy to fetch {name} with: pip install pyspark==4.2.0.")
    java = subprocess.run(["sh", str(TOP / "make" / "java")], capture_output=True, text=True, check=False)
    if java.returncode != 0:
        sys.exit(java.stderr.strip())
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        # Into a folder of this process, then moved: two starts at once leave one whole jar.
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix="fetch-") as folder:
            command = [java.stdout.strip(), "-jar", str(ivy), "-cache", f"{folder}/ivy"]
            command += ["-dependency", group, name, version, "-types", "jar"]
            command += ["-retrieve", f"{folder}/[artifact]-[revision].[ext]"]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            fetched = Path(folder) / kept.name
            if not fetched.exists():
                said = f"{ran.stdout}\n{ran.stderr}".strip()[-2000:]
                sys.exit(
                    f"{said}\nCould not fetch {group}:{name}:{version} from Maven Central: check the network, or put its jar at {kept}."
                )
            fetched.replace(kept)
    except OSError as error:
        sys.exit(
            f"Cannot write to {kept.parent}: {error.strerror}. Set XDG_CACHE_HOME to a folder that can be written."
        )
