"""Convert values from one type to another, in exact arithmetic."""

from __future__ import annotations

import enum
import math
import struct
from decimal import Decimal
from fractions import Fraction

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.domain.values import Value, comparable_key
from chronosketch.sketch.refusal import Refusal


class Rounding(enum.Enum):
    """The value to choose in the other type: closest (halves away from zero), next lower or next higher."""

    NEAREST = "nearest"
    DOWN = "down"
    UP = "up"


def is_allowed(stored: Domain, to: Domain) -> bool:
    """Return whether values of one type can be converted to another."""
    if stored.is_numeric or to.is_numeric:
        return stored.is_numeric and to.is_numeric
    return stored.widen(to) == to


def require_allowed(stored: Domain, to: Domain, call: str) -> None:
    """Refuse a type that values cannot be converted to. `call` is the call for the message, {} its type."""
    if not is_allowed(stored, to):
        raise Refusal(
            "VALUE_NOT_CONVERTIBLE", asked=to.sql, held=stored.sql, call=call.format(stored.sql.lower())
        )


def convert(key: int, stored: Domain, to: Domain, rounding: Rounding = Rounding.NEAREST) -> int:
    """Convert a key from one type to another.

    Raises
    ------
    Refusal
        If the type cannot hold the value.

    Examples
    --------
    >>> from chronosketch.sketch.domain.conversion import Rounding, convert
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> convert(255, domain_named("decimal(3, 2)"), domain_named("int"), Rounding.DOWN)
    2
    """
    require_allowed(stored, to, "'{}'")
    if not _needs_arithmetic(stored, to):
        return key
    number = _real(key, stored)
    if isinstance(number, float):
        converted = doubles.key(number) if to.is_floating else None
    else:
        converted = _round(number, to, rounding)
    if converted is None:
        raise Refusal(
            "VALUE_OUT_OF_RANGE",
            value=text(key, stored),
            type=to.sql,
            fix="Name a wider type, or leave the type out.",
        )
    return converted


def floor(key: int, source: Domain, stored: Domain) -> int | None:
    """Return the greatest key of `stored` whose value is at most that of `key` in `source`, or None.

    Both are types of numbers.
    """
    if not _needs_arithmetic(source, stored):
        return key
    number = _real(key, source)
    if isinstance(number, float):
        if stored.is_floating:
            return doubles.key(number)
        return None if number < 0 else stored.greatest
    if stored.is_floating:
        return _round(number, stored, Rounding.DOWN)
    scaled = math.floor(number * 10**stored.second)
    return None if scaled < stored.least else min(scaled, stored.greatest)


def is_below(left: tuple[int, Domain], right: tuple[int, Domain]) -> bool:
    """Return whether a key and its type are below another that can be compared with them."""
    if left[1] == right[1] or not left[1].is_numeric:
        return left[0] < right[0]
    return is_less(left, right)


def is_less(left: tuple[int, Domain], right: tuple[int, Domain]) -> bool:
    """Return whether one number is below another, without rounding. Each is a key and its type."""
    a, b = _real(*left), _real(*right)
    if a != a or b != b:
        return a == a
    return a < b


def text(key: int, domain: Domain) -> str:
    """Write a number in decimal digits."""
    if domain.is_floating:
        value = doubles.value(key)
        return format(Decimal(value), "f") if math.isfinite(value) else doubles.text(value)
    return format(Decimal(f"{key}E-{domain.second}"), "f")


def _needs_arithmetic(stored: Domain, to: Domain) -> bool:
    return stored.is_numeric and stored.widen(to) != to


def _real(key: int, domain: Domain) -> float | Fraction:
    """Return NaN and the infinities as floats, and all other numbers exactly."""
    if not domain.is_floating:
        return Fraction(key, 10**domain.second)
    value = doubles.value(key)
    return Fraction(value) if math.isfinite(value) else value


def _round(exact: Fraction, to: Domain, rounding: Rounding) -> int | None:
    if to.is_floating:
        nearest = float(exact) if to.kind == Kind.DOUBLE else float_of(exact)
        return doubles.key(_on_side(exact, nearest, to, rounding))
    scaled = exact * 10**to.second
    if rounding is Rounding.DOWN:
        key = math.floor(scaled)
    elif rounding is Rounding.UP:
        key = math.ceil(scaled)
    else:
        key = math.floor(abs(scaled) + Fraction(1, 2)) * (1 if scaled >= 0 else -1)
    return key if to.least <= key <= to.greatest else None


def float_of(exact: Fraction) -> float:
    """Return the nearest FLOAT, ties to even. Rounding to a double first could give another one."""
    near = doubles.nearest_float(float(exact))
    if math.isinf(near):
        greatest = 2.0**128 - 2.0**104
        halfway = Fraction(2**128 - 2**103)
        return near if abs(exact) >= halfway else math.copysign(greatest, near)

    def rank(single: float) -> tuple[Fraction, int]:
        return abs(Fraction(single) - exact), struct.unpack(">I", struct.pack(">f", single))[0] & 1

    around = (near, doubles.next_float(near, -1), doubles.next_float(near, 1))
    return min((single for single in around if math.isfinite(single)), key=rank)


def _on_side(exact: Fraction, nearest: float, to: Domain, rounding: Rounding) -> float:
    """Move the nearest value by one step if it lies on the wrong side of the exact value."""
    above = nearest > 0 if math.isinf(nearest) else Fraction(nearest) > exact
    below = nearest < 0 if math.isinf(nearest) else Fraction(nearest) < exact
    step = -1 if rounding is Rounding.DOWN and above else 1 if rounding is Rounding.UP and below else 0
    if step == 0:
        return nearest
    if to.kind == Kind.FLOAT:
        return doubles.next_float(nearest, step)
    return math.nextafter(nearest, math.inf * step)


def floor_of(value: Value, stored: Domain) -> int | None:
    """Return the key of the greatest value of a type that is not above a value, or None if all are."""
    key, asked = comparable_key(value, stored)
    return floor(key, asked, stored) if asked.is_numeric and stored.is_numeric else key
