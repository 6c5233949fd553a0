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
}

_QUANTILE_SKETCH = 1
_TAIL_SKETCHES = {"high": 19, "low": 20, "both": 21}


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


def number_of_tail(tail: str | None) -> int:
    """Return the number of the family of quantile sketches with a tail, or without one.

    Examples
    --------
    >>> from chronosketch.sketch.families import number_of_tail
    >>> number_of_tail("high"), number_of_tail(None)
    (19, 1)
    """
    if tail is None:
        return _QUANTILE_SKETCH
    if tail not in _TAIL_SKETCHES:
        raise Refusal("UNKNOWN_TAIL", tail=repr(tail))
    return _TAIL_SKETCHES[tail]


def families_answering(name: str) -> list[str]:
    """Return the names of the families that answer a question. For quantiles, certifying families come first.

    Examples
    --------
    >>> from chronosketch.sketch.families import families_answering
    >>> "quantile sketch" in families_answering("rank")
    True
    """
    # each tail is a family of its own, and answers as the one without a tail does
    numbers = [number for number in FAMILIES if number not in _TAIL_SKETCHES.values()]
    able = [kind for kind in map(by_number, numbers) if _has_public(kind, name)]
    if name == "quantile":
        able.sort(key=lambda kind: not hasattr(kind, "bounds"))
    return [kind.family for kind in able]


def _has_public(kind: type, name: str) -> bool:
    found = getattr(kind, name, None)
    return callable(found) or isinstance(found, property)
