"""Format the result of a Spark query as a table for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame


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


_NUMERIC = {"byte", "short", "integer", "long", "float", "double", "decimal"}


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
