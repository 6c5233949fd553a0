"""The list of all families. It finds the class for stored bytes, and the families that answer a question."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronosketch.sketch.base import Sketch

#: The module and class of each family, in the order in which messages list families.
FAMILIES = (
    ("chronosketch.sketch.quantile.sketch", "QuantileSketch"),
    ("chronosketch.sketch.window.sketch", "WindowSketch"),
    ("chronosketch.sketch.window.window_result", "Window"),
    ("chronosketch.sketch.qlove.pane", "QlovePane"),
    ("chronosketch.sketch.qlove.sketch", "QloveSketch"),
    ("chronosketch.sketch.ddsketch.sketch", "DDSketch"),
    ("chronosketch.sketch.history.sketch", "History"),
    ("chronosketch.sketch.history.version", "Version"),
    ("chronosketch.sketch.moments.sketch", "MomentsSketch"),
    ("chronosketch.sketch.moments.comoments", "ComomentsSketch"),
    ("chronosketch.sketch.window.moments.sketch", "WindowMomentsSketch"),
    ("chronosketch.sketch.window.moments.window_result", "WindowOfMoments"),
    ("chronosketch.sketch.sample.sketch", "ReservoirSample"),
    ("chronosketch.sketch.sample.identified", "PrioritySample"),
    ("chronosketch.sketch.sample.identified", "BernoulliSample"),
    ("chronosketch.sketch.window.sample.sketch", "WindowSample"),
    ("chronosketch.sketch.window.sample.window_result", "SampledWindow"),
    ("chronosketch.sketch.interchange.sketch", "ImportedSketch"),
)


@cache
def every() -> tuple[type[Sketch], ...]:
    """Return the classes of all families."""
    return tuple(getattr(import_module(module), name) for module, name in FAMILIES)


def by_number(number: int) -> type[Sketch] | None:
    """Return the class of the family with this number in stored bytes, or None if there is none.

    Examples
    --------
    >>> from chronosketch.sketch.families import by_number
    >>> by_number(1).family
    'quantile sketch'
    """
    return next((kind for kind in every() if kind.number == number), None)


def families_answering(name: str) -> list[str]:
    """Return the names of the families that answer a question. For quantiles, certifying families come first.

    Examples
    --------
    >>> from chronosketch.sketch.families import families_answering
    >>> "quantile sketch" in families_answering("rank")
    True
    """
    from chronosketch.sketch.answering import Bounded
    from chronosketch.sketch.base import Sketch

    if hasattr(Sketch, name):
        return []
    able = [kind for kind in every() if callable(getattr(kind, name, None)) or _is_property(kind, name)]
    if name == "quantile":
        able.sort(key=lambda kind: not issubclass(kind, Bounded))
    return [kind.family for kind in able]


def _is_property(kind: type[Sketch], name: str) -> bool:
    return isinstance(getattr(kind, name, None), property)
