"""Greenwald-Khanna tuples, which bound the ranks of some values: how they are built, and their bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from chronosketch.sketch.codec.wire import MOST_LONG, Reader, Writer, corrupt
from chronosketch.sketch.rank import RankProfile

if TYPE_CHECKING:
    from chronosketch.sketch.domain.domain import Domain


@dataclass
class Tuples:
    """Tuples (v, g, Δ) in order of v. The rank of v lies between the sum of g up to it and that sum plus Δ.

    Notes
    -----
    Greenwald and Khanna 2001, extended to ties: at most two tuples share a v. The second one has Δ = 0 and
    any g. The first tuple is the minimum, with g = 1 and Δ = 0, and the last is the maximum.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tuples import Tuples
    >>> t = Tuples.counted([(10, 1), (20, 3)])
    >>> t.keys, t.gs, t.count, t.is_exact
    ([10, 20, 20], [1, 1, 2], 4, True)
    """

    keys: list[int] = field(default_factory=list)
    gs: list[int] = field(default_factory=list)
    deltas: list[int] = field(default_factory=list)

    @staticmethod
    def counted(counts: list[tuple[int, int]]) -> Tuples:
        """Return the exact tuples of ascending keys with their counts."""
        tuples = Tuples()
        for key, copies in counts:
            tuples.add(key, 1, 0)
            if copies > 1:
                tuples.add(key, copies - 1, 0)
        return tuples

    def add(self, key: int, g: int, delta: int) -> None:
        """Append a tuple."""
        self.keys.append(key)
        self.gs.append(g)
        self.deltas.append(delta)

    def add_or_count(self, key: int, g: int) -> None:
        """Append a tuple with a certain rank. If its key already has two, add g to the second."""
        if self.keys[-2:] == [key, key]:
            self.gs[-1] += g
        else:
            self.add(key, g, 0)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def count(self) -> int:
        """The number of elements that the tuples represent."""
        return sum(self.gs)

    def is_second(self, i: int) -> bool:
        """Return whether a tuple is the second one of its key."""
        return i > 0 and self.keys[i] == self.keys[i - 1]

    @property
    def is_exact(self) -> bool:
        """Whether the tuples represent every element exactly."""
        return all(self.is_second(i) or self.gs[i] + self.deltas[i] <= 1 for i in range(len(self.keys)))

    def counts(self) -> list[tuple[int, int]]:
        """Return each key with its count. The tuples must be exact."""
        counts: list[tuple[int, int]] = []
        for key, g in zip(self.keys, self.gs, strict=True):
            if counts and counts[-1][0] == key:
                counts[-1] = key, counts[-1][1] + g
            else:
                counts.append((key, g))
        return counts

    def profile(self) -> RankProfile:
        """Return the rank bounds."""
        keys: list[int] = []
        low: list[int] = []
        high: list[int] = []
        rank = 0
        for key, g, delta in zip(self.keys, self.gs, self.deltas, strict=True):
            rank += g
            if keys and keys[-1] == key:
                low[-1] = rank
                continue
            if keys:
                high.append(rank + delta - 1)
            keys.append(key)
            low.append(rank)
        if keys:
            high.append(rank)
        return RankProfile.certain(keys, low, high, rank)


def share(epsilon: float, n: int) -> int:
    """Return ⌊epsilon · n⌋, computed exactly.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tuples import share
    >>> share(0.1, 10), share(0.3, 10)
    (1, 2)
    """
    exact = Fraction(epsilon)
    return exact.numerator * n // exact.denominator


def exact(keys: list[int]) -> Tuples:
    """Return tuples that represent each of the sorted keys exactly."""
    return Tuples.counted([(key, len(list(copies))) for key, copies in groupby(keys)])


def once_or_twice(keys: list[int]) -> int:
    """Return the number of tuples that `exact` would make."""
    return min(len(keys), 2) + sum(keys[i] != keys[i - 2] for i in range(2, len(keys)))


def at_ranks(keys: list[int], step: int) -> Tuples:
    """Return the keys at the ranks 1, 1 + step, …, and the last one, with certain ranks.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tuples import at_ranks
    >>> at_ranks([1, 2, 3, 4, 5], 2).keys
    [1, 3, 5]
    """
    tuples = Tuples()
    last = 0
    while last < len(keys):
        rank = 1 if last == 0 else min(last + step, len(keys))
        tuples.add_or_count(keys[rank - 1], rank - last)
        last = rank
    return tuples


def summarised(keys: list[int], epsilon: float) -> Tuples:
    """Return the tuples of sorted keys: all if they are few, else one in every ⌊epsilon · n⌋."""
    if once_or_twice(keys) * epsilon <= 2:
        return exact(keys)
    return at_ranks(keys, share(epsilon, len(keys)))


_FEWEST = 256
_MOST_PARTS = 1 << 18
_BITS = 31


def from_ranges(keys: list[int], limit: int, fewest: float) -> Tuples | None:
    """Return the minimum, then tuples of at most `limit` elements with certain ranks.

    None if at most `fewest` ranges have keys, or if three quarters of the keys crowd into a few ranges.


    Examples
    --------
    >>> from chronosketch.sketch.quantile.tuples import from_ranges
    >>> from_ranges(list(range(1000)), 300, 0).keys
    [0, 283, 566, 849, 999]
    """
    n = len(keys)
    least, most = (min(keys), max(keys)) if keys else (0, 0)
    if limit < 2 or n < _FEWEST or least == most:
        return None
    wanted = min(_MOST_PARTS, 16 * n // limit, n + n // 4)
    # a key's range: its distance to the least key in 31 bits, times the ranges per unit, shifted back
    shift = max(0, (most - least).bit_length() - _BITS)
    scale = min(1 << _BITS, (wanted << _BITS) // ((most - least >> shift) + 1))
    parts: list[list[int]] = [[] for _ in range(((most - least >> shift) * scale >> _BITS) + 1)]
    for key in keys:
        parts[(key - least >> shift) * scale >> _BITS].append(key)
    crowd = sum(len(part) for part in parts if len(part) > limit)
    if sum(map(bool, parts)) <= fewest or crowd > n - n // 4:
        return None
    return _packed(parts, limit, least)


def _packed(parts: list[list[int]], limit: int, least: int) -> Tuples:
    """Combine ranges in ascending order as long as they fit into a tuple."""
    packed = Tuples()
    packed.add(least, 1, 0)
    # the least key has its own tuple
    waiting, last = len(parts[0]) - 1, max(parts[0])
    if len(parts[0]) > limit:
        waiting = _pack_crowd(packed, sorted(parts[0])[1:], limit, 0, least)
    for part in parts[1:]:
        if len(part) > limit:
            waiting = _pack_crowd(packed, sorted(part), limit, waiting, last)
            last = max(part)
            continue
        if waiting + len(part) > limit:
            packed.add(last, waiting, 0)
            waiting = 0
        waiting += len(part)
        last = max([last, *part])
    if waiting:
        packed.add_or_count(last, waiting)
    return packed


def _pack_crowd(packed: Tuples, crowd: list[int], limit: int, waiting: int, before: int) -> int:
    """Add crowded keys one by one after `waiting` keys up to `before`. Return how many wait then."""
    last = before
    for key in crowd:
        if waiting == limit:
            packed.add_or_count(last, waiting)
            waiting = 0
        waiting += 1
        last = key
    # a key that already has a tuple gets at most one more
    if packed.keys[-1] == last:
        packed.add_or_count(last, waiting)
        waiting = 0
    return waiting


_EXACT_BAG = 0
_TUPLE_LIST = 1


def write_tuples(w: Writer, tuples: Tuples) -> None:
    """Write tuples; exact ones are written as keys and counts."""
    if tuples.is_exact:
        write_bag(w, tuples.counts())
    else:
        w.byte(_TUPLE_LIST)
        w.varint(len(tuples))
        w.rising(tuples.keys)
        for value in (*tuples.gs, *tuples.deltas):
            w.varint(value)


def write_bag(w: Writer, counts: list[tuple[int, int]]) -> None:
    """Write ascending keys with their counts."""
    w.byte(_EXACT_BAG)
    w.varint(len(counts))
    w.rising([key for key, _ in counts])
    for _, copies in counts:
        w.varint(copies)


def read_tuples(r: Reader, domain: Domain, epsilon: float) -> Tuples:
    """Read what `write_tuples` wrote. Refuse invalid bytes."""
    form = r.byte()
    if form == _EXACT_BAG:
        return _read_bag(r, domain)
    if form == _TUPLE_LIST:
        return _read_tuples(r, domain, epsilon)
    raise corrupt(f"its payload has an unknown form ({form})")


def _read_bag(r: Reader, domain: Domain) -> Tuples:
    m = r.size(2)
    keys = domain.require(r.rising(m, distinct=True))
    n = 0
    counts = []
    for key in keys:
        copies = r.positive()
        n = _sum(n, copies)
        counts.append((key, copies))
    return Tuples.counted(counts)


def _sum(a: int, b: int) -> int:
    if a + b > MOST_LONG:
        raise corrupt("its count has more than 63 bits")
    return a + b


def _read_tuples(r: Reader, domain: Domain, epsilon: float) -> Tuples:
    m = r.size(3)
    keys = domain.require(r.rising(m, distinct=False))
    n = 0
    gs = []
    for _ in range(m):
        gs.append(r.positive())
        n = _sum(n, gs[-1])
    tuples = Tuples(keys, gs, [])
    most = max(1, share(2 * epsilon, n))
    rank = 0
    # the greatest possible rank of the key before: it must not decrease, nor exceed n
    before = 0
    for i in range(m):
        delta = r.long()
        tuples.deltas.append(delta)
        rank += gs[i]
        if tuples.is_second(i):
            if delta != 0:
                raise corrupt("the second of two equal values has a Δ")
            if i > 1 and keys[i] == keys[i - 2]:
                raise corrupt("three tuples have the same value")
        elif delta < 0 or delta > most - gs[i]:
            raise corrupt("its error is above its epsilon")
        else:
            if delta > n - rank or rank + delta < before:
                raise corrupt("its ranks contradict one another")
            before = rank + delta
    if m == 0 or gs[0] != 1 or tuples.deltas[0] != 0 or tuples.deltas[-1] != 0:
        raise corrupt("its minimum or maximum is not exact")
    return tuples
