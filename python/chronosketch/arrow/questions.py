"""What may be asked of a column of sketches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from chronosketch.arrow.answers import all_of, columns, keys_or_none, listed, none_of, phis_of, shares_of
from chronosketch.arrow.asking import Errors, Question, asked
from chronosketch.arrow.column import chunked
from chronosketch.arrow.typed import array_of, converted
from chronosketch.sketch.answering import floor_of
from chronosketch.sketch.domain.conversion import Rounding
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.refusal import Refusal, refusing_as

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chronosketch.arrow.column import Flags, Longs
    from chronosketch.arrow.profiles import Profiles
    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.domain.values import Value
    from chronosketch.sketch.rank.phi import Share

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
        Stored sketches of any family; NULL, None and, in pandas, NaN answer NULL.
    phi : float, Decimal or iterable of these
        Shares in [0, 1].
    type : str, default "double"
        The SQL type of the answers: one for the whole column, so sketches of dates need ``"date"``.
    errors : {"raise", "null"}
        What is done with a row that is no sketch, or cannot answer: `RowError`, or NULL.

    Returns
    -------
    pyarrow.Array
        An answer a row; a FixedSizeList a row for several φ. An empty sketch answers NULL.

    Raises
    ------
    RowError
        If a row cannot answer.
    ChronosketchError
        If φ is out of range, or there is no such type.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> column = [Sketch.build(range(1, n + 1)).to_bytes() for n in (10, 100)]
    >>> arrow.quantile(column, [0.5, 0.99], type="bigint").to_pylist()
    [[5, 10], [50, 99]]
    """
    shares = shares_of(phi)
    phis, to = phis_of(shares), domain_named(type)

    def at_once(profiles: Profiles, held: Domain) -> tuple[Longs, Flags]:
        return columns([converted(profiles.quantiles(p), held, to, Rounding.NEAREST) for p in phis])

    def one(sketch: Sketch) -> list[int] | None:
        return keys_or_none(sketch.quantile(shares, type), to)

    numbers, known = asked(column, Question("quantile", len(phis), at_once, one), errors)
    values = array_of(numbers.reshape(-1), known.repeat(len(phis)), to)
    return listed(values, known, shares)


@refusing_as("arrow.bounds")
def bounds(column: Any, phi: Share | Iterable[Share], type: str = "double", errors: Errors = "raise") -> Any:  # noqa: A002
    """Return two values of every sketch that enclose its exact φ-quantile.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family; NULL, None and, in pandas, NaN answer NULL.
    phi : float, Decimal or iterable of these
        Shares in [0, 1].
    type : str, default "double"
        The SQL type of the answers: one for the whole column, so sketches of dates need ``"date"``.
        Bounds that it cannot hold are rounded outward.
    errors : {"raise", "null"}
        What is done with a row that is no sketch, or cannot answer: `RowError`, or NULL.

    Returns
    -------
    pyarrow.Array
        A struct of `low` and `high` a row; a FixedSizeList of them for several φ.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.bounds([Sketch.build(range(1, 101)).to_bytes()], 0.5).to_pylist()
    [{'low': 50.0, 'high': 50.0}]
    """
    shares = shares_of(phi)
    phis, to = phis_of(shares), domain_named(type)

    def at_once(profiles: Profiles, held: Domain) -> tuple[Longs, Flags]:
        sides = []
        for p in phis:
            low, high = profiles.bounds(p)
            sides += [converted(low, held, to, Rounding.DOWN), converted(high, held, to, Rounding.UP)]
        return columns(sides)

    def one(sketch: Sketch) -> list[int] | None:
        answers = sketch.bounds(shares, type)
        pairs = answers if isinstance(shares, list) else [answers]
        return None if None in pairs else keys_or_none([side for pair in pairs for side in pair], to)

    numbers, known = asked(column, Question("bounds", 2 * len(phis), at_once, one), errors)
    repeated = known.repeat(len(phis))
    low, high = (array_of(numbers[:, side::2].reshape(-1), repeated, to) for side in (0, 1))
    structs = pa.StructArray.from_arrays([low, high], ["low", "high"], mask=pa.array(~repeated))
    return listed(structs, known, shares)


def count(column: Any, errors: Errors = "raise") -> Any:
    """Return how many values every sketch has seen.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family; NULL, None and, in pandas, NaN answer NULL.
    errors : {"raise", "null"}
        What is done with a row that is no sketch, or cannot answer: `RowError`, or NULL.

    Returns
    -------
    pyarrow.Int64Array
        One number a row.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.count([Sketch.build([1, 2, 3]).to_bytes(), None]).to_pylist()
    [3, None]
    """

    def at_once(profiles: Profiles, _: Domain) -> tuple[Longs, Flags]:
        return all_of(profiles.counts)

    return _answers(column, Question("count", 1, at_once, lambda sketch: [sketch.count]), errors, _BIGINT)


@refusing_as("arrow.rank")
def rank(column: Any, value: Value, errors: Errors = "raise") -> Any:
    """Return how many values of every sketch are at or below one, as near as the sketch knows.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family; NULL, None and, in pandas, NaN answer NULL.
    value : number, date, datetime, time or timedelta
        It is compared with what the sketches saw without rounding.
    errors : {"raise", "null"}
        What is done with a row that is no sketch, or cannot answer: `RowError`, or NULL.

    Returns
    -------
    pyarrow.Int64Array
        One number a row; NULL for an empty sketch.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.rank([Sketch.build(range(1, 101)).to_bytes()], 40.5).to_pylist()
    [40]
    """

    def at_once(profiles: Profiles, held: Domain) -> tuple[Longs, Flags]:
        try:
            floor = floor_of(value, held)
        except Refusal:
            # each row says it in its own words
            return none_of(profiles)
        return all_of(profiles.at_most(floor))

    def one(sketch: Sketch) -> list[int] | None:
        found = sketch.rank(value)
        return None if found is None else [found]

    return _answers(column, Question("rank", 1, at_once, one), errors, _BIGINT)


@refusing_as("arrow.min")
def min(column: Any, type: str = "double", errors: Errors = "raise") -> Any:  # noqa: A001, A002
    """Return the least value of every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family; NULL, None and, in pandas, NaN answer NULL.
    type : str, default "double"
        The SQL type of the answers: one for the whole column, so sketches of dates need ``"date"``.
    errors : {"raise", "null"}
        What is done with a row that is no sketch, or cannot answer: `RowError`, or NULL.

    Returns
    -------
    pyarrow.Array
        One value a row; NULL for an empty sketch.

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
        Stored sketches of any family; NULL, None and, in pandas, NaN answer NULL.
    type : str, default "double"
        The SQL type of the answers: one for the whole column, so sketches of dates need ``"date"``.
    errors : {"raise", "null"}
        What is done with a row that is no sketch, or cannot answer: `RowError`, or NULL.

    Returns
    -------
    pyarrow.Array
        One value a row; NULL for an empty sketch.

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
        Stored sketches of any family; NULL, None and, in pandas, NaN answer NULL.
    errors : {"raise", "null"}
        What is done with a row that is no sketch, or cannot answer: `RowError`, or NULL.

    Returns
    -------
    pyarrow.DoubleArray
        One number a row; NULL for an empty sketch.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.rank_error([Sketch.build([3, 1, 2]).to_bytes()]).to_pylist()
    [0.0]
    """

    def at_once(profiles: Profiles, _: Domain) -> tuple[Longs, Flags]:
        # doubles of 0 and more have the bits that their keys are
        return all_of(profiles.rank_errors().view(np.int64))

    def one(sketch: Sketch) -> list[int] | None:
        return keys_or_none(sketch.rank_error, _DOUBLE)

    return _answers(column, Question("rank_error", 1, at_once, one), errors, _DOUBLE)


def is_sketch(column: Any) -> Any:
    """Return which rows are whole sketches that this version reads in Python.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family; NULL, None and, in pandas, NaN answer NULL.

    Returns
    -------
    pyarrow.BooleanArray
        NULL where the row is.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.is_sketch([Sketch.build([1]).to_bytes(), b"CSV,with,commas", None]).to_pylist()
    [True, False, None]
    """

    def at_once(profiles: Profiles, _: Domain) -> tuple[Longs, Flags]:
        return all_of(profiles.counts)

    rows = chunked(column)
    _, known = asked(rows, Question("is_sketch", 1, at_once, lambda _: [1]), "null")
    return pa.array(known, mask=~rows.is_valid().to_numpy())


# ---


def _end(column: Any, name: str, type_name: str, errors: Errors) -> Any:
    to = domain_named(type_name)

    def at_once(profiles: Profiles, held: Domain) -> tuple[Longs, Flags]:
        place = profiles.first if name == "min" else profiles.last
        return columns([converted(profiles.keys[place], held, to, Rounding.NEAREST)])

    def one(sketch: Sketch) -> list[int] | None:
        return keys_or_none(getattr(sketch, name)(type_name), to)

    return _answers(column, Question(name, 1, at_once, one), errors, to)


def _answers(column: Any, question: Question, errors: Errors, to: Domain) -> Any:
    numbers, known = asked(column, question, errors)
    return array_of(numbers[:, 0], known, to)
