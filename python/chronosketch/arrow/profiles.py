"""What many quantile sketches say of ranks, in a few arrays, and the questions asked of all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.wire import MOST_LONG

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from chronosketch.arrow.column import Flags, Longs
    from chronosketch.sketch.rank.phi import Phi


@dataclass(frozen=True)
class Profiles:
    """What `chronosketch.sketch.rank.profile.RankProfile` is, of many bags whose counts are certain.

    Attributes
    ----------
    rows : array of int64
        Which row of a batch each is; none is empty.
    domains : array of int64
        The types of their values: kind and both parameters, a byte each.
    first, last : array of int64
        Where each has its first key and its last one.
    keys : array of int64
        The keys of all, rising in each.
    low, high : array of int64
        At least and at most so many elements are not above each key.
    """

    rows: Longs
    domains: Longs
    first: Longs
    last: Longs
    keys: Longs
    low: Longs
    high: Longs

    @property
    def counts(self) -> Longs:
        """How many elements each has."""
        counts: Longs = self.low[self.last]
        return counts

    def part(self, which: Longs) -> Profiles:
        """Return some of them."""
        return Profiles(
            self.rows[which],
            self.domains[which],
            self.first[which],
            self.last[which],
            self.keys,
            self.low,
            self.high,
        )

    def quantiles(self, phi: Phi) -> Longs:
        """Return of each the key that is wrong by the fewest ranks at most; of two the smaller."""
        rank = self._ranks(phi)
        if self.low is self.high:
            exact: Longs = self.keys[self._first(lambda i, at: self.low[i] >= rank[at])]
            return exact
        twice = 2 * rank.astype(np.uint64)

        def crossed(i: Longs, at: Longs) -> Flags:
            # what is certain to be below the key before, and what may be at this one: 64 bits without a sign
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
        """Return of each the least and the greatest key that the exact φ-quantile can be."""
        rank = self._ranks(phi)
        low = self.keys[self._first(lambda i, at: self.high[i] >= rank[at])]
        if self.low is self.high:
            return low, low
        return low, self.keys[self._first(lambda i, at: self.low[i] >= rank[at])]

    def at_most(self, key: int | None) -> Longs:
        """Return how many elements of each are not above a key. None is below all."""
        if key is None:
            return np.zeros_like(self.first)
        past = self._first(lambda i, at: self.keys[i] > key)
        above_all = self.keys[self.last] <= key
        place = np.where(above_all, self.last, past - 1)
        low, high = self.low[place], self.high[place]
        middle: Longs = np.where(place < self.first, 0, low + (high - low) // 2)
        return middle

    def rank_errors(self) -> npt.NDArray[np.float64]:
        """Return of each the certified rank error, as a share of its count."""
        if self.low is self.high:
            return np.zeros(len(self.rows))
        gaps = (self.high - self.low + 1) // 2
        # after the last key nothing follows
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
        """Return the values one place before; 0 before the first of each."""
        before: Longs = np.where(i > self.first[at], values[np.maximum(i, 1) - 1], 0)
        return before

    def _first(self, condition: Callable[[Longs, Longs], Flags]) -> Longs:
        """Return the first place of each where a condition holds that holds from there on; else the last.

        The condition is asked of places and of which sketch has them.
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
        """Return the rank of the φ-quantile in each."""
        counts = self.counts
        numerator, denominator = phi.share.numerator, phi.share.denominator
        ranks: Longs
        if not len(counts) or denominator * int(counts.max()) <= MOST_LONG:
            ranks = np.maximum(1, -(-numerator * counts // denominator))
        else:
            different, place = np.unique(counts, return_inverse=True)
            ranks = np.array([phi.rank(int(n)) for n in different], np.int64)[place]
        return ranks
