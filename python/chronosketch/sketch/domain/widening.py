"""The type that the values of two sketches have in one sketch, and their keys in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.domain.columns import keys_of_doubles
from chronosketch.sketch.domain.domain import Domain, Kind

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Longs = npt.NDArray[np.int64]


def coerced(left: Domain, right: Domain) -> Domain | None:
    """Return the type that SQL gives to values of both, if it holds all of them exactly; else None.

    Whole numbers and FLOAT become DOUBLE beside DOUBLE, except for BIGINT. Whole numbers become DECIMAL
    beside DECIMAL if 18 digits are enough.

    Examples
    --------
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.domain.widening import coerced
    >>> coerced(domain_named("int"), domain_named("double")).sql
    'DOUBLE'
    >>> coerced(domain_named("decimal(6, 2)"), domain_named("int")).sql
    'DECIMAL(12,2)'
    """
    wider = left.widen(right)
    if wider is not None or left.is_integer == right.is_integer:
        return wider
    whole, other = (left, right) if left.is_integer else (right, left)
    common = whole.common(other)
    if common is None or not (other.is_floating or other.kind == Kind.DECIMAL) or common.is_integer:
        return None
    return common if common.is_floating == other.is_floating else None


def rekeyed(keys: Longs, given: Domain, to: Domain) -> Longs:
    """Return the keys of values in a type that `coerced` gave."""
    if given.is_integer and to.is_floating:
        return keys_of_doubles(keys.astype("f8"))
    if given.is_integer and to.kind == Kind.DECIMAL:
        scaled: Longs = keys * 10**to.second
        return scaled
    return keys
