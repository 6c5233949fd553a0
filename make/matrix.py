"""Runs the smoke suite on each Spark, Java and Python: python make/matrix.py [--only spark=4.3].

Only installed Javas and Pythons are used. Each Spark runs with each Java on one Python, and with each Python
on one Java; --all runs every combination. It writes the results to docs/compatibility-matrix.md. Results of
earlier runs of the same version stay there.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parents[1]
PAGE = TOP / "docs" / "compatibility-matrix.md"

SPARKS = ("4.0.5", "4.1.4", "4.2.0", "4.3.0")
JAVAS = ("17", "21", "25")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")
MODES = ("classic", "connect")
# By default a cell has at least one of these: the versions on which the other tests run.
USUAL_JAVA, USUAL_PYTHON = "17", "3.11"

PASSED = "passed"
FAILED = "failed"
NOT_RUN = "not run"


class Cell(NamedTuple):
    """One combination of Spark, Java, Python and session mode."""

    spark: str
    java: str
    python: str
    mode: str


def cells(every: bool, only: dict[str, str]) -> list[Cell]:
    """List the requested combinations.

    Examples
    --------
    >>> cells(False, {"spark": "4.3", "java": "17", "mode": "classic"})[0]
    Cell(spark='4.3.0', java='17', python='3.10', mode='classic')
    """
    found = (Cell(*parts) for parts in product(SPARKS, JAVAS, PYTHONS, MODES))
    return [
        cell
        for cell in found
        if (every or cell.java == USUAL_JAVA or cell.python == USUAL_PYTHON)
        and all(getattr(cell, key).startswith(value) for key, value in only.items())
    ]


def read_page(text: str, version: str) -> dict[Cell, str]:
    """Read the outcomes from a page. Outcomes of other versions are ignored."""
    if f"chronosketch {version}" not in text:
        return {}
    found = {}
    for row in re.findall(r"^\| (\d[^\n]*) \|$", text, flags=re.MULTILINE):
        spark, java, python, *outcomes = (part.strip() for part in row.split("|"))
        for mode, outcome in zip(MODES, outcomes, strict=True):
            if outcome != NOT_RUN:
                found[Cell(spark, java, python, mode)] = outcome
    return found


def write_page(outcomes: dict[Cell, str], version: str) -> str:
    """Write the page: a row for each Spark, Java and Python, and a column for each session mode."""
    rows = sorted({cell[:3] for cell in [*outcomes, *cells(False, {})]}, key=_in_order)
    lines = [
        f"| {spark} | {java} | {python} | "
        + " | ".join(outcomes.get(Cell(spark, java, python, mode), NOT_RUN) for mode in MODES)
        + " |"
        for spark, java, python in rows
    ]
    head = f"""\
# Spark, Java and Python that the jar was run on

`make matrix` writes this page. It takes chronosketch {version} as it is shipped: a wheel of Python, and one
with the jar. With each Spark, Java and Python it runs the smoke suite: the examples of every function, every
operator, warehouses and errors. Each Spark runs with each Java on Python {USUAL_PYTHON}, and with each Python
on Java {USUAL_JAVA}. "Not here" means that the machine of the run had no such Java or Python.
All other tests run on Spark 4.2.0.

| Spark | Java | Python | classic | Connect |
| --- | --- | --- | --- | --- |
"""
    return head + "\n".join(lines) + "\n"


def _in_order(row: tuple[str, str, str]) -> list[tuple[int, ...]]:
    return [tuple(int(number) for number in part.split(".")) for part in row]


def javas() -> dict[str, Path]:
    """Find a home of each Java: JAVA_HOME, the usual folders of Linux and macOS, then java on PATH."""
    on_path = shutil.which("java")
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += sorted(Path("/usr/lib/jvm").glob("*"))
    homes += sorted(Path("/Library/Java/JavaVirtualMachines").glob("*/Contents/Home"))
    homes += [Path(on_path).resolve().parents[1]] if on_path else []
    found: dict[str, Path] = {}
    for home in homes:
        if (home / "bin" / "java").is_file():
            command = [home / "bin" / "java", "-XshowSettings:properties", "-version"]
            output = subprocess.run(command, capture_output=True, text=True, check=False).stderr
            major = re.search(r"java\.specification\.version = (\S+)", output)
            if major:
                found.setdefault(major.group(1), home)
    return found


def pythons() -> dict[str, str]:
    """Find a program of each Python: the current one, those on PATH, those of pyenv."""
    found = {}
    for line in PYTHONS:
        from_pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{line}.*/bin/python"))
        candidates = [sys.executable, shutil.which(f"python{line}"), *map(str, from_pyenv)]
        for program in filter(None, candidates):
            command = [program, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"]
            output = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
            if output == line:
                found.setdefault(line, program)
    return found


def run(cell: Cell, home: Path, python: str, package: Path) -> str:
    """Run the smoke suite in a cell, and return the outcome in a few words."""
    from environments import environment, options_of, run_beside

    with tempfile.TemporaryDirectory(prefix="chronosketch-") as name:
        folder = Path(name)
        try:
            inside = environment(cell.spark, folder, python)
        except RuntimeError as reason:
            print(str(reason)[-2000:])
            if f"{cell.spark} Requires-Python" in str(reason):
                return "no such Spark for this Python"
            return "no environment: pip could not make it"
        java = {"JAVA_HOME": str(home), "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        program = TOP / "tests" / "smoke" / "every_function.py"
        done = run_beside(package, folder, inside, options_of(inside), program, cell.mode, **java)
        if done.returncode == 0 and done.stdout.startswith(f"Spark {cell.spark}: "):
            return PASSED
        print(done.stdout[-2000:] + done.stderr[-4000:])
        bare = folder / "bare.py"
        bare.write_text(BARE)
        alone = run_beside(package, folder, inside, "", bare, cell.mode, **java)
        return FAILED if alone.returncode == 0 else "Spark itself does not run here"


BARE = """
import sys
from pathlib import Path
import pyspark
from pyspark.sql import SparkSession
# name one of Spark's own jars: to find jars, Spark would call Hadoop, which fails on some Javas
jar = min(Path(pyspark.__file__).parent.glob("jars/*.jar"))
builder = SparkSession.builder.config("spark.jars", str(jar))
builder = builder.remote("local[1]") if sys.argv[1] == "connect" else builder.master("local[1]")
assert builder.getOrCreate().range(3).count() == 3
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the cells whose Java and Python are installed, and write the page after each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true", help="every combination")
    parser.add_argument(
        "--only", default="", help="a part of them: spark=4.3,java=17,python=3.12,mode=connect"
    )
    given = parser.parse_args(arguments)
    only = dict(part.split("=", 1) for part in given.only.split(",") if part)
    if unknown := set(only) - set(Cell._fields):
        parser.error(f"--only knows {', '.join(Cell._fields)}: not {', '.join(sorted(unknown))}")
    sys.path.insert(0, str(TOP / "tests" / "smoke"))
    from environments import lay_out_package

    version = (TOP / "VERSION").read_text().strip()
    outcomes = read_page(PAGE.read_text("utf-8"), version) if PAGE.is_file() else {}
    homes, programs = javas(), pythons()
    chosen = cells(given.all, only)
    with tempfile.TemporaryDirectory(prefix="chronosketch-") as folder:
        package = lay_out_package(Path(folder))
        for cell in chosen:
            if cell.java not in homes:
                outcome = f"not here: Java {cell.java}"
            elif cell.python not in programs:
                outcome = f"not here: Python {cell.python}"
            else:
                outcome = run(cell, homes[cell.java], programs[cell.python], package)
            print(
                f"Spark {cell.spark}, Java {cell.java}, Python {cell.python}, {cell.mode}: {outcome}",
                flush=True,
            )
            # Keep the outcome from another machine if the cell cannot run on this one.
            if not (outcome.startswith("not here") and cell in outcomes):
                outcomes[cell] = outcome
            PAGE.write_text(write_page(outcomes, version), encoding="utf-8")
    return 1 if any(outcomes.get(cell) == FAILED for cell in chosen) else 0


if __name__ == "__main__":
    sys.exit(main())
