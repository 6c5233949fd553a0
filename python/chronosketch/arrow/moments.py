"""The sums, means and other moments of every sketch of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronosketch.arrow.row_answers import answer_each
from chronosketch.arrow.summed import moments_by_row
from chronosketch.sketch.moments.bounds import MOMENTS, MomentBounds
from chronosketch.sketch.refusal import Refusal, refusing_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronosketch.arrow.row_answers import Errors
    from chronosketch.sketch.base import Sketch

# Sums of 2⁶³ values of 64 bits have at most 39 digits, and 18 more after the point.
_EXACT = pa.decimal256(57, 18)
_BOUNDS = pa.struct([(name, pa.float64()) for name in MomentBounds._fields])


@refusing_as("arrow.sum")
def sum(column: Any, errors: Errors = "raise") -> Any:  # noqa: A001
    """Return the sum of the values of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches that keep sums: quantile sketches built with ``sum=True``, and those of moments. NULL,
        None and, in pandas, NaN give NULL.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or has no sums: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.DoubleArray
        One sum for each row, in units of the values. For whole numbers and decimals it is the double nearest
        to the exact sum; `exact_sum` has all digits. A sketch of a window has an estimate, which
        `moment_bounds` bounds. An empty sketch gives NULL.

    Raises
    ------
    RowError
        If a row is not a sketch, or has no sums. The message says how to build a sketch with sums.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> column = [Sketch.build(values, sum=True).to_bytes() for values in ([12.5, 80.0], [7.25])]
    >>> arrow.sum(column).to_pylist(), arrow.quantile(column, 1).to_pylist()
    ([92.5, 7.25], [80.0, 7.25])
    """
    return _doubles("sum", column, errors, lambda sketch: sketch.sum())


@refusing_as("arrow.exact_sum")
def exact_sum(column: Any, errors: Errors = "raise") -> Any:
    """Return the sum of the whole numbers or decimals of every sketch, with all digits.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        As of `sum`, but no windows.
    errors : {"raise", "null"}
        As of `sum`.

    Returns
    -------
    pyarrow.Decimal256Array
        One sum for each row. Of FLOAT and DOUBLE there is none: they, and empty sketches, give NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> row = Sketch.build([2**53, 1], sum=True).to_bytes()
    >>> int(arrow.exact_sum([row])[0].as_py()), arrow.sum([row])[0].as_py()
    (9007199254740993, 9007199254740992.0)
    """
    return pa.array(_answers("exact_sum", column, errors, lambda sketch: sketch.exact_sum), _EXACT)


@refusing_as("arrow.mean")
def mean(column: Any, errors: Errors = "raise") -> Any:
    """Return the mean of the values of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        As of `sum`.
    errors : {"raise", "null"}
        As of `sum`.

    Returns
    -------
    pyarrow.DoubleArray
        One mean for each row, in units of the values. For whole numbers and decimals it is the double nearest
        to the exact mean. An empty sketch gives NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.mean([Sketch.build(range(1, 101), sum=True).to_bytes(), None]).to_pylist()
    [50.5, None]
    """
    return _doubles("mean", column, errors, lambda sketch: sketch.mean())


@refusing_as("arrow.variance")
def variance(column: Any, population: bool = False, errors: Errors = "raise") -> Any:
    """Return the variance of the values of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        As of `sum`.
    population : bool, default False
        Whether the values are the whole population. Otherwise they are a sample, and the divisor is one less
        than their count.
    errors : {"raise", "null"}
        As of `sum`.

    Returns
    -------
    pyarrow.DoubleArray
        One variance for each row, in units of the values squared. An empty sketch, and a sample of one value,
        give NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.variance([Sketch.build([1, 3], sum=True).to_bytes()], population=True).to_pylist()
    [1.0]
    """
    return _doubles("variance", column, errors, lambda sketch: sketch.variance(population))


@refusing_as("arrow.stddev")
def stddev(column: Any, population: bool = False, errors: Errors = "raise") -> Any:
    """Return the standard deviation of the values of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        As of `sum`.
    population : bool, default False
        As of `variance`.
    errors : {"raise", "null"}
        As of `sum`.

    Returns
    -------
    pyarrow.DoubleArray
        One number for each row, in units of the values. An empty sketch, and a sample of one value, give
        NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.stddev([Sketch.build([1, 3], sum=True).to_bytes()], population=True).to_pylist()
    [1.0]
    """
    return _doubles("stddev", column, errors, lambda sketch: sketch.stddev(population))


@refusing_as("arrow.skewness")
def skewness(column: Any, errors: Errors = "raise") -> Any:
    """Return the skewness of the values of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        As of `sum`, but no windows.
    errors : {"raise", "null"}
        As of `sum`.

    Returns
    -------
    pyarrow.DoubleArray
        One number for each row. An empty sketch, and equal values, give NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.skewness([Sketch.build([1, 2, 3], sum=True).to_bytes()]).to_pylist()
    [0.0]
    """
    return _doubles("skewness", column, errors, lambda sketch: sketch.skewness())


@refusing_as("arrow.kurtosis")
def kurtosis(column: Any, errors: Errors = "raise") -> Any:
    """Return the excess kurtosis of the values of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        As of `sum`, but no windows.
    errors : {"raise", "null"}
        As of `sum`.

    Returns
    -------
    pyarrow.DoubleArray
        One number for each row. An empty sketch, and equal values, give NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.kurtosis([Sketch.build([1, 2, 3], sum=True).to_bytes()]).to_pylist()
    [-1.5]
    """
    return _doubles("kurtosis", column, errors, lambda sketch: sketch.kurtosis())


@refusing_as("arrow.moment_bounds")
def moment_bounds(column: Any, moment: str, errors: Errors = "raise") -> Any:
    """Return a moment of the values of every sketch, with bounds that always contain the exact one.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        As of `sum`.
    moment : str
        ``"count"``, ``"sum"``, ``"mean"``, ``"variance"``, ``"variance_pop"``, ``"stddev"`` or
        ``"stddev_pop"``.
    errors : {"raise", "null"}
        As of `sum`.

    Returns
    -------
    pyarrow.StructArray
        `value`, `lower` and `upper` for each row. NULL if the moment is.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.moment_bounds([Sketch.build([1, 2, 6], sum=True).to_bytes()], "sum").to_pylist()
    [{'value': 9.0, 'lower': 9.0, 'upper': 9.0}]
    """
    if moment not in MOMENTS:
        # what no sketch has is not a fault of a row
        raise Refusal("UNKNOWN_MOMENT", moment=moment, known=", ".join(MOMENTS))
    found = _answers("moment_bounds", column, errors, lambda sketch: sketch.moment_bounds(moment))
    return pa.array([None if bounds is None else bounds._asdict() for bounds in found], _BOUNDS)


def _doubles(name: str, column: Any, errors: Errors, answer: Callable[[Sketch], float | None]) -> Any:
    return pa.array(_answers(name, column, errors, answer), pa.float64())


def _answers(name: str, column: Any, errors: Errors, answer: Callable[[Sketch], Any]) -> list[Any]:
    return answer_each(column, name, errors, answer, moments_by_row)
