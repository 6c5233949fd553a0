"""Merge many sketches into one, or into one for each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chronosketch.arrow.column import chunked
from chronosketch.arrow.groups import Groups
from chronosketch.arrow.unions import Unions

if TYPE_CHECKING:
    from chronosketch.arrow.row_answers import Errors


def merge(column: Any, errors: Errors = "raise") -> bytes | None:
    """Merge all sketches of a column, and return the result as stored bytes.

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
    rows = chunked(column)
    merged: bytes | None = Unions("merge", errors).of(rows, Groups.one(len(rows)))[0].as_py()
    return merged


def merge_by(keys: Any, column: Any, errors: Errors = "raise") -> Any:
    """Merge the sketches of every group.

    Parameters
    ----------
    keys : pyarrow.Table, a data frame, a dict of columns, or an Arrow array, series or sequence
        The group of each row. All columns of a table or dict together are the key. NULL is a key like
        any other.
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
    groups, rows = Groups.of(keys), chunked(column)
    groups.require_rows(len(rows), "sketches")
    return groups.table(Unions("merge_by", errors).of(rows, groups))
