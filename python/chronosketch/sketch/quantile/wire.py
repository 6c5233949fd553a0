"""Read and write the payload of a quantile sketch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.codec.wire import MOST_LONG, Reader, Writer, corrupt
from chronosketch.sketch.quantile.share import share
from chronosketch.sketch.quantile.tuples import Tuples

if TYPE_CHECKING:
    from chronosketch.sketch.domain.domain import Domain

_EXACT_BAG = 0
_TUPLE_LIST = 1


def write(w: Writer, tuples: Tuples) -> None:
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


def read(r: Reader, domain: Domain, epsilon: float) -> Tuples:
    """Read what `write` wrote. Refuse invalid bytes."""
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
