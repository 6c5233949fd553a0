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
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.families import quantile_family
from chronosketch.sketch.quantile.building import summarised
from chronosketch.sketch.quantile.encoding import encode
from chronosketch.sketch.quantile.segments import sort_within
from chronosketch.sketch.quantile.sketch import EPSILON, QuantileSketch
from chronosketch.sketch.refusal import refusing_as

if TYPE_CHECKING:
    from chronosketch.arrow.column import Longs
    from chronosketch.sketch.domain.domain import Domain

# The values that are sorted at once: about what a cache holds.
_VALUES = 1 << 18


@refusing_as("arrow.build_by")
def build_by(
    keys: Any,
    values: Any,
    epsilon: float = 1e-3,
    type: str | None = None,  # noqa: A002
    tail: str | None = None,
    sum: bool = False,  # noqa: A002
) -> Any:
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
    tail : {'high', 'low', 'both'}, optional
        Near this end of the values epsilon is a share of the values from there on only. The groups are then
        built one by one, which takes longer.
    sum : bool, default False
        Whether the sketches also keep the sums of the values, which must be numbers. The groups are then
        built one by one, too.

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
    kind = quantile_family(tail, sum)
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
        if kind is not QuantileSketch:
            each = np.split(found[order[start:end]], np.cumsum(part)[:-1])
            sketches.append(_one_by_one(kind, each, domain, epsilon))
            continue
        full = part > 0
        ordered = sort_within(found[order[start:end]], part[full])
        epsilons = np.full(len(part), epsilon)
        built = summarised(ordered, part, epsilons)
        sketches.append(binary_of(*encode(built, np.full(len(part), code_of(domain)), epsilons)))
    return groups.table(pa.concat_arrays([pa.array([], pa.large_binary()), *sketches]))


def _one_by_one(kind: Any, groups: list[Longs], domain: Domain, epsilon: float) -> Any:
    """Return the sketches of the keys of each group, in a column."""
    header = Header(domain, (epsilon,))
    rows = [kind._of_keys(header, keys).to_bytes() for keys in groups]
    return pa.array(rows, pa.large_binary())


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
