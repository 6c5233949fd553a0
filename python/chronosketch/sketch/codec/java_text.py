"""Format doubles as the JVM does."""

from __future__ import annotations

import math
from decimal import Decimal


def double(value: float) -> str:
    """Write a double as Java's ``Double.toString`` does.

    Examples
    --------
    >>> from chronosketch.sketch.codec.java_text import double
    >>> double(0.5), double(1e-05), double(12345678.0), double(float("inf"))
    ('0.5', '1.0E-5', '1.2345678E7', 'Infinity')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        text = format(Decimal(repr(value)), "f")
        return text if "." in text else f"{text}.0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    power = int(exponent) + len(rest)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{power}"
