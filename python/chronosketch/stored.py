"""Sketches in a Parquet file, read and merged without Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError
from chronosketch.sketch import Sketch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyarrow import Table


def stored_sketches(path: Path, column: str, by: Sequence[str] = ()) -> dict[tuple[Any, ...], Sketch]:
    """Read the sketches of a Parquet file or folder, and merge those of each group.

    Parameters
    ----------
    path : pathlib.Path
        A file, or a folder of files as Spark writes them.
    column : str
        The column of BINARY that holds the sketches. Rows with NULL in it are ignored.
    by : sequence of str, optional
        Columns whose values make a group; without any, all rows are one.

    Returns
    -------
    dict of tuple to Sketch
        One sketch a group, in the order of the first row of each.

    Raises
    ------
    ChronosketchError
        If pyarrow or numpy is missing, the file cannot be read, a column is not in it, or sketches do not go
        together.
    """
    table = _read(path, column, by)
    from chronosketch import arrow

    if by:
        merged = arrow.merge_by(table.select(by), table[column])
        *keys, sketches = (merged[i].to_pylist() for i in range(merged.num_columns))
        groups = zip(zip(*keys, strict=True), sketches, strict=True)
    else:
        groups = zip([()], [arrow.merge(table[column])], strict=True)
    return {group: Sketch.from_bytes(data) for group, data in groups if data is not None}


def _read(path: Path, column: str, by: Sequence[str]) -> Table:
    try:
        import numpy  # noqa: F401
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as missing:
        raise ChronosketchError(
            f"Reading Parquet files needs {missing.name}: pip install 'chronosketch[arrow]'."
        ) from None
    try:
        schema = parquet.ParquetDataset(path).schema
        for name in (column, *by):
            if name not in schema.names:
                have = ", ".join(schema.names)
                raise ChronosketchError(f"{path} has no column {name!r}: it has {have}.")
        kind = schema.field(column).type
        if not (pyarrow.types.is_binary(kind) or pyarrow.types.is_large_binary(kind)):
            raise ChronosketchError(f"Column {column!r} of {path} is {kind}: name one of binary sketches.")
        for name in by:
            if pyarrow.types.is_nested(schema.field(name).type):
                raise ChronosketchError(f"Column {name!r} of {path} makes no groups: its values have parts.")
        return parquet.read_table(path, columns=list(dict.fromkeys((column, *by))))
    except FileNotFoundError:
        raise ChronosketchError(f"{path} does not exist: name a Parquet file, or a folder of them.") from None
    except (OSError, pyarrow.ArrowInvalid) as reason:
        said = str(reason).splitlines()[0]
        raise ChronosketchError(f"{path} is no Parquet that can be read: {said}") from None
