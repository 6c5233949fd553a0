"""The table of all families. A family's module is imported when its first sketch is read.

The base class of sketches reads this table, and families are built on the base class. So the table has names,
not classes: no module needs a module that needs it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from chronosketch.sketch.refusal import Refusal

#: The module and class of each family by its number in stored bytes. Messages list families in this order.
FAMILIES = {
    1: ("chronosketch.sketch.quantile.sketch", "QuantileSketch"),
    2: ("chronosketch.sketch.window.sketch", "WindowSketch"),
    3: ("chronosketch.sketch.window.sketch", "Window"),
    4: ("chronosketch.sketch.qlove.pane", "QlovePane"),
    5: ("chronosketch.sketch.qlove.sketch", "QloveSketch"),
    6: ("chronosketch.sketch.ddsketch.sketch", "DDSketch"),
    7: ("chronosketch.sketch.history.sketch", "History"),
    8: ("chronosketch.sketch.history.sketch", "Version"),
    9: ("chronosketch.sketch.moments.sketch", "MomentsSketch"),
    10: ("chronosketch.sketch.moments.comoments", "ComomentsSketch"),
    14: ("chronosketch.sketch.window.moments.sketch", "WindowMomentsSketch"),
    15: ("chronosketch.sketch.window.moments.sketch", "WindowOfMoments"),
    11: ("chronosketch.sketch.sample.sketch", "ReservoirSample"),
    12: ("chronosketch.sketch.sample.identified", "PrioritySample"),
    13: ("chronosketch.sketch.sample.identified", "BernoulliSample"),
    16: ("chronosketch.sketch.window.sample.sketch", "WindowSample"),
    17: ("chronosketch.sketch.window.sample.sketch", "SampledWindow"),
    18: ("chronosketch.sketch.interchange", "ImportedSketch"),
    19: ("chronosketch.sketch.quantile.tail_sketch", "HighTailSketch"),
    20: ("chronosketch.sketch.quantile.tail_sketch", "LowTailSketch"),
    21: ("chronosketch.sketch.quantile.tail_sketch", "BothTailsSketch"),
    22: ("chronosketch.sketch.summed", "SummedQuantileSketch"),
    23: ("chronosketch.sketch.summed", "SummedHighTailSketch"),
    24: ("chronosketch.sketch.summed", "SummedLowTailSketch"),
    25: ("chronosketch.sketch.summed", "SummedBothTailsSketch"),
}

# Quantile sketches by their tail, without sums and with sums.
_QUANTILE_SKETCHES = {None: (1, 22), "high": (19, 23), "low": (20, 24), "both": (21, 25)}


@cache
def by_number(number: int) -> Any:
    """Return the class of the family with this number in stored bytes, or None if there is none.

    Examples
    --------
    >>> from chronosketch.sketch.families import by_number
    >>> by_number(1).family
    'quantile sketch'
    """
    if number not in FAMILIES:
        return None
    module, name = FAMILIES[number]
    return getattr(import_module(module), name)


def quantile_family(tail: str | None, sum: bool = False) -> Any:  # noqa: A002
    """Return the class of quantile sketches with or without a tail, and with or without sums.

    Examples
    --------
    >>> from chronosketch.sketch.families import quantile_family
    >>> quantile_family("high").family, quantile_family(None, True).family
    ("quantile sketch with tail => 'high'", 'quantile sketch with sum => true')
    """
    if tail not in _QUANTILE_SKETCHES:
        raise Refusal("UNKNOWN_TAIL", tail=repr(tail))
    if not isinstance(sum, bool):
        raise Refusal("UNKNOWN_SUM", sum=repr(sum))
    return by_number(_QUANTILE_SKETCHES[tail][sum])


def families_answering(name: str) -> list[str]:
    """Return the names of the families that answer a question. For quantiles, certifying families come first.

    Examples
    --------
    >>> from chronosketch.sketch.families import families_answering
    >>> "quantile sketch" in families_answering("rank")
    True
    """
    # each tail is a family of its own, and answers as the one without a tail does
    plain, summed = _QUANTILE_SKETCHES[None]
    variants = {number for pair in _QUANTILE_SKETCHES.values() for number in pair} - {plain, summed}
    able = [by_number(number) for number in FAMILIES if number not in variants]
    able = [kind for kind in able if _has_public(kind, name)]
    if by_number(plain) in able:
        able.remove(by_number(summed))
    if name == "quantile":
        able.sort(key=lambda kind: not hasattr(kind, "bounds"))
    return [kind.family for kind in able]


def _has_public(kind: type, name: str) -> bool:
    found = getattr(kind, name, None)
    return callable(found) or isinstance(found, property)
