"""The consoles of the command line: progress, tables, and one message for a user's mistake."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession
    from rich.status import Status


_EVERY_SECONDS = 0.5

_NUMERIC = {"byte", "short", "integer", "long", "float", "double", "decimal"}

err = Console(stderr=True)
out = Console()
if not out.is_terminal:
    # Output to a file or a pipe is not wrapped.
    out = Console(width=10_000)


def fail(message: str) -> NoReturn:
    """End the command with a message on standard error, and exit code 1."""
    err.print(Text(message.strip(), style="red"), soft_wrap=True)
    raise typer.Exit(1) from None


@contextmanager
def one_message() -> Iterator[None]:
    """Turn an error that the user can fix into one message without a stack trace, and exit code 1."""
    try:
        yield
    except ChronosketchError as mistake:
        fail(str(mistake))


def as_table(result: DataFrame, most_rows: int) -> tuple[Table, bool]:
    """Return the first rows of a result as a table, and whether there are more rows."""
    rows = result.take(most_rows + 1)
    table = Table(box=box.SIMPLE_HEAD)
    for field in result.schema.fields:
        numeric = field.dataType.typeName() in _NUMERIC
        table.add_column(escape(field.name), justify="right" if numeric else "left")
    for row in rows[:most_rows]:
        table.add_row(*[escape(as_text(value)) for value in row])
    return table, len(rows) > most_rows


def as_text(value: Any) -> str:
    """Write a value as SQL would show it. For bytes write only their number.

    Examples
    --------
    >>> as_text(None), as_text(True), as_text(bytearray(7)), as_text([1.0, None])
    ('NULL', 'true', '7 bytes', '[1.0, NULL]')
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_text(k)}: {as_text(v)}" for k, v in value.items()) + "}"
    if hasattr(value, "asDict"):
        return "{" + ", ".join(f"{k}: {as_text(v)}" for k, v in value.asDict().items()) + "}"
    if isinstance(value, list | tuple):
        return _list_text(value)
    return str(value)


def _list_text(values: Sequence[Any]) -> str:
    return "[" + ", ".join(as_text(value) for value in values) + "]"


@contextmanager
def showing(console: Console, what: str, spark: SparkSession | None = None) -> Iterator[None]:
    """Show the current task and, for a Spark session, how many of its Spark tasks are done."""
    if not console.is_terminal:
        yield
        return
    with console.status(what) as status:
        if spark is None:
            yield
            return
        finished = Event()
        watcher = Thread(target=_watch, args=(status, what, spark, finished), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            finished.set()
            watcher.join()


def _watch(status: Status, what: str, spark: SparkSession, finished: Event) -> None:
    tracker = spark.sparkContext.statusTracker()
    while not finished.wait(_EVERY_SECONDS):
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        tasks = sum(stage.numTasks for stage in stages if stage)
        done = sum(stage.numCompletedTasks for stage in stages if stage)
        status.update(f"{what}: {done} of {tasks} tasks" if tasks else what)
