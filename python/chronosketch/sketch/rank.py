"""Ranks of quantiles, bounds of ranks, and the answers that follow from them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self


#: A share from 0 to 1. A float counts as the decimal number of its shortest text.
Share: TypeAlias = float | Decimal


def is_several(phi: object) -> TypeGuard[Iterable[Any]]:
    """Return whether this is a sequence of numbers. An array of numpy without a dimension is one number."""
    return isinstance(phi, Iterable) and not isinstance(phi, str) and getattr(phi, "ndim", 1) != 0


class Phi:
    """A share of the elements, exactly as written.

    Examples
    --------
    >>> from chronosketch.sketch.rank import Phi
    >>> Phi(0.07).rank(100), Phi(Decimal("0.5")).rank(3), Phi(0).rank(5)
    (7, 2, 1)

    Attributes
    ----------
    share : Fraction
        The share.
    """

    def __init__(self, share: Share) -> None:
        if not isinstance(share, Decimal):
            share = float(share)
            if not 0 <= share <= 1:
                raise Refusal("INVALID_PHI", phi=doubles.text(share))
        exact = Decimal(repr(share)) if isinstance(share, float) else share
        if not exact.is_finite() or not 0 <= exact <= 1:
            raise Refusal("INVALID_PHI", phi=format(exact, "f"))
        self.share = Fraction(exact)

    @classmethod
    def of(cls, phi: Any) -> Self:
        """Return the φ of a number of any kind. Refuse what is not a number."""
        if not (isinstance(phi, Decimal | float | int) or hasattr(phi, "__float__")):
            raise TypeError(f"phi is a number in [0, 1] or a sequence of them, not {phi!r:.60}.")
        # a short float of numpy has a shorter text than the same number as a double
        is_short = getattr(getattr(phi, "dtype", None), "kind", "") == "f" and not isinstance(phi, float)
        return cls(Decimal(str(phi)) if is_short else phi)

    def rank(self, n: int) -> int:
        """Return the rank of the φ-quantile among n elements, counted from 1."""
        return max(1, -(-self.share.numerator * n // self.share.denominator))

    def reached(self, at_most: int, above: int) -> bool:
        """Return whether the φ-quantile of at_most + above elements is among the first at_most."""
        numerator, denominator = self.share.numerator, self.share.denominator
        return (denominator - numerator) * at_most >= numerator * above

    def __str__(self) -> str:
        # the denominator divides a power of ten
        digits = 0
        while 10**digits % self.share.denominator:
            digits += 1
        unscaled = self.share.numerator * 10**digits // self.share.denominator
        return format(Decimal(f"{unscaled}E-{digits}"), "f")


class RankProfile:
    """Bounds of the number of elements at or below each key, and above it.

    Attributes
    ----------
    keys : list of int
        Ascending. The minimum is always one of them.
    at_most_low, at_most_high : list of int
        The least and greatest number of elements ≤ x, for each x from a key up to the next.
    above_low, above_high : list of int, or None
        The same for the elements > x. The first entry is for x below the first key. None if the count is
        certain.

    Notes
    -----
    Greenwald and Khanna, "Space-efficient online computation of quantile summaries", SIGMOD 2001, §2,
    extended to ties and to uncertain counts.

    Examples
    --------
    >>> from chronosketch.sketch.rank import RankProfile
    >>> p = RankProfile.certain([10, 20], [1, 3], [2, 3], 3)
    >>> p.quantile(Phi(0.5)), p.quantile_bounds(Phi(0.5)), p.certified_error
    (10, (10, 20), 1)
    """

    def __init__(
        self,
        keys: list[int],
        at_most_low: list[int],
        at_most_high: list[int],
        n: int,
        above_low: list[int] | None = None,
        above_high: list[int] | None = None,
    ) -> None:
        self.keys = keys
        self.at_most_low = at_most_low
        self.at_most_high = at_most_high
        self.above_low = above_low
        self.above_high = above_high
        self._n = n

    @staticmethod
    def certain(keys: list[int], at_most_low: list[int], at_most_high: list[int], n: int) -> RankProfile:
        """Return the profile of a bag whose count is certain."""
        return RankProfile(keys, at_most_low, at_most_high, n) if keys else EMPTY

    @staticmethod
    def counted(keys: list[int], counts: Sequence[int]) -> RankProfile:
        """Return the exact profile of keys with these counts."""
        at_most = []
        n = 0
        for count in counts:
            n += count
            at_most.append(n)
        return RankProfile.certain(keys, at_most, at_most, n)

    @staticmethod
    def between(
        keys: list[int], at_most_low: list[int], at_most_high: list[int], count_low: int, count_high: int
    ) -> RankProfile:
        """Return the profile of a bag whose count is between two bounds."""
        if count_high == 0:
            return EMPTY
        if count_low == count_high:
            return RankProfile.certain(keys, at_most_low, at_most_high, count_low)
        above_low = [count_low, *(max(0, count_low - high) for high in at_most_high[:-1]), 0]
        above_high = [count_high, *(count_high - low for low in at_most_low[:-1]), 0]
        return RankProfile(keys, at_most_low, at_most_high, 0, above_low, above_high)

    def part_of(self, least: int, most: int) -> RankProfile:
        """Return the profile of an unknown part with at least `least` and at most `most` elements."""
        if self.is_empty or most == 0:
            return EMPTY
        places = range(len(self.keys))
        low = [max(0, least - self._b1(i)) for i in places]
        high = [min(most, self._a1(i)) for i in places]
        if least == most:
            return RankProfile(self.keys, low, high, most)
        before = range(-1, len(self.keys))
        above_low = [max(0, least - self._a1(i)) for i in before]
        above_high = [min(most, self._b1(i)) for i in before]
        return RankProfile(self.keys, low, high, 0, above_low, above_high)

    def plus(self, that: RankProfile) -> RankProfile:
        """Return the profile of both bags together."""
        if that.is_empty:
            return self
        if self.is_empty:
            return that
        keys = sorted({*self.keys, *that.keys})
        places = [(self.position(key), that.position(key)) for key in keys]
        low = [self._a0(i) + that._a0(j) for i, j in places]
        high = [self._a1(i) + that._a1(j) for i, j in places]
        if self.above_low is None and that.above_low is None:
            return RankProfile(keys, low, high, self._n + that._n)
        places = [(-1, -1), *places]
        above_low = [self._b0(i) + that._b0(j) for i, j in places]
        above_high = [self._b1(i) + that._b1(j) for i, j in places]
        return RankProfile(keys, low, high, 0, above_low, above_high)

    @property
    def is_empty(self) -> bool:
        """Whether there are certainly no elements."""
        return not self.keys

    @property
    def count_low(self) -> int:
        """The least possible number of elements."""
        return self._n if self.above_low is None else self.above_low[0]

    @property
    def count_high(self) -> int:
        """The greatest possible number of elements."""
        return self._n if self.above_high is None else self.above_high[0]

    # Bounds of the elements at or below the i-th key (a) and above it (b), low (0) and high (1). i = −1 means
    # below the first key.
    def _a0(self, i: int) -> int:
        return 0 if i < 0 else self.at_most_low[i]

    def _a1(self, i: int) -> int:
        return 0 if i < 0 else self.at_most_high[i]

    def _b0(self, i: int) -> int:
        return self._n - self._a1(i) if self.above_low is None else self.above_low[i + 1]

    def _b1(self, i: int) -> int:
        return self._n - self._a0(i) if self.above_high is None else self.above_high[i + 1]

    def _deficit(self, phi: Phi, i: int) -> int:
        return phi.rank(self._a0(i) + self._b1(i)) - self._a0(i)

    def _excess(self, phi: Phi, i: int) -> int:
        return self._a1(i - 1) + 1 - phi.rank(self._a1(i - 1) + self._b0(i - 1))

    def error_of(self, phi: Phi, i: int) -> int:
        """Return the worst-case rank error of the answer ``keys[i]``."""
        return max(0, self._deficit(phi, i), self._excess(phi, i))

    def quantile(self, phi: Phi) -> int:
        """Return the key with the smallest worst-case rank error; the smaller one of two."""
        cross = self._first(lambda i: self._excess(phi, i) >= self._deficit(phi, i))
        if cross == len(self.keys):
            return self.keys[-1]
        if cross > 0 and self.error_of(phi, cross - 1) <= self.error_of(phi, cross):
            cross -= 1
        return self.keys[cross]

    def quantile_bounds(self, phi: Phi) -> tuple[int, int]:
        """Return the least and the greatest key that the exact φ-quantile can be."""
        low = self._first(lambda i: self._a1(i) >= 1 and phi.reached(self._a1(i), self._b0(i)))
        high = self._first(lambda i: self._a0(i) >= 1 and phi.reached(self._a0(i), self._b1(i)))
        last = len(self.keys) - 1
        return self.keys[min(low, last)], self.keys[min(high, last)]

    def _first(self, condition: Callable[[int], bool]) -> int:
        """Return the first position where a monotone condition holds. Once true, it must stay true."""
        return bisect_left(range(len(self.keys)), True, key=condition)

    def position(self, key: int) -> int:
        """Return the position of the greatest key that is not above one, or −1 if all are."""
        return bisect_right(self.keys, key) - 1

    def rank_bounds(self, position: int) -> tuple[int, int]:
        """Return the bounds of the number of elements ≤ a key at this position."""
        return self._a0(position), self._a1(position)

    def rank(self, position: int) -> int:
        """Return the middle of the bounds of the number of elements ≤ a key at this position."""
        low, high = self.rank_bounds(position)
        return low + (high - low) // 2

    def cdf(self, position: int) -> float:
        """Return the estimated share of the elements ≤ a key at this position. It lies in `cdf_bounds`."""
        low, high = self.cdf_bounds(position)
        return max(low, min(high, self._share(float(self._a0(position)) + self._a1(position), position)))

    def cdf_bounds(self, position: int) -> tuple[float, float]:
        """Return the least and the greatest possible share of the elements ≤ a key at this position."""
        least, most = self.rank_bounds(position)
        most_above = self._b1(position)
        # 0 elements of 0 have no share: then the other bound says all
        return (
            1.0 if most_above == 0 else self._part(least, most_above),
            0.0 if most == 0 else self._part(most, self._b0(position)),
        )

    def _part(self, at_most: int, above: int) -> float:
        is_certain = self.count_low == self.count_high
        return float(at_most) / (float(self.count_low) if is_certain else float(at_most) + float(above))

    def pmf(self, positions: Sequence[int]) -> list[float]:
        """Return the shares of the elements between each two positions, and above the last."""
        shares = []
        for before, to in zip((-1, *positions), (*positions, len(self.keys) - 1), strict=True):
            twice = float(self._a0(to)) + self._a1(to) - self._a0(before) - self._a1(before)
            shares.append(self._share(twice, to))
        return shares

    def _share(self, twice_at_most: float, position: int) -> float:
        if self.count_low == self.count_high:
            return twice_at_most / (2.0 * self.count_low)
        whole = float(self._a0(position)) + self._a1(position) + self._b0(position) + self._b1(position)
        return twice_at_most / whole

    @cached_property
    def certified_error(self) -> int:
        """The greatest rank error of any answer of `quantile`."""
        if self.is_empty:
            return 0
        worst = max(self.error_of(_FIRST, 0), self.error_of(_LAST, len(self.keys) - 1))
        for i in range(1, len(self.keys)):
            # the answer changes where the deficit of one key equals the excess of the next
            past, reach = self._a1(i - 1) + 1, self._a0(i - 1)
            if self.above_low is None:
                error = (past - reach) // 2
            else:
                error = _crossing(past, reach, reach + self._b1(i - 1), past - 1 + self._b0(i - 1))
            worst = max(worst, error)
        return worst

    @property
    def rank_error(self) -> float:
        """`certified_error` as a share of the count; 1 if there may be no elements."""
        return 1.0 if self.count_low == 0 else min(1.0, float(self.certified_error) / float(self.count_low))

    @property
    def is_exact(self) -> bool:
        """Whether every answer is exact."""
        return self.count_low == self.count_high and self.at_most_low == self.at_most_high


def _crossing(past: int, reach: int, most: int, least: int) -> int:
    """Return where φ·most − reach meets past − φ·least, rounded up. If they meet beyond φ = 1, use φ = 1."""
    if past + reach >= most + least:
        return most - reach
    return -((reach * least - past * most) // (most + least))


EMPTY = RankProfile([], [], [], 0)
_FIRST = Phi(0)
_LAST = Phi(1)
