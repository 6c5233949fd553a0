"""Build one quantile sketch for each group of a column of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from chronosketch.arrow.column import binary_of
from chronosketch.arrow.groups import Groups
from chronosketch.arrow.validity import code_of
from chronosketch.sketch.domain.columns import as_column, present
from chronosketch.sketch.domain.values import keys_of
from chronosketch.sketch.quantile.building import summarised
from chronosketch.sketch.quantile.encoding import encode
from chronosketch.sketch.quantile.segments import sort_within
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.refusal import refusing_as

if TYPE_CHECKING:
    from chronosketch.arrow.column import Longs

# The values that are sorted at once: about what a cache holds.
_VALUES = 1 << 18


@refusing_as("arrow.build_by")
def build_by(keys: Any, values: Any, epsilon: float = 1e-3, type: str | None = None) -> Any:  # noqa: A002
    """Build a quantile sketch of the values of every group.

    Parameters
    ----------
    keys : pyarrow.Table, a data frame, a dict of columns, or an Arrow array, series or sequence
        The group of each value. All columns of a table or dict together are the key. NULL is a key
        like any other.
    values : numpy or Arrow array, pandas or Polars series, or sequence
        One value for each key; see `Sketch.build`. NULL is skipped.
    epsilon : float, default 0.001
        The allowed rank error, as a share of a group's count, from 0 to 0.5. 0 keeps every value.
    type : str, optional
        The SQL type of the sketches, such as ``"decimal(10, 2)"``; by default that of the values.

    Returns
    -------
    pyarrow.Table
        One row for each group, in the order in which groups first appear: the key columns (``key`` if they
        have no name) and ``sketch``. A group without a value has an empty sketch.

    Raises
    ------
    ChronosketchError
        If epsilon is out of range, or the values have no supported type or not one common type.
    ValueError
        If the number of keys is not the number of values.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> built = arrow.build_by(["a", "b", "a"], [12.5, 80.0, 31.0])
    >>> built["key"].to_pylist(), arrow.max(built["sketch"]).to_pylist()
    (['a', 'b'], [31.0, 80.0])
    """
    epsilon = EPSILON.require(epsilon)
    values = as_column(values)
    groups, here = Groups.of(keys), present(values)
    groups.require_rows(len(here), "values")
    domain, found = keys_of(values, type)
    order, sizes = groups.order, groups.sizes
    if not here.all():
        kept = here[order]
        owner = np.repeat(np.arange(len(sizes)), sizes)[kept]
        order, sizes = (np.cumsum(here) - 1)[order[kept]], np.bincount(owner, minlength=len(sizes))
    before = np.append(0, np.cumsum(sizes))
    sketches = []
    for first, past in _slabs(sizes):
        start, end = int(before[first]), int(before[past])
        part = sizes[first:past]
        full = part > 0
        ordered = sort_within(found[order[start:end]], part[full])
        epsilons = np.full(len(part), epsilon)
        built = summarised(ordered, part, epsilons)
        sketches.append(binary_of(*encode(built, np.full(len(part), code_of(domain)), epsilons)))
    return groups.table(pa.concat_arrays([pa.array([], pa.large_binary()), *sketches]))


def _slabs(sizes: Longs) -> list[tuple[int, int]]:
    """Return ranges of groups that have about as many values as are sorted at once."""
    past = np.cumsum(sizes)
    slabs = []
    first = 0
    while first < len(sizes):
        before = int(past[first - 1]) if first else 0
        end = max(first + 1, int(np.searchsorted(past, before + _VALUES)))
        slabs.append((first, end))
        first = end
    return slabs
