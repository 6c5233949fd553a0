"""Adds the README as home page, the results and the examples to the site, and adapts links.

This is a hook of MkDocs. Pages are written for the repository, where links point from file to file. In the
site, a link to a file that is a page of the site points to the page; a link to any other file becomes plain
text.
"""

from __future__ import annotations

import os.path
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

TOP = Path(__file__).resolve().parents[1]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
FOLDERS = {"benchmarks/results": ("md", "png"), "examples": ("ipynb", "py", "sql")}
# Among the tables of benchmarks, a page that explains something would be hard to find.
NOT_SEARCHED = ("benchmarks/", "figures.md")
PICTURE = re.compile(r'<picture>.*?srcset="([^"]+)".*?alt="([^"]+)" src="([^"]+)".*?</picture>', re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    for name, place in PAGES.items():
        if (TOP / name).exists():
            files.append(File.generated(config, place, abs_src_path=str(TOP / name)))
    for folder, suffixes in FOLDERS.items():
        for file in sorted((TOP / folder).iterdir()):
            if file.suffix[1:] in suffixes:
                # a README in a folder is the folder's index page
                files.append(File.generated(config, f"{folder}/{file.name}", abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: Any) -> str:
    """Adapt the links of a page to the site, except in code blocks, and leave figures out of its search."""
    if page.file.src_uri.startswith(NOT_SEARCHED):
        page.meta["search"] = {"exclude": True}
    source = Path(str(page.file.abs_src_path)).relative_to(TOP)
    parts = FENCE.split(markdown)
    parts[::2] = [_links(_pictures(part), source, page.file.src_uri, files) for part in parts[::2]]
    return "".join(parts)


def _pictures(text: str) -> str:
    """Replace a picture with a light and a dark version by two images; the site's theme shows one of them."""
    return PICTURE.sub(r"![\2](\3#only-light) ![\2](\1#only-dark)", text)


def _links(text: str, source: Path, here: str, files: Files) -> str:
    def in_site(found: re.Match[str]) -> str:
        mark, label, link = found.groups()
        path, hash_, anchor = link.partition("#")
        if "://" in link or not path:
            return found.group()
        target = os.path.normpath(source.parent / path)
        if not (TOP / target).exists():
            return found.group()  # MkDocs reports the broken link
        place = _place(target)
        if files.get_file_from_path(place) is None:
            return str(label)
        return f"{mark}[{label}]({os.path.relpath(place, Path(here).parent)}{hash_}{anchor})"

    return LINK.sub(in_site, text)


def _place(target: str) -> str:
    """Return the path in the site of a file in the repository."""
    if (TOP / target).is_dir():
        target = f"{target}/README.md"
    return PAGES.get(target, target.removeprefix("docs/"))
