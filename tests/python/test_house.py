"""The JVM packages have no dependency cycles, and no file is too long."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
MODULES = ("core", "spark")
MOST_LINES = 400

PACKAGE = re.compile(r"^package ([\w.]+)", re.MULTILINE)
NAME = re.compile(r"\bchronosketch(?:\.[a-z]\w*)+")


def sources(module):
    """Return the texts of a module's files by path, without tests."""
    folder = TOP / "jvm" / module / "src" / "main"
    paths = sorted([*folder.rglob("*.scala"), *folder.rglob("*.java")])
    return {path: path.read_text("utf-8") for path in paths}


def arrows(texts):
    """Return the packages that each package refers to, with or without an import."""
    packages = {found.group(1) for text in texts if (found := PACKAGE.search(text))}
    used = {package: set() for package in packages}
    for text in texts:
        found = PACKAGE.search(text)
        if found is None:
            continue
        for name in NAME.findall(text):
            while name and name not in packages:
                name = name.rpartition(".")[0]
            if name and name != found.group(1):
                used[found.group(1)].add(name)
    return used


def circles(used):
    """Return groups of packages that depend on each other in a cycle."""

    def reachable(package):
        seen, waiting = set(), [package]
        while waiting:
            for next_one in used[waiting.pop()] - seen:
                seen.add(next_one)
                waiting.append(next_one)
        return seen

    reach = {package: reachable(package) for package in used}
    groups = {
        tuple(sorted(other for other in reach[package] if package in reach[other]))
        for package in used
        if package in reach[package]
    }
    return sorted(groups)


def test_a_circle_is_found():
    a = "package chronosketch.a\nimport chronosketch.b.{One, Two}\n"
    b = "package chronosketch.b\nclass One { def c = new chronosketch.c.deep.Three }\n"
    c = "package chronosketch.c.deep\nimport chronosketch.a.Four\n"
    far = "package chronosketch.far\nimport chronosketch.a.Four\n"
    assert circles(arrows([a, b, far])) == []
    assert circles(arrows([a, b, c, far])) == [("chronosketch.a", "chronosketch.b", "chronosketch.c.deep")]


@pytest.mark.parametrize("module", MODULES)
def test_packages_make_no_circle(module):
    texts = sources(module).values()
    assert len(texts) > 50
    assert circles(arrows(texts)) == []


@pytest.mark.parametrize("module", MODULES)
def test_no_file_is_long(module):
    lines = {path.relative_to(TOP): text.count("\n") for path, text in sources(module).items()}
    assert {str(path): n for path, n in lines.items() if n > MOST_LINES} == {}
