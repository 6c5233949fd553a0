"""The limits of the quantile sketch, as in the JVM: buffer sizes, and when a union is thinned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.quantile.tuples import share

if TYPE_CHECKING:
    from chronosketch.sketch.quantile.tuples import Tuples
    from chronosketch.sketch.quantile.union import Union

# The most buffered values.
_MOST_WAITING = 1 << 20

# The buffer size times epsilon, at first; later half of the count, up to the second limit.
_FIRST, _LATER = 16, 64

# Unions of fewer tuples times epsilon are not thinned; the other two are the target sizes of large ones.
_LARGE = 8
_ON_THE_WAY = (4.0,)
_AT_LAST = (2.8, 3.0, 4.0, 6.0)

_MOST_INT = (1 << 31) - 1


def over(number: float, epsilon: float) -> float:
    """Return number / epsilon, which is infinite if epsilon is 0."""
    return number / epsilon if epsilon else float("inf")


def whole(number: float) -> int:
    """Truncate a number to 32 bits."""
    return int(min(number, _MOST_INT))


def waiting(epsilon: float, tuples: Tuples, is_thinned: bool) -> int:
    """Return how many values a sketch with these tuples buffers before it summarises them."""
    if epsilon == 0 or (not is_thinned and len(tuples) > 0):
        return sorted_in(epsilon, len(tuples))
    times = _FIRST
    while times < _LATER and over(4 * times, epsilon) <= tuples.count:
        times *= 2
    return max(256, whole(min(over(times, epsilon), _MOST_WAITING)))


def sorted_in(epsilon: float, size: int) -> int:
    """Return the buffer size of a sketch that may drop nothing."""
    if epsilon == 0:
        return max(1024, min(size, (_MOST_INT - 16) // 2))
    values = max(256, whole(min(_MOST_WAITING, over(2.0, epsilon))))
    while values < size // 2:
        values *= 2
    return values


def most_sorted(epsilon: float) -> int:
    """Return the most elements of a bag that is kept without tuples."""
    return whole(min(over(8, epsilon), _MOST_WAITING))


def most_parts(epsilon: float) -> int:
    """Return the most tuples of other sketches that are buffered before they are united."""
    return min(1 << 20, max(1024, 2 * most_sorted(epsilon)))


def is_small(epsilon: float, tuples: int) -> bool:
    """Return whether exact tuples are few enough to be inserted one by one."""
    return tuples <= sorted_in(epsilon, tuples) // 8


def is_large(union: Union, epsilon: float) -> bool:
    """Return whether a union has many tuples."""
    return len(union.tuples) > over(_LARGE, epsilon)


def thin_on_the_way(union: Union, epsilon: float, count: int) -> bool:
    """Thin a large union that will be united with more. Return whether it was thinned."""
    if not is_large(union, epsilon):
        return False
    _thin(union, epsilon, count, _ON_THE_WAY)
    return True


def thin_at_last(union: Union, epsilon: float, count: int, was_thinned: bool) -> bool:
    """Thin a finished union if it is large, or was thinned before. Return whether it was thinned."""
    if not is_large(union, epsilon) and not (was_thinned and len(union.tuples) > over(_AT_LAST[0], epsilon)):
        return False
    _thin(union, epsilon, count, _AT_LAST)
    return True


def _thin(union: Union, epsilon: float, count: int, aims: tuple[float, ...]) -> None:
    limit = share(2 * epsilon, count)
    used = union.largest
    spent = used + max(0, limit - used) // 5 * 3
    for aim in aims:
        if union.leaves(whole(aim / epsilon), spent):
            union.drop_to(whole(aim / epsilon), spent)
            return
    if is_large(union, epsilon):
        union.drop_to(whole(_LARGE / epsilon), limit)
