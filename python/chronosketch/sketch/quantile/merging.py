"""Merge stored quantile sketches, with the same steps as in the JVM."""

from __future__ import annotations

from bisect import bisect_left

from chronosketch.sketch.quantile import limits
from chronosketch.sketch.quantile.tuples import (
    Tuples,
    at_ranks,
    from_ranges,
    once_or_twice,
    share,
    summarised,
)
from chronosketch.sketch.quantile.union import Union, unite

# At least this many copies of a key are counted instead of inserted one by one.
_FEWEST_HEAVY = 4

# The initial buffer size.
_SMALLEST = 8


class Merging:
    """A quantile sketch while others are merged into it.

    Values wait in a bag, keys with many copies in `_heavy`, and tuples of other sketches in a list, until all
    of them are flushed into the tuples. When that happens depends on the capacity of the bag, so the capacity
    is part of the state.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tuples import exact
    >>> from chronosketch.sketch.quantile.merging import Merging
    >>> union = Merging(0.1, exact([1, 3]))
    >>> union.unite(Merging(0.1, exact([2])))
    >>> union.finished().keys
    [1, 2, 3]
    """

    def __init__(self, epsilon: float, stored: Tuples) -> None:
        self.epsilon = epsilon
        self.tuples = Tuples()
        self.is_thinned = False
        self._bag: list[int] = []
        self._sorted = 0
        self._room = _SMALLEST
        self._heavy: dict[int, int] | None = None
        self._heavies = 0
        self._heavy_room = _SMALLEST
        self._parts: Tuples | None = None
        is_exact = stored.is_exact
        counts = stored.counts() if is_exact else []
        n = stored.count
        if is_exact and n <= min(2 * len(counts), limits.most_sorted(epsilon)):
            self._bag = [key for key, copies in counts for _ in range(copies)]
            self._sorted = n
            self._room = max(_SMALLEST, n)
        else:
            self._restore(Tuples(list(stored.keys), list(stored.gs), list(stored.deltas)))

    def unite(self, that: Merging) -> None:
        """Merge another one, which must not be used afterwards. The larger epsilon counts."""
        self.epsilon = max(self.epsilon, that.epsilon)
        if that._has_only_bag:
            if that._bag and not self._join(that):
                that._flush_sorted()
                self._insert_or_hold(that, is_exact=True)
        else:
            self._insert_or_hold(that, is_exact=that.tuples.is_exact)

    def finished(self) -> Tuples:
        """Flush everything, and return the tuples to store."""
        if self._is_bag:
            counted = Tuples()
            for key in sorted(self._bag):
                counted.add_or_count(key, 1)
            return counted
        self._flush_bag()
        self._flush_heavy()
        self._flush_parts()
        return self.tuples

    # --- whole sketches

    @property
    def _has_only_bag(self) -> bool:
        return not self.tuples.keys and self._parts is None and not self._heavy

    @property
    def _is_bag(self) -> bool:
        return self._has_only_bag and (
            self._sorted == len(self._bag) or len(self._bag) <= limits.over(2, self.epsilon)
        )

    def _join(self, that: Merging) -> bool:
        """Add the values of a bag to this bag, if both are bags. Return whether they are."""
        if (
            not self._is_bag
            or len(that._bag) > limits.most_sorted(self.epsilon) - len(self._bag)
            or limits.is_small(that.epsilon, once_or_twice(that._bag))
        ):
            return False
        self._bag = sorted(self._bag + that._bag)
        self._sorted = len(self._bag)
        self._room = max(_SMALLEST, self._sorted)
        return True

    def _insert_or_hold(self, that: Merging, *, is_exact: bool) -> None:
        tuples, epsilon = that.tuples, that.epsilon
        is_few = tuples.count <= limits.most_sorted(epsilon) or limits.is_small(epsilon, len(tuples))
        if is_exact and is_few:
            for key, g in zip(tuples.keys, tuples.gs, strict=True):
                self.insert(key, g)
            return
        self._parts = tuples
        if len(tuples) > limits.most_parts(self.epsilon):
            was_thinned = self._unite_parts(is_last=False, was_thinned=False)
            # nothing is buffered, but the stored tuples remember that they were thinned
            self._parts = Tuples()
            self._was_thinned = was_thinned

    _was_thinned = False

    def _flush_parts(self) -> None:
        if self._parts is not None:
            self._unite_parts(is_last=True, was_thinned=self._was_thinned)
            self._parts = None

    def _unite_parts(self, *, is_last: bool, was_thinned: bool) -> bool:
        self._flush_sorted()
        those = self._parts or Tuples()
        is_alone = not self.tuples.keys and bool(those.keys)
        self.is_thinned |= not those.is_exact
        union = Union(unite(self.tuples, those))
        count = union.tuples.count
        is_thinner = False
        if not is_alone and is_last:
            is_thinner = limits.thin_at_last(union, self.epsilon, count, was_thinned)
        elif not is_alone:
            is_thinner = limits.thin_on_the_way(union, self.epsilon, count)
        self.is_thinned |= is_thinner
        self.tuples = union.tuples
        return is_thinner

    # --- single values

    def insert(self, key: int, copies: int) -> None:
        """Insert copies of a key."""
        if copies < _FEWEST_HEAVY:
            for _ in range(copies):
                self._insert(key)
            return
        if self._heavy is None:
            self._heavy = {}
        elif self._heavies == self._heavy_room:
            if self._heavy_room < self._capacity:
                self._heavy_room = min(self._capacity, self._heavy_room * 4)
            else:
                self._flush_heavy()
        self._heavy[key] = self._heavy.get(key, 0) + copies
        self._heavies += 1

    def _insert(self, key: int) -> None:
        if len(self._bag) == self._room:
            self._make_room()
        self._bag.append(key)

    @property
    def _capacity(self) -> int:
        return limits.waiting(self.epsilon, self.tuples, self.is_thinned)

    def _make_room(self) -> None:
        self._flush_sorted()
        if len(self._bag) < self._room:
            return
        if self._room < self._capacity:
            self._room = min(self._capacity, self._room * 4)
        elif self.is_thinned:
            self._flush_bag()
        else:
            if len(self.tuples) > 2 and self.tuples.count >= 4 * len(self._bag):
                self._absorb()
            if len(self._bag) * 2 > self._room:
                self._flush_bag()

    def _flush_sorted(self) -> None:
        """Turn sorted values into tuples."""
        if self._sorted == 0:
            return
        values, self._bag = self._bag[: self._sorted], self._bag[self._sorted :]
        self._room = max(len(self._bag), min(self._room, self._capacity))
        self._sorted = 0
        tuples = Tuples()
        for key in values:
            tuples.add_or_count(key, 1)
        self._restore(tuples)

    def _absorb(self) -> None:
        """Count keys that already have two tuples into the second one; keep the others."""
        keys, gs = self.tuples.keys, self.tuples.gs
        kept = []
        for key in self._bag:
            place = bisect_left(keys, key)
            is_within = keys[0] < key <= keys[-1]
            if is_within and place + 1 < len(keys) and keys[place] == keys[place + 1] == key:
                gs[place + 1] += 1
            else:
                kept.append(key)
        self._bag = kept

    def _flush_bag(self) -> None:
        self._flush_sorted()
        if not self._bag:
            return
        values, self._bag = sorted(self._bag), []
        step = share(self.epsilon / 4, len(values))
        if not self.tuples.keys and len(values) > limits.over(2, self.epsilon):
            limit = share(self.epsilon, len(values))
            whole = from_ranges(values, limit, limits.over(2, self.epsilon))
            self._restore(whole or summarised(values, self.epsilon))
            self._room = min(self._room, self._capacity)
        elif self.is_thinned and step > 1:
            self._take(Union.of_new(self.tuples, from_ranges(values, step, 0) or at_ranks(values, step)))
        else:
            self._take(Union.of_values(self.tuples, values))

    def _flush_heavy(self) -> None:
        if not self._heavy:
            return
        self._flush_sorted()
        drained = Tuples.counted(sorted(self._heavy.items()))
        self._heavy, self._heavies = {}, 0
        self._take(Union(unite(self.tuples, drained)))

    def _take(self, union: Union) -> None:
        # up to 2/ε tuples are all kept
        if len(union.tuples) > limits.over(2, self.epsilon):
            self.is_thinned = True
        if self.is_thinned:
            count = union.tuples.count
            limit = share(self.epsilon, count)
            union.drop(limit)
            # if merging used a larger limit than inserting may, nothing can be dropped for a while
            if limits.is_large(union, self.epsilon) and union.largest > limit:
                limits.thin_on_the_way(union, self.epsilon, count)
        self.tuples = union.tuples

    def _restore(self, tuples: Tuples) -> None:
        self.tuples = tuples
        self.is_thinned = not tuples.is_exact
