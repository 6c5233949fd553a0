"""Find dense gaps: neighbouring tuples between which most values of a buffer lie."""

from __future__ import annotations

from bisect import bisect_left

# The number of sampled values, and how many of them must lie between the first and the last tuple.
_SAMPLES = 16
_FEWEST = 4

# With fewer tuples, two values in one gap are not unusual.
_FEWEST_TUPLES = 64

_OUTSIDE = -2
_HELD = -1


def crowds(keys: list[int], values: list[int]) -> list[tuple[int, int]]:
    """Return the keys on both sides of each dense gap, in ascending order.

    Empty unless at least half of a few evenly drawn values, among those between the first and the last key,
    lie in dense gaps.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.crowds import crowds
    >>> crowds(list(range(0, 1000, 10)), list(range(501, 509)) * 4)
    [(500, 510)]
    """
    share = len(values) // _SAMPLES
    if share <= 1 or len(keys) < _FEWEST_TUPLES:
        return []
    found: list[tuple[int, int]] = []
    before = _OUTSIDE
    among = inside = 0
    for i in range(_SAMPLES):
        # stop once the remaining samples can no longer reach one half
        if inside > 2 * among + 2 + _SAMPLES - i:
            break
        place = _gap(keys, values[i * share])
        if place != _OUTSIDE:
            inside += 1
        if place >= 0 and place == before:
            if not found or found[-1][1] != keys[place]:
                found.append((keys[place - 1], keys[place]))
                among += 1
            among += 1
        before = place
    return [] if inside < _FEWEST or 2 * among < inside else found


def _gap(keys: list[int], value: int) -> int:
    place = bisect_left(keys, value)
    if place in (0, len(keys)):
        return _OUTSIDE
    return _HELD if keys[place] == value else place
