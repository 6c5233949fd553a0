"""Read, query, merge, write and build stored sketches without Spark.

The bytes are those of Spark, in both directions. Nothing but Python's standard library is needed.


>>> from chronosketch.sketch import Sketch
>>> morning = Sketch.build([120.0, 80.0, 95.0], epsilon=0.01)
>>> evening = Sketch.build([300.0, 110.0], epsilon=0.01)
>>> day = morning.merge(evening)
>>> day.quantile(0.5), day.max(), Sketch.from_bytes(day.to_bytes()).count
(110.0, 300.0, 5)
"""

from chronosketch.errors import ChronosketchError
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.ddsketch.sketch import DDSketch
from chronosketch.sketch.description import Description, NamedAnswer
from chronosketch.sketch.quantile.sketch import QuantileSketch
from chronosketch.sketch.refusal import SketchError
from chronosketch.sketch.window.constraint import among_last, passing, within_last

__all__ = [
    "ChronosketchError",
    "DDSketch",
    "Description",
    "NamedAnswer",
    "QuantileSketch",
    "Sketch",
    "SketchError",
    "among_last",
    "passing",
    "within_last",
]
