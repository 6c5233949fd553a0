"""The contents of buckets: sorted keys, or the tuples of a summary; and the union of several contents."""

from __future__ import annotations

import math
from itertools import islice, pairwise
from operator import ne
from typing import TYPE_CHECKING

from chronosketch.sketch.codec.hashes import signed
from chronosketch.sketch.codec.wire import MOST_LONG, Reader, Writer, corrupt
from chronosketch.sketch.quantile.tuples import Tuples, read_tuples, share, write_tuples
from chronosketch.sketch.window.heavy import HeavyKeys, over, whole
from chronosketch.sketch.window.union import TupleList, UnitedTuples, unite_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.window.buckets import Bucket

_KEYS = 0
_TUPLES = 1

# The most copies of a key that are kept one by one; and the tuples of a window, in 1/ε.
_FEW = 16
_STORED = 8.0

# The share of elements at each end, in ε, whose ranks are kept more exactly.
_ENDS = 3.0

# The number of tuples of a bucket with 1/ε elements, in 1/ε.
_TUPLES_AT_FIRST = 0.7


def share_of(epsilon: float) -> float:
    """Return the part of epsilon that summaries may use."""
    return epsilon / (2 + 4 * epsilon)


class Contents:
    """Collects the values of buckets and returns them as one summary.

    Examples
    --------
    >>> from chronosketch.sketch.window.contents import Contents
    >>> gathered = Contents(0.1)
    >>> gathered.add_copies(7, 2)
    >>> gathered.add([3, 9])
    >>> gathered.window().counts()
    (array([3, 7, 9]), array([1, 2, 1]))
    """

    def __init__(self, epsilon: float) -> None:
        self._epsilon = share_of(epsilon)
        self._keys: list[int] = []
        self._heavy: HeavyKeys | None = None
        self._summaries: list[TupleList] = []

    def add_copies(self, key: int, copies: int) -> None:
        """Add copies of a key."""
        if copies <= _FEW:
            self._keys += [key] * copies
            return
        if self._heavy is None:
            self._heavy = HeavyKeys(self._epsilon)
        self._heavy.insert(key, copies)

    def add_bucket(self, bucket: Bucket) -> None:
        """Add the values of a bucket."""
        if bucket.level == 0:
            self.add_copies(bucket.key, bucket.count)
        else:
            self.add(bucket.content)

    def add(self, content: object) -> None:
        """Add the content of a bucket with more than one position."""
        if isinstance(content, Tuples):
            if len(content):
                self._summaries.append(TupleList.of(content))
        elif isinstance(content, list):
            self._keys += content

    def window(self) -> Tuples:
        """Return all values as the summary of a window. The object must not be used afterwards."""
        return self._united(self._ends, self._window_tuples)

    def everything(self) -> Tuples:
        """Return the summary of all rows, whose ranks are as exact near the ends as elsewhere."""
        return self._united(0.0, self._window_tuples)

    def content(self) -> list[int] | Tuples:
        """Return all values as the content of a bucket. The object must not be used afterwards.

        A few keys are kept as they are. A summary will be merged again and again, each time at about twice
        its size, so few tuples are dropped early and most late.
        """
        is_few = len(self._keys) <= over(1.0, self._epsilon)
        if is_few and not self._summaries and self._heavy is None:
            return sorted(self._keys)
        return self._united(self._ends, self._most_tuples)

    @property
    def _ends(self) -> float:
        return min(0.5, _ENDS * self._epsilon)

    def _window_tuples(self, _: int) -> int:
        return whole(over(_STORED, self._epsilon))

    def _most_tuples(self, n: int) -> int:
        if self._epsilon == 0:
            return whole(float("inf"))
        doublings = max(0.0, math.log(n * self._epsilon) / math.log(2))
        return whole((_TUPLES_AT_FIRST + doublings / 3) / self._epsilon)

    def _united(self, ends: float, most_of: Callable[[int], int]) -> Tuples:
        """Return one summary with at most about as many tuples as `most_of` allows for its elements."""
        if self._heavy is not None:
            self._summaries.append(self._heavy.finished())
        keys = sorted(self._keys)
        if not self._summaries:
            return self._of_keys(keys, most_of(len(keys))).frozen()
        if keys:
            self._summaries.append(TupleList.exact(keys))
        union = UnitedTuples(unite_all(self._summaries))
        count = union.tuples.count
        most = most_of(count)
        if len(union.tuples) > most:
            union.drop_to(most, share(2 * self._epsilon, count), share(ends, count))
        return union.tuples.frozen()

    def _of_keys(self, keys: list[int], most: int) -> TupleList:
        """Return tuples of keys whose ranks are known: some of the keys are enough."""
        if min(len(keys), 2) + sum(map(ne, keys, islice(keys, 2, None))) <= most:
            return TupleList.exact(keys)
        step = (len(keys) + most - 3) // (most - 1)
        return TupleList.at_ranks(keys, max(1, min(step, share(2 * self._epsilon, len(keys)))))


class KeysWire:
    """The wire format of sorted keys and of summaries."""

    def __init__(self, domain: Domain, epsilon: float) -> None:
        self._domain = domain
        self._epsilon = share_of(epsilon)

    def write(self, w: Writer, bucket: Bucket, key: int) -> int:
        """Write a bucket's content, and return the last key that was written."""
        if isinstance(bucket.content, Tuples):
            w.byte(_TUPLES)
            write_tuples(w, bucket.content)
            return key
        keys = bucket.content
        assert isinstance(keys, list)
        w.byte(_KEYS)
        w.varint(len(keys))
        w.zigzag(signed(keys[0] - key))
        for before, after in pairwise(keys):
            w.varint(after - before)
        return int(keys[0])

    def read(self, r: Reader, key: int) -> tuple[int, object, int]:
        """Return the number of rows, their content, and the last key that was read."""
        form = r.byte()
        if form == _TUPLES:
            tuples = read_tuples(r, self._domain, self._epsilon)
            return tuples.count, tuples, key
        if form != _KEYS:
            raise corrupt(f"a bucket has an unknown form ({form})")
        keys = self._read_keys(r, key)
        return len(keys), keys, keys[0]

    def _read_keys(self, r: Reader, before: int) -> list[int]:
        n = r.size(1)
        if n == 0:
            raise corrupt("it has an empty bucket")
        keys = [signed(before + r.zigzag())]
        for more in r.varints(n - 1):
            keys.append(keys[-1] + more)
            if keys[-1] > MOST_LONG:
                raise corrupt("its values are not in order")
        return self._domain.require(keys)
