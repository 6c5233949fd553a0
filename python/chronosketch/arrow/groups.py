"""The rows of each group of a column, and a table of the groups with one sketch each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from chronosketch.arrow.column import Longs


_SHORT = 1 << 16
_LOW = (1 << 32) - 1


@dataclass(frozen=True)
class Groups:
    """The rows of each group, in the order in which groups first appear.

    Attributes
    ----------
    keys : pyarrow.Table
        The key of each group.
    order : array of int64
        The rows, those of a group one after the other, as they are in the column.
    sizes : array of int64
        The number of rows of each group.
    """

    keys: Any
    order: Longs
    sizes: Longs

    @staticmethod
    def of(keys: Any) -> Groups:
        """Return the groups of a table, or of one column.

        Examples
        --------
        >>> from chronosketch.arrow.groups import Groups
        >>> groups = Groups.of(["a", "b", "a"])
        >>> groups.order.tolist(), groups.sizes.tolist()
        ([0, 2, 1], [2, 1])
        """
        table = _without_views(_table(keys))
        codes, n = np.zeros(len(table), np.int64), min(1, len(table))
        for name in table.column_names:
            more, distinct = _codes(table[name])
            if n == 1:
                codes, n = more, distinct
            else:
                pairs = pa.array(codes * distinct + more).dictionary_encode()
                codes, n = pairs.indices.to_numpy().astype(np.int64), len(pairs.dictionary)
        order = _order(codes, n)
        sizes = np.bincount(codes, minlength=n)
        # the first row of a group is the first of its rows
        keys = table.take(order[np.cumsum(sizes) - sizes])
        return Groups(keys, order, sizes)

    @staticmethod
    def one(rows: int) -> Groups:
        """Return one group of all rows."""
        return Groups(None, np.arange(rows), np.array([rows]))

    def table(self, sketches: Any) -> Any:
        """Return the key and the sketch of each group."""
        return self.keys.append_column(_unused("sketch", self.keys.column_names), sketches)

    def require_rows(self, rows: int, what: str) -> None:
        """Refuse a number of keys that is not the number of rows."""
        if len(self.order) != rows:
            raise ValueError(f"there are {len(self.order)} keys and {rows} {what}.")


def _codes(column: Any) -> tuple[Longs, int]:
    """Return a number for each value of a column, in the order in which values first appear, and how many."""
    kind = column.type
    array = column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column
    if pa.types.is_floating(kind):
        # -0.0 becomes 0.0
        array = pc.add(array, pa.scalar(0, kind))
    try:
        encoded = array.dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:
        raise TypeError(f"keys has a column of type {kind}, which can't be a key.") from None
    chunks = [chunk.indices.to_numpy() for chunk in encoded.chunks]
    codes = np.concatenate([np.zeros(0, np.int64), *chunks])
    return codes, int(codes.max(initial=-1)) + 1


def _order(codes: Longs, n: int) -> Longs:
    """Return the positions of numbers below n in ascending order. Equal ones keep their order."""
    if (codes[1:] >= codes[:-1]).all():
        return np.arange(len(codes))
    if n <= _SHORT:
        # numpy sorts numbers of 16 bits by their digits
        return np.argsort(codes.astype(np.uint16), kind="stable")
    return np.sort(codes << 32 | np.arange(len(codes))) & _LOW


def _unused(name: str, names: list[str]) -> str:
    while name in names:
        name += "_"
    return name


def _table(keys: Any) -> Any:
    if isinstance(keys, pa.Table):
        return keys
    if isinstance(keys, pa.RecordBatch):
        return pa.Table.from_batches([keys])
    if isinstance(keys, pa.Array | pa.ChunkedArray):
        return pa.table({"key": keys})
    if type(keys).__module__.partition(".")[0] == "pandas" and hasattr(keys, "columns"):
        return pa.Table.from_pandas(keys, preserve_index=False).replace_schema_metadata()
    if hasattr(keys, "__arrow_c_stream__"):
        return pa.table(keys) if hasattr(keys, "columns") else pa.table({"key": pa.chunked_array(keys)})
    return pa.table({"key": pa.array(keys)})


def _without_views(table: pa.Table) -> pa.Table:
    """Cast string and binary views, of which Arrow cannot take rows."""
    copied = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    fields = [field.with_type(copied.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))
