"""Math functions with the same results as on every JVM, to the last bit: those of fdlibm 5.3."""

from __future__ import annotations

import struct
from decimal import Decimal, localcontext

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LOG1P = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)


def bits_of(value: float) -> int:
    """Return the bits of a double, as an unsigned number."""
    bits: int = struct.unpack(">Q", struct.pack(">d", value))[0]
    return bits


def double_of(bits: int) -> float:
    """Return the double of some bits."""
    value: float = struct.unpack(">d", struct.pack(">Q", bits))[0]
    return value


def _high(value: float) -> int:
    return bits_of(value) >> 32


def _with_high(value: float, high: int) -> float:
    return double_of(high << 32 | bits_of(value) & 0xFFFFFFFF)


def log1p(x: float) -> float:
    """Return ln(1 + x), for x from 2**-29 to 2**53.

    Examples
    --------
    >>> from chronosketch.sketch.ddsketch.fdlibm import log1p
    >>> log1p(1.0)
    0.6931471805599453
    """
    k, f, hu, c = 0, x, 1, 0.0
    if _high(x) >= 0x3FDA827A:
        u = 1.0 + x
        hu = _high(u)
        k = (hu >> 20) - 1023
        c = (1.0 - (u - x) if k > 0 else x - (u - 1.0)) / u
        hu &= 0x000FFFFF
        if hu < 0x6A09E:
            u = _with_high(u, hu | 0x3FF00000)
        else:
            k += 1
            u = _with_high(u, hu | 0x3FE00000)
            hu = (0x00100000 - hu) >> 2
        f = u - 1.0
    half = 0.5 * f * f
    if hu == 0:
        if f == 0:
            return k * _LN2_HIGH + (c + k * _LN2_LOW)
        r = half * (1.0 - 0.66666666666666666 * f)
        return k * _LN2_HIGH - ((r - (k * _LN2_LOW + c)) - f) if k else f - r
    s = f / (2.0 + f)
    z = s * s
    r = _LOG1P[-1]
    for factor in reversed(_LOG1P[:-1]):
        r = factor + z * r
    r = z * r
    if k == 0:
        return f - (half - s * (half + r))
    return k * _LN2_HIGH - ((half - (s * (half + r) + (k * _LN2_LOW + c))) - f)


def cbrt(x: float) -> float:
    """Return the cube root of a normal number.

    Examples
    --------
    >>> from chronosketch.sketch.ddsketch.fdlibm import cbrt
    >>> cbrt(27.0), cbrt(-0.001)
    (3.0, -0.1)
    """
    sign = -1.0 if x < 0 else 1.0
    x = abs(x)
    if x == 0:
        return 0.0
    # accurate to 5 bits, then to 23
    t = double_of(_high(x) // 3 + 715094163 << 32)
    r = t * t / x
    s = 5.42857142857142815906e-01 + r * t
    t *= 3.57142857142857150787e-01 + 1.60714285714285720630e00 / (
        s + 1.41428571428571436819e00 + -7.05306122448979611050e-01 / s
    )
    # truncate to 20 bits, rounding up so that it exceeds the root; then one Newton step
    t = double_of((_high(t) + 1) << 32)
    s = t * t
    r = x / s
    w = t + t
    r = (r - t) / (w + r)
    return sign * (t + t * r)


def power(x: float, y: float) -> float:
    """Return x to the power of y for x above 0, correctly rounded.

    Examples
    --------
    >>> from chronosketch.sketch.ddsketch.fdlibm import power
    >>> power(2.0, 0.5)
    1.4142135623730951
    """
    with localcontext() as context:
        context.prec = 60
        return float((Decimal(x).ln() * Decimal(y)).exp())
