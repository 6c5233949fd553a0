"""Read a column of sketches, given in any supported form, in batches of a few thousand rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

#: 64-bit integers.
Longs: TypeAlias = "npt.NDArray[np.int64]"
Flags: TypeAlias = "npt.NDArray[np.bool_]"
Bytes: TypeAlias = "npt.NDArray[np.uint8]"

# About what a processor cache holds, so that each pass over the bytes finds them in the cache.
_MOST_ROWS = 8192
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of a column.

    Attributes
    ----------
    first : int
        The number of the first row in the column.
    data : array of uint8
        The bytes of all rows, and possibly of others.
    bounds : array of int64
        The bytes of row i are bounds[i] to bounds[i + 1].
    valid : array of bool
        Which rows are not NULL.
    """

    first: int
    data: Bytes
    bounds: Longs
    valid: Flags

    def __len__(self) -> int:
        return len(self.valid)

    def row(self, i: int) -> bytes:
        """Return the bytes of a row."""
        return self.data[self.bounds[i] : self.bounds[i + 1]].tobytes()


def chunked(column: Any) -> Any:
    """Return a column as a chunked array of binary or large_binary.

    Raises
    ------
    TypeError
        If its values are not bytes.

    Examples
    --------
    >>> from chronosketch.arrow.column import chunked
    >>> chunked([b"a", None]).type, len(chunked([]))
    (DataType(large_binary), 0)
    """
    if isinstance(column, bytes | bytearray | memoryview | str):
        raise TypeError("column is many sketches: [sketch] is a column of one.")
    if isinstance(column, pa.ChunkedArray):
        array = column
    elif isinstance(column, pa.Array):
        array = pa.chunked_array([column])
    elif hasattr(column, "__arrow_c_stream__"):
        array = pa.chunked_array(column)
    elif isinstance(column, Iterable):
        array = _of_objects(column)
    else:
        raise TypeError(f"column is an Arrow array, a series or a sequence of bytes, not {column!r:.60}.")
    if array.type in (pa.binary(), pa.large_binary()):
        return array
    is_encoded = pa.types.is_dictionary(array.type) or pa.types.is_run_end_encoded(array.type)
    values = array.type.value_type if is_encoded else array.type
    if not (
        pa.types.is_null(values)
        or pa.types.is_fixed_size_binary(values)
        or values in (pa.binary(), pa.large_binary(), pa.binary_view())
    ):
        raise TypeError(f"column has values of type {array.type}; sketches are binary.")
    if pa.types.is_dictionary(array.type):
        array = array.cast(values)
    if pa.types.is_run_end_encoded(array.type):
        array = pa.chunked_array([pc.run_end_decode(chunk) for chunk in array.chunks], values)
    return array.cast(pa.large_binary())


def batches(column: Any) -> Iterator[Batch]:
    """Yield the rows of a chunked array, in batches that fit into a cache."""
    first = 0
    for chunk in column.chunks:
        wide = np.int64 if chunk.type == pa.large_binary() else np.int32
        _, offsets, data = chunk.buffers()
        if len(chunk) == 0 or offsets is None:
            continue
        ends = np.frombuffer(offsets, wide)[chunk.offset : chunk.offset + len(chunk) + 1].astype(np.int64)
        buffer = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
        valid = chunk.is_valid().to_numpy(zero_copy_only=False)
        at = 0
        while at < len(chunk):
            fitting = int(np.searchsorted(ends, ends[at] + _MOST_BYTES, "right")) - 1
            to = min(max(fitting, at + 1), at + _MOST_ROWS, len(chunk))
            yield Batch(first + at, buffer, ends[at : to + 1], valid[at:to])
            at = to
        first += len(chunk)


def binary_of(data: Bytes, bounds: Longs) -> Any:
    """Return rows that lie one after the other, between bounds, as an Arrow array. Copies nothing."""
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_binary(), len(bounds) - 1, buffers)


def _of_objects(values: Iterable[object]) -> Any:
    try:
        made = pa.array(values, pa.large_binary(), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TypeError(f"column has values that are not bytes: {error}") from None
    return made if isinstance(made, pa.ChunkedArray) else pa.chunked_array([made])
