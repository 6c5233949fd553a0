"""What goes into a question and what comes out, whoever answers it."""

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
    from chronosketch.sketch.rank.phi import Phi, Share


def shares_of(phi: Share | Iterable[Share]) -> Share | list[Share]:
    """Return one φ, or several that can be asked more than once."""
    return list(phi) if isinstance(phi, Iterable) and not isinstance(phi, str) else phi


def phis_of(shares: Share | list[Share]) -> list[Phi]:
    """Return the φs, one where one was given; refuse what is none."""
    phis = each_phi(shares, lambda phi: phi)
    return phis if isinstance(phis, list) else [phis]


def keys_or_none(values: Any, to: Domain) -> list[int] | None:
    """Return the keys of an answer, or of several; None where there is none."""
    several = values if isinstance(values, list) else [values]
    return None if None in several else [key_of(value, to) for value in several]


def columns(answers: list[tuple[Longs, Flags]]) -> tuple[Longs, Flags]:
    """Return several numbers a row, and which rows have all of them."""
    known = np.logical_and.reduce([there for _, there in answers])
    return np.stack([numbers for numbers, _ in answers], axis=1), known


def all_of(numbers: Longs) -> tuple[Longs, Flags]:
    """Return one number a row, which every row has."""
    return numbers[:, None], np.ones(len(numbers), np.bool_)


def none_of(profiles: Profiles) -> tuple[Longs, Flags]:
    """Return that no row has an answer."""
    rows = len(profiles.rows)
    return np.zeros((rows, 1), np.int64), np.zeros(rows, np.bool_)


def listed(values: Any, known: Flags, shares: Share | list[Share]) -> Any:
    """Return the answers themselves for one φ, lists of them for several."""
    if not isinstance(shares, list):
        return values
    return pa.FixedSizeListArray.from_arrays(values, len(shares), mask=pa.array(~known))
