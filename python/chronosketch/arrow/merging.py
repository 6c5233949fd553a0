"""Many sketches as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from chronosketch.arrow.column import batches, chunked
from chronosketch.arrow.row_error import in_row
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.refusal import SketchError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from chronosketch.arrow.asking import Errors


def merge(column: Any, errors: Errors = "raise") -> bytes | None:
    """Return the union of all sketches of a column, as it is stored.

    Neighbours are merged in pairs, then what came of these, so each sketch goes through few merges.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches that go together; NULL, None and, in pandas, NaN are skipped.
    errors : {"raise", "null"}
        What is done with a row that is no sketch, or does not go with those before it: `RowError`, or the
        row is skipped.

    Returns
    -------
    bytes
        None where no row has a sketch.

    Raises
    ------
    RowError
        If a row is no sketch, or does not go with those before it.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> days = [Sketch.build([1, 2]).to_bytes(), None, Sketch.build([3]).to_bytes()]
    >>> Sketch.from_bytes(arrow.merge(days)).quantile(1)
    3
    """
    return _united(_sketches(chunked(column), errors, "merge"), errors, "merge")


def merge_by(keys: Any, column: Any, errors: Errors = "raise") -> Any:
    """Return the union of the sketches of every group.

    Parameters
    ----------
    keys : pyarrow.Table, or an Arrow array, series or sequence
        The group of each row. Of a table all columns together are the key; NULL is a key like others.
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches, those of a group of one kind; NULL, None and, in pandas, NaN are skipped.
    errors : {"raise", "null"}
        What is done with a row that is no sketch, or does not go with those before it: `RowError`, or the
        row is skipped.

    Returns
    -------
    pyarrow.Table
        The columns of the keys, ``key`` where they had no name, and ``sketch``: one row a group, in the order
        in which groups come first. The sketch is NULL where a group has none.

    Raises
    ------
    RowError
        If a row is no sketch, or does not go with those of its group before it.
    ValueError
        If there are not as many keys as sketches.

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
        merged.append(_united(found, errors, "merge_by"))
    return groups.select(names).append_column(row, pa.array(merged, pa.large_binary()))


def _key_column(keys: Any) -> Any:
    if isinstance(keys, pa.Array | pa.ChunkedArray):
        return keys
    return pa.chunked_array(keys) if hasattr(keys, "__arrow_c_stream__") else pa.array(keys)


def _without_views(table: pa.Table) -> pa.Table:
    """Cast string and binary views, which Arrow cannot group."""
    grouped = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    fields = [field.with_type(grouped.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))


def _sketches(
    rows: Any, errors: Errors, function: str, numbers: list[int] | None = None
) -> Iterator[tuple[int, Sketch]]:
    """Return each row that is a sketch, by the number that messages give it."""
    for batch in batches(rows):
        for i in np.flatnonzero(batch.valid).tolist():
            row = batch.first + i if numbers is None else numbers[batch.first + i]
            try:
                yield row, Sketch.from_bytes(batch.row(i))
            except SketchError as error:
                if errors == "raise":
                    raise in_row(error, row, function) from None


def _united(sketches: Iterator[tuple[int, Sketch]], errors: Errors, function: str) -> bytes | None:
    """Return the union. What waits is of 2ⁱ sketches for rising i from the last on, as digits of a count."""
    waiting: list[tuple[int, Sketch]] = []
    whole: Sketch | None = None

    def join(row: int, left: Sketch, right: Sketch) -> Sketch:
        try:
            return left.merge(right)
        except SketchError as error:
            if errors == "raise":
                raise in_row(error, row, function) from None
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
