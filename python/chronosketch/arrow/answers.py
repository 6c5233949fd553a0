"""Helpers that read the arguments of a question and shape its answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from chronosketch.sketch.answering import each_phi
from chronosketch.sketch.domain.values import key_of

if TYPE_CHECKING:
    from chronosketch.arrow.column import Flags, Longs
    from chronosketch.arrow.profiles import Profiles
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.rank import Phi, Share


def shares_of(phi: Share | Iterable[Share]) -> Share | list[Share]:
    """Return one φ, or a list of several."""
    return list(phi) if isinstance(phi, Iterable) and not isinstance(phi, str) else phi


def phis_of(shares: Share | list[Share]) -> list[Phi]:
    """Return the φs as a list. Refuse values that are not a φ."""
    phis = each_phi(shares, lambda phi: phi)
    return phis if isinstance(phis, list) else [phis]


def keys_or_none(values: Any, to: Domain) -> list[int] | None:
    """Return the keys of one answer or several, or None if any is missing."""
    several = values if isinstance(values, list) else [values]
    return None if None in several else [key_of(value, to) for value in several]


def stack(answers: list[tuple[Longs, Flags]]) -> tuple[Longs, Flags]:
    """Stack several answers into one row of numbers each. A row is valid if all its answers are."""
    valid = np.logical_and.reduce([valid for _, valid in answers])
    return np.stack([numbers for numbers, _ in answers], axis=1), valid


def for_all_rows(numbers: Longs) -> tuple[Longs, Flags]:
    """Return one number for each row, all of them valid."""
    return numbers[:, None], np.ones(len(numbers), np.bool_)


def for_no_rows(profiles: Profiles) -> tuple[Longs, Flags]:
    """Return one number for each row, none of them valid."""
    rows = len(profiles.rows)
    return np.zeros((rows, 1), np.int64), np.zeros(rows, np.bool_)


def as_lists(values: Any, valid: Flags, shares: Share | list[Share]) -> Any:
    """Return the values themselves for one φ, or lists of them for several."""
    if not isinstance(shares, list):
        return values
    return pa.FixedSizeListArray.from_arrays(values, len(shares), mask=pa.array(~valid))
