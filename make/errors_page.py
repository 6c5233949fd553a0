"""Writes docs/errors.md from the conditions in the jar. `make reference` runs it, and a test compares.

python make/errors_page.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
CONDITIONS = TOP / "jvm/spark/src/main/resources/error/chronosketch-conditions.json"
PAGE = TOP / "docs/errors.md"

OPENING = """\
# Errors

Each error has a condition, a SQLSTATE and a message. The message says what was wrong, with which value,
and what to do. Each message fills in the words in italics.

In Python, catch `PySparkException` and call `error.getCondition()`. `cs.history.follow` raises
`HistoryError`, whose `condition` is [one of these](history.md#when-it-cannot-go-on). `make reference`
writes this page from the conditions in the jar.
"""

# A condition belongs to the first chapter one of whose words is in its name; the last chapter takes the rest.
CHAPTERS = (
    ("Streams", ("STREAM_STATE",)),
    ("Warehouses", ("WAREHOUSE", "STEP_TAKEN", "NO_PROCEDURE")),
    ("Hopping windows", ("HOPPING",)),
    ("Roll-ups", ("ROLLUP",)),
    (
        "Following a table",
        (
            "SOURCE_",
            "CHANGE_FEED",
            "CHANGES_COULD",
            "CHANGES_DO",
            "FOLLOW",
            "INTO_NOT",
            "NAME_TAKEN",
            "NO_SUCH",
            "TIMESTAMP",
        ),
    ),
    ("Histories", ("HISTOR", "VERSION", "ENDS_BEFORE", "TOO_MANY_CHANGES")),
    ("Samples", ("SAMPLE", "SIZE_AND_EPSILON", "_ID_")),
    ("QLOVE", ("PANES", "PHI_NOT_NAMED", "NO_PHIS", "QUERIES_DIFFER")),
    ("Windows", ("WINDOW", "FILTER", "TIME", "RETENTION", "CONDITION_OF")),
    ("Rolling windows", ("BUCKET_NOT", "FRAME", "INPUT_CHANGED")),
    ("Advice", ("ADVICE", "COST_MODEL")),
    ("Clusters", ("JARS_",)),
    ("Stored sketches", ("SKETCH", "ROW_TOO", "FORMAT", "FAMIL", "DIFFER", "COUNT_OVERFLOW")),
    ("Arguments and values", ("",)),
)


def main() -> None:
    """Write the page."""
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")


def pages() -> dict[Path, str]:
    """Return the text of each file to write."""
    return {PAGE: page()}


def page() -> str:
    """Return the page, with a chapter for each group of conditions."""
    conditions = json.loads(CONDITIONS.read_text("utf-8"))
    chapters: dict[str, list[str]] = {title: [] for title, _ in CHAPTERS}
    for name in sorted(conditions):
        chapters[_chapter(name)].append(_entry(name, conditions[name]))
    parts = [
        OPENING,
        *(f"## {title}\n\n{''.join(entries)}" for title, entries in chapters.items() if entries),
    ]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _chapter(name: str) -> str:
    short = name.removeprefix("CHRONOSKETCH") + "_"
    return next(title for title, words in CHAPTERS if any(word in short for word in words))


def _entry(name: str, condition: dict[str, str | list[str]]) -> str:
    message = re.sub(r"<(\w+)>", r"*\1*", re.sub(r"([*_])", r"\\\1", " ".join(condition["message"])))
    return f"### {name}\n\nSQLSTATE {condition['sqlState']}\n\n> {message}\n\n"


if __name__ == "__main__":
    main()
