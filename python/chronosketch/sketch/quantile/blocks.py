"""Build tuples from unsorted keys by counting them in equal-width ranges."""

from __future__ import annotations

from chronosketch.sketch.quantile.tuples import Tuples

_FEWEST = 256
_MOST_PARTS = 1 << 18
_BITS = 31


def blocks(keys: list[int], limit: int, fewest: float) -> Tuples | None:
    """Return the minimum, then tuples of at most `limit` elements with certain ranks.

    None if at most `fewest` ranges have keys, or if three quarters of the keys crowd into a few ranges.


    Examples
    --------
    >>> from chronosketch.sketch.quantile.blocks import blocks
    >>> blocks(list(range(1000)), 300, 0).keys
    [0, 283, 566, 849, 999]
    """
    n = len(keys)
    least, most = (min(keys), max(keys)) if keys else (0, 0)
    if limit < 2 or n < _FEWEST or least == most:
        return None
    wanted = min(_MOST_PARTS, 16 * n // limit, n + n // 4)
    # a key's range: its distance to the least key in 31 bits, times the ranges per unit, shifted back
    shift = max(0, (most - least).bit_length() - _BITS)
    scale = min(1 << _BITS, (wanted << _BITS) // ((most - least >> shift) + 1))
    parts: list[list[int]] = [[] for _ in range(((most - least >> shift) * scale >> _BITS) + 1)]
    for key in keys:
        parts[(key - least >> shift) * scale >> _BITS].append(key)
    crowd = sum(len(part) for part in parts if len(part) > limit)
    if sum(map(bool, parts)) <= fewest or crowd > n - n // 4:
        return None
    return _packed(parts, limit, least)


def _packed(parts: list[list[int]], limit: int, least: int) -> Tuples:
    """Combine ranges in ascending order as long as they fit into a tuple."""
    packed = Tuples()
    packed.add(least, 1, 0)
    # the least key has its own tuple
    waiting, last = len(parts[0]) - 1, max(parts[0])
    if len(parts[0]) > limit:
        waiting = _pack_crowd(packed, sorted(parts[0])[1:], limit, 0, least)
    for part in parts[1:]:
        if len(part) > limit:
            waiting = _pack_crowd(packed, sorted(part), limit, waiting, last)
            last = max(part)
            continue
        if waiting + len(part) > limit:
            packed.add(last, waiting, 0)
            waiting = 0
        waiting += len(part)
        last = max([last, *part])
    if waiting:
        packed.add_or_count(last, waiting)
    return packed


def _pack_crowd(packed: Tuples, crowd: list[int], limit: int, waiting: int, before: int) -> int:
    """Add crowded keys one by one after `waiting` keys up to `before`. Return how many wait then."""
    last = before
    for key in crowd:
        if waiting == limit:
            packed.add_or_count(last, waiting)
            waiting = 0
        waiting += 1
        last = key
    # a key that already has a tuple gets at most one more
    if packed.keys[-1] == last:
        packed.add_or_count(last, waiting)
        waiting = 0
    return waiting
