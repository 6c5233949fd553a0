"""The SQL functions as Python functions: ``from chronosketch import functions as cf``.

Each function takes a `Column` or the name of a column, and returns a `Column`. Keyword arguments have the
same names as in SQL. Each function calls its SQL function by name, so the same code runs on classic sessions
and on Connect.
"""

from typing import TYPE_CHECKING, NoReturn

from chronosketch.functions.building import (
    ddsketch_agg,
    qlove_sketch_agg,
    quantile_sketch_agg,
    sketch_cast,
    sketch_merge,
    sketch_merge_agg,
    sketch_merge_or,
)
from chronosketch.functions.comoments import (
    comoments_agg,
    sketch_corr,
    sketch_covar,
    sketch_intercept,
    sketch_r2,
    sketch_slope,
)
from chronosketch.functions.comparison import (
    quantile_design_effect_agg,
    sketch_ks,
    sketch_ks_p_value,
    sketch_psi,
    sketch_quantile_difference,
    sketch_quantile_interval,
    sketch_wasserstein,
)
from chronosketch.functions.distribution import (
    sketch_box,
    sketch_cdf,
    sketch_cdf_bounds,
    sketch_histogram,
    sketch_pmf,
    sketch_rank,
    sketch_rank_bounds,
    sketch_trimmed_mean,
)
from chronosketch.functions.importing import (
    sketch_from_ddsketch,
    sketch_from_exponential_histogram,
    sketch_from_histogram,
    sketch_from_kll,
    sketch_to_ddsketch,
    sketch_to_kll,
)
from chronosketch.functions.moments import (
    moments_agg,
    sketch_kurtosis,
    sketch_mean,
    sketch_moment_bounds,
    sketch_skewness,
    sketch_stddev,
    sketch_sum,
    sketch_variance,
)
from chronosketch.functions.one_shot import approx_quantile, approx_quantile_bounds, n_greatest, n_least
from chronosketch.functions.queries import (
    chronosketch_version,
    is_sketch,
    sketch_count,
    sketch_count_bounds,
    sketch_describe,
    sketch_max,
    sketch_min,
    sketch_quantile,
    sketch_quantile_bounds,
    sketch_rank_error,
)
from chronosketch.functions.sampling import sample_sketch_agg, sketch_sample, window_sample_agg
from chronosketch.functions.versions import (
    approx_quantile_at_version,
    history_sketch_agg,
    sketch_at_version,
    sketch_versions,
)
from chronosketch.functions.windows import (
    among_last,
    approx_window_quantile,
    passing,
    sketch_window,
    window_moments_agg,
    window_sketch_agg,
    within_last,
)

__all__ = [
    "among_last",
    "approx_quantile",
    "approx_quantile_at_version",
    "approx_quantile_bounds",
    "approx_window_quantile",
    "chronosketch_version",
    "comoments_agg",
    "ddsketch_agg",
    "history_sketch_agg",
    "is_sketch",
    "moments_agg",
    "n_greatest",
    "n_least",
    "passing",
    "qlove_sketch_agg",
    "quantile_design_effect_agg",
    "quantile_sketch_agg",
    "sample_sketch_agg",
    "sketch_at_version",
    "sketch_box",
    "sketch_cast",
    "sketch_cdf",
    "sketch_cdf_bounds",
    "sketch_corr",
    "sketch_count",
    "sketch_count_bounds",
    "sketch_covar",
    "sketch_describe",
    "sketch_from_ddsketch",
    "sketch_from_exponential_histogram",
    "sketch_from_histogram",
    "sketch_from_kll",
    "sketch_histogram",
    "sketch_intercept",
    "sketch_ks",
    "sketch_ks_p_value",
    "sketch_kurtosis",
    "sketch_max",
    "sketch_mean",
    "sketch_merge",
    "sketch_merge_agg",
    "sketch_merge_or",
    "sketch_min",
    "sketch_moment_bounds",
    "sketch_pmf",
    "sketch_psi",
    "sketch_quantile",
    "sketch_quantile_bounds",
    "sketch_quantile_difference",
    "sketch_quantile_interval",
    "sketch_r2",
    "sketch_rank",
    "sketch_rank_bounds",
    "sketch_rank_error",
    "sketch_sample",
    "sketch_skewness",
    "sketch_slope",
    "sketch_stddev",
    "sketch_sum",
    "sketch_to_ddsketch",
    "sketch_to_kll",
    "sketch_trimmed_mean",
    "sketch_variance",
    "sketch_versions",
    "sketch_wasserstein",
    "sketch_window",
    "window_moments_agg",
    "window_sample_agg",
    "window_sketch_agg",
    "within_last",
]


if not TYPE_CHECKING:  # a type checker finds unknown names by itself

    def __getattr__(name: str) -> NoReturn:
        from chronosketch.functions.guesses import nearest

        text = f"module 'chronosketch.functions' has no attribute {name!r}"
        found = None if name.startswith("_") else nearest(name, __all__)
        raise AttributeError(
            text if found is None else f"{text}. Use {found}: help(cf.{found}) describes it."
        )
