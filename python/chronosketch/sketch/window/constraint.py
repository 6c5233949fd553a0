"""Conditions that select the rows of a window."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from numbers import Integral
from typing import TYPE_CHECKING, TypeAlias

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.refusal import Refusal, question, to_error

if TYPE_CHECKING:
    from collections.abc import Sequence

Span: TypeAlias = str | timedelta | int

_MICRO = timedelta(microseconds=1)
_MICROS = {
    "week": 7 * 86_400_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1000,
    "microsecond": 1,
}
_PART = re.compile(r"([+-]?\s*\d+(?:\.\d*)?|[+-]?\s*\.\d+)\s+([a-z]+?)s?(?:\s+|$)")
_FIXED = "months have no fixed length. Write days, as in '30 days'"
_RANGE = f"it is out of range. An interval can have at most {MOST_LONG // _MICROS['day']} days"


class Condition:
    """A condition on rows. `&` means both, `|` means either, and `~` inverts a filter."""

    def __and__(self, other: Condition) -> Condition:
        return Both(self, other)

    def __or__(self, other: Condition) -> Condition:
        return OneOf(self, other)

    def __invert__(self) -> Condition:
        if has_window(self):
            raise to_error(Refusal("WINDOW_UNDER_NOT"), "~")
        return Except(self)


@dataclass(frozen=True)
class WithinLast(Condition):
    """The rows of the last microseconds, or of the last units of integer times. `text` is its SQL form."""

    length: int
    is_interval: bool
    text: str


@dataclass(frozen=True)
class AmongLast(Condition):
    """The newest n rows."""

    rows: int


@dataclass(frozen=True)
class Passing(Condition):
    """The rows that passed a filter."""

    filter: str


@dataclass(frozen=True)
class Both(Condition):
    """The rows that meet both conditions."""

    left: Condition
    right: Condition


@dataclass(frozen=True)
class OneOf(Condition):
    """The rows that meet at least one of two conditions."""

    left: Condition
    right: Condition


@dataclass(frozen=True)
class Except(Condition):
    """The rows that do not meet a condition."""

    of: Condition


@question
def within_last(interval: Span) -> Condition:
    """Select the rows of the last interval of time, (newest - interval, newest].

    Parameters
    ----------
    interval : str, timedelta or int
        Such as ``"10 minutes"``. An int counts units of integer times.

    Raises
    ------
    ChronosketchError
        If it is not an interval, not above 0, or has months.

    Examples
    --------
    >>> from chronosketch.sketch import within_last
    >>> within_last("1 day 12 hours")
    WithinLast(length=129600000000, is_interval=True, text="'1 day 12 hours'")
    """
    return within(interval, "interval")


def within(interval: Span, argument: str) -> WithinLast:
    """Return the condition for the last interval. `argument` is its name in messages."""
    try:
        if isinstance(interval, str):
            micros, is_interval = _micros(interval), True
        elif isinstance(interval, timedelta):
            micros, is_interval = interval // _MICRO, True
        elif isinstance(interval, Integral) and not isinstance(interval, bool):
            micros, is_interval = int(interval), False
        else:
            raise TypeError(f"{argument} is an interval or a whole number, not {interval!r}.")
        if micros <= 0:
            raise ValueError("it must be above 0")
        if micros > MOST_LONG:
            raise ValueError(_RANGE)
    except ValueError as refused:
        written = f"'{interval}'" if isinstance(interval, str) else str(interval)
        raise Refusal("INVALID_WINDOW", argument=argument, window=written, reason=refused) from None
    return WithinLast(micros, is_interval, interval_text(micros) if is_interval else str(micros))


@question
def among_last(n: int) -> Condition:
    """Select the newest n rows, including those that fail other conditions.

    Parameters
    ----------
    n : int
        How many rows, 1 or more.

    Raises
    ------
    ChronosketchError
        If it is not above 0.

    Examples
    --------
    >>> from chronosketch.sketch import among_last, within_last
    >>> among_last(3) | within_last(10)
    OneOf(left=AmongLast(rows=3), right=WithinLast(length=10, is_interval=False, text='10'))
    """
    if n <= 0:
        raise Refusal("INVALID_WINDOW", argument="n", window=n, reason="it must be above 0")
    return AmongLast(min(int(n), MOST_LONG))


def passing(filter: str) -> Condition:  # noqa: A002
    """Select the rows that passed one of the sketch's filters.

    Parameters
    ----------
    filter : str
        The name of the filter in the sketch.

    Examples
    --------
    >>> from chronosketch.sketch import passing
    >>> ~passing("errors")
    Except(of=Passing(filter='errors'))
    """
    return Passing(filter)


def has_window(condition: Condition) -> bool:
    """Return whether a condition depends on when rows came."""
    if isinstance(condition, Both | OneOf):
        return has_window(condition.left) or has_window(condition.right)
    return isinstance(condition, WithinLast | AmongLast)


def condition_of(window: Span | Condition) -> Condition:
    """Return a window as a condition. A span means the last rows of that length."""
    return window if isinstance(window, Condition) else within(window, "window")


def in_units(within: WithinLast, times: Domain) -> int:
    """Return a span in the units of times. Refuse one that has no such length."""
    hint = None
    if within.is_interval and times.is_integer:
        hint = "Give a whole number in the units of these times, as in 600"
    elif not within.is_interval and not times.is_integer:
        hint = "Give an interval, as in '10 minutes'"
    if hint is not None:
        raise Refusal("WINDOW_UNITS", window=within.text, times=times.sql, hint=hint)
    return -(-within.length // _MICROS["day"]) if times.kind == Kind.DATE else within.length


def filter_at(name: str, filters: Sequence[str]) -> int:
    """Return the index of a filter among those of a sketch."""
    if name not in filters:
        raise Refusal("UNKNOWN_FILTER", filter=name, known=", ".join(filters) or "none")
    return filters.index(name)


def span_text(units: int, times: Domain) -> str:
    """Write a span in the units of times as a user would."""
    if times.is_integer:
        return str(units)
    return f"'{_counted(units, 'day')}'" if times.kind == Kind.DATE else interval_text(units)


def interval_text(micros: int) -> str:
    """Write an interval as a user would.

    Examples
    --------
    >>> from chronosketch.sketch.window.constraint import interval_text
    >>> interval_text(90_000_000), interval_text(1_500_000)
    ("'1 minute 30 seconds'", "'1.5 seconds'")
    """
    parts = []
    rest = micros
    for unit in ("day", "hour", "minute"):
        n, rest = divmod(rest, _MICROS[unit])
        if n:
            parts.append(_counted(n, unit))
    if rest % 1_000_000:
        whole, micros_left = divmod(rest, 1_000_000)
        parts.append(f"{whole}.{micros_left:06}".rstrip("0") + " seconds")
    elif rest or not parts:
        parts.append(_counted(rest // 1_000_000, "second"))
    return f"'{' '.join(parts)}'"


def _counted(n: int, unit: str) -> str:
    return f"1 {unit}" if n == 1 else f"{n} {unit}s"


def _micros(text: str) -> int:
    rest = text.strip().lower().removeprefix("interval ").strip()
    micros = at = 0
    while at < len(rest):
        found = _PART.match(rest, at)
        number, unit = found.groups() if found else ("", "")
        if unit in ("year", "month"):
            raise ValueError(_FIXED)
        if unit not in _MICROS or ("." in number and unit != "second"):
            break
        micros += int(Fraction(number.replace(" ", "")) * _MICROS[unit])
        at = found.end() if found else at
    if at < len(rest) or not rest:
        raise ValueError("it is not an interval. Write one, as in '10 minutes' or '1 day 12 hours'")
    return micros
