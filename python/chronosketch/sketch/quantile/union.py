"""Lists of tuples united, and thinned as far as an error allows."""

from __future__ import annotations

from bisect import bisect_left

from chronosketch.sketch.quantile.crowds import crowds
from chronosketch.sketch.quantile.tuples import Tuples

# One part in so many of the tuples asked for may be dropped beyond need.
_SLACK = 12

# How often a limit is guessed before the rest is halved.
_GUESSES = 6


def unite(a: Tuples, b: Tuples) -> Tuples:
    """Return the union of two lists.

    A tuple keeps g; its Δ grows by what its successor on the other side leaves in doubt. Of more than two
    tuples of one key, all between the first and the last go into the last.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.union import unite
    >>> unite(Tuples([1, 9], [1, 3], [0, 0]), Tuples([5], [1], [0]))
    Tuples(keys=[1, 5, 9], gs=[1, 1, 3], deltas=[0, 2, 0])
    """
    union = Tuples()
    i = j = 0
    while i < len(a) and j < len(b):
        # what both leave in doubt, but for the g of the one that comes
        both = a.gs[i] + a.deltas[i] + b.gs[j] + b.deltas[j] - 1
        if a.keys[i] <= b.keys[j]:
            _add(union, a.keys[i], a.gs[i], both - a.gs[i])
            i += 1
        else:
            _add(union, b.keys[j], b.gs[j], both - b.gs[j])
            j += 1
    for rest, at in ((a, i), (b, j)):
        for k in range(at, len(rest)):
            is_tie = rest is b and bool(union.keys) and union.keys[-1] == rest.keys[k]
            if is_tie:
                _add(union, rest.keys[k], rest.gs[k], 0)
            else:
                union.add(rest.keys[k], rest.gs[k], rest.deltas[k])
    return union


def _add(union: Tuples, key: int, g: int, delta: int) -> None:
    keys = union.keys
    if len(keys) > 1 and keys[-1] == keys[-2] == key:
        union.gs[-1] += g
    else:
        union.add(key, g, 0 if keys and keys[-1] == key else delta)


def unite_all(lists: list[Tuples]) -> Tuples:
    """Return the union of lists, two by two, then those two by two."""
    while len(lists) > 1:
        pairs = [unite(lists[i], lists[i + 1]) for i in range(0, len(lists) - 1, 2)]
        lists = pairs + lists[len(lists) & ~1 :]
    return lists[0] if lists else Tuples()


class Union:
    """A union before it is taken: it can be thinned.

    Notes
    -----
    Greenwald and Khanna 2001; Luo, Wang, Yi and Cormode, "Quantiles over data streams: experimental
    comparisons, new analyses, and further improvements", VLDB Journal 2016, §3. Every step is the one that
    the JVM takes, so that the bytes of a merge are the same.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.counted import exact
    >>> from chronosketch.sketch.quantile.union import Union
    >>> union = Union(exact(list(range(100))))
    >>> union.drop_to(10, 20)
    >>> len(union.tuples) <= 10, union.largest <= 20
    (True, True)
    """

    def __init__(self, tuples: Tuples, crowded: list[tuple[int, int]] | None = None) -> None:
        self.tuples = tuples
        self._crowds = crowded or []

    @staticmethod
    def of_values(a: Tuples, values: list[int]) -> Union:
        """Return the union with values in order."""
        return Union(unite(a, _singles(values)), crowds(a.keys, values))

    @staticmethod
    def of_new(a: Tuples, b: Tuples) -> Union:
        """Return the union with the tuples of values that came together."""
        return Union(unite(a, b), crowds(a.keys, b.keys))

    def drop(self, limit: int) -> None:
        """Drop tuples into their successors where g + Δ stays within a limit; crowds stay as they are."""
        if limit > 1:
            self._drop_within(limit)
        self._crowds = []

    def drop_to(self, target: int, most: int) -> None:
        """Drop within about the least limit up to `most` that leaves no more than so many tuples."""
        widest, mean_of, mean_delta = self._measured()
        fewest = target - target // _SLACK
        aim = target - target / (2.0 * _SLACK)
        low, high = min(most, widest), most
        guess = mean_delta + mean_of / aim
        tries = 0
        while low < high:
            mid = max(low, min(high - 1, int(guess))) if tries < _GUESSES else low + (high - low) // 2
            count = self._left(mid, target)
            if count > target:
                low = mid + 1
                guess = mid + (mid - mean_delta) / (2 * _SLACK)
            else:
                high = mid
                guess = mean_delta + (mid - mean_delta) * count / aim
                if count >= fewest:
                    low = mid
            tries += 1
        self._drop_within(high)

    @property
    def largest(self) -> int:
        """The largest g + Δ where the key differs from the one before."""
        return self._measured()[0]

    def leaves(self, target: int, limit: int) -> bool:
        """Return whether dropping within a limit leaves no more than so many."""
        return self._left(limit, target) <= target

    def _measured(self) -> tuple[int, float, float]:
        t = self.tuples
        most, elements, doubt = 1, 0, 0.0
        for i in range(len(t)):
            if not t.is_second(i):
                most = max(most, t.gs[i] + t.deltas[i])
                elements += t.gs[i]
                doubt += float(t.gs[i]) * t.deltas[i]
        return most, float(elements), doubt / max(1.0, float(elements))

    def _left(self, limit: int, most: int) -> int:
        t = self.tuples
        key, weight, delta = t.keys[-1], t.gs[-1], t.deltas[-1]
        count = 2
        for r in range(len(t) - 2, 0, -1):
            if count > most:
                break
            is_pair = t.keys[r] == key
            total = t.gs[r] + weight
            joined = max(0, t.deltas[r] - weight) if is_pair else delta
            if total + joined <= limit and not (is_pair and count == 2):
                weight, delta = total, joined
            else:
                key, weight, delta = t.keys[r], t.gs[r], t.deltas[r]
                count += 1
        return count

    def _drop_within(self, limit: int) -> None:
        t = self.tuples
        if len(t) <= 2:
            return
        until = len(t) - 1
        kept = [(t.keys[until], t.gs[until], t.deltas[until])]
        for low, high in reversed(self._crowds):
            # from the neighbour before the crowd to the one after it, which stay, too
            first = bisect_left(t.keys, low + 1) - 1
            after = min(bisect_left(t.keys, high) + 1, until)
            self._drop_into(kept, after, until, limit)
            kept += [(t.keys[i], t.gs[i], t.deltas[i]) for i in range(after - 1, first - 1, -1)]
            until = first
        if until > 0:
            self._drop_into(kept, 1, until, limit)
            kept.append((t.keys[0], t.gs[0], t.deltas[0]))
        kept.reverse()
        self.tuples = Tuples(*(list(column) for column in zip(*kept, strict=True)))

    def _drop_into(self, kept: list[tuple[int, int, int]], start: int, until: int, limit: int) -> None:
        """Drop from right to left, each tuple into the one that was kept last if that fits."""
        t = self.tuples
        key, weight, delta = kept[-1]
        for r in range(until - 1, start - 1, -1):
            is_pair = t.keys[r] == key
            total = t.gs[r] + weight
            # of a pair made one, the Δ that keeps the first's greatest rank
            joined = max(0, t.deltas[r] - weight) if is_pair else delta
            # never a pair into the last of all, whose Δ is 0: it is the maximum
            if total + joined <= limit and not (is_pair and len(kept) == 1):
                weight, delta = total, joined
                kept[-1] = key, weight, delta
            else:
                key, weight, delta = t.keys[r], t.gs[r], t.deltas[r]
                kept.append((key, weight, delta))


def _singles(values: list[int]) -> Tuples:
    return Tuples(values, [1] * len(values), [0] * len(values))
