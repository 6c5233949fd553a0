"""Compare two sketches, or a sketch with the population that its values were drawn from, without Spark.

>>> from chronosketch.sketch import Sketch, comparison
>>> today, yesterday = Sketch.build(range(21, 121)), Sketch.build(range(1, 101))
>>> comparison.ks(today, yesterday).distance, comparison.quantile_difference(today, yesterday, 0.5).value
(0.2, 20.0)
"""

from chronosketch.sketch.comparison.distances import (
    BoundedNumber,
    Distance,
    ks,
    ks_p_value,
    psi,
    wasserstein,
)
from chronosketch.sketch.comparison.intervals import (
    Difference,
    Interval,
    quantile_difference,
    quantile_interval,
)

__all__ = [
    "BoundedNumber",
    "Difference",
    "Distance",
    "Interval",
    "ks",
    "ks_p_value",
    "psi",
    "quantile_difference",
    "quantile_interval",
    "wasserstein",
]
