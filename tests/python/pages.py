"""Run the code blocks of a documentation page, and compare their output.

A fence of ``sql`` or ``python`` without a title runs; all blocks of a page run in order in one session. A
fence with a title does not run: it is for another engine, or needs something that the tests lack.
A ``text`` fence right after a block is its output, and is compared. To update the outputs of a page::

    python tests/python/pages.py docs/quickstart.md
"""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from chronosketch.sql_text import split_statements

TOP = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Ids in a plan, which differ between runs.
PASSING = re.compile(r"#\d+L?|, \[plan_id=\d+\]")
# Engines and libraries that this suite lacks. tests/delta runs the blocks that need Delta Lake.
ENGINES = {"BigQuery", "ClickHouse", "DuckDB", "Snowflake", "TimescaleDB", "Trino"}
NEEDS = {"needs Delta Lake", "needs S3 and Delta Lake"}


@dataclass(frozen=True)
class Block:
    """A fence: its language, its title, and whether its output follows."""

    language: str
    title: str
    code: str
    shown: str | None

    @property
    def runs(self):
        """Return whether the tests run this block."""
        return self.language in ("sql", "python") and not self.title


@dataclass
class Answers:
    """The answers to a page's queries, and the names that its Python code defined."""

    frames: list = field(default_factory=list)
    names: dict = field(default_factory=dict)

    def of(self, words):
        """Return the DataFrame of the only query that contains these words."""
        (frame,) = (frame for query, frame in self.frames if words in query)
        return frame


def blocks(text):
    """Return the fences of a page."""
    found = list(FENCE.finditer(text))
    for fence, after in zip_longest(found, found[1:]):
        language, title, code = fence.groups()
        shows = (
            after is not None and after.group(1) == "text" and not text[fence.end() : after.start()].strip()
        )
        yield Block(language, title or "", code, after.group(3) if shows else None)


def run(spark, text, folder, name="page"):
    """Run a page's blocks with a folder in place of ``/data``, and compare their output."""
    answers = Answers(names={"spark": spark})
    for block, came in outputs(spark, text, folder, answers, name):
        assert came == block.shown.rstrip(), f"{block.code}\n\nprinted:\n{came}"
    return answers


def outputs(spark, text, folder, answers, name="page"):
    """Run a page's blocks, and yield the output of those whose output the page shows."""
    for block in blocks(text):
        if block.runs:
            code = block.code.replace("/data/", f"{folder}/")
            came = (_sql if block.language == "sql" else _python)(spark, code, answers, name)
            if block.shown is not None:
                yield block, came(block.shown)


def _sql(spark, code, answers, _):
    frame = None
    for statement in split_statements(code):
        frame = spark.sql(statement)
        if frame.columns:
            frame.write.format("noop").mode("overwrite").save()
            answers.frames.append((statement, frame))

    def show(shown):
        if "EXPLAIN" not in code:
            return frame._show_string(50, False).rstrip()  # as `show` prints it
        return _plan("\n".join(row[0] for row in frame.collect()), shown)

    return show


def _plan(came, shown):
    """Return the shown text if its lines, some cut at an ellipsis, are in the plan; else the whole plan."""
    lines = iter([line.strip() for line in PASSING.sub("", came).splitlines()])
    for line in shown.strip().splitlines():
        start = line.strip().removesuffix("…")
        if not any(one.startswith(start) if line.endswith("…") else one == start for one in lines):
            return PASSING.sub("", came)
    return shown.rstrip()


def _python(_, code, answers, name):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, name, "exec"), answers.names)
    return lambda shown: out.getvalue().rstrip()


def write(spark, page, folder):
    """Run a page, and update the outputs that differ."""
    text = page.read_text("utf-8")
    for block, came in outputs(spark, text, folder, Answers(names={"spark": spark}), page.name):
        text = text.replace(
            f"{block.code}```\n\n```text\n{block.shown}```", f"{block.code}```\n\n```text\n{came}\n```"
        )
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    import sys
    import tempfile

    from conftest import suite_session

    with tempfile.TemporaryDirectory() as place:
        session = suite_session(place).master("local[2]").getOrCreate()
        for nth, argument in enumerate(sys.argv[1:]):
            session.sql(f"CREATE DATABASE page{nth}")
            session.sql(f"USE page{nth}")
            Path(place, str(nth)).mkdir()
            write(session, Path(argument), f"{place}/{nth}")
        session.stop()
