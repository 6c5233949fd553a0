"""Export a column of sketches to another library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronosketch.arrow.column import batches, chunked
from chronosketch.arrow.row_answers import with_row
from chronosketch.sketch import kll
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.refusal import SketchError, refusing_as

if TYPE_CHECKING:
    from chronosketch.arrow.row_answers import Errors


@refusing_as("arrow.to_kll")
def to_kll(column: Any, k: int | None = None, errors: Errors = "raise") -> Any:
    r"""Return every sketch as a KLL sketch of Apache DataSketches, the same as SQL's ``sketch_to_kll``.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches that certify a rank error. NULL, None and, in pandas, NaN give NULL.
    k : int, optional
        From 8 to 65535: the most values that count equally, and the k of the KLL sketch.
        By default it follows from the sketch's epsilon.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or can't be written: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.BinaryArray
        One KLL sketch for each row, of doubles, floats or longs.

    Raises
    ------
    RowError
        If a row can't be written.
    ChronosketchError
        If k is out of range.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.to_kll([Sketch.build([2.5]).to_bytes(), None], k=200).to_pylist()
    [b'\x02\x02\x0f\x06\xc8\x00\x08\x00\x00\x00\x00\x00\x00\x00\x04@', None]
    """
    kll.require_k(k)
    if errors not in ("raise", "null"):
        raise ValueError(f"errors is 'raise' or 'null', not {errors!r}.")
    rows = chunked(column)
    written: list[bytes | None] = [None] * len(rows)
    for batch in batches(rows):
        for i in batch.valid.nonzero()[0].tolist():
            try:
                written[batch.first + i] = _row(batch.row(i), k)
            except SketchError as error:
                if errors == "raise":
                    raise with_row(error, batch.first + i, "to_kll") from None
    return pa.array(written, pa.binary())


def _row(data: bytes, k: int | None) -> bytes:
    # a sketch that certifies no rank error has no such method, and says so
    written: bytes = Sketch.from_bytes(data).to_kll(k)
    return written
