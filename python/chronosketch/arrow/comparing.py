"""Compare two columns of sketches row by row, or each sketch with the population behind its values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from chronosketch.arrow.column import chunked
from chronosketch.arrow.row_answers import RowErrors, as_lists, asked_of, keys_or_none, phis_of, shares_of
from chronosketch.arrow.typed import array_of
from chronosketch.sketch import comparison
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.comparison.arguments import require_bins, require_confidence, require_effect
from chronosketch.sketch.domain.columns import as_column, present
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.refusal import refusing_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronosketch.arrow.row_answers import Errors
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.rank import Share

A = TypeVar("A")


@refusing_as("arrow.ks")
def ks(a: Any, b: Any, type: str = "double", errors: Errors = "raise") -> Any:  # noqa: A002
    """Return the Kolmogorov-Smirnov distance of the two sketches of every row.

    Parameters
    ----------
    a, b : column, or bytes
        Two columns of equal length in any form that `quantile` takes. Bytes are one sketch for all rows.
    type : str, default "double"
        The SQL type of the field `at`.
    errors : {"raise", "null"}
        What to do with a row that is not two sketches, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.StructArray
        `distance`, `low`, `high` and `at`. NULL where a sketch is NULL or empty.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> column, reference = [Sketch.build(range(1, 101)).to_bytes()], Sketch.build(range(21, 121)).to_bytes()
    >>> arrow.ks(column, reference, type="int").to_pylist()
    [{'distance': 0.2, 'low': 0.2, 'high': 0.2, 'at': 20}]
    """
    to = domain_named(type)
    found = _of_pairs("ks", a, b, lambda x, y: comparison.ks(x, y, type), errors)
    at = _typed([None if one is None else one.at for one in found], to)
    return _structs(found, {**_doubles(found, "distance", "low", "high"), "at": at})


@refusing_as("arrow.ks_p_value")
def ks_p_value(a: Any, b: Any, errors: Errors = "raise") -> Any:
    """Return the asymptotic p-value of the Kolmogorov-Smirnov distance of the two sketches of every row.

    Parameters
    ----------
    a, b : column, or bytes
        As of `ks`.
    errors : {"raise", "null"}
        As of `ks`.

    Returns
    -------
    pyarrow.StructArray
        `value`, `low` and `high`. NULL where a sketch is NULL or empty.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> column = [Sketch.build(range(1, 101)).to_bytes()]
    >>> arrow.ks_p_value(column, column).to_pylist()
    [{'value': 1.0, 'low': 1.0, 'high': 1.0}]
    """
    return _bounded(_of_pairs("ks_p_value", a, b, comparison.ks_p_value, errors))


@refusing_as("arrow.psi")
def psi(a: Any, b: Any, bins: int = 10, errors: Errors = "raise") -> Any:
    """Return the population stability index of the two sketches of every row, over bins of the first one.

    Parameters
    ----------
    a, b : column, or bytes
        As of `ks`.
    bins : int, default 10
        From 2 to 10000.
    errors : {"raise", "null"}
        As of `ks`.

    Returns
    -------
    pyarrow.StructArray
        `value`, `low` and `high`. NULL where a sketch is NULL or empty.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> column = [Sketch.build(range(1, n)).to_bytes() for n in (101, 121)]
    >>> [round(row["value"], 2) for row in arrow.psi(column[0], column).to_pylist()]
    [0.0, 0.16]
    """
    require_bins(bins)
    return _bounded(_of_pairs("psi", a, b, lambda x, y: comparison.psi(x, y, bins), errors))


@refusing_as("arrow.wasserstein")
def wasserstein(a: Any, b: Any, errors: Errors = "raise") -> Any:
    """Return the Wasserstein distance of the two sketches of every row.

    Parameters
    ----------
    a, b : column, or bytes
        As of `ks`. The values must be numbers.
    errors : {"raise", "null"}
        As of `ks`.

    Returns
    -------
    pyarrow.StructArray
        `value`, `low` and `high`, in units of the values. NULL where a sketch is NULL or empty.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> column = [Sketch.build(range(1, 101)).to_bytes()]
    >>> arrow.wasserstein(column, column).to_pylist()
    [{'value': 0.0, 'low': 0.0, 'high': 0.0}]
    """
    return _bounded(_of_pairs("wasserstein", a, b, comparison.wasserstein, errors))


@refusing_as("arrow.quantile_interval")
def quantile_interval(
    column: Any,
    phi: Share | Iterable[Share],
    confidence: float = 0.95,
    design_effect: float | Iterable[float] = 1.0,
    type: str = "double",  # noqa: A002
    errors: Errors = "raise",
) -> Any:
    """Return a confidence interval of the population's φ-quantile for every sketch.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches. NULL, None and, in pandas, NaN give NULL.
    phi : float, Decimal or iterable of these
        Shares from 0 to 1.
    confidence : float, default 0.95
        The probability that the interval contains the population's quantile, if the values are independent.
    design_effect : float or column of float, default 1.0
        How many values are worth one independent value: one number, or one for each row. NULL, None and, in
        pandas, NaN give NULL.
    type : str, default "double"
        The SQL type of the answers. Ends that it cannot hold exactly are rounded outward.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.Array
        A struct of `value`, `low` and `high` for each row; for several φ, a FixedSizeList of structs. An end
        is NULL if there are too few values for it.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.quantile_interval([Sketch.build(range(1, 101)).to_bytes()], 0.5, type="int").to_pylist()
    [{'value': 50, 'low': 40, 'high': 61}]
    """
    to, sketches = domain_named(type), _Column(column)

    def ask(i: int, asked: list[Share], effect: float) -> list[comparison.Interval | None] | None:
        sketch = sketches.open(i)
        if sketch is None:
            return None
        return comparison.quantile_interval(sketch, asked, confidence, effect, type)

    def fields(found: list[comparison.Interval | None]) -> dict[str, Any]:
        ends = ("value", "low", "high")
        return {
            end: _typed([None if one is None else getattr(one, end) for one in found], to) for end in ends
        }

    sample = _Sample(phi, confidence, _effects(design_effect, len(sketches)))
    return sample.answers("quantile_interval", ask, fields, errors)


@refusing_as("arrow.quantile_difference")
def quantile_difference(
    a: Any,
    b: Any,
    phi: Share | Iterable[Share],
    confidence: float = 0.95,
    design_effect: float | Iterable[float] = 1.0,
    errors: Errors = "raise",
) -> Any:
    """Return the difference of two populations' φ-quantiles for every row, with an interval and a p-value.

    Parameters
    ----------
    a, b : column, or bytes
        As of `ks`. The values must be numbers.
    phi, confidence, design_effect
        As of `quantile_interval`.
    errors : {"raise", "null"}
        As of `ks`.

    Returns
    -------
    pyarrow.Array
        A struct of `value`, `low`, `high` and `p_value` for each row; for several φ, a FixedSizeList of
        structs. An end is NULL if there are too few values for it.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> a, b = [Sketch.build(range(1, 101)).to_bytes()], Sketch.build(range(21, 121)).to_bytes()
    >>> arrow.quantile_difference(a, b, [0.5, 0.9]).to_pylist()[0][0]["value"]
    -20.0
    """
    left, right, rows = _both(a, b)

    def ask(i: int, asked: list[Share], effect: float) -> list[comparison.Difference | None] | None:
        x, y = left.open(i), right.open(i)
        if x is None or y is None:
            return None
        return comparison.quantile_difference(x, y, asked, confidence, effect)

    def fields(found: list[comparison.Difference | None]) -> dict[str, Any]:
        return _doubles(found, "value", "low", "high", "p_value")

    sample = _Sample(phi, confidence, _effects(design_effect, rows))
    return sample.answers("quantile_difference", ask, fields, errors)


class _Sample:
    """Asks the rows of a column about their populations: for one φ or several, with a design effect each.

    A row has no answer without a design effect, and for several φ only if it has one for each.
    """

    def __init__(self, phi: Share | Iterable[Share], confidence: float, effects: list[float | None]) -> None:
        self._shares = shares_of(phi)
        phis_of(self._shares)
        require_confidence(confidence)
        self._effects = effects

    def answers(
        self,
        name: str,
        ask: Callable[[int, list[Share], float], list[A | None] | None],
        fields: Callable[[list[A | None]], dict[str, Any]],
        errors: Errors,
    ) -> Any:
        """Return structs with these fields, or lists of structs. `ask` answers for a row and each φ."""
        several = asked_of(self._shares)
        asked = several if isinstance(several, list) else [several]

        def one(i: int) -> list[A] | None:
            effect = self._effects[i]
            found = None if effect is None else ask(i, asked, effect)
            return None if found is None else _all_or_none(found)

        rows = _answers(name, len(self._effects), one, errors)
        valid = np.array([row is not None for row in rows], np.bool_)
        found: list[A | None] = []
        for row in rows:
            found.extend([None] * len(asked) if row is None else row)
        return as_lists(_structs(found, fields(found)), valid, self._shares)


class _Column:
    """A column of stored sketches, or one sketch for all rows."""

    def __init__(self, given: Any) -> None:
        self.is_one = isinstance(given, bytes | bytearray | memoryview)
        self._rows = chunked([bytes(given)] if self.is_one else given)
        self._opened: tuple[bytes, Sketch] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def open(self, i: int) -> Sketch | None:
        """Return the sketch of a row. The one before is kept: a reference stands in many rows."""
        data = self._rows[0 if self.is_one else i].as_py()
        if data is None:
            return None
        if self._opened is None or self._opened[0] != data:
            self._opened = (data, Sketch.from_bytes(data))
        return self._opened[1]


def _both(a: Any, b: Any) -> tuple[_Column, _Column, int]:
    """Return two columns and how many rows they have."""
    left, right = _Column(a), _Column(b)
    lengths = {len(column) for column in (left, right) if not column.is_one}
    if len(lengths) > 1:
        raise ValueError(f"a has {len(left)} rows and b has {len(right)}: give columns of one length.")
    return left, right, lengths.pop() if lengths else 1


def _of_pairs(
    name: str, a: Any, b: Any, compare: Callable[[Sketch, Sketch], A | None], errors: Errors
) -> list[A | None]:
    left, right, rows = _both(a, b)

    def one(i: int) -> A | None:
        x, y = left.open(i), right.open(i)
        return None if x is None or y is None else compare(x, y)

    return _answers(name, rows, one, errors)


def _answers(name: str, rows: int, one: Callable[[int], A | None], errors: Errors) -> list[A | None]:
    """Return the answer for each row."""
    unanswered = RowErrors(name, errors)
    found: list[A | None] = [None] * rows
    for i in range(rows):
        with unanswered.at(i):
            found[i] = one(i)
    return found


def _effects(given: float | Iterable[float], rows: int) -> list[float | None]:
    """Return the design effect of each row, which is None if it is missing."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [require_effect(given)] * rows
    column = as_column(given, "design_effect")
    if len(column) != rows:
        raise ValueError(f"design_effect has {len(column)} numbers for {rows} rows: give one, or one a row.")
    # a column of Arrow has scalars of its own
    effects = column.to_pylist() if isinstance(column, pa.Array | pa.ChunkedArray) else [*column]
    here = present(column).tolist()
    return [require_effect(effect) if has else None for effect, has in zip(effects, here, strict=True)]


def _all_or_none(answers: list[A | None]) -> list[A] | None:
    """Return the answers for all φ, or None if the sketch is empty."""
    found = [one for one in answers if one is not None]
    return found if len(found) == len(answers) else None


def _bounded(found: list[comparison.BoundedNumber | None]) -> Any:
    return _structs(found, _doubles(found, "value", "low", "high"))


def _doubles(found: list[Any], *names: str) -> dict[str, Any]:
    return {
        name: pa.array([None if one is None else getattr(one, name) for one in found], pa.float64())
        for name in names
    }


def _typed(values: list[Any], to: Domain) -> Any:
    """Return values of a type as a column; None becomes NULL."""
    keys = [None if value is None else keys_or_none(value, to) for value in values]
    numbers = np.array([0 if key is None else key[0] for key in keys], np.int64)
    return array_of(numbers, np.array([key is not None for key in keys], np.bool_), to)


def _structs(found: list[Any], fields: dict[str, Any]) -> Any:
    mask = pa.array([one is None for one in found], pa.bool_())
    return pa.StructArray.from_arrays([*fields.values()], [*fields], mask=mask)
