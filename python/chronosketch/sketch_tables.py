"""Merge the sketches of a stored table, without Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from chronosketch.errors import ChronosketchError
from chronosketch.sketch import Sketch
from chronosketch.storage.opening import open_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow

    from chronosketch.storage.formats import StoredTable


Groups: TypeAlias = dict[tuple[Any, ...], Sketch | None]


def stored_sketches(path: Path, column: str, by: str | Sequence[str] = ()) -> Groups:
    """Read the sketches of a Parquet file, a folder or a table, and merge the sketches of each group.

    Parameters
    ----------
    path : pathlib.Path
        A file, a folder of files as Spark writes them, or the folder of a Delta or Iceberg table.
    column : str
        The BINARY column that holds the sketches. Rows with NULL in it are ignored.
    by : str or sequence of str, optional
        Columns to group by. Without any, all rows form one group.

    Returns
    -------
    dict of tuple to Sketch or None
        One sketch for each group, in the order of each group's first row. None for a group that has only
        NULL, as `sketch_merge_agg` answers.

    Raises
    ------
    ChronosketchError
        If a library is missing, the path cannot be read or is only a part of a table, a column does not
        exist, or the sketches cannot be merged.
    """
    return merged_sketches([open_table(path)], column, by)


def merged_sketches(tables: Sequence[StoredTable], column: str, by: str | Sequence[str] = ()) -> Groups:
    """Merge the sketches of each group of some opened tables, as `stored_sketches` does."""
    by = [by] if isinstance(by, str) else list(dict.fromkeys(by))
    for table in tables:
        _check_columns(table, column, by)
    rows = _rows(tables, list(dict.fromkeys((*by, column))))
    from chronosketch import arrow

    if not by:
        merged = arrow.merge(rows[column])
        return {(): None if merged is None else Sketch.from_bytes(merged)}
    groups = arrow.merge_by(rows.select(by), rows[column])
    try:
        *keys, sketches = (groups[i].to_pylist() for i in range(groups.num_columns))
    except (ArithmeticError, ValueError, LookupError) as reason:
        # Arrow can hold values that Python cannot: text that is not UTF-8, dates before the year 1.
        names = ", ".join(by)
        raise ChronosketchError(
            f"{_names(tables)} has values of {names} that Python cannot hold: {reason}"
        ) from None
    pairs = zip(zip(*keys, strict=True), sketches, strict=True)
    return {group: None if data is None else Sketch.from_bytes(data) for group, data in pairs}


def _rows(tables: Sequence[StoredTable], columns: Sequence[str]) -> pyarrow.Table:
    """Read columns of all tables, whose types have to go together."""
    if len(tables) == 1:
        return tables[0].read(columns)
    import pyarrow

    from chronosketch.storage.parquet import plain

    parts = [plain(table.read(columns)) for table in tables]
    for table, part in zip(tables, parts, strict=True):
        try:
            pyarrow.unify_schemas([parts[0].schema, part.schema], promote_options="permissive")
        except pyarrow.ArrowException:
            name, first, other = next(
                (name, first, other)
                for name, first, other in zip(columns, parts[0].schema.types, part.schema.types, strict=True)
                if first != other
            )
            raise ChronosketchError(
                f"Column {name!r} is {first} in {tables[0].name} and {other} in {table.name}. Ask them one "
                "at a time."
            ) from None
    return pyarrow.concat_tables(parts, promote_options="permissive")


def _names(tables: Sequence[StoredTable]) -> str:
    return ", ".join(table.name for table in tables)


def _check_columns(table: StoredTable, column: str, by: Sequence[str]) -> None:
    import pyarrow

    for name in (column, *by):
        if name not in table.schema.names:
            have = ", ".join(table.schema.names)
            raise ChronosketchError(f"{table.name} has no column {name!r}: it has {have}.")
        if table.schema.names.count(name) > 1:
            raise ChronosketchError(f"{table.name} has several columns {name!r}: rename all but one.")
    kind = table.schema.field(column).type
    values = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    if values not in (pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()):
        raise ChronosketchError(f"Column {column!r} of {table.name} is {kind}: name one of binary sketches.")
    for name in by:
        if pyarrow.types.is_nested(table.schema.field(name).type):
            raise ChronosketchError(
                f"Column {name!r} of {table.name} makes no groups: its values have parts."
            )
