"""Chronosketch's functions where no jar can be loaded: in Python, on Spark's own workers.

>>> spark = cs.portable.register(spark)  # doctest: +SKIP
>>> spark.sql("SELECT sketch_quantile(quantile_sketch_agg(id), 0.5) FROM range(1, 101)")  # doctest: +SKIP
"""

try:
    import pyarrow  # noqa: F401
except ImportError as missing:
    raise ImportError(
        f"chronosketch.portable needs pyarrow ({missing}): pip install pyarrow", name=missing.name
    ) from missing

from chronosketch.portable.functions import (
    approx_quantile,
    sketch_max,
    sketch_min,
    sketch_quantile,
    sketch_quantile_bounds,
)
from chronosketch.portable.registering import define, register
from chronosketch.portable.staged import merge, sketch

__all__ = [
    "approx_quantile",
    "define",
    "merge",
    "register",
    "sketch",
    "sketch_max",
    "sketch_min",
    "sketch_quantile",
    "sketch_quantile_bounds",
]
