"""Derive ranks from counts of bins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.rank import RankProfile

if TYPE_CHECKING:
    from chronosketch.sketch.ddsketch.bin_keys import BinKeys


class BinIntervals:
    """The intervals of the values of bins: the values of a bin lie between its least and its greatest key.

    Minimum and maximum are known exactly, so each is an interval of its own beside its bin.

    Examples
    --------
    >>> from chronosketch.sketch.ddsketch.bin_intervals import BinIntervals
    >>> from chronosketch.sketch.ddsketch.bin_keys import BinKeys
    >>> from chronosketch.sketch.ddsketch.bins import bins_of
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> bins = bins_of(0.1)
    >>> keys = BinKeys(bins, domain_named("int"))
    >>> intervals = BinIntervals(keys, 1, 90, {bins.of(1.0): 1, bins.of(40.0): 8, bins.of(90.0): 1})
    >>> at_40 = intervals.profile().position(40)
    >>> intervals.profile().rank_bounds(at_40), intervals.estimates().rank(at_40)
    ((1, 9), 9)
    """

    def __init__(self, keys: BinKeys, least: int, greatest: int, counts: dict[int, int]) -> None:
        self._keys = keys
        self._numbers = sorted(counts)
        last = 1 if sum(counts.values()) > 1 else 0
        self._lows = [least, *(max(least, keys.least(number)) for number in self._numbers), greatest]
        self._highs = [least, *(min(greatest, keys.greatest(number)) for number in self._numbers), greatest]
        self._counts = [1, *(counts[number] for number in self._numbers), last]
        self._counts[1] -= 1
        self._counts[len(self._numbers)] -= last

    def profile(self) -> RankProfile:
        """Return bounds of the ranks."""
        return _profile(self._lows, self._highs, self._counts)

    def estimates(self) -> RankProfile:
        """Return the likeliest ranks of values that are looked up. They lie within the bounds.

        A bin with many more values than its neighbours has a value that many are equal to. Those who look up
        a value in this bin mostly mean that one, so these values count from the beginning of the bin on; in
        the bin of the maximum they are equal to it. Of the others half count: they lie anywhere in the bin.
        """
        first = [self._first(i) for i in range(len(self._counts))]
        last = [count - at_first for count, at_first in zip(self._counts, first, strict=True)]
        return _profile(self._lows, self._lows, first).plus(_profile(self._highs, self._highs, last))

    def _first(self, i: int) -> int:
        """Return how many values of an interval count from its beginning on."""
        count, bins = self._counts[i], len(self._numbers)
        if not 1 <= i <= bins:
            return count
        spread = max(self._spread_like(i, i - 1), self._spread_like(i, i + 1))
        if i < bins:
            return count - spread + spread // 2
        # with a single bin nothing says whether they are equal to the minimum or to the maximum
        return count // 2 if bins == 1 else spread // 2

    def _spread_like(self, i: int, neighbour: int) -> int:
        """Return how many values a bin would have if they were as dense as in a neighbour, at most all."""
        numbers = self._numbers
        if not 1 <= neighbour <= len(numbers) or abs(numbers[i - 1] - numbers[neighbour - 1]) != 1:
            return 0
        # a bin of one value says nothing about others
        if self._lows[neighbour] == self._highs[neighbour]:
            return 0
        count = self._counts[i]
        alike = float(self._counts[neighbour]) * self._width(i) / self._width(neighbour)
        return int(alike) if alike < float(count) else count

    def _width(self, i: int) -> float:
        return self._keys.width(self._lows[i], self._highs[i])


def _profile(lows: list[int], highs: list[int], counts: list[int]) -> RankProfile:
    """Return rank bounds of intervals in ascending order, which may overlap, with these counts."""
    stops: list[int] = []
    at_least: list[int] = []
    at_most: list[int] = []
    begun = ended = below = reached = 0
    while ended < len(lows):
        stop = min(lows[begun], highs[ended]) if begun < len(lows) else highs[ended]
        while begun < len(lows) and lows[begun] <= stop:
            reached += counts[begun]
            begun += 1
        while ended < begun and highs[ended] <= stop:
            below += counts[ended]
            ended += 1
        stops.append(stop)
        at_least.append(below)
        at_most.append(reached)
    return RankProfile.certain(stops, at_least, at_most, sum(counts))
