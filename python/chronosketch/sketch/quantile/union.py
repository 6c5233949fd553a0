"""Unite lists of tuples, and thin them within an error limit."""

from __future__ import annotations

from bisect import bisect_left

from chronosketch.sketch.quantile.tuples import Tuples

# Up to 1/n of the target number of tuples may be dropped beyond need, for this n.
_SLACK = 12

# How often a limit is estimated before the search continues by bisection.
_GUESSES = 6

# From this many tuples on, the effect of a limit is estimated from some stretches of the tuples.
_MANY = 1 << 12
_PART = _STRETCHES = 8


def unite(a: Tuples, b: Tuples) -> Tuples:
    """Return the union of two lists.

    A tuple keeps its g. Its Δ grows by the uncertainty of its successor in the other list. If a key has more
    than two tuples, all but the first are combined into the last.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.union import unite
    >>> unite(Tuples([1, 9], [1, 3], [0, 0]), Tuples([5], [1], [0]))
    Tuples(keys=[1, 5, 9], gs=[1, 1, 3], deltas=[0, 2, 0])
    """
    union = Tuples()
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


def _add(union: Tuples, key: int, g: int, delta: int) -> None:
    keys = union.keys
    if len(keys) > 1 and keys[-1] == keys[-2] == key:
        union.gs[-1] += g
    else:
        union.add(key, g, 0 if keys and keys[-1] == key else delta)


def unite_all(lists: list[Tuples]) -> Tuples:
    """Return the union of several lists, merged in pairs."""
    while len(lists) > 1:
        pairs = [unite(lists[i], lists[i + 1]) for i in range(0, len(lists) - 1, 2)]
        lists = pairs + lists[len(lists) & ~1 :]
    return lists[0] if lists else Tuples()


class _Ends:
    """The lower limits near the ends of a list of tuples."""

    def __init__(self, tuples: Tuples, elements: int) -> None:
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


class Union:
    """A union that can be thinned before its tuples are used.

    Notes
    -----
    Greenwald and Khanna 2001; Luo, Wang, Yi and Cormode, "Quantiles over data streams: experimental
    comparisons, new analyses, and further improvements", VLDB Journal 2016, §3. Every step is the same as in
    the JVM, so that the merged bytes are the same.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tuples import exact
    >>> from chronosketch.sketch.quantile.union import Union
    >>> union = Union(exact(list(range(100))))
    >>> union.drop_to(10, 20)
    >>> len(union.tuples) <= 10, union.largest <= 20
    (True, True)
    """

    def __init__(self, tuples: Tuples, crowded: list[tuple[int, int]] | None = None) -> None:
        self.tuples = tuples
        self._crowds = crowded or []
        self._ends = _Ends(tuples, 0)

    @staticmethod
    def of_values(a: Tuples, values: list[int]) -> Union:
        """Return the union with sorted values."""
        return Union(unite(a, _singles(values)), dense_gaps(a.keys, values))

    @staticmethod
    def of_new(a: Tuples, b: Tuples) -> Union:
        """Return the union with the tuples of values that were inserted together."""
        return Union(unite(a, b), dense_gaps(a.keys, b.keys))

    def drop(self, limit: int) -> None:
        """Merge tuples into their successors if g + Δ stays within a limit. Dense gaps are not changed."""
        if limit > 1:
            self._drop_within(limit)
        self._crowds = []

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
        for low, high in reversed(self._crowds):
            # includes the tuples on both sides of a dense gap, which are not dropped either
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


def _singles(values: list[int]) -> Tuples:
    return Tuples(values, [1] * len(values), [0] * len(values))


# The number of sampled values, and how many of them must lie between the first and the last tuple.
_SAMPLES = 16
_FEWEST = 4

# With fewer tuples, two values in one gap are not unusual.
_FEWEST_TUPLES = 64

_OUTSIDE = -2
_HELD = -1


def dense_gaps(keys: list[int], values: list[int]) -> list[tuple[int, int]]:
    """Return the keys on both sides of each dense gap, in ascending order.

    Empty unless at least half of a few evenly drawn values, among those between the first and the last key,
    lie in dense gaps.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.union import dense_gaps
    >>> dense_gaps(list(range(0, 1000, 10)), list(range(501, 509)) * 4)
    [(500, 510)]
    """
    share = len(values) // _SAMPLES
    if share <= 1 or len(keys) < _FEWEST_TUPLES:
        return []
    found: list[tuple[int, int]] = []
    before = _OUTSIDE
    among = inside = 0
    for i in range(_SAMPLES):
        # stop once the remaining samples can no longer reach one half
        if inside > 2 * among + 2 + _SAMPLES - i:
            break
        place = _gap(keys, values[i * share])
        if place != _OUTSIDE:
            inside += 1
        if place >= 0 and place == before:
            if not found or found[-1][1] != keys[place]:
                found.append((keys[place - 1], keys[place]))
                among += 1
            among += 1
        before = place
    return [] if inside < _FEWEST or 2 * among < inside else found


def _gap(keys: list[int], value: int) -> int:
    place = bisect_left(keys, value)
    if place in (0, len(keys)):
        return _OUTSIDE
    return _HELD if keys[place] == value else place
