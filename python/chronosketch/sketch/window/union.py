"""Unite lists of tuples, and thin them within an error limit."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

from chronosketch.sketch.quantile.tuples import Tuples

# Up to 1/n of the target number of tuples may be dropped beyond need, for this n.
_SLACK = 12

# How often a limit is estimated before the search continues by bisection.
_GUESSES = 6

# From this many tuples on, the effect of a limit is estimated from some stretches of the tuples.
_MANY = 1 << 12
_PART = _STRETCHES = 8


@dataclass
class TupleList:
    """Greenwald-Khanna tuples in lists, which can grow.

    Examples
    --------
    >>> from chronosketch.sketch.window.union import TupleList
    >>> TupleList.exact([1, 1, 2]).frozen().count
    3
    """

    keys: list[int] = field(default_factory=list)
    gs: list[int] = field(default_factory=list)
    deltas: list[int] = field(default_factory=list)

    @staticmethod
    def of(tuples: Tuples) -> TupleList:
        """Return the same tuples in lists."""
        return TupleList(tuples.keys.tolist(), tuples.gs.tolist(), tuples.deltas.tolist())

    @staticmethod
    def exact(keys: list[int]) -> TupleList:
        """Return tuples that represent each of the sorted keys exactly."""
        return TupleList.counted([(key, len(list(copies))) for key, copies in groupby(keys)])

    @staticmethod
    def counted(counts: list[tuple[int, int]]) -> TupleList:
        """Return the exact tuples of ascending keys with their counts."""
        tuples = TupleList()
        for key, copies in counts:
            tuples.add(key, 1, 0)
            if copies > 1:
                tuples.add(key, copies - 1, 0)
        return tuples

    @staticmethod
    def at_ranks(keys: list[int], step: int) -> TupleList:
        """Return the sorted keys at the ranks 1, 1 + step, …, and the last one, with certain ranks."""
        tuples = TupleList()
        last = 0
        while last < len(keys):
            rank = 1 if last == 0 else min(last + step, len(keys))
            key, g = keys[rank - 1], rank - last
            if tuples.keys[-2:] == [key, key]:
                tuples.gs[-1] += g
            else:
                tuples.add(key, g, 0)
            last = rank
        return tuples

    def add(self, key: int, g: int, delta: int) -> None:
        """Append a tuple."""
        self.keys.append(key)
        self.gs.append(g)
        self.deltas.append(delta)

    def frozen(self) -> Tuples:
        """Return the same tuples in arrays."""
        return Tuples.of(self.keys, self.gs, self.deltas)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def count(self) -> int:
        """The number of elements that the tuples represent."""
        return sum(self.gs)

    def is_second(self, i: int) -> bool:
        """Return whether a tuple is the second one of its key."""
        return i > 0 and self.keys[i] == self.keys[i - 1]


def unite(a: TupleList, b: TupleList) -> TupleList:
    """Return the union of two lists.

    A tuple keeps its g. Its Δ grows by the uncertainty of its successor in the other list. If a key has more
    than two tuples, all but the first are combined into the last.

    Examples
    --------
    >>> from chronosketch.sketch.window.union import TupleList, unite
    >>> unite(TupleList([1, 9], [1, 3], [0, 0]), TupleList([5], [1], [0]))
    TupleList(keys=[1, 5, 9], gs=[1, 1, 3], deltas=[0, 2, 0])
    """
    union = TupleList()
    i = j = 0
    while i < len(a) and j < len(b):
        # the uncertainty of both, without the g of the inserted tuple
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


def _add(union: TupleList, key: int, g: int, delta: int) -> None:
    keys = union.keys
    if len(keys) > 1 and keys[-1] == keys[-2] == key:
        union.gs[-1] += g
    else:
        union.add(key, g, 0 if keys and keys[-1] == key else delta)


def unite_all(lists: list[TupleList]) -> TupleList:
    """Return the union of several lists, merged in pairs."""
    while len(lists) > 1:
        pairs = [unite(lists[i], lists[i + 1]) for i in range(0, len(lists) - 1, 2)]
        lists = pairs + lists[len(lists) & ~1 :]
    return lists[0] if lists else TupleList()


class _Ends:
    """The lower limits near the ends of a list of tuples."""

    def __init__(self, tuples: TupleList, elements: int) -> None:
        self._rising = elements
        self._inner, self._outer = 0, len(tuples)
        if elements == 0:
            return
        self._all = tuples.count
        self._slope = 0.5 / elements
        total = 0
        while self._inner < len(tuples) and total < elements:
            total += tuples.gs[self._inner]
            self._inner += 1
        total = 0
        while self._outer > self._inner and total < elements:
            self._outer -= 1
            total += tuples.gs[self._outer]

    def room(self, limit: int, at: int, after: int) -> int:
        """Return the limit of the tuple at `at`, with `after` elements after it."""
        if at >= self._outer:
            return self._rise(limit, after)
        return self._rise(limit, self._all - after) if at < self._inner else limit

    def _rise(self, limit: int, elements: int) -> int:
        if elements >= self._rising:
            return limit
        return min(limit, int(limit * (0.5 + self._slope * elements)))


class UnitedTuples:
    """The union of several lists of tuples, which can be thinned before its tuples are used.

    Notes
    -----
    Greenwald and Khanna 2001; Luo, Wang, Yi and Cormode, "Quantiles over data streams: experimental
    comparisons, new analyses, and further improvements", VLDB Journal 2016, §3. A window unites buckets when
    it is read, and the same bytes have the same bounds everywhere. So every step is the same as in the JVM.

    Examples
    --------
    >>> from chronosketch.sketch.window.union import TupleList, UnitedTuples
    >>> union = UnitedTuples(TupleList.exact(list(range(100))))
    >>> union.drop_to(10, 20)
    >>> len(union.tuples) <= 10, union.largest <= 20
    (True, True)
    """

    def __init__(self, tuples: TupleList) -> None:
        self.tuples = tuples
        self._ends = _Ends(tuples, 0)

    def drop(self, limit: int) -> None:
        """Merge tuples into their successors if g + Δ stays within a limit."""
        if limit > 1:
            self._drop_within(limit)

    def drop_to(self, target: int, most: int, ends: int = 0) -> None:
        """Drop with about the least limit, up to `most`, that leaves at most `target` tuples.

        For the outermost `ends` elements on both sides, the limit rises from one half to its full value.
        """
        self._ends = _Ends(self.tuples, ends)
        widest, mean_of, mean_delta = self._measured()
        fewest = target - target // _SLACK
        aim = target - target / (2.0 * _SLACK)
        low, high = min(most, widest), most
        guess = self._guessed(low, high, aim, mean_of, mean_delta)
        tries = 0
        while low < high:
            mid = max(low, min(high - 1, int(guess))) if tries < _GUESSES else low + (high - low) // 2
            count = self._left(mid, target)
            if count > target:
                # if even the greatest limit is not enough, the search is pointless
                is_hopeless = tries == 1 and high == most and self._left(most, target) > target
                low = high if is_hopeless else mid + 1
                guess = mid + (mid - mean_delta) / (2 * _SLACK)
            else:
                high = mid
                guess = mean_delta + (mid - mean_delta) * count / aim
                if count >= fewest:
                    low = mid
            tries += 1
        self._drop_within(high)
        self._ends = _Ends(self.tuples, 0)

    def _guessed(self, low: int, high: int, aim: float, mean_of: float, mean_delta: float) -> float:
        """Return a limit that leaves about `aim` tuples, by a sample of many tuples or by the means."""
        guess = mean_delta + mean_of / aim
        if len(self.tuples) < _MANY:
            return guess
        for _ in range(_GUESSES):
            limit = max(low, min(high, int(guess)))
            about = self._left_about(limit)
            guess = mean_delta + (limit - mean_delta) * about / aim
            if abs(about - aim) < aim / (4 * _SLACK):
                break
        return guess

    @property
    def largest(self) -> int:
        """The largest g + Δ of tuples whose key differs from the one before."""
        return self._measured()[0]

    def leaves(self, target: int, limit: int) -> bool:
        """Return whether dropping within a limit leaves at most `target` tuples."""
        about = float(target) if len(self.tuples) < _MANY else self._left_about(limit)
        if abs(about - target) * _SLACK > target:
            return about < target
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
        return 2 + self._left_of(1, len(t), t.gs[-1], limit, most - 2)

    def _left_about(self, limit: int) -> float:
        """Estimate how many tuples would be left, from some stretches."""
        gs = self.tuples.gs
        length = len(gs)
        each = length // (_STRETCHES * _PART)
        count = after = 0
        weighed = length
        for stretch in range(_STRETCHES, 0, -1):
            until = length * stretch // _STRETCHES
            after += sum(gs[until - 1 : weighed])
            weighed = until - 1
            count += self._left_of(until - each, until, after, limit, each)
        return float(count) * length / (each * _STRETCHES)

    def _left_of(self, start: int, until: int, after: int, limit: int, most: int) -> int:
        """Return how many tuples of a stretch would be left beside its last, or just more than `most`."""
        t = self.tuples
        key, weight, delta = t.keys[until - 1], t.gs[until - 1], t.deltas[until - 1]
        count = 0
        for r in range(until - 2, start - 1, -1):
            if count > most:
                break
            is_pair = t.keys[r] == key
            total = t.gs[r] + weight
            joined = max(0, t.deltas[r] - weight) if is_pair else delta
            room = self._ends.room(limit, r, after)
            after += t.gs[r]
            if total + joined <= room and not (is_pair and count == 0):
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
        self._drop_into(kept, 1, until, limit)
        kept.append((t.keys[0], t.gs[0], t.deltas[0]))
        kept.reverse()
        self.tuples = TupleList(*(list(column) for column in zip(*kept, strict=True)))

    def _drop_into(self, kept: list[tuple[int, int, int]], start: int, until: int, limit: int) -> None:
        """Drop from right to left: merge each tuple into the last kept one if that fits."""
        t = self.tuples
        key, weight, delta = kept[-1]
        after = sum(t.gs[until:])
        for r in range(until - 1, start - 1, -1):
            is_pair = t.keys[r] == key
            total = t.gs[r] + weight
            # when a pair becomes one tuple, its Δ must keep the greatest rank of the first
            joined = max(0, t.deltas[r] - weight) if is_pair else delta
            room = self._ends.room(limit, r, after)
            after += t.gs[r]
            # never merge a pair into the last tuple, the maximum, whose Δ must be 0
            if total + joined <= room and not (is_pair and len(kept) == 1):
                weight, delta = total, joined
                kept[-1] = key, weight, delta
            else:
                key, weight, delta = t.keys[r], t.gs[r], t.deltas[r]
                kept.append((key, weight, delta))
