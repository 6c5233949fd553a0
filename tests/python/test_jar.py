"""The jar is found in the project that carries it, and only the one of this version is taken."""

import sys
import types
from pathlib import Path

import chronosketch as cs
import pytest
from chronosketch.jar import jar_name, jar_path

TOP = Path(__file__).resolve().parents[2]


def installed(monkeypatch, jar):
    """Install a package in place of ours, whose jar is this one."""
    package = types.ModuleType("chronosketch_spark")
    package.jar_path = jar
    monkeypatch.setitem(sys.modules, "chronosketch_spark", package)


def test_the_jar_of_this_version_is_found():
    assert jar_path().name == jar_name() == f"chronosketch-spark_2.13-{cs.__version__}.jar"
    assert jar_path().is_file()
    assert jar_path().parents[1].name == "chronosketch_spark"


@pytest.mark.parametrize("start", [cs.session, jar_path])
def test_a_missing_project_is_a_command(monkeypatch, start):
    monkeypatch.setitem(sys.modules, "chronosketch_spark", None)
    with pytest.raises(cs.ChronosketchError, match=r"^The jar is not installed\.") as missing:
        start()
    assert "run `pip install ./python-spark` in a clone" in str(missing.value)
    assert (TOP / "python-spark" / "pyproject.toml").is_file()


def test_another_version_is_refused_by_name(monkeypatch):
    installed(monkeypatch, lambda: Path("/site/chronosketch-spark_2.13-9.9.9.jar"))
    with pytest.raises(cs.ChronosketchError, match=r"jar is chronosketch-spark_2\.13-9\.9\.9\.jar") as other:
        jar_path()
    assert f"chronosketch has version {cs.__version__}" in str(other.value)
    assert "`pip install ./python-spark .`" in str(other.value)


def test_a_project_without_a_jar_says_so(monkeypatch, tmp_path):
    def nothing():
        raise FileNotFoundError(f"{tmp_path} holds 0 jars, and there should be one.")

    installed(monkeypatch, nothing)
    with pytest.raises(cs.ChronosketchError, match=r"holds 0 jars.*run `pip install \./python-spark`"):
        jar_path()


def test_a_mistake_inside_of_the_project_is_not_hidden(monkeypatch):
    def broken():
        raise ModuleNotFoundError("No module named 'other'", name="other")

    installed(monkeypatch, broken)
    with pytest.raises(ModuleNotFoundError, match="other"):
        jar_path()


def test_both_projects_have_one_licence_and_one_version():
    assert (TOP / "python-spark" / "LICENSE").read_bytes() == (TOP / "LICENSE").read_bytes()
    pinned = f'"chronosketch-spark=={(TOP / "VERSION").read_text().strip()}"'
    assert pinned in (TOP / "pyproject.toml").read_text("utf-8")
