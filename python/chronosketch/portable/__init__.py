"""Chronosketch's functions where no jar can be loaded: in Python, on Spark's own workers.

>>> spark = cs.portable.register(spark)  # doctest: +SKIP
>>> spark.sql("SELECT sketch_quantile(quantile_sketch_agg(id), 0.5) FROM range(1, 101)")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    import pyarrow  # noqa: F401
except ImportError as missing:
    from chronosketch.installed import pip_install

    raise ImportError(
        f"chronosketch.portable needs pyarrow ({missing}): {pip_install('arrow', 'pyarrow')}",
        name=missing.name,
    ) from missing

if TYPE_CHECKING:
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

# Imported on first use: Python workers need none of them, and no pyspark.sql.
_PLACES = {
    "approx_quantile": "chronosketch.portable.functions",
    "define": "chronosketch.portable.registering",
    "merge": "chronosketch.portable.staged",
    "register": "chronosketch.portable.registering",
    "sketch": "chronosketch.portable.staged",
    "sketch_max": "chronosketch.portable.functions",
    "sketch_min": "chronosketch.portable.functions",
    "sketch_quantile": "chronosketch.portable.functions",
    "sketch_quantile_bounds": "chronosketch.portable.functions",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'chronosketch.portable' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
