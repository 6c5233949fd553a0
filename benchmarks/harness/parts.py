"""Reports in parts. Each part can be measured again alone, while the others stay as stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Part = dict[str, Any]


def stored(file: Path) -> dict[str, Part]:
    """Return the stored parts of a report; empty if nothing is stored."""
    return json.loads(file.read_text("utf-8"))["parts"] if file.exists() else {}


def store(file: Path, parts: dict[str, Part]) -> None:
    """Store the parts of a report."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"parts": parts}, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def measure_parts(
    file: Path, parts: Sequence[str], only: str | None, one: Callable[[str], Part]
) -> dict[str, Part]:
    """Measure all parts or only one, store each when it is measured, and return all stored parts."""
    report = stored(file) if only else {}
    for part in (only,) if only else parts:
        report[part] = one(part)
        store(file, report)
    return report


def measure(
    folder: Path, name: str, title: str, parts: Sequence[str], only: str | None, one: Callable[[str], Part]
) -> None:
    """Measure the parts of a report, and print the lines under each part's key ``text``."""
    write_page(folder, name, title, parts, measure_parts(folder / f"{name}.json", parts, only, one))


def write_page(folder: Path, name: str, title: str, parts: Sequence[str], report: dict[str, Part]) -> None:
    """Write a report as a page, and print it."""
    lines = [line for part in parts if part in report for line in report[part]["text"]]
    text = "\n".join([title, *lines])
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)
