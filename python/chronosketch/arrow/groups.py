"""The rows of each group of a column, and a table of the groups with one sketch each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from chronosketch.sketch.domain.columns import is_missing

if TYPE_CHECKING:
    from chronosketch.arrow.column import Longs


_SHORT = 1 << 16
_LOW = (1 << 32) - 1
# Arrow groups decimals of at least this width.
_DECIMAL_BITS = 128
_COPIED = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
_SEVERAL = (
    "Give several columns as a table, a data frame, or a dict of columns: {'host': [...], 'day': [...]}."
)


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
        table = table_of(keys)
        codes, n = np.zeros(len(table), np.int64), min(1, len(table))
        for column in table.columns:
            more, distinct = _codes(column)
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
    try:
        encoded = _encodable(column).dictionary_encode(null_encoding="encode")
    except pa.ArrowNotImplementedError:
        hint = " Make each of its fields a column." if pa.types.is_struct(kind) else ""
        raise TypeError(f"keys has a column of type {kind}, which can't be a key.{hint}") from None
    chunks = [chunk.indices.to_numpy() for chunk in encoded.chunks]
    codes = np.concatenate([np.zeros(0, np.int64), *chunks])
    return codes, int(codes.max(initial=-1)) + 1


def _encodable(array: Any) -> Any:
    """Return a column in a type whose values Arrow can number, equal ones alike."""
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.cast(array.type.storage_type)
    if pa.types.is_float16(array.type):
        array = array.cast(pa.float32())
    if pa.types.is_floating(array.type):
        # -0.0 becomes 0.0, and every NaN the same
        array = pc.add(array, pa.scalar(0, array.type))
        array = pc.if_else(pc.is_nan(array), pa.scalar(float("nan"), array.type), array)
    if pa.types.is_decimal(array.type) and array.type.bit_width < _DECIMAL_BITS:
        array = array.cast(pa.decimal128(array.type.precision, array.type.scale))
    return array


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


def table_of(keys: Any) -> Any:
    """Return keys in any form as a table of which Arrow can take rows. Refuse anything else.

    Examples
    --------
    >>> from chronosketch.arrow.groups import table_of
    >>> table_of(["a", "b"]).column_names, table_of({"host": ["a"], "day": [1]}).column_names
    (['key'], ['host', 'day'])
    """
    table = _table(keys)
    if not table.num_columns:
        raise TypeError("keys has no column.")
    columns = [
        pa.chunked_array([_plain(chunk) for chunk in column.chunks], _plain_type(column.type))
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def _table(keys: Any) -> Any:
    if isinstance(keys, pa.Table):
        return keys
    if isinstance(keys, pa.RecordBatch):
        return pa.Table.from_batches([keys])
    if isinstance(keys, Mapping):
        return pa.table({str(name): _column(column) for name, column in keys.items()})
    if getattr(getattr(keys, "dtype", None), "names", None):
        return pa.table({name: _column(keys[name]) for name in keys.dtype.names})
    if hasattr(keys, "collect_schema") and not hasattr(keys, "__arrow_c_stream__"):
        raise TypeError("keys is a query that has not run: keys.collect().")
    if type(keys).__module__.partition(".")[0] == "pandas":
        if hasattr(keys, "levels"):
            keys = keys.to_frame(index=False)
        if hasattr(keys, "columns"):
            return pa.Table.from_pandas(keys, preserve_index=False).replace_schema_metadata()
    if hasattr(keys, "__arrow_c_stream__") and hasattr(keys, "columns"):
        return pa.table(keys)
    return pa.table({"key": _column(keys)})


def _column(keys: Any) -> Any:
    """Return one column of keys."""
    if isinstance(keys, pa.Array | pa.ChunkedArray):
        return keys
    if hasattr(keys, "__arrow_c_stream__"):
        return pa.chunked_array(keys)
    if isinstance(keys, str | bytes | bytearray) or not isinstance(keys, Iterable):
        raise TypeError(f"keys is {keys!r:.60}, where a column or a table of keys belongs.")
    if isinstance(keys, np.ndarray):
        if keys.ndim != 1:
            raise TypeError(f"keys has {keys.ndim} dimensions. {_SEVERAL}")
        if not keys.dtype.isnative:
            keys = keys.astype(keys.dtype.newbyteorder("="))
    elif not hasattr(keys, "dtype"):
        keys = _of_objects(list(keys))
    try:
        return pa.array(keys)
    except (
        pa.ArrowInvalid,
        pa.ArrowTypeError,
        pa.ArrowNotImplementedError,
        OverflowError,
        ValueError,
    ) as error:
        raise TypeError(f"keys has values that one column of Arrow can't have: {error}") from None


def _of_objects(keys: list[Any]) -> Any:
    """Return single keys in a form that Arrow reads. Refuse those that are several values each."""
    for key in keys:
        if isinstance(key, Iterable) and not isinstance(key, str | bytes | bytearray):
            raise TypeError(f"keys has an element of type {type(key).__name__}. {_SEVERAL}")
    present = [None if is_missing(key) else key for key in keys]
    times = [key for key in present if isinstance(key, np.datetime64 | np.timedelta64)]
    if not times:
        return present
    found = np.array(times)
    made = np.full(len(keys), "NaT", found.dtype)
    made[[key is not None for key in present]] = found
    return made


def _plain(chunk: Any) -> Any:
    """Return a part of a column without views and runs: Arrow cannot take rows of these."""
    if pa.types.is_run_end_encoded(chunk.type):
        return _plain(pc.run_end_decode(chunk))
    if pa.types.is_dictionary(chunk.type) and chunk.type.value_type in _COPIED:
        return pa.DictionaryArray.from_arrays(
            chunk.indices, _plain(chunk.dictionary), ordered=chunk.type.ordered
        )
    return chunk.cast(_COPIED.get(chunk.type, chunk.type))


def _plain_type(kind: Any) -> Any:
    if pa.types.is_run_end_encoded(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_dictionary(kind) and kind.value_type in _COPIED:
        return pa.dictionary(kind.index_type, _COPIED[kind.value_type], kind.ordered)
    return _COPIED.get(kind, kind)
