"""Checks a release, writes target/release, and lists what only a person can do: make/release.py [--dry-run].

It uploads nothing and tags nothing. With --dry-run it writes the same files, but skips the long checks. Then
mistakes in the tree are only printed.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import release_folder

TOP = Path(__file__).resolve().parents[1]


class Step(NamedTuple):
    """A step of a release. A dry run skips checks."""

    title: str
    command: str
    is_check: bool


STEPS = (
    Step("All tests, three times the cases", "CHRONOSKETCH_CASES=3 make test", is_check=True),
    Step("Every Spark, Java and Python that is here", "make matrix", is_check=True),
    Step("The wheels and the sdists, checked by twine", "make dist", is_check=False),
    Step("The Maven repository, target/m2", "make publish-m2", is_check=False),
    Step("The jar, twice from this commit", "make reproducible", is_check=True),
    Step("All of it installed as a stranger does", "make release-check", is_check=True),
)

# Finds our version in pages and programs.
NAMED = re.compile(
    r"\bchronosketch(?:-(?:spark|testkit)_2\.13(?:[-:]|\W+)|[-_]spark(?:==|-)|==|-)(\d+\.\d+\.\d+)"
)


def version_mistakes(version: str, changelog: str, pages: dict[str, str]) -> list[str]:
    """List disagreements with the version: its form, the newest heading of the changelog, versions in pages.

    Examples
    --------
    >>> version_mistakes("1.0.0", "## 1.0.0 (2026-12-01)", {"a.md": "pip install chronosketch==1.0.0"})
    []
    """
    mistakes = []
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        mistakes.append(f"VERSION holds {version!r}: write three numbers with dots, as 1.0.0.")
    newest = next(iter(re.findall(r"^## (.+)$", changelog, flags=re.MULTILINE)), "nothing")
    if not re.fullmatch(re.escape(version) + r" \(\d{4}-\d\d-\d\d\)", newest):
        mistakes.append(f"CHANGELOG.md begins with {newest!r}: write '## {version} (YYYY-MM-DD)'.")
    for name, text in pages.items():
        for other in sorted(set(NAMED.findall(text)) - {version}):
            mistakes.append(f"{name} names version {other}: write {version}.")
    return mistakes


def tree_mistakes(status: str, branch: str) -> list[str]:
    """List uncommitted changes, from `git status --porcelain`, and a branch other than main."""
    mistakes = [f"{line[3:]} is not committed: commit it or take it away." for line in status.splitlines()]
    if branch != "main":
        mistakes.append(f"This is {branch!r}: releases are made from main.")
    return mistakes


def frozen_mistakes(top: Path, version: str) -> list[str]:
    """List a missing snapshot of the names and defaults that users see."""
    if (top / "tests" / "golden" / version).is_dir():
        return []
    return [f"tests/golden/{version} does not exist: .venv/bin/python make/frozen.py writes it."]


def manual_steps(version: str, commit: str, pom_gaps: list[str], is_dry: bool) -> str:
    """Return the numbered list of what only a person can do."""
    steps = []
    if is_dry:
        steps.append(
            "Correct what is marked with ! above, and run `make release`, which runs the checks, too."
        )
    if pom_gaps:
        steps.append(
            "Decide on the project's address and developers. Maven Central requires elements in a POM that\n"
            f"ours does not have: {', '.join(pom_gaps)}.\n"
            "Write homepage, scmInfo and developers into `shipped` of build.sbt, and [project.urls] into\n"
            "pyproject.toml and python-spark/pyproject.toml. Then run `make release` again."
        )
    steps += [
        "Read target/release/NOTES.md and docs/compatibility-matrix.md.\n"
        "(cd target/release && sha256sum --check --quiet SHA256SUMS)",
        "Sign the tag with your key, and push it:\n"
        f"git tag --sign v{version} --file target/release/TAG.txt {commit} && git push origin v{version}",
        "Upload to PyPI with your token. A file of a version can never be replaced there:\n"
        "twine upload target/release/dist/*",
        "Sign the Maven repository with your key, and upload target/release/central.zip to Maven Central,\n"
        "with an account to which io.github.chronosketch belongs:\n"
        "find target/release/m2 -name '*.jar' -o -name '*.pom' | xargs -n 1 gpg --armor --detach-sign\n"
        "(cd target/release/m2 && zip -qr ../central.zip .)",
        "Publish the release on the forge. Its text is NOTES.md. Attach dist, the jar, sbom and SHA256SUMS.",
        "Write the next version into VERSION, and '## NEXT (not yet released)' into CHANGELOG.md.",
    ]
    lines = [f"{n}. " + step.replace("\n", "\n   ") for n, step in enumerate(steps, 1)]
    return "Only a person can do this, in this order:\n" + "\n".join(lines) + "\n"


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=TOP, capture_output=True, text=True, check=True).stdout


def _tree_mistakes() -> list[str]:
    return tree_mistakes(_git("status", "--porcelain"), _git("branch", "--show-current").strip())


def _mistakes(version: str) -> list[str]:
    pages = [
        TOP / "README.md",
        TOP / "pyproject.toml",
        *sorted((TOP / "docs").glob("*.md")),
        *sorted((TOP / "examples").rglob("*.*")),
    ]
    texts = {str(page.relative_to(TOP)): page.read_text("utf-8") for page in pages if page.is_file()}
    changelog = (TOP / "CHANGELOG.md").read_text("utf-8")
    return version_mistakes(version, changelog, texts) + frozen_mistakes(TOP, version) + _tree_mistakes()


def _show(mistakes: list[str]) -> None:
    for mistake in mistakes:
        print(f"! {mistake}")


def run_step(command: str) -> bool:
    """Run a command of make. Returns true if it worked."""
    # flags of the make that started this, such as --dry-run, must not reach it
    ours = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(["sh", "-c", command], cwd=TOP, env=environment, check=False).returncode == 0


def run_steps(is_dry: bool) -> bool:
    """Run each step until one fails. Returns true if all worked. A dry run names the checks that it skips."""
    for title, command, is_check in STEPS:
        if is_dry and is_check:
            print(f"skipped: {command}  # {title}")
            continue
        print(f"running: {command}  # {title}", flush=True)
        if not run_step(command):
            print(f"{command} failed: the reason is above. No later step was done.")
            return False
    return True


def main(arguments: list[str] | None = None) -> int:
    """Check the tree, run the steps, assemble target/release, and print what is left for a person."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="build everything, skip the checks")
    is_dry = parser.parse_args(arguments).dry_run
    version = (TOP / "VERSION").read_text().strip()
    commit = _git("rev-parse", "HEAD").strip()
    print(f"chronosketch {version}{', a dry run: it tags and uploads nothing' if is_dry else ''}")
    mistakes = _mistakes(version)
    _show(mistakes)
    if mistakes and not is_dry:
        print("Nothing was done.")
        return 1
    if not run_steps(is_dry):
        return 1
    # `make matrix` writes a page: the tag must name a commit that has it
    if not is_dry and (mistakes := _tree_mistakes()):
        _show(mistakes)
        print("The steps have changed these. Commit them, and run make release again.")
        return 1
    try:
        folder = release_folder.assemble(TOP, version, commit, is_dry)
    except release_folder.MissingFileError as missing:
        print(missing)
        return 1
    print(f"\n{folder.relative_to(TOP)} has everything that is uploaded:")
    print("".join(f"  {line}\n" for line in release_folder.listing(folder)))
    print(manual_steps(version, commit, release_folder.pom_gaps(folder / "m2"), is_dry), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
