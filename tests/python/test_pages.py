"""All SQL and Python blocks of the documentation run, and their outputs are as shown."""

import pages
import pytest
from page_checks import CHECKS
from pages import ENGINES, NEEDS, TOP, Block, blocks

# Three pages have their own tests. The examples of the reference are compared with their answers, and
# tests/portable runs the page on sessions without the jar.
PAGES = sorted(
    path
    for path in [TOP / "README.md", *(TOP / "docs").glob("*.md")]
    if path.name not in ("reference.md", "advisor.md", "portable.md")
)


@pytest.fixture
def database(spark):
    """Give each page its own tables and views, so that it does not see those of other tests."""
    drop_views(spark)
    spark.sql("CREATE DATABASE page")
    spark.sql("USE page")
    yield spark
    drop_views(spark)
    spark.sql("USE default")
    spark.sql("DROP DATABASE page CASCADE")


def drop_views(spark):
    for table in spark.catalog.listTables():
        if table.isTemporary:
            spark.catalog.dropTempView(table.name)


@pytest.mark.classic
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_runs(database, tmp_path, page):
    answers = pages.run(database, page.read_text("utf-8"), tmp_path, page.name)
    CHECKS.get(page.name, lambda *_: None)(database, answers)


def test_every_check_has_its_page():
    assert set(CHECKS) <= {page.name for page in PAGES}


@pytest.mark.parametrize("page", [*PAGES, *TOP.glob("*.md")], ids=lambda page: page.name)
def test_titles_say_why_a_block_does_not_run(page):
    """Only SQL of other engines, and what tests lack, may be left out."""
    left = [block for block in blocks(page.read_text("utf-8")) if block.language in ("sql", "python")]
    assert {block.title for block in left if not block.runs} <= ENGINES | NEEDS


def test_no_fence_is_missed():
    """A fence that the pattern misses would silently not run."""
    for page in PAGES:
        text = page.read_text("utf-8")
        opened = sum(line.startswith("```") for line in text.splitlines())
        assert opened == 2 * len(list(blocks(text))), page.name


def test_blocks_are_found():
    ours = "```sql\nSELECT 1;\n```\n\n```text\n1\n```\n"
    text = ours + '\n```sql title="DuckDB"\nSELECT 2;\n```\n\nand\n\n```sh\nls\n```\n'
    assert list(blocks(text)) == [
        Block("sql", "", "SELECT 1;\n", "1\n"),
        Block("text", "", "1\n", None),
        Block("sql", "DuckDB", "SELECT 2;\n", None),
        Block("sh", "", "ls\n", None),
    ]
    assert [block.runs for block in blocks(text)] == [True, False, False, False]
    assert list(blocks("words alone\n")) == []


@pytest.mark.classic
def test_shown_outputs_are_compared(spark, tmp_path):
    pages.run(spark, "```python\nprint(6 * 7)\n```\n\n```text\n42\n```\n", tmp_path)
    with pytest.raises(AssertionError):
        pages.run(spark, "```sql\nSELECT 42 AS n;\n```\n\n```text\n+---+\n|41 |\n+---+\n```\n", tmp_path)
