"""The type and the keys of many values: arrays, series and lists.

An array or series has the SQL type of its own type, as in Spark:

- whole numbers of 8, 16, 32 and 64 bits are TINYINT, SMALLINT, INT and BIGINT; unsigned ones take the next
  type, and those of 64 bits BIGINT;
- floating-point numbers of up to 32 bits are FLOAT, of 64 bits DOUBLE; decimals are DECIMAL;
- days are DATE, instants TIMESTAMP or, without a time zone, TIMESTAMP_NTZ; durations are INTERVAL DAY TO
  SECOND and times of the day TIME(6). What they have below a microsecond is cut off.

A list or another iterable has the type of its elements; see `chronosketch.sketch.domain.values.keys_of`.

None, NaT and pandas' NA are NULL and left out. NaN is a value, the greatest, unless it is in a pandas object:
pandas writes missing values so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.domain.domain import MOST_DIGITS, TYPES_IN_WORDS, Domain, Kind
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    import numpy.typing as npt

    Longs = npt.NDArray[np.int64]

_WHOLE = {1: Kind.TINYINT, 2: Kind.SMALLINT, 4: Kind.INT, 8: Kind.BIGINT}
# The values that a cache holds.
_IN_CACHE = 1 << 15


def keys_of_doubles(values: npt.NDArray[np.floating[Any]]) -> Longs:
    """Return the keys of floating-point numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.sketch.domain.columns import keys_of_doubles
    >>> keys_of_doubles(np.array([0.0, -0.0, 5e-324]))
    array([0, 0, 1])
    """
    keys = values.astype(np.float64).view(np.int64)
    for start in range(0, len(keys), _IN_CACHE):
        bits = keys[start : start + _IN_CACHE]
        part = bits.view(np.float64)
        # -0.0 becomes 0.0
        part += 0.0
        strange = np.isnan(part)
        bits ^= bits >> 63 & MOST_LONG
        bits[strange] = doubles.NAN
    return keys


def doubles_of(keys: Longs) -> npt.NDArray[np.float64]:
    """Return the doubles that keys encode."""
    return np.where(keys >= 0, keys, keys ^ MOST_LONG).view(np.float64)


def typed_keys(values: object) -> tuple[Domain, Longs] | list[object] | None:
    """Return the type and the keys of an array or a series.

    Returns its elements instead if they are Python objects, and None if it is neither.
    """
    room = type(values).__module__.partition(".")[0]
    if isinstance(values, np.ndarray):
        return _of_numpy(values)
    if room == "pandas":
        return _of_pandas(values)
    if room == "pyarrow" or hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return _of_arrow(values)
    return None


def _of_numpy(values: npt.NDArray[Any]) -> tuple[Domain, Longs] | list[object]:
    if values.ndim != 1:
        raise TypeError(f"values has {values.ndim} dimensions, where one belongs: values.ravel().")
    kind, width = values.dtype.kind, values.dtype.itemsize
    if kind == "O":
        return [None if _is_missing(value) else value for value in values]
    if kind in "iu":
        return _of_whole(
            values, Kind.BIGINT if kind == "u" and width == 8 else _WHOLE[width * (1 + (kind == "u"))]
        )
    if kind == "f" and width <= 8:
        return Domain(Kind.FLOAT if width < 8 else Kind.DOUBLE), keys_of_doubles(values)
    if kind in "mM":
        return _of_times(values)
    if not len(values) and kind == "f":
        return []
    name = "BOOLEAN" if kind == "b" else str(values.dtype)
    hint = (
        "Count it as 0 and 1: values.astype('int8')." if kind == "b" else "Give values of one of these types."
    )
    raise Refusal(
        "UNSUPPORTED_TYPE", types=TYPES_IN_WORDS, argument="value", sql="values", type=name, hint=hint
    )


def _of_whole(values: npt.NDArray[Any], kind: Kind) -> tuple[Domain, Longs]:
    if values.dtype == np.uint64 and len(values) and values.max() > MOST_LONG:
        raise Refusal(
            "VALUE_OUT_OF_RANGE", value=values.max(), type="BIGINT", fix="Give smaller values, or doubles."
        )
    return Domain(kind), values.astype(np.int64)


def _of_times(values: npt.NDArray[Any]) -> tuple[Domain, Longs]:
    values = values[~np.isnat(values)]
    unit, _ = np.datetime_data(values.dtype)
    if values.dtype.kind == "m":
        micros = _micros(values, "m8[us]")
        return Domain(Kind.DAY_TIME_INTERVAL, 0, 3), micros
    if unit in ("Y", "M", "W", "D"):
        return Domain(Kind.DATE), values.astype("M8[D]").astype(np.int64)
    return Domain(Kind.TIMESTAMP_NTZ), _micros(values, "M8[us]")


def _micros(values: npt.NDArray[Any], unit: str) -> Longs:
    """Return whole microseconds, rounded down. Refuse what 64 bits do not hold."""
    given, step = np.datetime_data(values.dtype)
    if values.dtype.kind == "m" and given in ("Y", "M"):
        raise Refusal(
            "UNSUPPORTED_TYPE",
            types=TYPES_IN_WORDS,
            argument="value",
            sql="values",
            type=str(values.dtype),
            hint="Give the months as whole numbers, with the type INTERVAL MONTH.",
        )
    if given in ("ns", "ps", "fs", "as"):
        micro = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}[given]
        wide = values.astype(np.int64)
        return wide // (micro // step) if micro % step == 0 else wide * step // micro
    if given == "generic":
        return values.astype(np.int64)
    scaled = values.astype(unit)
    back = scaled.astype(values.dtype)
    if not np.array_equal(back, values):
        worst = values[back != values][0]
        raise Refusal(
            "VALUE_OUT_OF_RANGE", value=worst, type="TIMESTAMP_NTZ", fix="Give values of this time."
        )
    return scaled.astype(np.int64)


def _is_missing(value: object) -> bool:
    """Return whether an object is pandas' NA, NaT, or a NaT of numpy."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__module__.startswith("pandas.") and type(value).__name__ in ("NAType", "NaTType")


def without_missing(values: list[object]) -> list[object]:
    """Return the elements that are not NULL."""
    return [value for value in values if value is not None and not _is_missing(value)]


def _of_pandas(values: Any) -> tuple[Domain, Longs] | list[object]:
    if not hasattr(values, "dtype"):
        raise TypeError("values is a table: name one column of it.")
    dtype = values.dtype
    values = values.dropna()
    if hasattr(dtype, "categories"):
        return _of_pandas(values.astype(dtype.categories.dtype))
    if hasattr(dtype, "pyarrow_dtype"):
        import pyarrow as pa

        return _of_arrow(pa.array(values, from_pandas=False))
    if hasattr(dtype, "numpy_dtype"):
        return _of_numpy(values.to_numpy(dtype=dtype.numpy_dtype))
    if hasattr(dtype, "tz"):
        instants = values.to_numpy(dtype=f"M8[{dtype.unit}]")
        return Domain(Kind.TIMESTAMP), _micros(instants, "M8[us]")
    found = values.to_numpy()
    return _of_numpy(found)


def _of_arrow(values: Any) -> tuple[Domain, Longs]:
    import pyarrow as pa

    if isinstance(values, pa.Table | pa.RecordBatch):
        raise TypeError("values is a table: name one column of it.")
    array = values if isinstance(values, pa.Array | pa.ChunkedArray) else _imported(values)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        array = pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    array = array.drop_null()
    kind = array.type
    if pa.types.is_null(kind):
        return Domain(Kind.DOUBLE), np.zeros(0, np.int64)
    if pa.types.is_decimal(kind) and kind.precision <= MOST_DIGITS and 0 <= kind.scale <= kind.precision:
        halves = array.cast(pa.decimal128(kind.precision, kind.scale))
        words = np.frombuffer(halves.buffers()[1], np.int64)[2 * halves.offset :]
        return Domain(Kind.DECIMAL, kind.precision, kind.scale), words[: 2 * len(array) : 2].copy()
    if pa.types.is_date(kind):
        return Domain(Kind.DATE), array.cast(pa.date32()).cast(pa.int32()).to_numpy().astype(np.int64)
    if pa.types.is_timestamp(kind):
        found = array.cast(pa.int64()).to_numpy().view(f"M8[{kind.unit}]")
        micros = _micros(found, "M8[us]")
        return Domain(Kind.TIMESTAMP if kind.tz is not None else Kind.TIMESTAMP_NTZ), micros
    if pa.types.is_duration(kind):
        found = array.cast(pa.int64()).to_numpy().view(f"m8[{kind.unit}]")
        return Domain(Kind.DAY_TIME_INTERVAL, 0, 3), _micros(found, "m8[us]")
    if pa.types.is_time(kind):
        whole = pa.int32() if kind.bit_width == 32 else pa.int64()
        nanos = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[kind.unit]
        return Domain(Kind.TIME, 6), array.cast(whole).to_numpy().astype(np.int64) * nanos // 1000 * 1000
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        found = _of_numpy(array.to_numpy(zero_copy_only=False))
        assert isinstance(found, tuple)
        return found
    raise Refusal(
        "UNSUPPORTED_TYPE",
        types=TYPES_IN_WORDS,
        argument="value",
        sql="values",
        type="BOOLEAN" if pa.types.is_boolean(kind) else str(kind),
        hint="Count it as 0 and 1." if pa.types.is_boolean(kind) else "Give values of one of these types.",
    )


def _imported(values: Any) -> Any:
    """Return an object of another library, such as a Polars series, as an Arrow array."""
    import pyarrow as pa

    return pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)


def present(values: Any) -> npt.NDArray[np.bool_]:
    """Return which of some values are not NULL."""
    room = type(values).__module__.partition(".")[0]
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        missing = np.isnat(values) if values.dtype.kind in "mM" else np.zeros(len(values), np.bool_)
        return ~missing
    if room == "pandas":
        found: npt.NDArray[np.bool_] = values.notna().to_numpy(dtype=np.bool_)
        return found
    if room == "pyarrow":
        return np.asarray(
            values.is_valid().to_numpy(zero_copy_only=False)
            if hasattr(values, "offset")
            else values.is_valid().to_numpy(),
            np.bool_,
        )
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        return present(_imported(values))
    return np.array([not (value is None or _is_missing(value)) for value in values], np.bool_)
