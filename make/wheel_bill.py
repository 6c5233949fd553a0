"""Writes the bill of materials of a wheel of Python alone, in the form of project/BillOfMaterials.scala.

The wheel with the jar writes its own when it is built: see python-spark/hatch_build.py.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from email.parser import Parser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path

# A requirement as wheels write it: a name, extras of it, versions, then a condition.
REQUIREMENT = re.compile(r"([\w.-]+)\s*(?:\[[^\]]*\])?\s*([^;]*);?(.*)")


def wheel_bill(wheel: Path) -> dict[str, Any]:
    """Return the bill of materials (CycloneDX 1.6) of a wheel, from its metadata.

    Libraries that only extras require are optional. A library has a version only if the wheel pins it.
    """
    metadata = _metadata(wheel)
    name, version = _normal(metadata["Name"]), metadata["Version"]
    purl = f"pkg:pypi/{name}@{version}"
    components = _components(metadata.get_all("Requires-Dist") or [])
    needed = [part["bom-ref"] for part in components]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": purl,
                "name": name,
                "version": version,
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}],
                "licenses": [{"license": {"id": metadata["License-Expression"]}}],
                "purl": purl,
            }
        },
        "components": components,
        "dependencies": [
            {"ref": purl, "dependsOn": needed},
            *({"ref": ref, "dependsOn": []} for ref in needed),
        ],
    }


def _metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _components(requirements: list[str]) -> list[dict[str, Any]]:
    """Return a component for each library. Its properties are the lines of the wheel that require it."""
    by_name: dict[str, list[tuple[str, str, str]]] = {}
    for line in requirements:
        match = REQUIREMENT.fullmatch(line)
        if match is None:
            raise ValueError(f"{line!r} is not a requirement that make/wheel_bill.py can read")
        name, versions, condition = match.groups()
        by_name.setdefault(_normal(name), []).append((line, versions.strip(), condition))
    return [_component(name, lines) for name, lines in sorted(by_name.items())]


def _component(name: str, lines: list[tuple[str, str, str]]) -> dict[str, Any]:
    pinned = {version[2:] for _, version, _ in lines if version.startswith("==")}
    version = pinned.pop() if len(pinned) == 1 else None
    purl = f"pkg:pypi/{name}@{version}" if version else f"pkg:pypi/{name}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        **({"version": version} if version else {}),
        "scope": "optional" if all("extra ==" in condition for _, _, condition in lines) else "required",
        "purl": purl,
        "properties": [{"name": "chronosketch:requires", "value": line} for line, _, _ in lines],
    }
