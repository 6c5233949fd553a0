"""Integer keys of doubles that sort like the doubles. NaN is the greatest, and −0.0 is 0.0."""

from __future__ import annotations

import struct

_BITS = (1 << 63) - 1

NAN = 0x7FF8000000000000
POSITIVE_INFINITY = 0x7FF0000000000000
NEGATIVE_INFINITY = ~POSITIVE_INFINITY
NEGATIVE_ZERO = -1


def key(value: float) -> int:
    """Return the key of a double.

    Examples
    --------
    >>> from chronosketch.sketch.domain import double_keys
    >>> double_keys.key(-0.0), double_keys.key(-1.5) < double_keys.key(1.0) < double_keys.key(float("nan"))
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
