"""Turn functions of Arrow arrays into Spark functions, in the way that a version of Spark offers.

From 4.1 on Spark hands Arrow arrays over. Earlier versions hand over pandas series, which do not tell
all types: see `_typed`.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from chronosketch.errors import ChronosketchError
from chronosketch.portable.forms import naming
from chronosketch.sketch.domain.domain import MOST_DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

# Whole numbers up to here are exact doubles.
_WHOLE_DOUBLES = 1 << 53
# PythonEvalType, which no public module names: scalar and aggregate functions of Arrow, and of pandas.
_ARROW, _ARROW_AGGREGATE, _PANDAS, _PANDAS_AGGREGATE = 250, 252, 200, 202


class Dialect(Protocol):
    """The way in which a version of Spark runs Python functions."""

    #: Whether aggregates may return a STRUCT, and see the types of values as they are.
    is_typed: bool

    def scalar(self, name: str, answer: Callable[..., Any], returns: str) -> Any:
        """Make a function of rows."""

    def aggregate(self, name: str, answer: Callable[..., Any], returns: str) -> Any:
        """Make a function of the rows of a group."""


def dialect_of(spark: SparkSession) -> Dialect:
    """Return the dialect that both the server and the client of a session support."""
    major, minor, *_ = (int(part) if part.isdigit() else 0 for part in spark.version.split("."))
    return ArrowDialect() if (major, minor) >= (4, 1) and hasattr(F, "arrow_udf") else PandasDialect()


class ArrowDialect:
    """Makes functions of Arrow arrays."""

    is_typed = True

    def scalar(self, name: str, answer: Callable[..., Any], returns: str) -> Any:
        """Make a function of rows."""
        return _udf("arrow_udf", naming(name, answer), returns, _ARROW)

    def aggregate(self, name: str, answer: Callable[..., Any], returns: str) -> Any:
        """Make a function of the rows of a group."""
        return _udf("arrow_udf", naming(name, answer), returns, _ARROW_AGGREGATE)


class PandasDialect:
    """Makes functions of pandas series or, if series would lose a NULL, of single values."""

    is_typed = False

    def scalar(self, name: str, answer: Callable[..., Any], returns: str) -> Any:
        """Make a function of rows."""
        named = naming(name, answer)
        if "struct" in returns:
            # pandas has no NULL of a struct
            return F.udf(_one_row(named), returns)

        def of_series(*given: Any, **by_name: Any) -> Any:
            import pandas as pd

            arrays = [_array(series) for series in given]
            found = named(*arrays, **{key: _array(series) for key, series in by_name.items()})
            return pd.Series(found.to_pylist(), dtype=object)

        return _udf("pandas_udf", _called(name, of_series), returns, _PANDAS)

    def aggregate(self, name: str, answer: Callable[..., Any], returns: str) -> Any:
        """Make a function of the rows of a group."""
        named = naming(name, answer)

        def of_series(*given: Any, **by_name: Any) -> Any:
            arrays = [_array(series) if nth else _typed(series, name) for nth, series in enumerate(given)]
            others = {
                key: _typed(series, name) if key == "value" else _array(series)
                for key, series in by_name.items()
            }
            found = named(*arrays, **others)
            return found.as_py() if isinstance(found, pa.Scalar) else found

        return _udf("pandas_udf", _called(name, of_series), returns, _PANDAS_AGGREGATE)


def _udf(make: str, function: Callable[..., Any], returns: str, kind: int) -> Any:
    """Call a function of Spark that makes a Python function, without its warning about type hints."""
    with warnings.catch_warnings():
        # functions of any number of arrays have no hints
        warnings.simplefilter("ignore", UserWarning)
        # not every version has them, and type checkers see none
        return getattr(F, make)(function, returns, kind)


def _called(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function under its SQL name, which EXPLAIN shows."""
    function.__name__ = function.__qualname__ = name
    return function


def _one_row(named: Callable[..., Any]) -> Callable[..., Any]:
    def of_values(*given: Any, **by_name: Any) -> Any:
        arrays = [_array_of_one(value) for value in given]
        found = named(*arrays, **{key: _array_of_one(value) for key, value in by_name.items()})
        return _plain(found[0])

    return _called(named.__name__, of_values)


def _array_of_one(value: Any) -> Any:
    return pa.array([bytes(value) if isinstance(value, bytearray) else value])


def _plain(value: Any) -> Any:
    """Return a scalar of Arrow as Python objects, a map as a dict."""
    if not value.is_valid:
        return None
    if isinstance(value, pa.MapScalar):
        return dict(value.as_py())
    if isinstance(value, pa.StructScalar):
        return {name: _plain(value[name]) for name in value.type.names}
    if isinstance(value, pa.ListScalar):
        return [_plain(element) for element in value.values]
    return value.as_py()


def _array(series: Any) -> Any:
    """Return a series as an Arrow array, with NULL for what pandas calls missing."""
    if isinstance(series, pa.Array):
        return series
    found = pa.array(series, from_pandas=True)
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found


def _typed(series: Any, name: str) -> Any:
    """Return the values of a group in a type that does not depend on the group.

    A series of whole numbers beside a NULL is one of doubles. So all whole numbers become doubles, and those
    that no double holds are refused. TIMESTAMP and TIMESTAMP_NTZ look the same, so both are refused.
    """
    kind = series.dtype.kind
    if kind in "Mm" or hasattr(series.dtype, "tz"):
        if kind == "m":
            return _array(series)
        raise ChronosketchError(
            f"{name} cannot tell TIMESTAMP from TIMESTAMP_NTZ on Spark before 4.1, which hands over pandas "
            "series. Use cs.portable.sketch(df, by=[...], values='column') in Python."
        )
    if kind in "iu" or (kind == "f" and series.dtype.itemsize == 8 and series.hasnans):
        numbers = series.dropna().to_numpy()
        whole = kind in "iu" or bool((numbers == np.floor(numbers)).all())
        if whole and len(numbers) and bool((np.abs(numbers.astype(np.float64)) >= _WHOLE_DOUBLES).any()):
            raise ChronosketchError(
                f"{name} was given whole numbers beyond 2^53, or doubles beside NULL that look like them. "
                "Spark before 4.1 hands over pandas series, which round such numbers beside NULL. "
                "Use cs.portable.sketch(df, by=[...], values='column') in Python."
            )
        return pa.array(numbers.astype(np.float64))
    found = _array(series)
    if pa.types.is_decimal(found.type) and found.type.precision <= MOST_DIGITS:
        return found.cast(pa.decimal128(MOST_DIGITS, found.type.scale))
    return found
