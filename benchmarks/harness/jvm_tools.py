"""Runs sbt, and fetches jars of Maven Central once, with the Ivy in PySpark, into the cache of `./sbt`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pyspark

from harness.results import TOP


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


def jar_of(group: str, name: str, version: str) -> Path:
    """Return the path of a jar, fetching it without its dependencies if needed. Exit if it cannot be fetched."""
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
        # Fetch into a folder of this process, then move: concurrent processes never leave a partial jar.
        with tempfile.TemporaryDirectory(dir=kept.parent, prefix="fetch-") as folder:
            command = [java.stdout.strip(), "-jar", str(ivy), "-cache", f"{folder}/ivy"]
            command += ["-dependency", group, name, version, "-types", "jar", "-notransitive"]
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
