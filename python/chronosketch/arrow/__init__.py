"""Builds, merges, asks and compares whole columns of stored sketches, without Spark. Needs pyarrow and numpy.

A column is an Arrow array or chunked array of binary values, a pandas or Polars series, or a sequence of
bytes. A NULL row gives NULL.

>>> from chronosketch import arrow
>>> from chronosketch.sketch import Sketch
>>> column = [Sketch.build(range(1, 101)).to_bytes(), None, Sketch.build([7.5]).to_bytes()]
>>> arrow.quantile(column, 0.99).to_pylist()
[99.0, None, 7.5]
"""

try:
    import pyarrow  # noqa: F401
except ImportError as missing:
    from chronosketch.installed import pip_install

    raise ImportError(
        f"chronosketch.arrow needs pyarrow ({missing}): {pip_install('arrow', 'pyarrow')}",
        name=missing.name,
    ) from missing

from chronosketch.arrow.building import build_by
from chronosketch.arrow.comparing import (
    ks,
    ks_p_value,
    psi,
    quantile_difference,
    quantile_interval,
    wasserstein,
)
from chronosketch.arrow.exporting import to_kll
from chronosketch.arrow.merging import merge, merge_by
from chronosketch.arrow.moments import (
    exact_sum,
    kurtosis,
    mean,
    moment_bounds,
    skewness,
    stddev,
    sum,  # noqa: A004
    variance,
)
from chronosketch.arrow.questions import bounds, count, is_sketch, max, min, quantile, rank, rank_error  # noqa: A004
from chronosketch.arrow.row_answers import RowError
from chronosketch.arrow.shares import cdf_bounds

__all__ = [
    "RowError",
    "bounds",
    "build_by",
    "cdf_bounds",
    "count",
    "exact_sum",
    "is_sketch",
    "ks",
    "ks_p_value",
    "kurtosis",
    "max",
    "mean",
    "merge",
    "merge_by",
    "min",
    "moment_bounds",
    "psi",
    "quantile",
    "quantile_difference",
    "quantile_interval",
    "rank",
    "rank_error",
    "skewness",
    "stddev",
    "sum",
    "to_kll",
    "variance",
    "wasserstein",
]
