"""Convert many values of one type to keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.domain.domain import MOST_DIGITS, Domain, Kind
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.domain.values import domain_of, key_of
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable


def keys_of(values: Iterable[object], type_name: str | None) -> tuple[Domain, list[int]]:
    """Return the type of some values, and the keys of those that are not None.

    Without a name, it is the type that holds all of them: integers take the type of the others. Without any
    value it is DOUBLE.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from chronosketch.sketch.domain.column import keys_of
    >>> keys_of([Decimal("1.5"), Decimal("0.25"), None, 3], None)
    (Domain(kind=<Kind.DECIMAL: 7>, first=18, second=2), [150, 25, 300])
    """
    given = [value for value in values if value is not None]
    domain = _common(given) if type_name is None else domain_named(type_name)
    return domain, [key_of(value, domain) for value in given]


def _common(values: list[object]) -> Domain:
    domains = {domain_of(value) for value in values}
    if not domains:
        return Domain(Kind.DOUBLE)
    kinds = {domain.kind for domain in domains}
    if len(kinds) == 1 and kinds != {Kind.DECIMAL}:
        return domains.pop()
    if all(domain.is_numeric for domain in domains):
        if any(domain.is_floating for domain in domains):
            return Domain(Kind.DOUBLE)
        # with the most digits, because sketches of decimals with one scale can be merged
        return Domain(Kind.DECIMAL, MOST_DIGITS, max(domain.second for domain in domains))
    left, right, *_ = sorted(domain.sql for domain in domains)
    raise Refusal("VALUE_TYPES_DIFFER", left=left, right=right, fix="Give values of one type.")
