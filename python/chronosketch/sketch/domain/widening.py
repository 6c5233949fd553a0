"""The type that the values of two sketches have in one sketch, and their keys in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.domain.columns import keys_of_doubles
from chronosketch.sketch.domain.domain import DOUBLE_DIGITS, Domain, Kind

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Longs = npt.NDArray[np.int64]


def coerced(left: Domain, right: Domain) -> Domain | None:
    """Return the type that a merge gives to values of both, if it holds all of them exactly; else None.

    It is that of Spark's own coercion. Beside FLOAT or DOUBLE, whole numbers of at most 32 bits become
    DOUBLE. Beside DECIMAL, whole numbers and other decimals become DECIMAL if 18 digits are enough.

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
    if wider is not None or not (left.is_numeric and right.is_numeric):
        return wider
    if left.is_floating or right.is_floating:
        whole = right if left.is_floating else left
        return Domain(Kind.DOUBLE) if whole.is_integer and whole.digits <= DOUBLE_DIGITS else None
    return left.exact_decimal(right)


def rekeyed(keys: Longs, given: Domain, to: Domain) -> Longs:
    """Return the keys of values in a type that `coerced` gave."""
    if given.is_integer and to.is_floating:
        return keys_of_doubles(keys.astype("f8"))
    if to.scale > given.scale:
        scaled: Longs = keys * 10 ** (to.scale - given.scale)
        return scaled
    return keys
