"""Comments cite sections of docs/algorithms.md that are there, and links inside docs lead somewhere."""

import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
DOCS = sorted((TOP / "docs").glob("*.md"))
SOURCES = sorted(
    path
    for folder in ("jvm", "python", "tests", "benchmarks", "examples")
    for suffix in ("scala", "java", "py", "md", "json")
    for path in (TOP / folder).rglob(f"*.{suffix}")
    if "target" not in path.parts and path != Path(__file__).resolve()
)
CITATION = re.compile(r"docs/algorithms\.md(.*)")
# the page's names before it was published: a design document's sections, and numbers of papers
OUTDATED = re.compile(r"ALGORITHMS( §|\.md)|\bseed 00\d")


def headings(text):
    outside_code = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^#+ (.+)$", outside_code, flags=re.MULTILINE)


def anchor(heading):
    """What GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def wrong_citations(text, sections):
    named = "|".join(re.escape(section) for section in sorted(sections, key=len, reverse=True))
    return [rest for rest in CITATION.findall(text) if not re.match(rf", (?:{named})(?!\w)", rest)]


def test_a_wrong_citation_is_found():
    sections = ["Keys", "Key counts and the mode"]
    right = "as docs/algorithms.md, Keys; and docs/algorithms.md, Key counts and the mode)"
    assert wrong_citations(right.replace("; ", "\n"), sections) == []
    assert wrong_citations("docs/algorithms.md, Keyscapes", sections) == [", Keyscapes"]
    assert wrong_citations("see docs/algorithms.md", sections) == [""]


def test_every_citation_names_a_section():
    sections = headings((TOP / "docs" / "algorithms.md").read_text("utf-8"))
    cited = {path: path.read_text("utf-8") for path in SOURCES if path.suffix in (".scala", ".java", ".py")}
    assert sum(len(CITATION.findall(text)) for text in cited.values()) >= 10
    wrong = {str(path.relative_to(TOP)): wrong_citations(text, sections) for path, text in cited.items()}
    assert {path: found for path, found in wrong.items() if found} == {}


def test_nothing_cites_what_is_not_here():
    texts = [*SOURCES, *DOCS, *TOP.glob("*.md")]
    assert [str(p.relative_to(TOP)) for p in texts if OUTDATED.search(p.read_text("utf-8"))] == []


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = page.read_text("utf-8")
    anchors = {f"#{anchor(heading)}" for heading in headings(text)}
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]
    missing = [
        link
        for link in links
        if (link not in anchors if link.startswith("#") else not (page.parent / link.split("#")[0]).exists())
    ]
    assert missing == []
