"""What the buckets of a sketch keep of their rows, and which of them are one when sketches are merged."""

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
    """What buckets keep, and which of them may be joined."""

    @abstractmethod
    def both(self, a: object, b: object) -> object:
        """Return what one bucket keeps in place of two of its cell."""

    @abstractmethod
    def joined(self, buckets: list[Bucket]) -> list[Bucket]:
        """Return as few buckets as are enough for the rows of these."""

    def merged(self, ours: Sequence[Bucket], theirs: Sequence[Bucket]) -> list[Bucket]:
        """Return the buckets of two sketches' rows, where the second has some.

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
    """Return where a bucket stands: of two that begin alike the larger is first."""
    return bucket.time, bucket.tie, -bucket.level


class HoldsKeys(Holding):
    """The keys of the rows: few as they are, many in a summary."""

    def __init__(self, epsilon: float) -> None:
        self._epsilon = epsilon

    def both(self, a: object, b: object) -> object:
        """Return what one bucket keeps in place of two of its cell."""
        contents = Contents(self._epsilon)
        contents.add(a)
        contents.add(b)
        return contents.content()

    def joined(self, buckets: list[Bucket]) -> list[Bucket]:
        """Return as few buckets as are enough for the rows of these."""
        return Joining(buckets, self._epsilon, self._content).result()

    def _content(self, buckets: Sequence[Bucket]) -> object:
        contents = Contents(self._epsilon)
        for bucket in buckets:
            contents.add_bucket(bucket)
        return contents.content()


class HoldsCounts(Holding):
    """Nothing but how many rows there are."""

    def __init__(self, epsilon: float) -> None:
        self._epsilon = epsilon

    def both(self, a: object, b: object) -> object:
        """Return what one bucket keeps in place of two of its cell."""
        return None

    def joined(self, buckets: list[Bucket]) -> list[Bucket]:
        """Return as few buckets as are enough for the rows of these."""
        return Joining(buckets, self._epsilon, lambda _: None).result()
