"""The blocks of the page on platforms without jars run, and show what they show."""

import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_the_page_runs(spark, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(TOP / "tests" / "python"))
    import pages

    assert "pages" in sys.modules
    text = (TOP / "docs" / "portable.md").read_text("utf-8")
    pages.run(spark, text, tmp_path, "portable.md")
