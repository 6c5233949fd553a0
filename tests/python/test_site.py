"""Links of the site lead to its own files; other links become plain text. The search leaves out figures."""

import importlib.util
import json
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.structure.files import Files

TOP = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def in_site():
    """Return a function that converts a page's text for a site of a few files."""
    spec = importlib.util.spec_from_file_location("mkdocs_hooks", TOP / "make" / "mkdocs_hooks.py")
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    there = {
        "index.md",
        "windows.md",
        "benchmarks/results/README.md",
        "examples/history.sql",
        "rolling-light.png",
    }

    class Some:
        def __init__(self, source):
            self.file = self
            self.meta = {}
            self.abs_src_path = str(TOP / source)
            self.src_uri = hooks.PAGES.get(source, source.removeprefix("docs/"))

        def get_file_from_path(self, path):
            return path if path in there else None

    return lambda text, source: hooks.on_page_markdown(text, Some(source), Some(source))


@pytest.mark.parametrize(
    ("source", "written", "becomes"),
    [
        ("README.md", "[w](docs/windows.md#constraints)", "[w](windows.md#constraints)"),
        ("README.md", "[`windows`](docs/windows.md)", "[`windows`](windows.md)"),
        ("docs/history.md", "[w](windows.md)", "[w](windows.md)"),
        ("docs/history.md", "[x](../examples/history.sql)", "[x](examples/history.sql)"),
        ("docs/history.md", "[r](../README.md)", "[r](index.md)"),
        ("docs/history.md", "[all](../benchmarks/results)", "[all](benchmarks/results/README.md)"),
        ("benchmarks/results/qlove.md", "[w](../../docs/windows.md)", "[w](../../windows.md)"),
        ("docs/history.md", "[built](../Makefile) so", "built so"),
        ("docs/history.md", "[gone](../gone.md)", "[gone](../gone.md)"),
        ("docs/history.md", "[far](https://spark.apache.org)", "[far](https://spark.apache.org)"),
        ("docs/history.md", "```md\n[r](../README.md)\n```", "```md\n[r](../README.md)\n```"),
        (
            "README.md",
            '<picture>\n  <source media="(m)" srcset="docs/rolling-dark.png">\n'
            '  <img alt="p99" src="docs/rolling-light.png">\n</picture>',
            "![p99](rolling-light.png#only-light) p99",  # the dark picture is missing from this site
        ),
    ],
)
def test_a_link_becomes_the_sites(in_site, source, written, becomes):
    assert in_site(written, source) == becomes


def test_the_search_leaves_out_benchmarks_and_works_from_files(tmp_path):
    """A few pages, built with the settings and the hooks of the whole site."""
    kept = ["glossary.md", "figures.md", "benchmarks/results/README.md", "benchmarks/results/qlove.md"]
    config = load_config(str(TOP / "mkdocs.yml"), site_dir=str(tmp_path))
    config.nav = None
    config.plugins.events["files"].append(
        lambda files, config: Files([file for file in files if file.src_uri in kept])
    )
    build(config)
    pages = {
        "glossary.html",
        "figures.html",
        "benchmarks/results/index.html",
        "benchmarks/results/qlove.html",
    }
    assert all((tmp_path / page).exists() for page in pages)
    entries = json.loads((tmp_path / "search" / "search_index.json").read_text("utf-8"))["docs"]
    assert {entry["location"].partition("#")[0] for entry in entries} == {"glossary.html"}
    # a browser that opens a page as a file may load a script, but no JSON
    assert (tmp_path / "search" / "search_index.js").exists()
