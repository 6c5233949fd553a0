"""Read, query, merge, write and build stored sketches without Spark.

Spark reads the bytes that Python writes, and the other way round. Nothing but numpy is needed.

>>> from chronosketch.sketch import Sketch
>>> morning = Sketch.build([120.0, 80.0, 95.0], epsilon=0.01)
>>> evening = Sketch.build([300.0, 110.0], epsilon=0.01)
>>> day = morning.merge(evening)
>>> day.quantile(0.5), day.max(), Sketch.from_bytes(day.to_bytes()).count
(110.0, 300.0, 5)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.description import Description, NamedAnswer
from chronosketch.sketch.refusal import SketchError

if TYPE_CHECKING:
    from chronosketch.sketch.ddsketch.sketch import DDSketch
    from chronosketch.sketch.quantile.builder import SketchBuilder
    from chronosketch.sketch.quantile.sketch import QuantileSketch
    from chronosketch.sketch.window.constraint import among_last, passing, within_last

__all__ = [
    "ChronosketchError",
    "DDSketch",
    "Description",
    "NamedAnswer",
    "QuantileSketch",
    "Sketch",
    "SketchBuilder",
    "SketchError",
    "among_last",
    "passing",
    "within_last",
]

# Imported on first use, so that reading a sketch loads only the modules of its family.
_PLACES = {
    "DDSketch": "chronosketch.sketch.ddsketch.sketch",
    "QuantileSketch": "chronosketch.sketch.quantile.sketch",
    "SketchBuilder": "chronosketch.sketch.quantile.builder",
    "among_last": "chronosketch.sketch.window.constraint",
    "passing": "chronosketch.sketch.window.constraint",
    "within_last": "chronosketch.sketch.window.constraint",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'chronosketch.sketch' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
