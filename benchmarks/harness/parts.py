"""A report in parts, of which each can be measured again alone: the others stay as they were stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    Part = dict[str, Any]


def stored(file: Path) -> dict[str, Part]:
    """Return the parts of a report; none where nothing is stored."""
    return json.loads(file.read_text("utf-8"))["parts"] if file.exists() else {}


def keep(file: Path, parts: dict[str, Part]) -> None:
    """Store a report's parts."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"parts": parts}, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def gather(file: Path, parts: Sequence[str], only: str | None, one: Callable[[str], Part]) -> dict[str, Part]:
    """Measure each part or only one, and store each as it comes; return all that are stored then."""
    report = stored(file) if only else {}
    for part in (only,) if only else parts:
        report[part] = one(part)
        keep(file, report)
    return report


def measure(
    folder: Path, name: str, title: str, parts: Sequence[str], only: str | None, one: Callable[[str], Part]
) -> None:
    """Gather a report and print it: the lines of each part's key ``text``, which are for people."""
    tell(folder, name, title, parts, gather(folder / f"{name}.json", parts, only, one))


def tell(folder: Path, name: str, title: str, parts: Sequence[str], report: dict[str, Part]) -> None:
    """Write a report for people and print it."""
    lines = [line for part in parts if part in report for line in report[part]["text"]]
    text = "\n".join([title, *lines])
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)
