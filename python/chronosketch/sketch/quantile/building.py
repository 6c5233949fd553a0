"""Build quantile sketches of values: sort them, and keep those at exact ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.domain.columns import as_column, present
from chronosketch.sketch.domain.domain import Kind
from chronosketch.sketch.domain.values import keys_of
from chronosketch.sketch.quantile.segments import places, starts_of
from chronosketch.sketch.quantile.summaries import FEW_EXACT, Summaries, shares, shifted
from chronosketch.sketch.quantile.tuples import NO_TUPLES, Tuples, share
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.quantile.summaries import Doubles, Flags
    from chronosketch.sketch.quantile.tuples import Longs


def summary_of_keys(keys: Longs, epsilon: float) -> Tuples:
    """Return the tuples that summarise some keys."""
    if not len(keys):
        return NO_TUPLES
    sizes = np.array([len(keys)])
    return summarised(np.sort(keys), sizes, np.array([epsilon])).tuples(0)


def summary_of_counts(keys: Longs, counts: Longs, epsilon: float) -> Tuples:
    """Return the tuples that summarise keys, each of which counts several times."""
    if not len(keys):
        return NO_TUPLES
    require_countable(counts)
    distinct, places = np.unique(keys, return_inverse=True)
    sums = np.zeros(len(distinct), np.int64)
    np.add.at(sums, places, counts)
    return summarised_counts(distinct, sums, epsilon).tuples(0)


def keys_and_counts(
    values: Iterable[object], type_name: str | None, frequency: Iterable[int | None]
) -> tuple[Domain, Longs, Longs]:
    """Return the type of some values, their keys, and how often each counts. NULLs and zeros are left out."""
    values, frequency = as_column(values), as_column(frequency, "frequency")
    here, given = present(values), present(frequency)
    if len(here) != len(given):
        raise ValueError(f"there are {len(here)} values and {len(given)} frequencies.")
    domain, keys = keys_of(values, type_name)
    try:
        kind, counts = keys_of(frequency, None)
    except Refusal as refusal:
        if refusal.condition != "CHRONOSKETCH_UNSUPPORTED_TYPE":
            raise
        named = {"argument": "frequency", "types": "a whole number"}
        raise Refusal("UNSUPPORTED_TYPE", **{**refusal.parameters, **named}) from None
    is_whole = kind.is_integer or (kind.kind == Kind.DECIMAL and kind.second == 0)
    if len(counts) and not is_whole:
        raise Refusal(
            "FRACTIONAL_FREQUENCY",
            takes="a whole number",
            sql="frequency",
            type=kind.sql,
            fix="frequency.round().astype('Int64')"
            if type(frequency).__module__.startswith("pandas")
            else "[round(n) for n in frequency]",
        )
    copies = np.zeros(len(given), np.int64)
    copies[given] = counts
    copies = copies[here]
    if len(copies) and copies.min() < 0:
        raise Refusal("INVALID_FREQUENCY", frequency=copies.min(), sql="frequency")
    full = copies > 0
    return domain, keys[full], copies[full]


def require_countable(counts: Longs) -> None:
    """Refuse counts whose sum has more than 63 bits."""
    if float(counts.astype(np.float64).sum()) > MOST_LONG // 2 and sum(counts.tolist()) > MOST_LONG:
        raise Refusal("COUNT_OVERFLOW", limit=MOST_LONG)


def summarised(keys: Longs, sizes: Longs, epsilons: Doubles) -> Summaries:
    """Return the summaries of sorted keys: all keys if they are few, else those at every ⌊εn⌋-th rank.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.sketch.quantile.building import summarised
    >>> built = summarised(np.arange(100), np.array([100]), np.array([0.2]))
    >>> built.keys.tolist(), built.gs.tolist()
    ([0, 20, 40, 60, 80, 99], [1, 20, 20, 20, 20, 19])
    """
    first = starts_of(sizes)
    exact = sizes * epsilons <= FEW_EXACT
    if not exact.all():
        exact |= _exact_tuples(keys, sizes) * epsilons <= FEW_EXACT
    if exact.all():
        return _exact_summaries(keys, np.ones(len(keys), np.int64), sizes)
    many = np.flatnonzero(~exact)
    steps = np.maximum(1, shares(epsilons[many], sizes[many]))
    chosen = -(-(sizes[many] - 1) // steps) + 1
    ranks = np.minimum(
        1 + places(np.zeros_like(chosen), chosen) * np.repeat(steps, chosen), np.repeat(sizes[many], chosen)
    )
    some = _at_ranks(keys[np.repeat(first[many], chosen) + ranks - 1], ranks, chosen)
    if not exact.any():
        return some
    few = np.flatnonzero(exact)
    part = keys[places(first[few], sizes[few])]
    return _interleaved(exact, _exact_summaries(part, np.ones(len(part), np.int64), sizes[few]), some)


def summarised_counts(keys: Longs, counts: Longs, epsilon: float) -> Summaries:
    """Return the summary of distinct ascending keys with their counts, as `summarised` does."""
    sizes = np.array([len(keys)])
    if (len(keys) + int((counts > 1).sum())) * epsilon <= FEW_EXACT:
        return _exact_summaries(keys, counts, sizes)
    at_most = np.cumsum(counts)
    n = int(at_most[-1])
    step = share(epsilon, n)
    ranks = np.append(np.arange(1, n, step), n)
    return _at_ranks(keys[np.searchsorted(at_most, ranks)], ranks, np.array([len(ranks)]))


def _exact_tuples(keys: Longs, sizes: Longs) -> Longs:
    """Return the number of tuples that represent every element of sorted keys: at most two for each key."""
    differs = np.append(0, np.cumsum(keys[2:] != keys[:-2]))
    first = starts_of(sizes)
    longer = sizes > 2
    more = np.zeros_like(sizes)
    more[longer] = differs[(first + sizes - 2)[longer]] - differs[first[longer]]
    return np.minimum(sizes, 2) + more


def _exact_summaries(keys: Longs, counts: Longs, sizes: Longs) -> Summaries:
    """Return exact summaries of sorted keys, which may repeat, with their counts."""
    exact = np.ones(len(sizes), np.bool_)
    if not len(keys):
        return Summaries(exact, sizes, keys, counts, counts)
    head = np.append(True, keys[1:] != keys[:-1])
    full = sizes > 0
    head[starts_of(sizes)[full]] = True
    if not head.all():
        heads = np.flatnonzero(head)
        distinct = np.zeros_like(sizes)
        distinct[full] = np.add.reduceat(head, starts_of(sizes)[full], dtype=np.int64)
        keys, counts, sizes = keys[heads], np.add.reduceat(counts, heads), distinct
    return Summaries(exact, sizes, keys, counts, np.zeros_like(counts))


def _at_ranks(keys: Longs, ranks: Longs, sizes: Longs) -> Summaries:
    """Return tuples with certain ranks of keys that may repeat: at most two for each key."""
    first = starts_of(sizes)
    gs = ranks - shifted(ranks, first)
    head = np.append(True, keys[1:] != keys[:-1])
    head[first] = True
    # the second of each key takes those after it
    second = np.append(False, head[:-1]) & ~head
    begins = head | second
    at = np.flatnonzero(begins)
    gs = np.add.reduceat(gs, at)
    sizes = np.add.reduceat(begins, first, dtype=np.int64)
    return Summaries(np.zeros(len(sizes), np.bool_), sizes, keys[at], gs, np.zeros_like(gs))


def _interleaved(exact: Flags, few: Summaries, many: Summaries) -> Summaries:
    """Put summaries of both forms into the order that `exact` says."""
    sizes = np.zeros(len(exact), np.int64)
    sizes[exact], sizes[~exact] = few.sizes, many.sizes
    order = np.argsort(np.append(np.flatnonzero(exact), np.flatnonzero(~exact)))
    both = np.append(few.sizes, many.sizes)
    at = places(starts_of(both)[order], sizes)
    columns = (np.append(getattr(few, name), getattr(many, name))[at] for name in ("keys", "gs", "deltas"))
    return Summaries(exact, sizes, *columns)
