"""Merge many sketches into one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from chronosketch.arrow.column import batches, chunked
from chronosketch.arrow.row_answers import with_row
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.refusal import SketchError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chronosketch.arrow.row_answers import Errors


def merge(column: Any, errors: Errors = "raise") -> bytes | None:
    """Merge all sketches of a column, and return the result as stored bytes.

    Neighbours are merged in pairs, then the results in pairs again, so each sketch goes through few merges.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches that can be merged. NULL, None and, in pandas, NaN are skipped.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot be merged with those before it: raise a
        `RowError`, or skip the row.

    Returns
    -------
    bytes
        The merged sketch, or None if no row has a sketch.

    Raises
    ------
    RowError
        If a row is not a sketch, or cannot be merged with those before it.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> days = [Sketch.build([1, 2]).to_bytes(), None, Sketch.build([3]).to_bytes()]
    >>> Sketch.from_bytes(arrow.merge(days)).quantile(1)
    3
    """
    return _merge_in_pairs(_sketches(chunked(column), errors, "merge"), errors, "merge")


def merge_by(keys: Any, column: Any, errors: Errors = "raise") -> Any:
    """Merge the sketches of every group.

    Parameters
    ----------
    keys : pyarrow.Table, or an Arrow array, series or sequence
        The group of each row. All columns of a table together are the key. NULL is a key like any other.
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches, of one kind within a group. NULL, None and, in pandas, NaN are skipped.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot be merged with those before it: raise a
        `RowError`, or skip the row.

    Returns
    -------
    pyarrow.Table
        One row for each group, in the order in which groups first appear: the key columns (``key`` if they
        have no name) and ``sketch``. The sketch is NULL if the group has none.

    Raises
    ------
    RowError
        If a row is not a sketch, or cannot be merged with those of its group before it.
    ValueError
        If the number of keys is not the number of sketches.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> column = [Sketch.build([n]).to_bytes() for n in (1, 2, 3)]
    >>> merged = arrow.merge_by(["a", "b", "a"], column)
    >>> merged["key"].to_pylist(), arrow.count(merged["sketch"]).to_pylist()
    (['a', 'b'], [2, 1])
    """
    table = _without_views(keys if isinstance(keys, pa.Table) else pa.table({"key": _key_column(keys)}))
    rows = chunked(column)
    if len(table) != len(rows):
        raise ValueError(f"there are {len(table)} keys and {len(rows)} sketches.")
    names = table.column_names
    row = "sketch"
    while row in names:
        row += "_"
    numbered = table.append_column(row, pa.array(np.arange(len(table))))
    groups = numbered.group_by(names, use_threads=False).aggregate([(row, "list")])
    merged = []
    for members in groups[f"{row}_list"]:
        part = rows.take(members.values)
        where = members.values.to_pylist()
        found = _sketches(part, errors, "merge_by", where)
        merged.append(_merge_in_pairs(found, errors, "merge_by"))
    return groups.select(names).append_column(row, pa.array(merged, pa.large_binary()))


def _key_column(keys: Any) -> Any:
    if isinstance(keys, pa.Array | pa.ChunkedArray):
        return keys
    return pa.chunked_array(keys) if hasattr(keys, "__arrow_c_stream__") else pa.array(keys)


def _without_views(table: pa.Table) -> pa.Table:
    """Cast string and binary views, because Arrow cannot group by them."""
    grouped = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    fields = [field.with_type(grouped.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))


def _sketches(
    rows: Any, errors: Errors, function: str, numbers: list[int] | None = None
) -> Iterator[tuple[int, Sketch]]:
    """Yield each sketch with its row number for messages."""
    for batch in batches(rows):
        for i in np.flatnonzero(batch.valid).tolist():
            row = batch.first + i if numbers is None else numbers[batch.first + i]
            try:
                yield row, Sketch.from_bytes(batch.row(i))
            except SketchError as error:
                if errors == "raise":
                    raise with_row(error, row, function) from None


def _merge_in_pairs(sketches: Iterator[tuple[int, Sketch]], errors: Errors, function: str) -> bytes | None:
    """Merge the sketches in pairs.

    `waiting` holds merges of 2ⁱ sketches, like the digits of a binary counter: i decreases towards the end.
    """
    waiting: list[tuple[int, Sketch]] = []
    whole: Sketch | None = None

    def join(row: int, left: Sketch, right: Sketch) -> Sketch:
        try:
            return left.merge(right)
        except SketchError as error:
            if errors == "raise":
                raise with_row(error, row, function) from None
            return left

    for row, sketch in sketches:
        size = 1
        while waiting and waiting[-1][0] == size:
            sketch = join(row, waiting.pop()[1], sketch)
            size *= 2
        waiting.append((size, sketch))
    for _, sketch in reversed(waiting):
        whole = sketch if whole is None else join(row, sketch, whole)
    return None if whole is None else whole.to_bytes()
