"""Define what buckets store of their rows, and which buckets are merged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from heapq import merge
from itertools import groupby
from typing import TYPE_CHECKING

from chronosketch.sketch.window.buckets import Bucket
from chronosketch.sketch.window.contents import Contents
from chronosketch.sketch.window.joining import Joining

if TYPE_CHECKING:
    from collections.abc import Sequence


class Holding(ABC):
    """Defines what buckets store, and which of them may be merged."""

    @abstractmethod
    def both(self, a: object, b: object) -> object:
        """Merge the contents of two buckets of one cell."""

    @abstractmethod
    def joined(self, buckets: list[Bucket]) -> list[Bucket]:
        """Merge buckets as far as the guarantee allows."""

    def merged(self, ours: Sequence[Bucket], theirs: Sequence[Bucket]) -> list[Bucket]:
        """Return the buckets for the rows of two sketches. The second must have some.

        Examples
        --------
        >>> from chronosketch.sketch.window.buckets import Bucket
        >>> from chronosketch.sketch.window.holding import HoldsCounts
        >>> ours, theirs = [Bucket(1, 0, 0, 2)], [Bucket(1, 0, 0, 3), Bucket(2, 0, 0, 1)]
        >>> [(bucket.time, bucket.count) for bucket in HoldsCounts(0.5).merged(ours, theirs)]
        [(1, 5), (2, 1)]
        """
        in_order = merge(ours, theirs, key=_place)
        return self.joined([self._one(list(same)) for _, same in groupby(in_order, key=_place)])

    def _one(self, same: list[Bucket]) -> Bucket:
        first = same[0]
        if len(same) == 1:
            return first
        count = sum(bucket.count for bucket in same)
        content = self.both(*(bucket.content for bucket in same)) if first.level else None
        return Bucket(first.time, first.tie, first.level, count, content)


def _place(bucket: Bucket) -> tuple[int, int, int]:
    """Return a sort key for buckets: of two that begin alike, the larger one comes first."""
    return bucket.time, bucket.tie, -bucket.level


class HoldsKeys(Holding):
    """Stores the keys of the rows: as they are if they are few, else in a summary."""

    def __init__(self, epsilon: float) -> None:
        self._epsilon = epsilon

    def both(self, a: object, b: object) -> object:
        """Merge the contents of two buckets of one cell."""
        contents = Contents(self._epsilon)
        contents.add(a)
        contents.add(b)
        return contents.content()

    def joined(self, buckets: list[Bucket]) -> list[Bucket]:
        """Merge buckets as far as the guarantee allows."""
        return Joining(buckets, self._epsilon, self._content).result()

    def _content(self, buckets: Sequence[Bucket]) -> object:
        contents = Contents(self._epsilon)
        for bucket in buckets:
            contents.add_bucket(bucket)
        return contents.content()


class HoldsCounts(Holding):
    """Stores only the number of rows."""

    def __init__(self, epsilon: float) -> None:
        self._epsilon = epsilon

    def both(self, a: object, b: object) -> object:
        """Merge the contents of two buckets of one cell."""
        return None

    def joined(self, buckets: list[Bucket]) -> list[Bucket]:
        """Merge buckets as far as the guarantee allows."""
        return Joining(buckets, self._epsilon, lambda _: None).result()
