"""Operations on doubles that round down or up, so that intervals contain the exact result.

Knuth's TwoSum; Ogita, Rump and Oishi, "Accurate sum and dot product", 2005.
"""

from __future__ import annotations

import math

from chronosketch.sketch.moments import ieee
from chronosketch.sketch.moments.bounds import down, up

# Below this a remainder may underflow.
_SMALL = 2.0**-900
# Integers up to this are exact doubles.
_WHOLE = 1 << 53


def add_down(a: float, b: float) -> float:
    """Return a + b, rounded down."""
    total = a + b
    if not abs(total) <= ieee.MOST:
        return _down(total)
    return total if ieee.two_sum_rest(a, b, total) >= 0 else down(total)


def add_up(a: float, b: float) -> float:
    """Return a + b, rounded up."""
    total = a + b
    if not abs(total) <= ieee.MOST:
        return _up(total)
    return total if ieee.two_sum_rest(a, b, total) <= 0 else up(total)


def mul_down(a: float, b: float) -> float:
    """Return a · b, rounded down."""
    if a == 0 or b == 0:
        return 0.0
    product = a * b
    size = abs(product)
    if not size <= ieee.MOST:
        return _down(product)
    if size >= _SMALL:
        return product if ieee.fma(a, b, -product) >= 0 else down(product)
    return max(0.0, down(product)) if (a > 0) == (b > 0) else down(product)


def mul_up(a: float, b: float) -> float:
    """Return a · b, rounded up."""
    if a == 0 or b == 0:
        return 0.0
    product = a * b
    size = abs(product)
    if not size <= ieee.MOST:
        return _up(product)
    if size >= _SMALL:
        return product if ieee.fma(a, b, -product) <= 0 else up(product)
    return up(product) if (a > 0) == (b > 0) else min(up(product), 0.0)


def div_down(a: float, b: float) -> float:
    """Return a / b rounded down, for b > 0."""
    if a == 0:
        return 0.0
    quotient = a / b
    if not abs(quotient) <= ieee.MOST:
        return _down(quotient)
    if _is_large(quotient, a) and ieee.fma(-quotient, b, a) >= 0:
        return quotient
    return max(0.0, down(quotient)) if a > 0 else down(quotient)


def div_up(a: float, b: float) -> float:
    """Return a / b rounded up, for b > 0.

    Examples
    --------
    >>> from chronosketch.sketch.window.moments.directed import div_down, div_up
    >>> div_down(1.0, 3.0) < div_up(1.0, 3.0), div_up(1.0, 4.0)
    (True, 0.25)
    """
    if a == 0:
        return 0.0
    quotient = a / b
    if not abs(quotient) <= ieee.MOST:
        return _up(quotient)
    if _is_large(quotient, a) and ieee.fma(-quotient, b, a) <= 0:
        return quotient
    return up(quotient) if a > 0 else min(up(quotient), 0.0)


def _is_large(quotient: float, a: float) -> bool:
    return abs(quotient) >= _SMALL and abs(a) >= _SMALL


def root_down(a: float) -> float:
    """Return the square root of a number ≥ 0, rounded down."""
    root = ieee.root(a)
    if a == 0 or root > ieee.MOST or (a >= _SMALL and ieee.fma(-root, root, a) >= 0):
        return root
    return max(0.0, down(root))


def root_up(a: float) -> float:
    """Return the square root of a number ≥ 0, rounded up."""
    root = ieee.root(a)
    if a == 0 or root > ieee.MOST or (a >= _SMALL and ieee.fma(-root, root, a) <= 0):
        return root
    return up(root)


def whole_down(n: int) -> float:
    """Return an integer ≥ 0 as a double, rounded down."""
    return float(n) if n <= _WHOLE else down(float(n))


def whole_up(n: int) -> float:
    """Return an integer ≥ 0 as a double, rounded up."""
    return float(n) if n <= _WHOLE else up(float(n))


def times_down(a: float, b: float, c: float, d: float) -> float:
    """Return the lower end of the product of [a, b] and [c, d]."""
    return min(mul_down(a, c), mul_down(a, d), mul_down(b, c), mul_down(b, d))


def times_up(a: float, b: float, c: float, d: float) -> float:
    """Return the upper end of the product of [a, b] and [c, d]."""
    return max(mul_up(a, c), mul_up(a, d), mul_up(b, c), mul_up(b, d))


def square_down(a: float, b: float) -> float:
    """Return the lower end of the square of [a, b]."""
    if a <= 0 <= b:
        return 0.0
    least = min(abs(a), abs(b))
    return mul_down(least, least)


def square_up(a: float, b: float) -> float:
    """Return the upper end of the square of [a, b]."""
    most = max(abs(a), abs(b))
    return mul_up(most, most)


def _down(result: float) -> float:
    """Return a finite double, or −∞, below a result that overflowed or is NaN."""
    return ieee.MOST if result == math.inf else -math.inf


def _up(result: float) -> float:
    return -ieee.MOST if result == -math.inf else math.inf
