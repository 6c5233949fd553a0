"""Assembles target/release: the files of a release, checksums, the text of the tag and the release notes."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import zipfile
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

from wheel_bill import wheel_bill

if TYPE_CHECKING:
    from pathlib import Path

# The namespace of a POM's elements, and the elements that Maven Central requires.
POM = "{http://maven.apache.org/POM/4.0.0}"
POM_ELEMENTS = ("name", "description", "url", "licenses", "developers", "scm")

JAVADOC = """\
# chronosketch

The documentation is in the folder docs of the sources, and in the comments of the jar with the sources.
This jar has no pages of Javadoc: the interface of chronosketch is SQL, Python and Scala.
"""


class Shipped(NamedTuple):
    """A file that a step leaves below target, the command that makes it, and its folder in a release."""

    pattern: str
    command: str
    folder: str


def shipped(version: str) -> list[Shipped]:
    """List the files of a release, without the Maven repository. Each pattern is of one file."""
    return [
        Shipped(f"dist/chronosketch-{version}-*.whl", "make dist", "dist"),
        Shipped(f"dist/chronosketch_spark-{version}-*.whl", "make dist", "dist"),
        Shipped(f"dist/chronosketch-{version}.tar.gz", "make dist", "dist"),
        Shipped(f"dist/chronosketch_spark-{version}.tar.gz", "make dist", "dist"),
        Shipped(f"jar/chronosketch-spark_2.13-{version}.jar", "make jar", "."),
        Shipped("sbom/chronosketch-spark.cdx.json", "make dist", "sbom"),
    ]


class MissingFileError(Exception):
    """A file of the release was not built, or is there more than once."""


def assemble(top: Path, version: str, commit: str, is_dry: bool) -> Path:
    """Write target/release anew and return it. Raises MissingFileError before anything is deleted."""
    target, folder = top / "target", top / "target" / "release"
    files = [(_only(target, one), folder / one.folder) for one in shipped(version)]
    if not list((target / "m2").glob(f"**/{version}/*.pom")):
        raise MissingFileError(f"target/m2 has no POM of {version}: make publish-m2 writes it.")

    shutil.rmtree(folder, ignore_errors=True)
    for file, into in files:
        into.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, into)
    wheel = files[0][0]
    _write(folder / "sbom" / "chronosketch.cdx.json", json.dumps(wheel_bill(wheel), indent=2) + "\n")
    shutil.copytree(target / "m2", folder / "m2")
    _add_javadoc(folder / "m2")

    main = checksums(folder, ("dist/*", "*.jar", "sbom/*"))
    _write(folder / "NOTES.md", notes(top, version, main))
    _write(folder / "SHA256SUMS", checksums(folder, ("**/*",)))
    sums = hashlib.sha256((folder / "SHA256SUMS").read_bytes()).hexdigest()
    _write(folder / "TAG.txt", tag(version, commit, sums, is_dry))
    return folder


def _only(target: Path, one: Shipped) -> Path:
    found = sorted(target.glob(one.pattern))
    if len(found) != 1:
        problem = f"matches {len(found)} files" if found else "is missing"
        raise MissingFileError(f"target/{one.pattern} {problem}: {one.command} makes it.")
    return found[0]


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def _add_javadoc(repository: Path) -> None:
    """Add a jar of Javadoc beside each jar of sources: Maven Central requires one."""
    for sources in sorted(repository.rglob("*-sources.jar")):
        file = sources.with_name(sources.name.replace("-sources.jar", "-javadoc.jar"))
        with zipfile.ZipFile(file, "w") as archive:
            # a fixed time, so that the same release has the same bytes
            archive.writestr(zipfile.ZipInfo("README.md", (2020, 2, 2, 0, 0, 0)), JAVADOC)
        for algorithm in ("md5", "sha1"):
            digest = hashlib.new(algorithm, file.read_bytes(), usedforsecurity=False).hexdigest()
            _write(file.with_name(f"{file.name}.{algorithm}"), digest)


def checksums(folder: Path, patterns: tuple[str, ...]) -> str:
    """Return a line for each file, in the format of `sha256sum --check`, with paths from the folder."""
    files = sorted({file for pattern in patterns for file in folder.glob(pattern) if file.is_file()})
    digests = {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    return "".join(f"{digest}  {file.relative_to(folder)}\n" for file, digest in digests.items())


def tag(version: str, commit: str, sums: str, is_dry: bool) -> str:
    """Return the text of the signed tag. Through the checksum its signature covers all files."""
    warning = "\nA dry run wrote this text. It skipped the checks: do not sign it.\n" if is_dry else ""
    return f"""\
chronosketch {version}

Commit: {commit}
SHA-256 of SHA256SUMS, which lists every file of this release:
{sums}
{warning}"""


def notes(top: Path, version: str, sums: str) -> str:
    """Return the release notes: the newest section of the changelog, what it runs on, and the files."""
    changes = newest_section((top / "CHANGELOG.md").read_text("utf-8"))
    runs_on = compatibility((top / "docs" / "compatibility-matrix.md").read_text("utf-8"))
    return f"""\
# chronosketch {version}

{without_relative_links(changes)}

## Compatibility

{runs_on} docs/compatibility-matrix.md has each combination.
Stored sketches of every earlier version are read.

## SHA-256

```text
{sums}```
"""


def newest_section(changelog: str) -> str:
    r"""Return the text below the first heading of a version.

    Examples
    --------
    >>> newest_section("# Changelog\n\n## 2.0.0 (2027-01-01)\n\nNew.\n\n## 1.0.0 (2026-12-01)\n\nOld.\n")
    'New.'
    """
    return re.split(r"^## .*$", changelog, flags=re.MULTILINE)[1].strip()


def without_relative_links(text: str) -> str:
    """Write links to files of the repository as plain text: on the page of a release they lead nowhere.

    Examples
    --------
    >>> without_relative_links("[Settings](docs/settings.md#all), [docs/kll.md](docs/kll.md), [a](https://b)")
    'Settings (docs/settings.md), docs/kll.md, [a](https://b)'
    """

    def plain(link: re.Match[str]) -> str:
        words, path = link.groups()
        return words if words == path else f"{words} ({path})"

    return re.sub(r"\[([^\]]+)\]\((?!\w+:)([^)#]+)(?:#[^)]*)?\)", plain, text)


def compatibility(matrix: str) -> str:
    r"""Return a sentence with the versions that passed, from the page that `make matrix` writes.

    Examples
    --------
    >>> compatibility("| 4.0.5 | 17 | 3.10 | passed | passed |\n| 4.0.5 | 25 | 3.11 | failed | failed |\n")
    'Passed the smoke suite on Spark 4.0.5, Java 17 and Python 3.10.'
    """
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in matrix.splitlines()]
    passed = [row[:3] for row in rows if len(row) == 5 and "passed" in row[3:]]
    versions = (dict.fromkeys(column) for column in zip(*passed, strict=True))
    spark, java, python = (", ".join(sorted(column, key=_numbers)) for column in versions)
    return f"Passed the smoke suite on Spark {spark}, Java {java} and Python {python}."


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def pom_gaps(repository: Path) -> list[str]:
    """List the elements that Maven Central requires and a POM of the repository does not have."""
    poms = [ElementTree.parse(file).getroot() for file in sorted(repository.rglob("*.pom"))]
    return [element for element in POM_ELEMENTS if any(pom.find(POM + element) is None for pom in poms)]


def listing(folder: Path) -> list[str]:
    """List the files with their sizes. The Maven repository is one line."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    repository = [file for file in files if folder / "m2" in file.parents]
    lines = [
        f"{file.stat().st_size:>9} {file.relative_to(folder)}" for file in files if file not in repository
    ]
    size = sum(file.stat().st_size for file in repository)
    return [*lines, f"{size:>9} m2, the Maven repository: {len(repository)} files"]
