"""Comments cite existing sections of docs/algorithms.md, and links inside of docs work."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from chronosketch import functions as cf

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
# names of the page before it was published: sections of a design document, and numbers of papers
OUTDATED = re.compile(r"ALGORITHMS( §|\.md)|\bseed 00\d")


def headings(text):
    outside_code = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"^#+ (.+)$", outside_code, flags=re.MULTILINE)


def anchor(heading):
    """Return the anchor that GitHub makes from a heading."""
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


def program(monkeypatch, file):
    """Import a program that writes a page."""
    monkeypatch.setattr(sys, "path", [str((TOP / file).parent), *sys.path])
    spec = importlib.util.spec_from_file_location("writes_a_page", TOP / file)
    loaded = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "writes_a_page", loaded)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.mark.parametrize("file", ["make/errors_page.py", "benchmarks/performance.py"])
def test_a_written_page_is_as_its_program_writes_it(monkeypatch, file):
    """`make reference` writes them."""
    written = program(monkeypatch, file).pages()
    assert written
    for page, text in written.items():
        assert page.read_text("utf-8") == text, page.name


def test_every_function_is_named():
    table = (TOP / "docs" / "which-function.md").read_text("utf-8").split("## All functions")[1]
    assert [name for name in cf.__all__ if f"`{name}" not in table] == []


def default(value):
    """Normalise a default, which pages and Spark write differently."""
    try:
        return float(value)
    except ValueError:
        return "empty" if value in ("", "<undefined>") else value


def test_every_setting_has_its_row_and_its_default(spark):
    known = {row.key: row.value for row in spark.sql("SET -v").collect() if ".chronosketch." in row.key}
    assert len(known) >= 12
    page = (TOP / "docs" / "settings.md").read_text("utf-8")
    rows = re.findall(r"^\| `(spark\.chronosketch\.[\w.]+)` \| `?([\w.]+)`? \|", page, re.MULTILINE)
    assert {key: default(value) for key, value in rows} == {
        key: default(value) for key, value in known.items()
    }


def test_every_metric_is_explained():
    """The page has the operators that have metrics, and the names that the UI and the event log show."""
    operators = sorted((TOP / "jvm" / "spark" / "src" / "main").rglob("*.scala"))
    code = "".join(path.read_text("utf-8") for path in operators)
    shown = re.findall(r'"\w+" -> SQLMetrics\.create\w+\(\s*sparkContext,\s*"([^"]+)"', code)
    assert len(shown) >= 30
    table = (TOP / "docs" / "explain.md").read_text("utf-8").split("## Metrics")[1]
    cells = re.findall(r"^\|([^|]*)\|([^|]+)\|[^|]+\|$", table, re.MULTILINE)[2:]
    assert {name.strip() for _, names in cells for name in names.split(",")} == set(shown)
    named = {name for operator, _ in cells for name in re.findall(r"`(\w+)`", operator)}
    nodes = set(re.findall(r'override def nodeName: String = "(\w+)"', code))
    assert named == nodes - {"Fallback", "SketchRollup"}


def test_the_map_of_capabilities_names_what_exists():
    text = (TOP / "CONTRIBUTING.md").read_text("utf-8")
    table = text[text.index("| capability |") :].split("\n\n")[0]
    core, spark = "jvm/core/src/main/scala/chronosketch", "jvm/spark/src/main/scala/chronosketch/spark"
    bases = {2: core, 3: spark, 4: "python/chronosketch", 5: "docs"}
    paths = [
        TOP / base / name
        for row in table.splitlines()[2:]
        for column, base in bases.items()
        for name in re.findall("`([^`]+)`", row.strip("|").split("|")[column])
    ]
    assert len(paths) > 40
    assert [path for path in paths if not path.exists()] == []
