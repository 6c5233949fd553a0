"""Greenwald-Khanna tuples, which bound the ranks of some values: what they say, and their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import MOST_LONG, Reader, Writer, corrupt
from chronosketch.sketch.domain.domain import Kind
from chronosketch.sketch.rank import RankProfile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain

#: 64-bit integers.
Longs: TypeAlias = "npt.NDArray[np.int64]"
#: The largest g + Δ for an epsilon and a count.
Widest: TypeAlias = "Callable[[float, int], int]"


@dataclass(frozen=True)
class Tuples:
    """Tuples (v, g, Δ) in order of v. The rank of v lies between the sum of g up to it and that sum plus Δ.

    Notes
    -----
    Greenwald and Khanna 2001, extended to ties: at most two tuples share a v. The second one has Δ = 0 and
    any g. The first tuple is the minimum, with g = 1 and Δ = 0, and the last is the maximum.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tuples import Tuples
    >>> t = Tuples.counted([10, 20], [1, 3])
    >>> t.keys.tolist(), t.gs.tolist(), t.count, t.is_exact
    ([10, 20, 20], [1, 1, 2], 4, True)
    """

    keys: Longs
    gs: Longs
    deltas: Longs

    @staticmethod
    def of(keys: Sequence[int] | Longs, gs: Sequence[int] | Longs, deltas: Sequence[int] | Longs) -> Tuples:
        """Return tuples of three sequences of one length."""
        return Tuples(*(np.asarray(column, np.int64) for column in (keys, gs, deltas)))

    @staticmethod
    def counted(keys: Sequence[int] | Longs, counts: Sequence[int] | Longs) -> Tuples:
        """Return the exact tuples of ascending keys with their counts."""
        keys, counts = np.asarray(keys, np.int64), np.asarray(counts, np.int64)
        copies = 1 + (counts > 1)
        gs = np.ones(int(copies.sum()), np.int64)
        gs[(np.cumsum(copies) - 1)[counts > 1]] = counts[counts > 1] - 1
        return Tuples(np.repeat(keys, copies), gs, np.zeros_like(gs))

    @staticmethod
    def at_ranks(keys: Longs, ranks: Longs) -> Tuples:
        """Return tuples of keys with certain ranks, which rise from 1. Keys may repeat."""
        head = np.append(True, keys[1:] != keys[:-1])
        # the second of each key takes those after it
        at = np.flatnonzero(head | np.append(False, head[:-1]))
        gs = np.add.reduceat(np.diff(ranks, prepend=0), at)
        return Tuples(keys[at], gs, np.zeros_like(gs))

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def count(self) -> int:
        """The number of elements that the tuples represent."""
        return int(self.gs.sum())

    @property
    def seconds(self) -> npt.NDArray[np.bool_]:
        """Which tuples are the second one of their key."""
        return np.append(False, self.keys[1:] == self.keys[:-1])[: len(self)]

    @property
    def is_exact(self) -> bool:
        """Whether the tuples represent every element exactly."""
        return bool((self.seconds | (self.gs + self.deltas <= 1)).all())

    def counts(self) -> tuple[Longs, Longs]:
        """Return the keys and the count of each. The tuples must be exact."""
        heads = np.flatnonzero(~self.seconds)
        return self.keys[heads], np.add.reduceat(self.gs, heads) if len(heads) else self.gs

    def steps(self) -> tuple[Longs, Longs, Longs]:
        """Return the keys, and the least and the greatest possible number of elements at or below each."""
        if not len(self):
            return self.keys, self.keys, self.keys
        ranks = np.cumsum(self.gs)
        heads = np.flatnonzero(~self.seconds)
        high = np.append((ranks + self.deltas)[heads[1:]] - 1, ranks[-1])
        return self.keys[heads], ranks[np.append(heads[1:], len(self)) - 1], high

    def are_valid(self, epsilon: float, widest: Widest | None = None) -> bool:
        """Return whether rising keys and counts, and any Δ, are the tuples of a sketch.

        `widest` says how large g + Δ may be; by default it is that of a sketch without a tail.
        """
        second, gs, deltas = self.seconds, self.gs, self.deltas
        ranks = np.cumsum(gs)
        n = int(ranks[-1])
        reach = (ranks + deltas)[~second]
        wrong = (deltas < 0) | (deltas > (widest or widest_gap)(epsilon, n) - gs) | (deltas > n - ranks)
        is_wrong = (wrong & ~second).any() or (second & (deltas != 0)).any()
        is_wrong |= (second[1:] & second[:-1]).any() or (reach[1:] < reach[:-1]).any()
        return not is_wrong and gs[0] == 1 and deltas[0] == deltas[-1] == 0

    def cast_by(self, cast: Cast) -> Tuples:
        """Return the tuples with their keys cast.

        If keys become equal, the first tuple stays, and all others are folded into the last.
        """
        keys = cast.keys(self.keys)
        if not len(keys):
            return self
        head = np.append(True, keys[1:] != keys[:-1])
        starts = np.flatnonzero(head | np.append(False, head[:-1]))
        deltas = np.where(head, self.deltas, 0)[starts]
        return Tuples(keys[starts], np.add.reduceat(self.gs, starts), deltas)

    def profile(self) -> RankProfile:
        """Return the rank bounds."""
        keys, low, high = (column.tolist() for column in self.steps())
        return RankProfile.certain(keys, low, high, low[-1] if low else 0)


NO_TUPLES = Tuples.of([], [], [])


def widest_gap(epsilon: float, n: int) -> int:
    """Return how large g + Δ may be in a sketch of n elements."""
    return max(1, share(2 * epsilon, n))


@lru_cache(1 << 12)
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


_EXACT_BAG = 0
_TUPLE_LIST = 1


def write_tuples(w: Writer, tuples: Tuples) -> None:
    """Write tuples; exact ones are written as keys and counts."""
    if tuples.is_exact:
        w.byte(_EXACT_BAG)
        keys, *columns = tuples.counts()
    else:
        w.byte(_TUPLE_LIST)
        keys, columns = tuples.keys, [tuples.gs, tuples.deltas]
    w.varint(len(keys))
    w.rising(keys.tolist())
    for column in columns:
        w.varints(column.tolist())


def read_tuples(r: Reader, domain: Domain, epsilon: float, widest: Widest = widest_gap) -> Tuples:
    """Read what `write_tuples` wrote. Refuse invalid bytes. `widest` says how large g + Δ may be."""
    form = r.byte()
    if form == _EXACT_BAG:
        return _read_bag(r, domain)
    if form == _TUPLE_LIST:
        return _read_tuples(r, domain, epsilon, widest)
    raise corrupt(f"its payload has an unknown form ({form})")


# From this many tuples on, arrays are quicker than numbers one by one.
_MANY = 64


def _columns(r: Reader, m: int, domain: Domain, sections: int) -> tuple[list[Longs], int] | None:
    """Return the keys and the other numbers of m items ahead, and their bytes; None if any is wrong."""
    found = r.ahead(sections * m) if m >= _MANY else None
    if found is None:
        return None
    numbers, n = found
    keys, *others = numbers.reshape(sections, m)
    keys[0] = (keys[0] >> 1 & MOST_LONG) ^ -(keys[0] & 1)
    keys = np.cumsum(keys)
    if (keys[1:] < keys[:-1]).any() or (others[0] < 1).any() or not _holds_all(domain, keys):
        return None
    ranks = np.cumsum(others[0])
    if (ranks[1:] <= ranks[:-1]).any():
        return None
    return [keys, *others], n


def _holds_all(domain: Domain, keys: Longs) -> bool:
    if domain.kind == Kind.DOUBLE:
        is_nan = keys == doubles.NAN
        held = (keys >= doubles.NEGATIVE_INFINITY) & (keys <= doubles.POSITIVE_INFINITY)
        return bool(((held & (keys != doubles.NEGATIVE_ZERO)) | is_nan).all())
    return domain.holds_all(keys.tolist())


def _read_bag(r: Reader, domain: Domain) -> Tuples:
    m = r.size(2)
    # what is wrong with others is found one by one below
    found = _columns(r, m, domain, 2)
    if found is not None and (found[0][0][1:] > found[0][0][:-1]).all():
        r.skip(found[1])
        return Tuples.counted(*found[0])
    keys = domain.require(r.rising(m, distinct=True))
    return Tuples.counted(keys, list(_weights(r, m)))


def _weights(r: Reader, m: int) -> Iterator[int]:
    """Read the weights of m items, whose sum must fit into 63 bits."""
    n = 0
    for _ in range(m):
        weight = r.positive()
        n += weight
        if n > MOST_LONG:
            raise corrupt("its count has more than 63 bits")
        yield weight


def _read_tuples(r: Reader, domain: Domain, epsilon: float, widest: Widest) -> Tuples:
    m = r.size(3)
    found = _columns(r, m, domain, 3)
    if found is not None:
        tuples = Tuples(*found[0])
        if tuples.are_valid(epsilon, widest):
            r.skip(found[1])
            return tuples
    keys = domain.require(r.rising(m, distinct=False))
    gs = list(_weights(r, m))
    n = sum(gs)
    most = widest(epsilon, n)
    deltas: list[int] = []
    rank = 0
    # the greatest possible rank of the key before: it must not decrease, nor exceed n
    before = 0
    for i in range(m):
        delta = r.long()
        deltas.append(delta)
        rank += gs[i]
        if i > 0 and keys[i] == keys[i - 1]:
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
    if m == 0 or gs[0] != 1 or deltas[0] != 0 or deltas[-1] != 0:
        raise corrupt("its minimum or maximum is not exact")
    return Tuples.of(keys, gs, deltas)
