"""Find the keys that a bin can contain."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG
from chronosketch.sketch.domain.domain import Kind

if TYPE_CHECKING:
    from chronosketch.sketch.ddsketch.bins import Bins
    from chronosketch.sketch.domain.domain import Domain

# Above this many gaps between values, divided by alpha, bins are wider than a gap.
_GAPS = 4.0
_MIN_FLOAT = 2.0**-149
_MAX_FLOAT = (2 - 2.0**-23) * 2.0**127
_MIN_NORMAL = 2.0**-1022


class BinKeys:
    """The keys of a type that a bin can contain: from `least` to `greatest`.

    Examples
    --------
    >>> from chronosketch.sketch.ddsketch.bin_keys import BinKeys
    >>> from chronosketch.sketch.ddsketch.bins import bins_of
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> keys = BinKeys(bins_of(0.1), domain_named("int"))
    >>> b = bins_of(0.1).of(7.0)
    >>> keys.least(b), keys.greatest(b)
    (6, 7)
    """

    def __init__(self, bins: Bins, domain: Domain) -> None:
        self._bins = bins
        self._domain = domain
        gap = {Kind.DOUBLE: _MIN_NORMAL, Kind.FLOAT: _GAPS / bins.alpha * _MIN_FLOAT}
        self._filled_from = bins.of(gap.get(domain.kind, _GAPS / bins.alpha))
        # there are no values between the greatest FLOAT and infinity
        self._filled_until = bins.of(_MAX_FLOAT) if domain.kind == Kind.FLOAT else bins.nan

    def is_filled(self, number: int) -> bool:
        """Whether the bin is wider than the gaps between values, and not beyond the greatest number."""
        return self._filled_from <= abs(number) <= self._filled_until

    def least(self, number: int) -> int:
        """Return the least key. It is above `greatest` if no value of the type is in the bin."""
        value = self._bins.least(number)
        if self._domain.is_floating:
            return self._key(value, 1)
        if abs(number) >= self._bins.infinity:
            return MOST_LONG
        return max(self._domain.least, min(MOST_LONG, math.ceil(value)))

    def greatest(self, number: int) -> int:
        """Return the greatest key."""
        value = self._bins.greatest(number)
        if self._domain.is_floating:
            return self._key(value, -1)
        if abs(number) >= self._bins.infinity:
            return LEAST_LONG
        return min(self._domain.greatest, max(LEAST_LONG, math.floor(value)))

    def _key(self, value: float, step: int) -> int:
        if self._domain.kind == Kind.DOUBLE or value != value:
            return doubles.key(value)
        nearest = doubles.nearest_float(value)
        is_off = nearest < value if step > 0 else nearest > value
        return doubles.key(doubles.next_float(nearest, step) if is_off else nearest)

    def width(self, low: int, high: int) -> float:
        """Return how far apart two keys are. Whole numbers, and decimals without their point, take up 1."""
        if self._domain.is_floating:
            return doubles.value(high) - doubles.value(low)
        return float(high - low) + 1.0
