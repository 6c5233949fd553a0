"""The arguments of comparisons, checked before a sketch is looked at."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Integral, Real

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.envelope import Parameter
from chronosketch.sketch.refusal import Refusal

CONFIDENCE = Parameter("confidence", 0.5, 1 - 1e-9)
_LEAST_BINS, _MOST_BINS = 2, 10_000


def require_bins(bins: int) -> int:
    """Return a number of bins. Refuse what is not a whole number, or out of range.

    Examples
    --------
    >>> require_bins(10)
    10
    """
    if isinstance(bins, bool) or not isinstance(bins, Integral) or not _LEAST_BINS <= bins <= _MOST_BINS:
        raise ValueError(f"bins is {bins!r}: give a whole number from {_LEAST_BINS} to {_MOST_BINS}.")
    return int(bins)


def require_confidence(confidence: float) -> float:
    """Return a confidence. Refuse what is not a number, or out of range.

    Examples
    --------
    >>> require_confidence(0.9)
    0.9
    """
    return CONFIDENCE.require(confidence)


def require_effect(given: float) -> float:
    """Return a design effect. Refuse what is not a number above 0.

    Examples
    --------
    >>> require_effect(4)
    4.0
    """
    if isinstance(given, bool) or not isinstance(given, Real | Decimal):
        raise TypeError(f"design_effect is {given!r}: give a number above 0.")
    try:
        effect = float(given)
    except OverflowError:
        effect = math.inf
    if not 0 < effect < math.inf:
        raise Refusal("INVALID_DESIGN_EFFECT", value=doubles.text(effect))
    return effect
