"""Build tuples from sorted keys."""

from __future__ import annotations

from itertools import groupby

from chronosketch.sketch.quantile.share import share
from chronosketch.sketch.quantile.tuples import Tuples


def exact(keys: list[int]) -> Tuples:
    """Return tuples that represent each of the sorted keys exactly."""
    return Tuples.counted([(key, len(list(copies))) for key, copies in groupby(keys)])


def once_or_twice(keys: list[int]) -> int:
    """Return the number of tuples that `exact` would make."""
    return min(len(keys), 2) + sum(keys[i] != keys[i - 2] for i in range(2, len(keys)))


def at_ranks(keys: list[int], step: int) -> Tuples:
    """Return the keys at the ranks 1, 1 + step, …, and the last one, with certain ranks.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.counted import at_ranks
    >>> at_ranks([1, 2, 3, 4, 5], 2).keys
    [1, 3, 5]
    """
    tuples = Tuples()
    last = 0
    while last < len(keys):
        rank = 1 if last == 0 else min(last + step, len(keys))
        tuples.add_or_count(keys[rank - 1], rank - last)
        last = rank
    return tuples


def summarised(keys: list[int], epsilon: float) -> Tuples:
    """Return the tuples of sorted keys: all if they are few, else one in every ⌊epsilon · n⌋."""
    if once_or_twice(keys) * epsilon <= 2:
        return exact(keys)
    return at_ranks(keys, share(epsilon, len(keys)))
