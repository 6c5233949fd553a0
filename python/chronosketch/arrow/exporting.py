"""Export a column of sketches to another library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronosketch.arrow.row_answers import answer_each
from chronosketch.sketch import kll
from chronosketch.sketch.refusal import refusing_as

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
    # a sketch that certifies no rank error has no such method, and says so
    return pa.array(answer_each(column, "to_kll", errors, lambda sketch: sketch.to_kll(k)), pa.binary())
