"""Doubles: keys that sort like them, and their text in Java. NaN is the greatest; −0.0 is 0.0."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

_BITS = (1 << 63) - 1

NAN = 0x7FF8000000000000
POSITIVE_INFINITY = 0x7FF0000000000000
NEGATIVE_INFINITY = ~POSITIVE_INFINITY
NEGATIVE_ZERO = -1


def key(value: float) -> int:
    """Return the key of a double.

    Examples
    --------
    >>> from chronosketch.sketch.codec import doubles
    >>> doubles.key(-0.0), doubles.key(-1.5) < doubles.key(1.0) < doubles.key(float("nan"))
    (0, True)
    """
    if value != value:
        return NAN
    bits: int = struct.unpack(">q", struct.pack(">d", value + 0.0))[0]
    return bits if bits >= 0 else bits ^ _BITS


def value(key: int) -> float:
    """Return the double of a key."""
    back: float = struct.unpack(">d", struct.pack(">q", key if key >= 0 else key ^ _BITS))[0]
    return back


def is_key(key: int) -> bool:
    """Return whether a double has this key."""
    return (NEGATIVE_INFINITY <= key <= POSITIVE_INFINITY and key != NEGATIVE_ZERO) or key == NAN


def is_float_key(key: int) -> bool:
    """Return whether a double that is also a FLOAT has this key."""
    if not is_key(key):
        return False
    double = value(key)
    return double != double or nearest_float(double) == double


def nearest_float(double: float) -> float:
    """Return the nearest FLOAT. Beyond the greatest one it is infinite."""
    try:
        single: float = struct.unpack(">f", struct.pack(">f", double))[0]
    except OverflowError:
        return float("inf") if double > 0 else float("-inf")
    return single


def next_float(single: float, step: int) -> float:
    """Return the next FLOAT above or below. Beyond the greatest one it is infinite."""
    bits: int = struct.unpack(">i", struct.pack(">f", single + 0.0))[0]
    key = (bits if bits >= 0 else -(bits & 0x7FFFFFFF)) + step
    back: float = struct.unpack(">f", struct.pack(">I", key if key >= 0 else 0x80000000 | -key))[0]
    return back


def text(value: float) -> str:
    """Write a double as Java's ``Double.toString`` does.

    Examples
    --------
    >>> from chronosketch.sketch.codec import doubles
    >>> doubles.text(0.5), doubles.text(1e-05), doubles.text(12345678.0), doubles.text(float("inf"))
    ('0.5', '1.0E-5', '1.2345678E7', 'Infinity')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        written = format(Decimal(repr(value)), "f")
        return written if "." in written else f"{written}.0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    power = int(exponent) + len(rest)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{power}"
