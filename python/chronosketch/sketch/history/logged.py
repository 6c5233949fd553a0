"""A span that stores everything alive at its first version, and each change since."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronosketch.sketch.codec.wire import MOST_LONG, corrupt, next_rising, read_rising
from chronosketch.sketch.rank import RankProfile

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.domain import Domain

FORM = 0


@dataclass
class LoggedSpan:
    """A span that is exact at every version.

    Attributes
    ----------
    first : int
        The first version.
    alive : list of (int, int)
        The keys alive at the first version, ascending, with their copies.
    versions : list of int
        The versions that have changes.
    changes : list of lists of (int, int)
        The changes of each version: keys, ascending, with the copies that are added or removed.
    """

    first: int
    alive: list[tuple[int, int]]
    versions: list[int]
    changes: list[list[tuple[int, int]]]

    def __post_init__(self) -> None:
        count = self.most = sum(copies for _, copies in self.alive)
        for changes in self.changes:
            count += sum(change for _, change in changes)
            self.most = max(self.most, count)

    def profile(self, version: int, domain: Domain) -> RankProfile:
        """Return the exact ranks at a version."""
        counts = dict(self.alive)
        for changes in self.changes[: bisect_right(self.versions, version)]:
            for key, change in changes:
                counts[key] = counts.get(key, 0) + change
        left = sorted(key for key, copies in counts.items() if copies > 0)
        return RankProfile.counted(left, [counts[key] for key in left])

    def write(self, w: Writer) -> None:
        """Write it without its first version, which is written before."""
        w.byte(FORM)
        w.varint(len(self.alive))
        w.rising([key for key, _ in self.alive])
        for _, copies in self.alive:
            w.varint(copies)
        w.varint(len(self.versions))
        before = self.first
        for version, changes in zip(self.versions, self.changes, strict=True):
            w.varint(version - before)
            before = version
            w.varint(len(changes))
            for i, (key, change) in enumerate(changes):
                if i == 0:
                    w.zigzag(key)
                else:
                    w.varint(key - changes[i - 1][0])
                w.zigzag(change)

    @staticmethod
    def read(r: Reader, first: int, domain: Domain) -> LoggedSpan:
        """Read a span after its form. Refuse changes that are impossible."""
        keys = read_rising(r, r.size(2))
        if not domain.holds_all(keys):
            raise corrupt(f"a value alive is not of type {domain.sql}")
        alive = []
        for key in keys:
            copies = r.long()
            if copies < 1:
                raise corrupt(f"{copies} copies of a value are alive")
            alive.append((key, copies))
        versions: list[int] = []
        changes: list[list[tuple[int, int]]] = []
        for _ in range(r.size(4)):
            versions.append(next_rising(r, versions[-1] if versions else first))
            changes.append(_read_changes(r, domain))
        _check(alive, [change for one in changes for change in one])
        return LoggedSpan(first, alive, versions, changes)


def _read_changes(r: Reader, domain: Domain) -> list[tuple[int, int]]:
    n = r.size(2)
    if n == 0:
        raise corrupt("a version changes nothing")
    changes: list[tuple[int, int]] = []
    for _ in range(n):
        key = next_rising(r, changes[-1][0]) if changes else r.zigzag()
        if not domain.holds(key):
            raise corrupt(f"a value that changes is not of type {domain.sql}")
        changes.append((key, r.zigzag()))
    return changes


def _check(alive: list[tuple[int, int]], changes: list[tuple[int, int]]) -> None:
    counts = dict(alive)
    count = sum(counts.values())
    if count > MOST_LONG:
        raise corrupt("its count has more than 63 bits")
    for key, change in changes:
        counts[key] = counts.get(key, 0) + change
        if change == 0 or not 0 <= counts[key] <= MOST_LONG:
            raise corrupt(f"a version changes the copies of a value by {change}")
    for _, change in changes:
        count += change
        if count > MOST_LONG:
            raise corrupt("its count has more than 63 bits")
