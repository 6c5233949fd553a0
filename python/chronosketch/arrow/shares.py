"""The shares of the values of every sketch at or below some points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from chronosketch.arrow.row_answers import RowQuestion, as_lists, ask
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.description import ShareBounds
from chronosketch.sketch.domain.columns import doubles_of
from chronosketch.sketch.domain.conversion import floor_of
from chronosketch.sketch.domain.values import domain_of
from chronosketch.sketch.refusal import Refusal, refusing_as
from chronosketch.sketch.value_ranks import increasing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.arrow.column import Flags, Longs
    from chronosketch.arrow.profiles import Profiles
    from chronosketch.arrow.row_answers import Errors
    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.domain.values import Value


@refusing_as("arrow.cdf_bounds")
def cdf_bounds(column: Any, points: Value | Sequence[Value], errors: Errors = "raise") -> Any:
    """Return the shares of the values of every sketch at or below each point, with their bounds.

    Parameters
    ----------
    column : Arrow array or chunked array, pandas or Polars series, or sequence of bytes
        Stored sketches of any family. NULL, None and, in pandas, NaN give NULL.
    points : value, or sequence of values
        One point, or several that strictly increase: numbers, dates, datetimes, times or timedeltas.
    errors : {"raise", "null"}
        What to do with a row that is not a sketch, or cannot answer: raise a `RowError`, or return NULL.

    Returns
    -------
    pyarrow.Array
        A struct of `share`, `low` and `high` for each row; for several points, a FixedSizeList of structs. An
        empty sketch gives NULL.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> from chronosketch.sketch import Sketch
    >>> arrow.cdf_bounds([Sketch.build(range(1, 101)).to_bytes()], 25).to_pylist()
    [{'share': 0.25, 'low': 0.25, 'high': 0.25}]
    """
    given: Any = list(points) if isinstance(points, Iterable) else points
    several: list[Any] = given if isinstance(given, list) else [given]
    if several and not isinstance(several[0], np.datetime64 | np.timedelta64):
        # what no sketch can answer is not a fault of a row
        increasing(several, domain_of(several[0]))
    # for no point at all one is asked, whose answers say which rows have any
    asked = several or [0]
    width = len(ShareBounds._fields) * len(asked)

    def answer_all(profiles: Profiles, stored: Domain) -> tuple[Longs, Flags]:
        rows = len(profiles.rows)
        try:
            floors = [floor_of(point, stored) for point in asked]
        except Refusal:
            # each row gives its own error
            return np.zeros((rows, width), np.int64), np.zeros(rows, np.bool_)
        n = profiles.counts.astype(np.float64)
        numbers = []
        for floor in floors:
            low, high = (bound.astype(np.float64) for bound in profiles.rank_bounds(floor))
            numbers += [(low + high) / (2.0 * n), low / n, high / n]
        # the key of a double that is not negative has the same bits as the double
        return np.stack(numbers, axis=1).view(np.int64), np.ones(rows, np.bool_)

    def answer_one(sketch: Sketch) -> list[int] | None:
        found = sketch.cdf_bounds(asked)
        return None if found is None else [doubles.key(number) for bounds in found for number in bounds]

    numbers, valid = ask(column, RowQuestion("cdf_bounds", width, answer_all, answer_one), errors)
    shares = doubles_of(numbers.reshape(-1, len(ShareBounds._fields)))
    mask = pa.array(~valid.repeat(len(asked)))
    fields = [pa.array(np.ascontiguousarray(shares[:, i])) for i in range(len(ShareBounds._fields))]
    structs = pa.StructArray.from_arrays(fields, [*ShareBounds._fields], mask=mask)
    return as_lists(structs, valid, given)
