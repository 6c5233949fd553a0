"""Between which ranks a few of the values are."""

from __future__ import annotations

from dataclasses import dataclass, field

from chronosketch.sketch.rank.profile import RankProfile


@dataclass
class Tuples:
    """Tuples (v, g, Δ) in order of v: the rank of v is Σ g up to it at least, and so much and Δ at most.

    Notes
    -----
    Greenwald and Khanna 2001, but for ties: at most two tuples have one v, and of such a pair the last has
    the Δ 0 and a g without limit. The first is the minimum, with g = 1 and Δ = 0, the last the maximum.

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
        """Return the tuples of keys, rising, each with how often it is there."""
        tuples = Tuples()
        for key, copies in counts:
            tuples.add(key, 1, 0)
            if copies > 1:
                tuples.add(key, copies - 1, 0)
        return tuples

    def add(self, key: int, g: int, delta: int) -> None:
        """Put one more at the end."""
        self.keys.append(key)
        self.gs.append(g)
        self.deltas.append(delta)

    def add_or_count(self, key: int, g: int) -> None:
        """Put one whose rank is certain at the end; of one key, all from the third on go into the second."""
        if self.keys[-2:] == [key, key]:
            self.gs[-1] += g
        else:
            self.add(key, g, 0)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def count(self) -> int:
        """The elements that they stand for."""
        return sum(self.gs)

    def is_second(self, i: int) -> bool:
        """Return whether a tuple is the second with its key."""
        return i > 0 and self.keys[i] == self.keys[i - 1]

    @property
    def is_exact(self) -> bool:
        """Whether they tell every element."""
        return all(self.is_second(i) or self.gs[i] + self.deltas[i] <= 1 for i in range(len(self.keys)))

    def counts(self) -> list[tuple[int, int]]:
        """Return each key and how often it is there, of exact tuples."""
        counts: list[tuple[int, int]] = []
        for key, g in zip(self.keys, self.gs, strict=True):
            if counts and counts[-1][0] == key:
                counts[-1] = key, counts[-1][1] + g
            else:
                counts.append((key, g))
        return counts

    def profile(self) -> RankProfile:
        """Return what they say of ranks."""
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
