"""Check whether stored sums are possible for their values. Refuse those that are not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import corrupt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.sketch.codec.wire import Reader, Writer


# Powers of a range below this may have lost their digits, so they are not checked.
_TINY = 1e-290


def require_squares(n: int, span: float, m2: float) -> None:
    """Refuse what cannot be the sum of squared distances from the mean of n doubles within a span."""
    _require_between("M2", m2, span * span / 4, float(n) * span * span)


def require_moments(n: int, span: float, m2: float, m3: float, m4: float) -> None:
    """Refuse what cannot be the second, third and fourth central moments of n doubles within a span.

    Notes
    -----
    D²/2 ≤ M2 ≤ n·D²/4, |M3| ≤ n·D³ and D⁴/8 ≤ M4 ≤ n·D⁴, if D is the largest distance of n elements. Twice
    the possible rounding is allowed for.
    """
    require_squares(n, span, m2)
    most = 4 * float(n) * span * span * span
    if not (abs(m3) <= most + _TINY or (math.isnan(m3) and math.isinf(most))):
        raise corrupt(f"its M3 is {doubles.text(m3)}")
    _require_between("M4", m4, span * span * span * span / 16, most * span)


def require_products(n: int, span_y: float, span_x: float, products: float) -> None:
    """Refuse what cannot be a sum of products of distances from the means."""
    most = 4 * float(n) * (span_y * span_x)
    if not (abs(products) <= most + _TINY or (math.isnan(products) and math.isinf(most))):
        raise corrupt(f"its sum of products is {doubles.text(products)}")


def _require_between(name: str, value: float, low: float, high: float) -> None:
    is_above = value >= 0 and (value >= low or low <= _TINY or (math.isinf(low) and value == low))
    if not (is_above and value <= high + _TINY):
        raise corrupt(f"its {name} is {doubles.text(value)}")


def write_whole(w: Writer, number: int) -> None:
    """Write an integer: its length in bytes, then two's complement in as few bytes as possible."""
    length = _bits(number) // 8 + 1
    w.byte(length)
    w.raw(number.to_bytes(length, "big", signed=True))


def read_whole(r: Reader, most_bytes: int) -> int:
    """Read an integer by `write_whole`, of at most `most_bytes` bytes."""
    length = r.byte()
    if not 0 < length <= most_bytes:
        raise corrupt(f"a sum has {length} bytes")
    number = int.from_bytes(r.raw(length), "big", signed=True)
    if _bits(number) // 8 + 1 != length:
        raise corrupt("a sum has more bytes than it needs")
    return number


def _bits(number: int) -> int:
    """Return the number of bits in two's complement, without the sign."""
    return (number if number >= 0 else ~number).bit_length()


def require_powers(n: int, least: int, greatest: int, sums: Sequence[int]) -> None:
    """Refuse sums of powers that n integers with this minimum and maximum cannot have.

    Notes
    -----
    The other n − 2 numbers lie between. Their sums obey Cauchy's inequality, and are 0 if there are none.
    And 6 divides x³ − x, 12 divides x⁴ − x².
    """
    require_two_powers(n, least, greatest, sums[0], sums[1])
    _, second, third, fourth = (
        total - least**power - greatest**power for power, total in enumerate(sums, start=1)
    )
    is_possible = (
        second**2 <= (n - 2) * fourth
        and third**2 <= second * fourth
        and (sums[2] - sums[0]) % 6 == 0
        and (sums[3] - sums[1]) % 12 == 0
        and fourth <= second * max(least**2, greatest**2)
    )
    if not is_possible:
        raise corrupt(
            "no values between its least and greatest value have its sums of third and fourth powers"
        )


def require_two_powers(n: int, least: int, greatest: int, total: int, squares: int) -> None:
    """Refuse sums of numbers and squares that n integers with this minimum and maximum cannot have."""
    others = n - 2
    rest = total - least - greatest
    if not others * least <= rest <= others * greatest:
        raise corrupt("no values between its least and greatest value have its sum")
    rest_squares = squares - least**2 - greatest**2
    # (x − least)(greatest − x) ≥ 0 for each x
    most = (least + greatest) * rest - others * least * greatest
    if not (rest**2 <= others * rest_squares and rest_squares <= most and (squares - total) % 2 == 0):
        raise corrupt("no values between its least and greatest value have its sum of squares")
