"""Finished panes, whose rows are no longer stored."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG, corrupt
from chronosketch.sketch.qlove.few_k import FewK, few_k

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.qlove.query import Query
    from chronosketch.sketch.rank import Phi


class Tail(NamedTuple):
    """The greatest keys that a pane keeps for one φ, in descending order, and how they were chosen."""

    keys: list[int]
    kept: FewK

    def weighted(self) -> list[tuple[int, int]]:
        """Return each key with the number of elements that it represents."""
        return [(key, 1 if i < self.kept.top else self.kept.interval) for i, key in enumerate(self.keys)]


@dataclass(frozen=True)
class FinishedPane:
    """A pane's exact φ-quantiles, two neighbouring keys of each for its density, and the values of few-k.

    Attributes
    ----------
    first, last : int
        The times of the earliest and the latest row.
    count : int
        The number of rows.
    rule : int
        The rule for keeping values if no budget was given.
    quantiles, lows, highs : list of int
        For each φ its quantile, and the keys one standard error of rank below and above it.
    tails : list of Tail
        The kept values of each φ; None if few-k keeps none.
    """

    first: int
    last: int
    count: int
    rule: int
    quantiles: list[int]
    lows: list[int]
    highs: list[int]
    tails: list[Tail | None]

    def cast_by(self, cast: Cast) -> FinishedPane:
        """Return the pane with its keys cast. A cast quantile is the quantile of the cast values."""
        tails = [tail and Tail(cast.each(tail.keys), tail.kept) for tail in self.tails]
        quantiles, lows, highs = map(cast.each, (self.quantiles, self.lows, self.highs))
        return replace(self, quantiles=quantiles, lows=lows, highs=highs, tails=tails)

    def write(self, w: Writer) -> None:
        """Write the keys. The sizes of tails are not written, as they follow from the query."""
        w.zigzag(self.quantiles[0])
        for before, key in zip(self.quantiles, self.quantiles[1:], strict=False):
            w.varint(key - before)
        for low, key, high, tail in zip(self.lows, self.quantiles, self.highs, self.tails, strict=True):
            w.varint(key - low)
            w.varint(high - key)
            keys = tail.keys if tail else []
            if keys:
                w.zigzag(keys[0])
            for before, below in itertools.pairwise(keys):
                w.varint(before - below)

    @staticmethod
    def read(
        r: Reader, domain: Domain, query: Query, rule: int, times: tuple[int, int], count: int
    ) -> FinishedPane:
        """Read what `write` wrote."""
        m = len(query.phis)
        # each key takes at least one byte
        if m > r.remaining:
            raise corrupt("its payload ends early")
        quantiles = [r.zigzag()]
        for _ in range(m - 1):
            quantiles.append(quantiles[-1] + r.varint())
            if quantiles[-1] > MOST_LONG:
                raise corrupt("its quantiles are not in increasing order")
        lows, highs, tails = [], [], []
        for i, key in enumerate(quantiles):
            lows.append(key - r.varint())
            highs.append(key + r.varint())
            if not (lows[i] >= LEAST_LONG and highs[i] <= MOST_LONG):
                raise corrupt("its quantiles are not in increasing order")
            if not all(map(domain.holds, (lows[i], key, highs[i]))):
                raise corrupt(f"it has a key that is not of type {domain.sql}")
            tails.append(_read_tail(r, domain, few_k(query, rule, i, count)))
        return FinishedPane(*times, count, rule, quantiles, lows, highs, tails)


def _read_tail(r: Reader, domain: Domain, kept: FewK | None) -> Tail | None:
    if kept is None:
        return None
    n = kept.top + kept.sampled
    if n > r.remaining:
        raise corrupt("its payload ends early")
    if n == 0:
        return Tail([], kept)
    keys: list[int] = []
    for i in range(n):
        keys.append(keys[-1] - r.varint() if i else r.zigzag())
        if keys[-1] < LEAST_LONG:
            raise corrupt("its greatest values are not in decreasing order")
        if not domain.holds(keys[-1]):
            raise corrupt(f"it has a key that is not of type {domain.sql}")
    return Tail(keys, kept)


def low_rank(phi: Phi, n: int) -> int:
    """Return the rank that is one standard error below the φ-quantile's."""
    return max(1, phi.rank(n) - _spread(phi, n))


def high_rank(phi: Phi, n: int) -> int:
    """Return the rank that is one standard error above the φ-quantile's."""
    rank = phi.rank(n)
    return rank + min(n - rank, _spread(phi, n))


def _spread(phi: Phi, n: int) -> int:
    p = float(str(phi))
    return max(1, int(math.sqrt(float(n) * p * (1 - p))))
