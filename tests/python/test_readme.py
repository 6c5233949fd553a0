"""The README's figures match benchmarks/results, and the files that it names exist."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text("utf-8")


@pytest.mark.classic
@pytest.mark.usefixtures("spark")
def test_the_python_prints_the_shown_output(capsys):
    (text,) = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    exec(compile(text, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "p99 of all" in shown
    assert shown.count("|") == 4 * 4 + 2 * 2  # three hosts and a header, one answer and a header


def test_it_is_short():
    assert README.count("\n") <= 150


@pytest.mark.parametrize("file", re.findall(r'(?:src|srcset)="([^"]+)"|\]\(([^):]+)\)', README))
def test_referenced_files_exist(file):
    name, _, section = "".join(file).partition("#")
    assert (TOP / name).exists()
    if section:
        headings = re.findall(r"^#+ (.+)$", (TOP / name).read_text("utf-8"), re.MULTILINE)
        assert section in [heading.lower().replace(" ", "-") for heading in headings]


def test_its_figures_match_the_results():
    ((named, table),) = re.findall(r"<!-- rows of ([\w, ]+) -->\n(.*?)<!-- / -->", README, flags=re.DOTALL)
    measured = {
        line
        for name in named.split(", ")
        for line in (TOP / "benchmarks" / "results" / f"{name}.md").read_text("utf-8").splitlines()
        if line.startswith("|")
    }
    shown = [line for line in table.splitlines() if line.startswith("|")]
    assert len(shown) > 5
    assert set(shown) <= measured
