"""The rows of each group of a column, and a table of the groups with one sketch each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from chronosketch.arrow.column import Longs


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
        names = table.column_names
        row = _unused("row", names)
        numbered = table.append_column(row, pa.array(np.arange(len(table))))
        groups = numbered.group_by(names, use_threads=False).aggregate([(row, "list")])
        lists = groups[f"{row}_list"].combine_chunks()
        if isinstance(lists, pa.ChunkedArray):
            lists = pa.concat_arrays(lists.chunks) if lists.num_chunks else pa.array([], lists.type)
        sizes = np.diff(lists.offsets.to_numpy()).astype(np.int64)
        return Groups(groups.select(names), lists.flatten().to_numpy(zero_copy_only=False), sizes)

    @staticmethod
    def one(rows: int) -> Groups:
        """Return one group of all rows."""
        return Groups(None, np.arange(rows), np.array([rows]))

    def table(self, sketches: list[bytes | None]) -> Any:
        """Return the key and the sketch of each group."""
        column = _unused("sketch", self.keys.column_names)
        return self.keys.append_column(column, pa.array(sketches, pa.large_binary()))

    def require_rows(self, rows: int, what: str) -> None:
        """Refuse a number of keys that is not the number of rows."""
        if len(self.order) != rows:
            raise ValueError(f"there are {len(self.order)} keys and {rows} {what}.")


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
    """Cast string and binary views, because Arrow cannot group by them."""
    grouped = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    fields = [field.with_type(grouped.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))
