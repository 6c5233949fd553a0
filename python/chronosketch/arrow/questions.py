"""The questions that a column of sketches answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from chronosketch.arrow.column import chunked
from chronosketch.arrow.row_answers import (
    Errors,
    RowQuestion,
    as_lists,
    ask,
    asked_of,
    for_all_rows,
    for_no_rows,
    keys_or_none,
    phis_of,
    shares_of,
    stack,
)
from chronosketch.arrow.typed import array_of, convert_keys
from chronosketch.sketch.domain.conversion import Rounding, floor_of
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.domain.values import domain_of
from chronosketch.sketch.refusal import Refusal, refusing_as

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chronosketch.arrow.column import Flags, Longs
    from chronosketch.arrow.profiles import Profiles
    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.domain.values import Value
    from chronosketch.sketch.rank import Share

_BIGINT = Domain(Kind.BIGINT)
_DOUBLE = Domain(Kind.DOUBLE)


@refusing_as("arrow.quantile")
def quantile(
    column: Any,
    phi: Share | Iterable[Share],
    type: str = "double",  # noqa: A002
    errors: Errors = "raise",
) -> Any:
    """Return the φ-quantile of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family. NULL, None and, in pandas, NaN give NULL.
    phi : float, Decimal or iterable of these
        Shares from 0 to 1.
    type : str, default "double"
        The SQL type of the answers, one for the whole column. Sketches of dates need ``"date"``.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.Array
        One answer for each row; for several φ, a FixedSizeList. An empty sketch gives NULL.

    Raises
    ------
    RowError
        If a row cannot answer.
    ChronosketchError
        If φ is out of range, or the type does not exist.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> column = [Sketch.build(range(1, n + 1)).to_bytes() for n in (10, 100)]
    >>> arrow.quantile(column, [0.5, 0.99], type="bigint").to_pylist()
    [[5, 10], [50, 99]]
    """
    shares = shares_of(phi)
    asked = asked_of(shares)
    phis, to = phis_of(asked), domain_named(type)

    def answer_all(profiles: Profiles, stored: Domain) -> tuple[Longs, Flags]:
        return stack([convert_keys(profiles.quantiles(p), stored, to, Rounding.NEAREST) for p in phis])

    def answer_one(sketch: Sketch) -> list[int] | None:
        return keys_or_none(sketch.quantile(asked, type), to)

    numbers, valid = ask(column, RowQuestion("quantile", len(phis), answer_all, answer_one), errors)
    values = array_of(numbers.reshape(-1), valid.repeat(len(phis)), to)
    return as_lists(values, valid, shares)


@refusing_as("arrow.bounds")
def bounds(column: Any, phi: Share | Iterable[Share], type: str = "double", errors: Errors = "raise") -> Any:  # noqa: A002
    """Return two values of every sketch that enclose its exact φ-quantile.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family. NULL, None and, in pandas, NaN give NULL.
    phi : float, Decimal or iterable of these
        Shares from 0 to 1.
    type : str, default "double"
        The SQL type of the answers, one for the whole column. Sketches of dates need ``"date"``.
        Bounds that the type cannot hold are rounded outward.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.Array
        A struct of `low` and `high` for each row; for several φ, a FixedSizeList of structs.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.bounds([Sketch.build(range(1, 101)).to_bytes()], 0.5).to_pylist()
    [{'low': 50.0, 'high': 50.0}]
    """
    shares = shares_of(phi)
    asked = asked_of(shares)
    phis, to = phis_of(asked), domain_named(type)

    def answer_all(profiles: Profiles, stored: Domain) -> tuple[Longs, Flags]:
        sides = []
        for p in phis:
            low, high = profiles.bounds(p)
            sides += [
                convert_keys(low, stored, to, Rounding.DOWN),
                convert_keys(high, stored, to, Rounding.UP),
            ]
        return stack(sides)

    def answer_one(sketch: Sketch) -> list[int] | None:
        answers = sketch.bounds(asked, type)
        pairs = answers if isinstance(asked, list) else [answers]
        return None if None in pairs else keys_or_none([side for pair in pairs for side in pair], to)

    numbers, valid = ask(column, RowQuestion("bounds", 2 * len(phis), answer_all, answer_one), errors)
    repeated = valid.repeat(len(phis))
    low, high = (array_of(numbers[:, side::2].reshape(-1), repeated, to) for side in (0, 1))
    structs = pa.StructArray.from_arrays([low, high], ["low", "high"], mask=pa.array(~repeated))
    return as_lists(structs, valid, shares)


def count(column: Any, errors: Errors = "raise") -> Any:
    """Return the number of values in every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family. NULL, None and, in pandas, NaN give NULL.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.Int64Array
        One number for each row.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.count([Sketch.build([1, 2, 3]).to_bytes(), None]).to_pylist()
    [3, None]
    """

    def answer_all(profiles: Profiles, _: Domain) -> tuple[Longs, Flags]:
        return for_all_rows(profiles.counts)

    return _answers(
        column, RowQuestion("count", 1, answer_all, lambda sketch: [sketch.count]), errors, _BIGINT
    )


@refusing_as("arrow.rank")
def rank(column: Any, value: Value, errors: Errors = "raise") -> Any:
    """Return an estimate of how many values of every sketch are at or below a value.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family. NULL, None and, in pandas, NaN give NULL.
    value : number, date, datetime, time or timedelta
        The value. It is compared with the values of the sketches without rounding.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.Int64Array
        One number for each row. An empty sketch gives NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.rank([Sketch.build(range(1, 101)).to_bytes()], 40.5).to_pylist()
    [40]
    """
    if not isinstance(value, np.datetime64 | np.timedelta64):
        # what no sketch holds is not a fault of a row
        domain_of(value)

    def answer_all(profiles: Profiles, stored: Domain) -> tuple[Longs, Flags]:
        try:
            floor = floor_of(value, stored)
        except Refusal:
            # each row gives its own error
            return for_no_rows(profiles)
        return for_all_rows(profiles.at_most(floor))

    def answer_one(sketch: Sketch) -> list[int] | None:
        found = sketch.rank(value)
        return None if found is None else [found]

    return _answers(column, RowQuestion("rank", 1, answer_all, answer_one), errors, _BIGINT)


@refusing_as("arrow.min")
def min(column: Any, type: str = "double", errors: Errors = "raise") -> Any:  # noqa: A001, A002
    """Return the least value of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family. NULL, None and, in pandas, NaN give NULL.
    type : str, default "double"
        The SQL type of the answers, one for the whole column. Sketches of dates need ``"date"``.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.Array
        One value for each row. An empty sketch gives NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.min([Sketch.build([3, 1, 2]).to_bytes()], type="int").to_pylist()
    [1]
    """
    return _end(column, "min", type, errors)


@refusing_as("arrow.max")
def max(column: Any, type: str = "double", errors: Errors = "raise") -> Any:  # noqa: A001, A002
    """Return the greatest value of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family. NULL, None and, in pandas, NaN give NULL.
    type : str, default "double"
        The SQL type of the answers, one for the whole column. Sketches of dates need ``"date"``.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.Array
        One value for each row. An empty sketch gives NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.max([Sketch.build([3, 1, 2]).to_bytes()]).to_pylist()
    [3.0]
    """
    return _end(column, "max", type, errors)


def rank_error(column: Any, errors: Errors = "raise") -> Any:
    """Return the certified rank error of every sketch, as a share of its count.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family. NULL, None and, in pandas, NaN give NULL.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.DoubleArray
        One number for each row. An empty sketch gives NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.rank_error([Sketch.build([3, 1, 2]).to_bytes()]).to_pylist()
    [0.0]
    """

    def answer_all(profiles: Profiles, _: Domain) -> tuple[Longs, Flags]:
        # the key of a double that is not negative has the same bits as the double
        return for_all_rows(profiles.rank_errors().view(np.int64))

    def answer_one(sketch: Sketch) -> list[int] | None:
        return keys_or_none(sketch.rank_error, _DOUBLE)

    return _answers(column, RowQuestion("rank_error", 1, answer_all, answer_one), errors, _DOUBLE)


def is_sketch(column: Any) -> Any:
    """Return which rows are intact sketches that this version of the Python package can read.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family. NULL, None and, in pandas, NaN give NULL.

    Returns
    -------
    pyarrow.BooleanArray
        A Boolean for each row. A NULL row gives NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.is_sketch([Sketch.build([1]).to_bytes(), b"CSV,with,commas", None]).to_pylist()
    [True, False, None]
    """

    def answer_all(profiles: Profiles, _: Domain) -> tuple[Longs, Flags]:
        return for_all_rows(profiles.counts)

    rows = chunked(column)
    _, valid = ask(rows, RowQuestion("is_sketch", 1, answer_all, lambda _: [1]), "null")
    return pa.array(valid, mask=~rows.is_valid().to_numpy())


def _end(column: Any, name: str, type_name: str, errors: Errors) -> Any:
    to = domain_named(type_name)

    def answer_all(profiles: Profiles, stored: Domain) -> tuple[Longs, Flags]:
        place = profiles.first if name == "min" else profiles.last
        return stack([convert_keys(profiles.keys[place], stored, to, Rounding.NEAREST)])

    def answer_one(sketch: Sketch) -> list[int] | None:
        return keys_or_none(getattr(sketch, name)(type_name), to)

    return _answers(column, RowQuestion(name, 1, answer_all, answer_one), errors, to)


def _answers(column: Any, question: RowQuestion, errors: Errors, to: Domain) -> Any:
    numbers, valid = ask(column, question, errors)
    return array_of(numbers[:, 0], valid, to)
