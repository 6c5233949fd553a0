"""Build moments sketches of values with arrays."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from chronosketch.sketch.domain.columns import doubles_of
from chronosketch.sketch.domain.values import keys_of
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.moments.double_tally import DoubleTally, tidy_even, tidy_odd
from chronosketch.sketch.moments.mean import Mean
from chronosketch.sketch.moments.sketch import MomentsSketch
from chronosketch.sketch.moments.whole_tally import WholeTally
from chronosketch.sketch.quantile.building import keys_and_counts, require_countable
from chronosketch.sketch.refusal import Refusal, refusing_as

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from chronosketch.sketch.domain.domain import Domain

    Longs = npt.NDArray[np.int64]
    Doubles = npt.NDArray[np.float64]

# Digits of 12 bits: the product of four has 48, so that 2¹⁵ of them add up within 63.
_BITS = 12
_ROWS = 1 << 15


@refusing_as("moments_of")
def moments_of(values: Iterable[object], frequency: Iterable[int | None] | None = None) -> MomentsSketch:
    """Return a moments sketch of some numbers.

    Parameters
    ----------
    values : iterable
        Numbers of one type, in any form that `Sketch.build` takes. NULL is skipped.
    frequency : iterable of int, optional
        How often each value counts. Values with 0 or None are skipped.

    Raises
    ------
    ChronosketchError
        If the values are not numbers.

    Examples
    --------
    >>> from chronosketch.sketch.moments.building import moments_of
    >>> s = moments_of([2, 4, 4, 10])
    >>> s.sum(), s.mean(), s.variance(population=True), s.max()
    (20.0, 5.0, 9.0, 10)
    """
    if frequency is None:
        return moments_of_keys(*keys_of(values, None))
    return moments_of_keys(*keys_and_counts(values, None, frequency))


def moments_of_keys(domain: Domain, keys: Longs, copies: Longs | None = None) -> MomentsSketch:
    """Return a moments sketch of some keys, each of which counts once or several times.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.moments.building import moments_of_keys
    >>> moments_of_keys(domain_named("int"), np.array([1, 2]), np.array([3, 1])).sum()
    5.0
    """
    if not MomentsSketch._takes(domain):
        raise Refusal(
            "UNSUPPORTED_TYPE",
            types="a number",
            argument="value",
            sql="value",
            type=domain.sql,
            hint="Give it a number, for example the seconds since some time.",
        )
    if copies is not None:
        require_countable(copies)
    if not len(keys):
        return MomentsSketch(Header(domain, ()), None)
    if copies is None:
        tally = _doubles(keys) if domain.is_floating else _whole(keys)
        return MomentsSketch(Header(domain, ()), tally)
    kind: Any = DoubleTally if domain.is_floating else WholeTally
    distinct, places = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, places, copies)
    parts = [kind.equal(n, key) for n, key in zip(sums.tolist(), distinct.tolist(), strict=True)]
    while len(parts) > 1:
        # in pairs, so that rounding errors do not pile up
        united = [one.plus(other) for one, other in zip(parts[::2], parts[1::2], strict=False)]
        parts = [*united, parts[-1]] if len(parts) % 2 else united
    return MomentsSketch(Header(domain, ()), parts[0])


def _whole(keys: Longs) -> WholeTally:
    """Return the exact tally of integers: their powers from those of their distances to the least."""
    least, greatest = int(keys.min()), int(keys.max())
    if least == greatest:
        return WholeTally.equal(len(keys), least)
    above = [len(keys), *_powers(keys.view(np.uint64) - np.uint64(least & (1 << 64) - 1), greatest - least)]
    sums = tuple(
        sum(math.comb(power, i) * least ** (power - i) * above[i] for i in range(power + 1))
        for power in range(1, 5)
    )
    return WholeTally(len(keys), least, greatest, sums)


def _powers(values: npt.NDArray[np.uint64], greatest: int) -> list[int]:
    """Return the exact sums of the first four powers of values up to the greatest one."""
    limbs = -(-greatest.bit_length() // _BITS)
    sums = [0, 0, 0, 0]
    for start in range(0, len(values), _ROWS):
        some = values[start : start + _ROWS]
        digits = [
            ((some >> np.uint64(_BITS * i)) & np.uint64((1 << _BITS) - 1)).astype(np.int64)
            for i in range(limbs)
        ]
        for power in range(1, 5):
            for chosen in combinations_with_replacement(range(limbs), power):
                product = digits[chosen[0]]
                for i in chosen[1:]:
                    product = product * digits[i]
                sums[power - 1] += _orders(chosen) * int(product.sum()) << _BITS * sum(chosen)
    return sums


def _orders(chosen: tuple[int, ...]) -> int:
    """Return in how many orders some digits can be multiplied."""
    orders = math.factorial(len(chosen))
    for digit in set(chosen):
        orders //= math.factorial(chosen.count(digit))
    return orders


def _doubles(keys: Longs) -> DoubleTally:
    """Return the tally of doubles: their moments about the mean, which has twice a double's precision."""
    n, least, greatest = len(keys), int(keys.min()), int(keys.max())
    if least == greatest:
        return DoubleTally.equal(n, least)
    tally = DoubleTally(n, least, greatest)
    if not tally.is_finite:
        return tally
    values = doubles_of(keys)
    center = _mean(values).clamped(least, greatest)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        away = (values - center.high) - center.low
        squares = away * away
        m2, m3, m4 = (float(powers.sum()) for powers in (squares, squares * away, squares * squares))
    return DoubleTally(n, least, greatest, center, tidy_even(m2), tidy_odd(m3), tidy_even(m4))


def _mean(values: Doubles) -> Mean:
    """Return the mean of finite doubles, from their exact sum."""
    # halved often enough that no sum overflows; what the least ones lose is far below the error of the mean
    down = -len(values).bit_length() - 2
    large = float(np.abs(values).max()) >= 2.0 ** (1023 + down)
    given = np.ldexp(values, down) if large else values
    parts = given.tolist()
    high = math.fsum(parts) / len(parts)
    rest = math.fsum([*parts, *([-high] * len(parts))]) / len(parts)
    total = high + rest
    rest = rest - (total - high)
    if large:
        total, rest = math.ldexp(total, -down), math.ldexp(rest, -down)
    return Mean(total, rest) if total + rest == total else Mean(total)
