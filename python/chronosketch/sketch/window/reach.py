"""How far back a window reaches among the rows of one class.

Every window consists of the rows after some position. So of two windows one contains the other: OR is the
longer one and AND the shorter one. Once the filters that a row passes are known, filters disappear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from chronosketch.sketch.window.constraint import (
    AmongLast,
    Both,
    Condition,
    Except,
    OneOf,
    Passing,
    WithinLast,
    filter_at,
    in_units,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.sketch.domain.domain import Domain


@dataclass(frozen=True)
class TimeReach:
    """The rows of the last units of time."""

    span: int


@dataclass(frozen=True)
class RowReach:
    """The last n rows."""

    rows: int


@dataclass(frozen=True)
class Shorter:
    """The shorter of two reaches."""

    left: Reach
    right: Reach


@dataclass(frozen=True)
class Longer:
    """The longer of two reaches."""

    left: Reach
    right: Reach


#: True means all rows, False none.
Reach: TypeAlias = bool | TimeReach | RowReach | Shorter | Longer


def reach(condition: Condition, passed: int, times: Domain, filters: Sequence[str]) -> Reach:
    """Return how far back a condition reaches among rows that pass these filters, given as bits.

    Examples
    --------
    >>> from chronosketch.sketch import among_last, passing
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> [reach(among_last(3) & passing("odd"), c, domain_named("int"), ("odd",)) for c in (0, 1)]
    [False, RowReach(rows=3)]
    """
    if isinstance(condition, WithinLast):
        return TimeReach(in_units(condition, times))
    if isinstance(condition, AmongLast):
        return RowReach(condition.rows)
    if isinstance(condition, Passing):
        return bool(passed >> filter_at(condition.filter, filters) & 1)
    if isinstance(condition, Except):
        return not reach(condition.of, passed, times, filters)
    if not isinstance(condition, Both | OneOf):
        raise TypeError(f"a window is made of within_last, among_last and passing, not {condition!r}.")
    left = reach(condition.left, passed, times, filters)
    right = reach(condition.right, passed, times, filters)
    ends = isinstance(condition, OneOf)
    if left is ends or right is ends:
        return ends
    if isinstance(left, bool):
        return right
    if isinstance(right, bool):
        return left
    return Longer(left, right) if ends else Shorter(left, right)


def earlier(time: int, span: int) -> int:
    """Return the time `span` before another, or the earliest possible time."""
    return max(time - span, -1 << 63)


def reaches_all(time: int, span: int) -> bool:
    """Return whether a span reaches beyond the earliest possible time."""
    return time - span < -1 << 63
