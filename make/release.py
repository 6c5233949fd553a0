"""Does the automatic steps of a release, and prints the manual ones: python make/release.py [--dry-run].

It uploads nothing and tags nothing. With --dry-run it only runs the checks, and prints the steps.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]

STEPS = (
    ("All tests, three times the cases", "CHRONOSKETCH_CASES=3 make test"),
    ("Every Spark, Java and Python that is here", "make matrix"),
    ("The wheels and the sdists, checked by twine", "make dist"),
    ("The Maven repository, target/m2", "make publish-m2"),
    ("The jar, twice from this commit", "make reproducible"),
    ("All of it installed as a stranger does", "make release-check"),
)

# The shipped files and their bills of materials.
SHIPPED = (
    "target/dist/*",
    "target/jar/*.jar",
    "target/m2/**/*.jar",
    "target/m2/**/*.pom",
    "target/sbom/*.json",
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


def checksums(top: Path, patterns: tuple[str, ...] = SHIPPED) -> str:
    """Return a line for each shipped file, in the format of `sha256sum --check`."""
    files = sorted({file for pattern in patterns for file in top.glob(pattern) if file.is_file()})
    lines = (f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(top)}\n" for file in files)
    return "".join(lines)


def manual_steps(version: str) -> str:
    """Return the steps that no script does."""
    return f"""\
Left for you, in this order:
1. Read target/SHA256SUMS and docs/compatibility-matrix.md.
2. git tag --sign v{version}, and push the tag.
3. twine upload target/dist/*
4. Sign the files under target/m2 (gpg --armor --detach-sign), zip the folder, and upload it to Maven Central.
   Central also asks for a POM with the project's address and its developers: they are in no file here.
5. Attach target/dist, the jar, target/sbom and target/SHA256SUMS to the release on the forge.
6. Write the next version into VERSION, and '## NEXT (not yet released)' into CHANGELOG.md.
"""


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=TOP, capture_output=True, text=True, check=True).stdout


def _mistakes(version: str) -> list[str]:
    pages = [
        TOP / "README.md",
        TOP / "pyproject.toml",
        *sorted((TOP / "docs").glob("*.md")),
        *sorted((TOP / "examples").rglob("*.*")),
    ]
    texts = {str(page.relative_to(TOP)): page.read_text("utf-8") for page in pages if page.is_file()}
    changelog = (TOP / "CHANGELOG.md").read_text("utf-8")
    branch = _git("branch", "--show-current").strip()
    return version_mistakes(version, changelog, texts) + tree_mistakes(_git("status", "--porcelain"), branch)


def main(arguments: list[str] | None = None) -> int:
    """Run the checks, then each step until one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="check what can be read, print the steps")
    dry = parser.parse_args(arguments).dry_run
    version = (TOP / "VERSION").read_text().strip()
    print(f"chronosketch {version}")
    mistakes = _mistakes(version)
    for mistake in mistakes:
        print(f"! {mistake}")
    if mistakes and not dry:
        print("Nothing was done.")
        return 1
    for title, command in STEPS:
        print(f"{'would run' if dry else 'running'}: {command}  # {title}", flush=True)
        if not dry and subprocess.run(["sh", "-c", command], cwd=TOP, check=False).returncode != 0:
            print(f"{command} failed: the reason is above. No later step was done.")
            return 1
    if not dry:
        (TOP / "target" / "SHA256SUMS").write_text(checksums(TOP), encoding="utf-8")
    print(manual_steps(version), end="")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
