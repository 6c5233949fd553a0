"""Collect keys that come many times, in the steps of the JVM, so that a window has the same bounds there."""

from __future__ import annotations

from chronosketch.sketch.quantile.tuples import share
from chronosketch.sketch.window.union import TupleList, UnitedTuples, unite

# The most buffered keys.
_MOST_WAITING = 1 << 20

# The buffer size times epsilon, at first; later half of the count, up to the second limit.
_FIRST, _LATER = 16, 64

# The buffer size at the start.
_SMALLEST = 8

# Unions of fewer tuples times epsilon are not thinned further; the other is the target size of large ones.
_LARGE = 8
_AIM = 4.0

_MOST_INT = (1 << 31) - 1


def over(number: float, epsilon: float) -> float:
    """Return number / epsilon, which is infinite if epsilon is 0."""
    return number / epsilon if epsilon else float("inf")


def whole(number: float) -> int:
    """Truncate a number to 32 bits."""
    return int(min(number, _MOST_INT))


class HeavyKeys:
    """Keys with many copies each. They are counted, and summarised when there are too many keys.

    Examples
    --------
    >>> from chronosketch.sketch.window.heavy import HeavyKeys
    >>> heavy = HeavyKeys(0.1)
    >>> heavy.insert(7, 20)
    >>> heavy.finished().gs
    [1, 19]
    """

    def __init__(self, epsilon: float) -> None:
        self._epsilon = epsilon
        self._tuples = TupleList()
        self._is_thinned = False
        self._counts: dict[int, int] = {}
        self._inserted = 0
        self._room = _SMALLEST

    def insert(self, key: int, copies: int) -> None:
        """Insert copies of a key."""
        if self._inserted == self._room:
            if self._room < self._capacity:
                self._room = min(self._capacity, self._room * 4)
            else:
                self._flush()
        self._counts[key] = self._counts.get(key, 0) + copies
        self._inserted += 1

    def finished(self) -> TupleList:
        """Return the tuples of all keys."""
        self._flush()
        return self._tuples

    @property
    def _capacity(self) -> int:
        tuples, epsilon = self._tuples, self._epsilon
        if epsilon == 0:
            return max(1024, min(len(tuples), (_MOST_INT - 16) // 2))
        if not self._is_thinned and len(tuples) > 0:
            values = max(256, whole(min(_MOST_WAITING, over(2.0, epsilon))))
            while values < len(tuples) // 2:
                values *= 2
            return values
        times = _FIRST
        while times < _LATER and over(4 * times, epsilon) <= tuples.count:
            times *= 2
        return max(256, whole(min(over(times, epsilon), _MOST_WAITING)))

    def _flush(self) -> None:
        if not self._counts:
            return
        union = UnitedTuples(unite(self._tuples, TupleList.counted(sorted(self._counts.items()))))
        self._counts, self._inserted = {}, 0
        # up to 2/ε tuples are all kept
        self._is_thinned |= len(union.tuples) > over(2, self._epsilon)
        if self._is_thinned:
            self._thin(union, union.tuples.count)
        self._tuples = union.tuples

    def _thin(self, union: UnitedTuples, count: int) -> None:
        epsilon = self._epsilon
        union.drop(share(epsilon, count))
        used = union.largest
        if len(union.tuples) <= over(_LARGE, epsilon) or used <= share(epsilon, count):
            return
        limit = share(2 * epsilon, count)
        spent = used + max(0, limit - used) // 5 * 3
        if union.leaves(whole(_AIM / epsilon), spent):
            union.drop_to(whole(_AIM / epsilon), spent)
        else:
            union.drop_to(whole(_LARGE / epsilon), limit)
