"""The type and the keys of many values: arrays, series and lists.

An array or series has the SQL type of its own type, as in Spark:

- whole numbers of 8, 16, 32 and 64 bits are TINYINT, SMALLINT, INT and BIGINT; unsigned ones take the next
  type, and those of 64 bits BIGINT;
- floating-point numbers of up to 32 bits are FLOAT, of 64 bits DOUBLE; decimals are DECIMAL, with 18 digits
  where the column has more than its values need;
- days are DATE, instants TIMESTAMP or, without a time zone, TIMESTAMP_NTZ; durations are INTERVAL DAY TO
  SECOND and times of the day TIME(6). What they have below a microsecond is cut off.

A list or another iterable has the type of its elements; see `chronosketch.sketch.domain.values.keys_of`.

None, NaT, pandas' NA and masked elements are NULL and left out. NaN is a value, the greatest, unless it is in
a pandas object: pandas writes missing values so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
_DAY_MILLIS = 86_400_000
# The digits of the widest decimals of Arrow.
_WIDEST = 76
_ONE_OF_THESE = "Give values of one of these types."


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


def as_column(values: Any, name: str = "values") -> Any:
    """Return values that have a length: what is iterated only once becomes a list. Refuse anything else.

    Examples
    --------
    >>> from chronosketch.sketch.domain.columns import as_column
    >>> as_column(n * n for n in range(3))
    [0, 1, 4]
    """
    if isinstance(values, str | bytes | bytearray):
        raise _unsupported(
            "STRING" if isinstance(values, str) else "BINARY",
            f"Give a list of values as {name}.",
            repr(values),
        )
    if isinstance(values, Mapping):
        raise TypeError(
            f"{name} is a {type(values).__name__}. Name its part: keys() or values(). "
            "Of a dict of counts, keys() are the values, and values() their frequency."
        )
    if _is_table(values):
        raise TypeError(f"{name} is a table: name one column of it.")
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise TypeError(f"{name} has {values.ndim} dimensions, where one belongs: {name}.ravel().")
    elif not isinstance(values, Iterable) and not _is_arrow(values):
        raise TypeError(f"{name} is {values!r:.60}, where a list, an array or a series belongs.")
    return values if hasattr(values, "__len__") or _is_arrow(values) else list(values)


def _is_table(values: object) -> bool:
    """Return whether this is a data frame, a query of Polars, or an index of several levels."""
    room = type(values).__module__.partition(".")[0]
    named = hasattr(values, "collect_schema") or hasattr(values, "columns")
    return (room in ("pandas", "polars") and (named or hasattr(values, "levels"))) or (
        room == "pyarrow" and hasattr(values, "column_names")
    )


def _is_arrow(values: object) -> bool:
    return hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")


def typed_keys(values: object) -> tuple[Domain, Longs] | list[object] | None:
    """Return the type and the keys of an array or a series.

    Returns its elements instead if they are Python objects, and None if it is neither.
    """
    room = type(values).__module__.partition(".")[0]
    if isinstance(values, np.ma.MaskedArray):
        values = values.compressed()
    if isinstance(values, np.ndarray):
        return _of_numpy(values)
    if room == "pandas":
        return _of_pandas(values)
    if room == "pyarrow" or _is_arrow(values):
        return _of_arrow(values)
    return None


def _of_numpy(values: npt.NDArray[Any]) -> tuple[Domain, Longs] | list[object]:
    kind, width = values.dtype.kind, values.dtype.itemsize
    if kind == "O":
        return [None if is_missing(value) else value for value in values]
    if kind in "iu":
        return _of_whole(
            values, Kind.BIGINT if kind == "u" and width == 8 else _WHOLE[width * (1 + (kind == "u"))]
        )
    if kind == "f" and width <= 8:
        return Domain(Kind.FLOAT if width < 8 else Kind.DOUBLE), keys_of_doubles(values)
    if kind in "mM":
        return _of_times(values)
    if kind == "b":
        raise _unsupported("BOOLEAN", "Count it as 0 and 1: values.astype('int8').")
    hint = "Round it: values.astype('float64')." if kind == "f" else _ONE_OF_THESE
    raise _unsupported(str(values.dtype), hint)


def _unsupported(kind: str, hint: str, shown: str = "values") -> Refusal:
    return Refusal(
        "UNSUPPORTED_TYPE", types=TYPES_IN_WORDS, argument="value", sql=shown, type=kind, hint=hint
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
        if unit in ("Y", "M"):
            hint = "Give the months as whole numbers, with the type INTERVAL MONTH."
            raise _unsupported(str(values.dtype), hint)
        domain = Domain(Kind.DAY_TIME_INTERVAL, 0, 3)
        return domain, _micros(values, "m8[us]", domain)
    if unit in ("Y", "M", "W", "D"):
        return Domain(Kind.DATE), _days(values)
    domain = Domain(Kind.TIMESTAMP_NTZ)
    return domain, _micros(values, "M8[us]", domain)


def _days(values: npt.NDArray[Any]) -> Longs:
    """Return whole days. Refuse what a DATE does not hold."""
    domain = Domain(Kind.DATE)
    days = _exactly(values, "M8[D]", domain).astype(np.int64)
    beyond = (days < domain.least) | (days > domain.greatest)
    if beyond.any():
        raise _beyond(values[beyond][0], domain)
    return days


def _micros(values: npt.NDArray[Any], unit: str, domain: Domain) -> Longs:
    """Return whole microseconds, rounded down. Refuse what 64 bits do not hold."""
    given, step = np.datetime_data(values.dtype)
    if given in ("ns", "ps", "fs", "as"):
        micro = {"ns": 10**3, "ps": 10**6, "fs": 10**9, "as": 10**12}[given]
        wide = values.astype(np.int64)
        return wide // (micro // step) if micro % step == 0 else wide * step // micro
    if given == "generic":
        return values.astype(np.int64)
    return _exactly(values, unit, domain).astype(np.int64)


def _exactly(values: npt.NDArray[Any], unit: str, domain: Domain) -> npt.NDArray[Any]:
    """Return times in a finer unit. Refuse what 64 bits do not hold."""
    scaled = values.astype(unit)
    changed = scaled.astype(values.dtype) != values
    if changed.any():
        raise _beyond(values[changed][0], domain)
    return scaled


def _beyond(value: object, domain: Domain) -> Refusal:
    return Refusal("VALUE_OUT_OF_RANGE", value=value, type=domain.sql, fix="Leave such values out.")


def keys_of_times(values: list[Any]) -> tuple[Domain, Longs]:
    """Return the type and the keys of single times of numpy, which may have several units.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.sketch.domain.columns import keys_of_times
    >>> keys_of_times([np.datetime64("1970-01-02"), np.datetime64("1969-12-31")])[1]
    array([ 1, -1])
    """
    for value in values:
        if not isinstance(value, np.datetime64 | np.timedelta64):
            raise TypeError(f"{value!r:.60} is among times of numpy: give values of one type.")
    units = np.array([value.dtype.str for value in values])
    keys = np.zeros(len(values), np.int64)
    domains = set()
    for unit in np.unique(units):
        here = units == unit
        domain, keys[here] = _of_times(np.array([values[i] for i in np.flatnonzero(here)]))
        domains.add(domain)
    if len(domains) > 1:
        left, right, *_ = sorted(domain.sql for domain in domains)
        raise Refusal("VALUE_TYPES_DIFFER", left=left, right=right, fix="Give values of one type.")
    return domains.pop(), keys


def is_missing(value: object) -> bool:
    """Return whether an object is pandas' NA, NaT, or a NaT of numpy."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__module__.startswith("pandas.") and type(value).__name__ in ("NAType", "NaTType")


def without_missing(values: list[object]) -> list[object]:
    """Return the elements that are not NULL."""
    return [value for value in values if value is not None and not is_missing(value)]


def _of_pandas(values: Any) -> tuple[Domain, Longs] | list[object] | None:
    dtype = values.dtype
    if hasattr(dtype, "pyarrow_dtype"):
        _require_supported(_element_type(dtype.pyarrow_dtype))
    values = values[present(values)]
    if hasattr(dtype, "categories"):
        return typed_keys(values.astype(dtype.categories.dtype))
    if hasattr(dtype, "pyarrow_dtype"):
        import pyarrow as pa

        return _of_arrow(pa.array(values, from_pandas=False))
    if hasattr(dtype, "numpy_dtype"):
        return _of_numpy(values.to_numpy(dtype=dtype.numpy_dtype))
    if hasattr(dtype, "tz"):
        instants = values.to_numpy(dtype=f"M8[{dtype.unit}]")
        domain = Domain(Kind.TIMESTAMP)
        return domain, _micros(instants, "M8[us]", domain)
    return _of_numpy(values.to_numpy())


def _of_arrow(values: Any) -> tuple[Domain, Longs]:
    import pyarrow as pa

    array = values if isinstance(values, pa.Array | pa.ChunkedArray) else _imported(values)
    array = _decoded(array)
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
        array = pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array
    array = array.drop_null()
    kind = array.type
    if pa.types.is_null(kind):
        return Domain(Kind.DOUBLE), np.zeros(0, np.int64)
    if pa.types.is_decimal(kind):
        return _of_decimals(array)
    if pa.types.is_date32(kind):
        return Domain(Kind.DATE), array.cast(pa.int32()).to_numpy().astype(np.int64)
    if pa.types.is_date(kind):
        millis = array.cast(pa.int64()).to_numpy()
        return Domain(Kind.DATE), _days((millis // _DAY_MILLIS).view("M8[D]"))
    if pa.types.is_timestamp(kind):
        found = array.cast(pa.int64()).to_numpy().view(f"M8[{kind.unit}]")
        domain = Domain(Kind.TIMESTAMP if kind.tz is not None else Kind.TIMESTAMP_NTZ)
        return domain, _micros(found, "M8[us]", domain)
    if pa.types.is_duration(kind):
        return _of_times(array.cast(pa.int64()).to_numpy().view(f"m8[{kind.unit}]"))
    if pa.types.is_time(kind):
        whole = pa.int32() if kind.bit_width == 32 else pa.int64()
        nanos = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[kind.unit]
        return Domain(Kind.TIME, 6), array.cast(whole).to_numpy().astype(np.int64) * nanos // 1000 * 1000
    found = _of_numpy(array.to_numpy(zero_copy_only=False))
    assert isinstance(found, tuple)
    return found


def _decoded(array: Any) -> Any:
    """Return an Arrow array with every value by itself, not as one of a dictionary, or of a run."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # what is refused may have no values that Arrow can decode
    kind = _element_type(array.type)
    _require_supported(kind)
    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array(map(_decoded, array.chunks), kind)
    if pa.types.is_run_end_encoded(array.type):
        return _decoded(pc.run_end_decode(array))
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _element_type(kind: Any) -> Any:
    import pyarrow as pa

    encoded = pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind)
    return _element_type(kind.value_type) if encoded else kind


def _require_supported(kind: Any) -> None:
    """Refuse an Arrow type that sketches do not have."""
    import pyarrow as pa

    numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    days = pa.types.is_date(kind) or pa.types.is_time(kind)
    if numbers or days or pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_null(kind):
        return
    if pa.types.is_boolean(kind):
        raise _unsupported("BOOLEAN", "Count it as 0 and 1.")
    raise _unsupported(str(kind), _ONE_OF_THESE)


def _of_decimals(array: Any) -> tuple[Domain, Longs]:
    """Return the type and the keys of decimals. Columns of more than 18 digits may have values of fewer."""
    import pyarrow as pa

    kind = array.type
    if kind.scale > MOST_DIGITS:
        raise _unsupported(str(kind), f"Decimals have up to {MOST_DIGITS} digits here.")
    scale, precision = max(kind.scale, 0), max(kind.precision, kind.precision - kind.scale, kind.scale)
    domain = Domain(Kind.DECIMAL, min(precision, MOST_DIGITS), scale)
    wide = array.cast(pa.decimal256(min(precision, _WIDEST), scale))
    words = np.frombuffer(wide.buffers()[1], np.int64).reshape(-1, 4)[wide.offset :][: len(array)]
    keys = words[:, 0].copy()
    beyond = (
        (words[:, 1:] != (keys >> 63)[:, None]).any(axis=1) | (keys < domain.least) | (keys > domain.greatest)
    )
    if beyond.any():
        raise _beyond(array[int(np.flatnonzero(beyond)[0])].as_py(), domain)
    return domain, keys


def _imported(values: Any) -> Any:
    """Return an object of another library, such as a Polars series, as an Arrow array."""
    import pyarrow as pa

    try:
        return pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)
    except pa.ArrowInvalid:
        raise _unsupported(str(getattr(values, "dtype", type(values).__name__)), _ONE_OF_THESE) from None


def present(values: Any) -> npt.NDArray[np.bool_]:
    """Return which of some values are not NULL."""
    room = type(values).__module__.partition(".")[0]
    if isinstance(values, np.ma.MaskedArray):
        return ~np.ma.getmaskarray(values) & present(values.data)
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        missing = np.isnat(values) if values.dtype.kind in "mM" else np.zeros(len(values), np.bool_)
        return ~missing
    if room == "pandas":
        found = ~np.array(values.isna(), np.bool_)
        if values.dtype.kind == "f" and not isinstance(values.dtype, np.dtype):
            found &= ~np.isnan(values.to_numpy(dtype=np.float64, na_value=np.nan))
        return found
    if room == "pyarrow":
        values = _decoded(values)
        return np.asarray(
            values.is_valid().to_numpy(zero_copy_only=False)
            if hasattr(values, "offset")
            else values.is_valid().to_numpy(),
            np.bool_,
        )
    if _is_arrow(values):
        return present(_imported(values))
    return np.array([not (value is None or is_missing(value)) for value in values], np.bool_)
