"""The functions that only the jar has. Calling them says so, and names what does the same without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Callable

_BUILD = "Without it, use quantile_sketch_agg, ddsketch_agg or moments_agg."
_READ = "Without it, Python reads such sketches and asks them, but does not build them."
_SHAPE = "Without it, use sketch_quantile, sketch_cdf and sketch_pmf."
_EFFECT = "Without it, sum (count_below - p * count)^2 over users, as docs/algorithms.md, Comparison, says."
_IMPORT = "Without it, such bytes stay as they are: import them in a session that has the jar."
_HOPS = "Without it, GROUP BY window(time, size, slide) with approx_quantile."
_WINDOW = "Without it, name a length of time: sketch_window(s, '10 minutes')."
_STORED = "Without it, store a sketch for each step, and merge those of a window: sketch_merge_agg(sketch)."

#: The aggregates.
AGGREGATES = {
    "window_sketch_agg": _STORED,
    "window_moments_agg": _STORED,
    "window_sample_agg": _READ,
    "approx_window_quantile": "Without it, filter the rows of the window, and use approx_quantile.",
    "qlove_sketch_agg": _BUILD,
    "comoments_agg": "Without it, use Spark's covar_samp, corr, regr_slope and regr_intercept.",
    "sample_sketch_agg": _BUILD,
    "history_sketch_agg": "Without it, filter the rows of a version, and use approx_quantile.",
    "approx_quantile_at_version": "Without it, filter the rows of the version, and use approx_quantile.",
    "quantile_design_effect_agg": _EFFECT,
    "n_least": "Without it, use slice(array_sort(collect_list(value)), 1, n).",
    "n_greatest": "Without it, use slice(sort_array(collect_list(value), false), 1, n).",
}

#: The functions of rows.
SCALARS = {
    "within_last": _WINDOW,
    "among_last": _WINDOW,
    "passing": _WINDOW,
    "sketch_versions": "Without it, use Sketch.from_bytes(s).versions() in Python.",
    "sketch_histogram": _SHAPE,
    "sketch_box": _SHAPE,
    "sketch_trimmed_mean": _SHAPE,
    "sketch_from_histogram": _IMPORT,
    "sketch_from_exponential_histogram": _IMPORT,
    "sketch_from_kll": _IMPORT,
    "sketch_from_ddsketch": _IMPORT,
    "sketch_to_ddsketch": "Without it, use sketch_to_kll for engines that read KLL sketches.",
}

#: The table functions.
TABLES = {
    "hopping": _HOPS,
    "hopping_sketch": _HOPS,
    "warehouse_quantile": "Without it, keep a table of sketches: sketch_quantile(sketch_merge_agg(s), phi).",
    "warehouse_rank": "Without it, keep a table of sketches: sketch_rank(sketch_merge_agg(s), value).",
    "rollup_now": "Without it, keep a table of sketches by bucket, and read its rows.",
    "history_at": "Without it, keep snapshots of the table, and use approx_quantile.",
    "chronosketch_advise": "In Python, cs.advise(aggregate=...) needs no session.",
}


def sentence(name: str, instead: str) -> str:
    """Write that a function needs the jar, and what to do.

    Examples
    --------
    >>> from chronosketch.portable.needs_jar import SCALARS, sentence
    >>> sentence("sketch_box", SCALARS["sketch_box"])[:24]
    'sketch_box needs the jar'
    """
    return f"{name} needs the jar, which this session does not have. {instead}"


def refusing(text: str) -> Callable[..., Any]:
    """Return a function that only raises an error with this text."""

    def refuse(*given: Any, **by_name: Any) -> NoReturn:
        raise ChronosketchError(text)

    return refuse


def table(text: str) -> type:
    """Return a table function that only raises an error with this text."""

    class NeedsJar:
        def eval(self, *given: Any, **by_name: Any) -> NoReturn:
            raise ChronosketchError(text)

    return NeedsJar


def early_table(text: str) -> type:
    """Return the same for Spark 4, where it is raised when Spark plans the query."""

    class NeedsJar(table(text)):  # type: ignore[misc]
        @staticmethod
        def analyze(*given: Any, **by_name: Any) -> NoReturn:
            raise ChronosketchError(text)

    return NeedsJar
