"""The rank profiles of many quantile sketches in a few arrays, and quantile queries over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.wire import MOST_LONG

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from chronosketch.arrow.column import Flags, Longs
    from chronosketch.sketch.rank import Phi


@dataclass(frozen=True)
class Profiles:
    """Many `chronosketch.sketch.rank.RankProfile`s of sketches whose counts are certain.

    Attributes
    ----------
    rows : array of int64
        The row of the batch that each profile comes from. No profile is empty.
    domains : array of int64
        The types of their values: the kind and its two parameters, one byte each.
    epsilons : array of float64
        Their parameters.
    first, last : array of int64
        The positions of each profile's first and last key.
    keys : array of int64
        The keys of all profiles, ascending within each.
    low, high : array of int64
        Bounds of the number of elements at or below each key.
    """

    rows: Longs
    domains: Longs
    epsilons: npt.NDArray[np.float64]
    first: Longs
    last: Longs
    keys: Longs
    low: Longs
    high: Longs

    @property
    def counts(self) -> Longs:
        """The number of elements of each profile."""
        counts: Longs = self.low[self.last]
        return counts

    def part(self, which: Longs) -> Profiles:
        """Return the selected profiles."""
        return Profiles(
            self.rows[which],
            self.domains[which],
            self.epsilons[which],
            self.first[which],
            self.last[which],
            self.keys,
            self.low,
            self.high,
        )

    def quantiles(self, phi: Phi) -> Longs:
        """Return, for each, the key with the smallest worst-case rank error; the smaller one of two."""
        rank = self._ranks(phi)
        if self.low is self.high:
            exact: Longs = self.keys[self._first(lambda i, at: self.low[i] >= rank[at])]
            return exact
        twice = 2 * rank.astype(np.uint64)

        def crossed(i: Longs, at: Longs) -> Flags:
            # the sum of two ranks can need 64 bits, so it is unsigned
            reach = self._before(self.high, i, at).astype(np.uint64) + self.low[i].astype(np.uint64)
            flags: Flags = reach + np.uint64(1) >= twice[at]
            return flags

        at = np.arange(len(self.rows))
        cross = self._first(crossed)
        other = np.maximum(cross - 1, self.first)
        nearer = self._errors(rank, other, at) <= self._errors(rank, cross, at)
        keys: Longs = self.keys[np.where(nearer, other, cross)]
        return keys

    def bounds(self, phi: Phi) -> tuple[Longs, Longs]:
        """Return, for each, the least and the greatest key that the exact φ-quantile can be."""
        rank = self._ranks(phi)
        low = self.keys[self._first(lambda i, at: self.high[i] >= rank[at])]
        if self.low is self.high:
            return low, low
        return low, self.keys[self._first(lambda i, at: self.low[i] >= rank[at])]

    def at_most(self, key: int | None) -> Longs:
        """Return the estimated number of elements at or below a key. None is below all keys."""
        low, high = self.rank_bounds(key)
        return low + (high - low) // 2

    def rank_bounds(self, key: int | None) -> tuple[Longs, Longs]:
        """Return bounds of the number of elements at or below a key. None is below all keys."""
        if key is None:
            return np.zeros_like(self.first), np.zeros_like(self.first)
        past = self._first(lambda i, at: self.keys[i] > key)
        above_all = self.keys[self.last] <= key
        place = np.where(above_all, self.last, past - 1)
        is_below = place < self.first
        return np.where(is_below, 0, self.low[place]), np.where(is_below, 0, self.high[place])

    def rank_errors(self) -> npt.NDArray[np.float64]:
        """Return the certified rank error of each, as a share of its count."""
        if self.low is self.high:
            return np.zeros(len(self.rows))
        gaps = (self.high - self.low + 1) // 2
        # there is no gap after the last key
        gaps[self.last] = 0
        both = np.stack([self.first, self.last + 1], axis=1).reshape(-1)
        worst = np.maximum.reduceat(np.append(gaps, 0), both)[::2]
        shares: npt.NDArray[np.float64] = worst.astype(np.float64) / self.counts.astype(np.float64)
        at_most_all: npt.NDArray[np.float64] = np.minimum(1.0, shares)
        return at_most_all

    def _errors(self, rank: Longs, i: Longs, at: Longs) -> Longs:
        short = rank - self.low[i]
        past = self._before(self.high, i, at) + 1 - rank
        worst: Longs = np.maximum(0, np.maximum(short, past))
        return worst

    def _before(self, values: Longs, i: Longs, at: Longs) -> Longs:
        """Return the values one position before, or 0 before each profile's first."""
        before: Longs = np.where(i > self.first[at], values[np.maximum(i, 1) - 1], 0)
        return before

    def _first(self, condition: Callable[[Longs, Longs], Flags]) -> Longs:
        """Return the first position in each profile where a monotone condition holds, or the last position.

        The condition gets positions and the numbers of their profiles. Once true, it must stay true.
        """
        low: Longs = self.first.copy()
        high: Longs = self.last.copy()
        at = np.flatnonzero(low < high)
        while len(at):
            middle = low[at] + (high[at] - low[at]) // 2
            holds = condition(middle, at)
            high[at[holds]] = middle[holds]
            fails = ~holds
            low[at[fails]] = middle[fails] + 1
            at = at[low[at] < high[at]]
        return low

    def _ranks(self, phi: Phi) -> Longs:
        """Return the rank of the φ-quantile in each profile."""
        counts = self.counts
        numerator, denominator = phi.share.numerator, phi.share.denominator
        ranks: Longs
        if not len(counts) or denominator * int(counts.max()) <= MOST_LONG:
            ranks = np.maximum(1, -(-numerator * counts // denominator))
        else:
            different, place = np.unique(counts, return_inverse=True)
            ranks = np.array([phi.rank(int(n)) for n in different], np.int64)[place]
        return ranks
