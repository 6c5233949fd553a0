"""Greenwald-Khanna tuples, which bound the ranks of some of the values."""

from __future__ import annotations

from dataclasses import dataclass, field

from chronosketch.sketch.rank.profile import RankProfile


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
