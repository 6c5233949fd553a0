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


def measure(
    folder: Path, name: str, title: str, parts: Sequence[str], only: str | None, one: Callable[[str], Part]
) -> None:
    """Measure each part or only one, store each as it comes, and print all; the lines of its key ``text`` are for people."""
    file = folder / f"{name}.json"
    report = stored(file) if only else {}
    for part in (only,) if only else parts:
        report[part] = one(part)
        keep(file, report)
    lines = [line for part in parts if part in report for line in report[part]["text"]]
    text = "\n".join([title, *lines])
    (folder / f"{name}.md").write_text(text, encoding="utf-8")
    print(text)
