"""Write sketches as KLL sketches of Apache DataSketches, byte for byte as the JVM does."""

from __future__ import annotations

import math
import operator
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.domain.columns import doubles_of
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from chronosketch.sketch.quantile.tuples import Longs
    from chronosketch.sketch.rank import RankProfile

LEAST_K = 8
GREATEST_K = 65535

_FAMILY = 15
_IS_EMPTY, _IS_LEVEL_ZERO_SORTED, _IS_SINGLE = 1, 2, 4
_LEAST_CAPACITY = 8
_MOST_DEPTH = 30
_MOST_LEVEL = 60
# The rank error that is aimed at if a sketch has less and does not say which one it was built for.
_LEAST_EPSILON = 1e-3
_LONGS = "<i8"


class Certified(Protocol):
    """A sketch that certifies a rank error."""

    @property
    def domain(self) -> Domain:
        """The type of the values."""

    @property
    def profile(self) -> RankProfile:
        """The rank bounds."""

    @property
    def _estimates(self) -> RankProfile:
        """The profile that answers are taken from."""

    @property
    def rank_error(self) -> float | None:
        """The certified rank error, as a share of the count; None for an empty sketch."""


def write(sketch: Certified, epsilon: float | None, k: int | None) -> bytes:
    """Return the bytes of a KLL sketch whose claimed rank error is at least the true one.

    Values at equal rank steps of 2^L are the items of level L. The binary digits of the rest of the count are
    items of the levels below. `epsilon` is the rank error that the sketch was built for, if that is known.

    Examples
    --------
    >>> from chronosketch.sketch import Sketch, kll
    >>> kll.write(Sketch.build([2.5]), 0.001, 200).hex()
    '02020f06c80008000000000000000440'
    """
    k = require_k(k)
    form = _form_of(sketch.domain)
    profile = sketch.profile
    if profile.count_low != profile.count_high:
        raise Refusal("COUNT_IN_DOUBT", least=profile.count_low, most=profile.count_high)
    if epsilon is None:
        epsilon = max(_LEAST_EPSILON, sketch.rank_error or 0.0)
    room = largest_k(2 * epsilon) if k is None else k
    if profile.is_empty:
        return _preamble(2, 1, _IS_EMPTY, room)
    if sketch.domain.is_floating and profile.keys[-1] == doubles.NAN:
        raise _refusal(
            "values that are NaN",
            "Leave them out before the sketch is built: FILTER (WHERE NOT isnan(value))",
        )
    n = profile.count_low
    if profile.is_exact and n <= room:
        return _bytes(form, profile, room, room, _Items.of(profile, n, 0))
    items, error = _placed(sketch, epsilon, GREATEST_K if k is None else k)
    claimed = largest_k(2 * max(error, epsilon))
    room = claimed if k is None else k
    while room < GREATEST_K and _capacity(room, items.level + 1) < len(items.keys):
        room += 1
    return _bytes(form, profile, room, claimed if k is None else min(k, claimed), items)


def require_k(k: int | None) -> int | None:
    """Return a k that the library takes. Refuse any other."""
    if k is None:
        return None
    try:
        whole = operator.index(k)
    except TypeError:
        raise TypeError(f"k is a whole number, not {k!r}.") from None
    if not LEAST_K <= whole <= GREATEST_K:
        raise Refusal("PARAMETER_OUT_OF_RANGE", parameter="k", value=k, range=f"[{LEAST_K}, {GREATEST_K}]")
    return whole


def largest_k(error: float) -> int:
    """Return the largest k whose claimed error is at least this one, or the least k."""
    low, high = LEAST_K, GREATEST_K
    while low < high:
        mid = (low + high + 1) >> 1
        if _claim(mid) >= error:
            low = mid
        else:
            high = mid - 1
    return low


def _claim(k: int) -> float:
    """Return the library's normalized rank error for single questions."""
    return 2.296 / math.pow(float(k), 0.9723)


def _placed(sketch: Certified, epsilon: float, most: int) -> tuple[_Items, float]:
    """Return the items, at most `most` of which count equally, and their certified rank error."""
    # without sampled values there are bounds, but no estimates
    estimates = sketch.profile if sketch._estimates.is_empty else sketch._estimates
    n = sketch.profile.count_low
    # a step adds half of itself to the error: as much as the sketch may have anyway
    allowed = max(sketch.rank_error or 0.0, epsilon) * float(n)
    level = 1
    while level < _MOST_LEVEL and (2.0**level <= allowed or n >> level > most):
        level += 1
    items = _Items.of(estimates, n, level)
    error = items.error(sketch.profile)
    while error > _claim(LEAST_K) and level > 1 and n >> level - 1 <= most:
        level -= 1
        items = _Items.of(estimates, n, level)
        error = items.error(sketch.profile)
    if error > _claim(LEAST_K):
        raise _refusal(
            f"ranks that may be {100 * error:.1f}% off",
            "It claims at most 30.4 %. "
            "Build a sketch with a smaller error: with a smaller epsilon, finer buckets or a larger sample",
        )
    return items, error


@dataclass(frozen=True)
class _Items:
    """The items of a KLL sketch, ascending.

    First come those of the highest level, then one for each binary digit of the rest of the count.

    Attributes
    ----------
    level : int
        The highest level. Its items count 2^level times.
    keys, weights : array of int64
        The items, and how many values each counts for.
    """

    level: int
    keys: Longs
    weights: Longs

    @staticmethod
    def of(estimates: RankProfile, n: int, level: int) -> _Items:
        """Return items that have the value in the middle of the ranks that they count for."""
        rest = [1 << below for below in range(level - 1, -1, -1) if n >> below & 1]
        weights = np.append(np.full(n >> level, 1 << level, np.int64), np.array(rest, np.int64))
        ranks = np.cumsum(weights) - weights + (weights + 1) // 2
        return _Items(level, _keys_of_ranks(estimates, ranks), weights)

    def error(self, profile: RankProfile) -> float:
        """Return the certified rank error of the library's answers, as a share of the count."""
        keys = np.asarray(profile.keys, np.int64)
        low, high = (
            np.append(0, np.asarray(r, np.int64)) for r in (profile.at_most_low, profile.at_most_high)
        )
        at_most = np.cumsum(self.weights)
        # just below an item the library answers the weights before it, and from the item on its own too
        short = high[np.searchsorted(keys, self.keys, "left")] - (at_most - self.weights)
        excess = at_most - low[np.searchsorted(keys, self.keys, "right")]
        is_last = np.append(self.keys[1:] != self.keys[:-1], True)
        worst = max(0, int(short.max()), int(excess[is_last].max()))
        return float(worst) / float(profile.count_low)


def _keys_of_ranks(estimates: RankProfile, ranks: Longs) -> Longs:
    """Return the keys with the smallest rank errors; the smaller one of two."""
    keys, low, high = (
        np.asarray(column, np.int64)
        for column in (estimates.keys, estimates.at_most_low, estimates.at_most_high)
    )
    before = np.append(0, high[:-1])
    # the sum of two ranks can need 64 bits, so it is unsigned
    reach = low.astype(np.uint64) + before.astype(np.uint64) + np.uint64(1)
    cross = np.searchsorted(reach, 2 * ranks.astype(np.uint64), "left")

    def error(i: Longs) -> Longs:
        worst: Longs = np.maximum(0, np.maximum(ranks - low[i], before[i] + 1 - ranks))
        return worst

    here, other = np.minimum(cross, len(keys) - 1), np.maximum(cross - 1, 0)
    found: Longs = keys[np.where((cross < len(keys)) & (error(here) < error(other)), here, other)]
    return found


def _form_of(domain: Domain) -> str:
    """Return how numpy names the type of the items."""
    if domain.is_floating:
        return "<f8" if domain.kind == Kind.DOUBLE else "<f4"
    if domain.is_integer:
        return _LONGS
    raise _refusal(
        f"values of type {domain.sql}",
        f"It has items of DOUBLE, FLOAT or BIGINT. Build the sketch of {_NUMBERS[domain.kind]}",
    )


_EPOCH = "TIMESTAMP_NTZ'1970-01-01'"

# Expressions of SQL that are numbers and sort like the values.
_NUMBERS = {
    Kind.DECIMAL: "CAST(value AS DOUBLE)",
    Kind.DATE: "unix_date(value)",
    Kind.TIMESTAMP: "unix_micros(value)",
    Kind.TIMESTAMP_NTZ: f"timestampdiff(MICROSECOND, {_EPOCH}, value)",
    Kind.YEAR_MONTH_INTERVAL: "CAST(CAST(value AS INTERVAL MONTH) AS INT)",
    Kind.DAY_TIME_INTERVAL: f"timestampdiff(MICROSECOND, {_EPOCH}, {_EPOCH} + value)",
    Kind.TIME: "time_diff('MICROSECOND', TIME'00:00:00', value)",
}


def _refusal(what: str, fix: str) -> Refusal:
    return Refusal("NOT_EXPORTABLE", format="KLL sketch of Apache DataSketches", what=what, fix=fix)


def _bytes(form: str, profile: RankProfile, k: int, min_k: int, items: _Items) -> bytes:
    n, level = profile.count_low, items.level
    if n == 1:
        return _preamble(2, 2, _IS_SINGLE | _IS_LEVEL_ZERO_SORTED, k) + _packed(form, items.keys)
    top = n >> level
    sizes = np.array([*(n >> below & 1 for below in range(level)), top])
    # the library has the lowest level first: the last items count least
    ordered = np.concatenate([profile.keys[:1], profile.keys[-1:], items.keys[top:][::-1], items.keys[:top]])
    offsets = _capacity(k, level + 1) - len(items.keys) + np.cumsum(sizes) - sizes
    head = _preamble(5, 1, _IS_LEVEL_ZERO_SORTED, k) + struct.pack("<qHBx", n, min_k, level + 1)
    starts: bytes = offsets.astype("<i4").tobytes()
    return head + starts + _packed(form, ordered)


def _preamble(ints: int, version: int, flags: int, k: int) -> bytes:
    return struct.pack("<BBBBHBx", ints, version, _FAMILY, flags, k, _LEAST_CAPACITY)


def _packed(form: str, keys: Longs) -> bytes:
    values = keys if form == _LONGS else doubles_of(keys)
    return values.astype(form).tobytes()


def _capacity(k: int, levels: int) -> int:
    """Return the number of items that the library has room for."""
    return sum(max(_LEAST_CAPACITY, _level_capacity(k, depth)) for depth in range(levels))


def _level_capacity(k: int, depth: int) -> int:
    """Return k·(2/3)^depth, rounded as the library rounds it."""
    if depth > _MOST_DEPTH:
        return _level_capacity(_level_capacity(k, depth // 2), depth - depth // 2)
    thirds: int = 3**depth
    return ((k << depth + 1) // thirds + 1) >> 1
