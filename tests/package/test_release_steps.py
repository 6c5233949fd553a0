"""The checks and steps of a release, and the folder that it writes."""

import hashlib
import importlib
import json
import re
import subprocess
import zipfile

import pytest


@pytest.fixture(scope="module")
def programs(top):
    """Import the programs of a release."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(top / "make")
        yield {name: importlib.import_module(name) for name in ("release", "release_folder")}


@pytest.fixture(scope="module")
def release(programs):
    return programs["release"]


@pytest.fixture(scope="module")
def folders(programs):
    return programs["release_folder"]


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


def test_a_release_has_a_snapshot_of_its_version(release, tmp_path):
    assert release.frozen_mistakes(tmp_path, "1.2.3") == [
        "tests/golden/1.2.3 does not exist: .venv/bin/python make/frozen.py writes it."
    ]
    (tmp_path / "tests" / "golden" / "1.2.3").mkdir(parents=True)
    assert release.frozen_mistakes(tmp_path, "1.2.3") == []


def test_every_step_exists(release, top):
    makefile = (top / "Makefile").read_text()
    for _, command, _ in release.STEPS:
        target = re.fullmatch(r"(?:\w+=\w+ )?make ([\w-]+)", command).group(1)
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), command


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def check_sums(folder, sums):
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", sums], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_checksums_are_those_of_sha256sum(folders, tmp_path):
    for name in ("b.jar", "a.jar", "deep/c.jar", "d.txt"):
        write(tmp_path / name, name)
    written = folders.checksums(tmp_path, ("*.jar", "**/*.jar"))
    assert written.splitlines() == [
        f"{hashlib.sha256(name.encode()).hexdigest()}  {name}" for name in ("a.jar", "b.jar", "deep/c.jar")
    ]
    write(tmp_path / "SUMS", written)
    check_sums(tmp_path, "SUMS")


METADATA = """\
Metadata-Version: 2.5
Name: chronosketch
Version: 1.2.3
License-Expression: Apache-2.0
Requires-Dist: numpy>=1.26
Requires-Dist: chronosketch-spark==1.2.3; extra == 'spark'
Requires-Dist: pyspark[connect]<5,>=4.0; extra == 'connect'
Requires-Dist: pyspark<5,>=4.0; extra == 'spark'

The README.
"""
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <name>chronosketch-spark</name><description>Quantiles</description><licenses/>
</project>
"""
POM_GAPS = ["url", "developers", "scm"]
MAVEN = "m2/io/github/chronosketch/chronosketch-spark_2.13/1.2.3/chronosketch-spark_2.13-1.2.3"
CHANGELOG = """\
# Changelog

## 1.2.3 (2026-12-01)

- New: see [the page of settings](docs/settings.md#all).

### Windows

- Newer.

## 1.2.2 (2026-11-01)

- Old.
"""
MATRIX = "| Spark | Java | Python | classic | Connect |\n| 4.0.5 | 17 | 3.10 | passed | passed |\n"


@pytest.fixture
def built(tmp_path):
    """Write small files where the steps leave those of a release."""
    target = tmp_path / "target"
    for name in (
        "dist/chronosketch-1.2.3.tar.gz",
        "dist/chronosketch_spark-1.2.3.tar.gz",
        "dist/chronosketch_spark-1.2.3-py3-none-any.whl",
        "jar/chronosketch-spark_2.13-1.2.3.jar",
        "jar/chronosketch-spark_2.13-1.2.2.jar",
        "sbom/chronosketch-spark.cdx.json",
        f"{MAVEN}.jar",
        f"{MAVEN}-sources.jar",
    ):
        write(target / name, name)
    write(target / f"{MAVEN}.pom", POM)
    with zipfile.ZipFile(target / "dist" / "chronosketch-1.2.3-py3-none-any.whl", "w") as wheel:
        wheel.writestr("chronosketch-1.2.3.dist-info/METADATA", METADATA)
    write(tmp_path / "CHANGELOG.md", CHANGELOG)
    write(tmp_path / "docs" / "compatibility-matrix.md", MATRIX)
    return tmp_path


FILES = [
    "NOTES.md",
    "SHA256SUMS",
    "TAG.txt",
    "chronosketch-spark_2.13-1.2.3.jar",
    "dist/chronosketch-1.2.3-py3-none-any.whl",
    "dist/chronosketch-1.2.3.tar.gz",
    "dist/chronosketch_spark-1.2.3-py3-none-any.whl",
    "dist/chronosketch_spark-1.2.3.tar.gz",
    *(f"{MAVEN}{end}" for end in ("-javadoc.jar", "-javadoc.jar.md5", "-javadoc.jar.sha1")),
    *(f"{MAVEN}{end}" for end in ("-sources.jar", ".jar", ".pom")),
    "sbom/chronosketch-spark.cdx.json",
    "sbom/chronosketch.cdx.json",
]


def files_in(folder):
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("is_dry", [False, True])
def test_the_folder_has_every_file_of_a_release(folders, built, is_dry):
    write(built / "target" / "release" / "old.txt", "of an earlier run")
    folder = folders.assemble(built, "1.2.3", "c0ffee", is_dry)
    assert files_in(folder) == FILES
    check_sums(folder, "SHA256SUMS")
    summed = [line.split("  ")[1] for line in (folder / "SHA256SUMS").read_text().splitlines()]
    assert sorted([*summed, "SHA256SUMS", "TAG.txt"]) == FILES
    listing = "\n".join(folders.listing(folder))
    assert all(name in listing for name in FILES if not name.startswith("m2/"))


def test_the_same_files_give_the_same_release(folders, built):
    first, second = (
        (folders.assemble(built, "1.2.3", "c0ffee", False) / "TAG.txt").read_text() for _ in range(2)
    )
    assert first == second


def test_the_tag_names_the_version_the_commit_and_all_files(folders, built):
    folder = folders.assemble(built, "1.2.3", "c0ffee", False)
    text = (folder / "TAG.txt").read_text()
    assert text.startswith("chronosketch 1.2.3\n\nCommit: c0ffee\n")
    assert hashlib.sha256((folder / "SHA256SUMS").read_bytes()).hexdigest() in text.splitlines()
    # git drops lines that begin with #
    assert not any(line.startswith("#") for line in text.splitlines())
    dry = (folders.assemble(built, "1.2.3", "c0ffee", True) / "TAG.txt").read_text()
    assert dry == f"{text}\nA dry run wrote this text. It skipped the checks: do not sign it.\n"


def test_the_notes_are_the_newest_changes_and_what_they_run_on(folders, built):
    folder = folders.assemble(built, "1.2.3", "c0ffee", False)
    text = (folder / "NOTES.md").read_text()
    changes = "- New: see the page of settings (docs/settings.md).\n\n### Windows\n\n- Newer.\n"
    assert text.startswith(f"# chronosketch 1.2.3\n\n{changes}\n## Compatibility\n")
    assert "Old" not in text
    assert "Spark 4.0.5, Java 17 and Python 3.10." in text
    (sums,) = re.findall(r"```text\n(.*)```\n", text, flags=re.DOTALL)
    write(folder / "SUMS", sums)
    check_sums(folder, "SUMS")
    assert len(sums.splitlines()) == 7


def test_the_notes_of_this_version_have_no_relative_links(folders, top):
    text = folders.notes(top, "0.1.0", "")
    assert "\n## Compatibility\n\nPassed the smoke suite on Spark 4.0" in text
    assert re.findall(r"\]\((?!\w+:)", text) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dist/chronosketch-1.2.3-py3-none-any.whl", "-*.whl is missing: make dist makes it."),
        ("dist/chronosketch_spark-1.2.3.tar.gz", ".tar.gz is missing: make dist makes it."),
        ("jar/chronosketch-spark_2.13-1.2.3.jar", ".jar is missing: make jar makes it."),
        (f"{MAVEN}.pom", "has no POM of 1.2.3: make publish-m2 writes it."),
    ],
)
def test_a_missing_file_is_named_with_its_command(folders, built, name, message):
    folder = folders.assemble(built, "1.2.3", "c0ffee", False)
    (built / "target" / name).unlink()
    with pytest.raises(folders.MissingFileError, match=re.escape(message)):
        folders.assemble(built, "1.2.3", "c0ffee", False)
    assert files_in(folder) == FILES


def test_a_bill_of_materials_lists_what_a_wheel_requires(folders, built):
    folder = folders.assemble(built, "1.2.3", "c0ffee", False)
    bill = json.loads((folder / "sbom" / "chronosketch.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    wheel = (folder / "dist" / "chronosketch-1.2.3-py3-none-any.whl").read_bytes()
    assert bill["metadata"]["component"] == {
        "type": "library",
        "bom-ref": "pkg:pypi/chronosketch@1.2.3",
        "name": "chronosketch",
        "version": "1.2.3",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(wheel).hexdigest()}],
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "purl": "pkg:pypi/chronosketch@1.2.3",
    }
    assert {part["purl"]: part["scope"] for part in bill["components"]} == {
        "pkg:pypi/chronosketch-spark@1.2.3": "optional",
        "pkg:pypi/numpy": "required",
        "pkg:pypi/pyspark": "optional",
    }
    pyspark = bill["components"][2]
    assert "version" not in pyspark
    assert [line["value"] for line in pyspark["properties"]] == [
        "pyspark[connect]<5,>=4.0; extra == 'connect'",
        "pyspark<5,>=4.0; extra == 'spark'",
    ]
    known = [part["bom-ref"] for part in [bill["metadata"]["component"], *bill["components"]]]
    assert [one["ref"] for one in bill["dependencies"]] == known
    assert bill["dependencies"][0]["dependsOn"] == known[1:]


def test_the_manual_steps_name_what_maven_central_lacks(release, folders, built):
    assert folders.pom_gaps(built / "target" / "m2") == POM_GAPS
    text = release.manual_steps("1.2.3", "c0ffee", POM_GAPS, False)
    assert "1. Decide on the project's address and developers." in text
    assert "does not have: url, developers, scm." in text
    assert "git tag --sign v1.2.3 --file target/release/TAG.txt c0ffee" in text
    ready = release.manual_steps("1.2.3", "c0ffee", [], False)
    assert ready.splitlines()[1].startswith("1. Read target/release/NOTES.md")
    assert "1. Correct what is marked with !" in release.manual_steps("1.2.3", "c0ffee", [], True)


@pytest.fixture
def ran(release, built, monkeypatch):
    """Run the program on small files. Returns its exit code and the commands that it ran."""
    write(built / "VERSION", "1.2.3\n")
    write(built / "README.md", "pip install chronosketch==1.2.3")
    write(built / "pyproject.toml", "")
    (built / "tests" / "golden" / "1.2.3").mkdir(parents=True)

    def _ran(*arguments, changes=("", ""), failing=""):
        commands, left = [], list(changes)

        def run_step(command):
            commands.append(command)
            return command != failing

        git = {"rev-parse": lambda: "c0ffee\n", "status": lambda: left.pop(0), "branch": lambda: "main\n"}
        monkeypatch.setattr(release, "TOP", built)
        monkeypatch.setattr(release, "_git", lambda command, *_: git[command]())
        monkeypatch.setattr(release, "run_step", run_step)
        return release.main(list(arguments)), commands

    return _ran


def test_a_dry_run_skips_the_checks_and_ends_with_the_folder(release, ran, built, capsys):
    assert ran("--dry-run", changes=[" M a.py\n"]) == (0, ["make dist", "make publish-m2"])
    text = capsys.readouterr().out
    assert "! a.py is not committed" in text
    skipped = [step.command for step in release.STEPS if step.is_check]
    assert re.findall(r"^skipped: (.*?)  #", text, flags=re.MULTILINE) == skipped
    assert files_in(built / "target" / "release") == FILES
    assert text.endswith(release.manual_steps("1.2.3", "c0ffee", POM_GAPS, True))


def test_a_release_runs_every_step_and_writes_the_same_files(release, ran, built, capsys):
    assert ran() == (0, [step.command for step in release.STEPS])
    assert files_in(built / "target" / "release") == FILES
    text = capsys.readouterr().out
    assert "skipped" not in text
    assert text.endswith(release.manual_steps("1.2.3", "c0ffee", POM_GAPS, False))


@pytest.mark.parametrize(
    ("given", "n", "message"),
    [
        ({"changes": [" M a.py\n"]}, 0, "! a.py is not committed: commit it or take it away.\nNothing was"),
        ({"changes": ["", " M docs/b.md\n"]}, 6, "The steps have changed these. Commit them"),
        ({"failing": "make publish-m2"}, 4, "make publish-m2 failed: the reason is above. No later step"),
    ],
)
def test_a_release_that_is_refused_or_fails_writes_no_folder(ran, built, capsys, given, n, message):
    code, commands = ran(**given)
    assert (code, len(commands)) == (1, n)
    assert message in capsys.readouterr().out
    assert not (built / "target" / "release").exists()


def test_a_step_does_not_see_the_flags_of_make(release, monkeypatch):
    monkeypatch.setenv("MAKEFLAGS", "n")
    assert release.run_step('test -z "$MAKEFLAGS"')
    assert not release.run_step("exit 3")


@pytest.mark.parametrize(
    ("arguments", "is_dry"),
    [
        (["release"], False),
        (["release", "--no-print-directory"], False),
        (["release", "-j2"], False),
        (["release", "--dry-run"], True),
        (["-kn", "release"], True),
        (["release", "DRY_RUN=1"], True),
    ],
)
def test_make_passes_a_dry_run_on(top, tmp_path, monkeypatch, arguments, is_dry):
    for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        monkeypatch.delenv(name, raising=False)
    (recipe,) = re.findall(r"^release:\n((?:\t.*\n)+)", (top / "Makefile").read_text(), flags=re.MULTILINE)
    write(tmp_path / "Makefile", f"PYTHON = python3\nrelease:\n{recipe}")
    write(tmp_path / "make" / "python", "")
    write(tmp_path / "make" / "release.py", "import sys; print('arguments', sys.argv[1:])")
    done = subprocess.run(["make", *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"arguments {['--dry-run'] if is_dry else []}" in done.stdout.splitlines()
