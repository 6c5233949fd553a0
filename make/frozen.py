"""Writes what users rely on into tests/golden/<version>: .venv/bin/python make/frozen.py.

tests/python/test_frozen.py compares. An addition is a new line, and a change is a line that is gone.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TOP = Path(__file__).resolve().parents[1]
GOLDEN = TOP / "tests" / "golden"
SOURCES = TOP / "jvm" / "spark" / "src" / "main"


def version() -> str:
    """Return the version of the sources."""
    return (TOP / "VERSION").read_text().strip()


def settings() -> list[str]:
    """Return each setting with its default, and the classes that pages name as values of Spark's settings.

    The settings come from docs/settings.md, which a test compares with the session's own list.
    """
    page = (TOP / "docs" / "settings.md").read_text("utf-8")
    rows = re.findall(r"^\| `(spark\.chronosketch\.[\w.]+)` \| `?([\w.]+)`? \|", page, re.MULTILINE)
    open_names = re.findall(r"`(spark\.chronosketch\.[\w.]+<\w+>)`", page)
    pages = "".join(file.read_text("utf-8") for file in (TOP / "docs").glob("*.md"))
    classes = set(re.findall(r"\bchronosketch\.spark\.[\w.]*[A-Z]\w+", pages))
    for name in classes:
        if not (SOURCES / "scala" / f"{name.replace('.', '/')}.scala").is_file():
            raise ValueError(f"a page names the class {name}, which does not exist")
    return [
        *(f"{name} = {default}" for name, default in sorted(rows)),
        *(f"{name} = any" for name in sorted(set(open_names))),
        *(f"class {name}" for name in sorted(classes)),
    ]


def functions() -> list[str]:
    """Return each SQL function with its parameters, in their order.

    They come from docs/reference.md, which a test compares with the table of functions.
    """
    page = (TOP / "docs" / "reference.md").read_text("utf-8")
    lines = []
    for chapter in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        kind = "table function" if chapter.startswith("Table functions\n") else "function"
        for section in re.split(r"^### ", chapter, flags=re.MULTILINE)[1:]:
            name = section.partition("\n")[0]
            older = re.findall(r"also called (\w+)", section)
            lines += [f"{kind} {one}" for one in [name, *older]]
            lines += [f"{one} {parameter}" for one in [name, *older] for parameter in _parameters(section)]
    return lines


def _parameters(section: str) -> list[str]:
    found = re.search(r"^\| SQL \| `\w+\((.*)\)` \|$", section, flags=re.MULTILINE)
    if found is None:
        raise ValueError(f"no signature in {section[:80]!r}")
    defaults = dict(re.findall(r"^\| `(\w+)` \| .* \| (?:`(.*)`)? ?\|$", section, flags=re.MULTILINE))
    parameters = [one.strip() for one in found.group(1).split(",") if one.strip()]
    return [
        _parameter(n, one.strip("[]"), one.startswith("["), defaults[one.strip("[]")])
        for n, one in enumerate(parameters, 1)
    ]


def _parameter(n: int, name: str, is_optional: bool, default: str | None) -> str:
    if not is_optional:
        return f"{n} {name} required"
    return f"{n} {name} default {default}" if default else f"{n} {name} optional"


def conditions() -> list[str]:
    """Return the name of each error condition with its SQLSTATE."""
    file = SOURCES / "resources" / "error" / "chronosketch-conditions.json"
    found = json.loads(file.read_text("utf-8"))
    return [f"{name} {found[name]['sqlState']}" for name in sorted(found)]


def stored_bytes() -> list[str]:
    """Return the SHA-256 of each stored sketch and of its answers, in the format of `sha256sum --check`."""
    found = (file for folder in ("kll", "v1") for file in (GOLDEN / folder).rglob("*"))
    files = sorted(file for file in found if file.is_file())
    return [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(GOLDEN)}" for file in files]


# The files of a snapshot that need no session.
READ = {
    "bytes.txt": stored_bytes,
    "conditions.txt": conditions,
    "functions.txt": functions,
    "settings.txt": settings,
}
PROCEDURES = "procedures.txt"


def differences(kept: list[str], now: list[str], is_same_version: bool) -> list[str]:
    """List what breaks users, and lines that the snapshot of this version does not have.

    Examples
    --------
    >>> differences(["f 1 x required"], ["f 1 x required", "f 2 y required", "g 1 x required"], False)
    ['- f 2 y required, which calls of f do not give']
    """
    gone = [f"- {line} is gone or has changed" for line in kept if line not in set(now)]
    added = [line for line in now if line not in set(kept)]
    if is_same_version:
        return gone + [f"- {line} is not in the snapshot" for line in added]
    known = {line.split()[0] for line in kept}
    return gone + [
        f"- {line}, which calls of {line.split()[0]} do not give"
        for line in added
        if line.endswith(" required") and line.split()[0] in known
    ]


def procedures(spark: SparkSession) -> list[str]:
    """Return each procedure with its parameters, in their order, from the catalog of a classic session.

    DESCRIBE PROCEDURE does not show the parameters.
    """
    catalog = spark._jsparkSession.sessionState().catalogManager().catalog("chronosketch")
    gateway = spark.sparkContext._gateway
    lines = []
    for identifier in catalog.listProcedures(gateway.new_array(gateway.jvm.java.lang.String, 0)):
        name = identifier.name()
        lines.append(f"procedure {name}")
        for n, parameter in enumerate(catalog.loadProcedure(identifier).bind(None).parameters(), 1):
            default = parameter.defaultValue()
            needed = "required" if default is None else f"default {default.getSql()}"
            lines.append(f"{name} {n} {parameter.name()} {parameter.dataType().sql()} {needed}")
    return lines


def main() -> None:
    """Write the snapshot of this version. The procedures come from a session with the jar."""
    import chronosketch as cs

    spark = cs.session("frozen").master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    folder = GOLDEN / version()
    folder.mkdir(exist_ok=True)
    snapshot = {name: read() for name, read in READ.items()}
    snapshot[PROCEDURES] = procedures(spark)
    for name, lines in snapshot.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
