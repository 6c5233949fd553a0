"""The checks of the release script, and that a dry run changes nothing."""

import hashlib
import importlib.util
import re
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def release(top):
    spec = importlib.util.spec_from_file_location("release", top / "make" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GOOD = "# Changelog\n\n## 1.2.3 (2026-12-01)\n\n## 1.2.2 (2026-11-01)\n"


@pytest.mark.parametrize(
    ("version", "changelog", "page", "message"),
    [
        ("1.2.3", GOOD, "--packages io.github.chronosketch:chronosketch-spark_2.13:1.2.3", []),
        ("1.2.3", GOOD, "Spark 4.2.0 and delta-spark_4.2_2.13:4.4.0 are of others", []),
        ("1.2", GOOD, "", ["VERSION holds '1.2'", "CHANGELOG.md begins with '1.2.3 (2026-12-01)'"]),
        ("1.2.2", GOOD, "", ["CHANGELOG.md begins with '1.2.3 (2026-12-01)': write '## 1.2.2 ("]),
        ("1.2.3", "## 1.2.3 (not yet released)", "", ["begins with '1.2.3 (not yet released)'"]),
        ("1.2.3", "", "", ["CHANGELOG.md begins with 'nothing'"]),
        ("1.2.3", GOOD, "pip install chronosketch==1.2.2", ["page.md names version 1.2.2: write 1.2.3."]),
        ("1.2.3", GOOD, 'spark = ["chronosketch-spark==1.2.2"]', ["page.md names version 1.2.2"]),
        ("1.2.3", GOOD, "chronosketch-spark_2.13-0.1.0.jar", ["page.md names version 0.1.0"]),
        ("1.2.3", GOOD, "target/dist/chronosketch-9.0.0-py3-none-any.whl", ["page.md names version 9.0.0"]),
    ],
)
def test_versions_that_differ_are_named(release, version, changelog, page, message):
    mistakes = release.version_mistakes(version, changelog, {"page.md": page})
    assert len(mistakes) == len(message), mistakes
    assert all(words in mistake for words, mistake in zip(message, mistakes, strict=True)), mistakes


def test_only_a_clean_main_is_released(release):
    assert release.tree_mistakes("", "main") == []
    assert release.tree_mistakes(" M a.py\n?? b c.md\n", "topic") == [
        "a.py is not committed: commit it or take it away.",
        "b c.md is not committed: commit it or take it away.",
        "This is 'topic': releases are made from main.",
    ]


def test_checksums_are_those_of_sha256sum(release, tmp_path):
    for name in ("b.jar", "a.jar", "deep/c.jar", "d.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(name)
    written = release.checksums(tmp_path, ("*.jar", "**/*.jar"))
    assert written.splitlines() == [
        f"{hashlib.sha256(name.encode()).hexdigest()}  {name}" for name in ("a.jar", "b.jar", "deep/c.jar")
    ]
    (tmp_path / "SUMS").write_text(written)
    subprocess.run(
        ["sha256sum", "--check", "--strict", "SUMS"], cwd=tmp_path, check=True, capture_output=True
    )


def test_every_step_exists(release, top):
    makefile = (top / "Makefile").read_text()
    for _, command in release.STEPS:
        target = re.fullmatch(r"(?:\w+=\w+ )?make ([\w-]+)", command).group(1)
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), command


def test_a_dry_run_runs_nothing_and_lists_the_steps_left(run, top, release):
    done = run(sys.executable, top / "make" / "release.py", "--dry-run")
    assert done.stderr == ""
    steps = [line for line in done.stdout.splitlines() if line.startswith("would run: ")]
    assert len(steps) == len(release.STEPS)
    assert "running: " not in done.stdout
    assert release.manual_steps((top / "VERSION").read_text().strip()) in done.stdout
