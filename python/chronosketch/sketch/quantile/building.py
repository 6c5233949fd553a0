"""Build quantile sketches of values: sort them, and keep those at exact ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.domain.columns import present
from chronosketch.sketch.domain.domain import Kind
from chronosketch.sketch.domain.values import keys_of
from chronosketch.sketch.quantile.summaries import summarised, summarised_counts
from chronosketch.sketch.quantile.tuples import NO_TUPLES, Tuples
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.quantile.tuples import Longs


def summary_of(
    values: Iterable[object], epsilon: float, type_name: str | None, frequency: Iterable[int | None] | None
) -> tuple[Domain, Tuples]:
    """Return the type of some values, and the tuples that summarise them."""
    if frequency is None:
        domain, keys = keys_of(values, type_name)
        return domain, summary_of_keys(keys, epsilon)
    domain, keys, counts = counted(values, type_name, frequency)
    return domain, summary_of_counts(keys, counts, epsilon)


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


def counted(
    values: Iterable[object], type_name: str | None, frequency: Iterable[int | None]
) -> tuple[Domain, Longs, Longs]:
    """Return the type of some values, their keys, and how often each counts. NULLs and zeros are left out."""
    values = values if hasattr(values, "__len__") else list(values)
    frequency = frequency if hasattr(frequency, "__len__") else list(frequency)
    here, given = present(values), present(frequency)
    if len(here) != len(given):
        raise ValueError(f"there are {len(here)} values and {len(given)} frequencies.")
    domain, keys = keys_of(values, type_name)
    kind, counts = keys_of(frequency, None)
    is_whole = kind.is_integer or (kind.kind == Kind.DECIMAL and kind.second == 0)
    if len(counts) and not is_whole:
        raise Refusal(
            "FRACTIONAL_FREQUENCY",
            takes="a whole number",
            sql="frequency",
            type=kind.sql,
            fix="[round(n) for n in frequency]",
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
