"""Find the function that a user meant by a name that does not exist. SQL's error names the same ones."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Names of other systems, and guesses that people made.
GUESSES = {
    "approx_median": "approx_quantile",
    "approx_percentile": "approx_quantile",
    "approx_percentile_accumulate": "quantile_sketch_agg",
    "approx_percentile_agg": "quantile_sketch_agg",
    "approx_percentile_combine": "sketch_merge_agg",
    "approx_percentile_estimate": "sketch_quantile",
    "approx_quantile_ds": "approx_quantile",
    "approx_quantiles": "approx_quantile",
    "build_sketch": "quantile_sketch_agg",
    "create_sketch": "quantile_sketch_agg",
    "ds_get_quantile": "sketch_quantile",
    "ds_quantiles_sketch": "quantile_sketch_agg",
    "merge_sketch_agg": "sketch_merge_agg",
    "merge_sketches": "sketch_merge_agg",
    "percentile_agg": "quantile_sketch_agg",
    "percentile_approx": "approx_quantile",
    "qdigest_agg": "quantile_sketch_agg",
    "quantile_agg": "quantile_sketch_agg",
    "quantile_cont": "approx_quantile",
    "quantile_disc": "approx_quantile",
    "quantile_sketch": "quantile_sketch_agg",
    "quantile_sketch_merge": "sketch_merge_agg",
    "sketch_agg": "quantile_sketch_agg",
    "sketch_average": "sketch_mean",
    "sketch_error": "sketch_rank_error",
    "sketch_info": "sketch_describe",
    "sketch_iqr": "sketch_box",
    "sketch_median": "sketch_quantile",
    "sketch_n": "sketch_count",
    "sketch_percentile": "sketch_quantile",
    "tdigest": "quantile_sketch_agg",
    "tdigest_agg": "quantile_sketch_agg",
    "uddsketch": "ddsketch_agg",
    "value_at_quantile": "sketch_quantile",
}

_PERCENTILE = re.compile(r"(sketch|approx)_p\d{2,5}")


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the function that a name probably stands for, if there is one.

    Examples
    --------
    >>> from chronosketch.functions.guesses import nearest
    >>> nearest("sketch_percentile", []), nearest("sketch_p99", []), nearest("sketch_cuont", ["sketch_count"])
    ('sketch_quantile', 'sketch_quantile', 'sketch_count')
    """
    if _PERCENTILE.fullmatch(name):
        return "sketch_quantile" if name.startswith("sketch") else "approx_quantile"
    if name in GUESSES:
        return GUESSES[name]
    return next(iter(difflib.get_close_matches(name, list(names), 1, 0.8)), None)
