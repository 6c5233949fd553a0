"""`cs.advise`: advice on how to compute an aggregate over a sliding window."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from chronosketch.advisor.advice import Advice, decide
from chronosketch.advisor.aggregates import aggregate_named
from chronosketch.advisor.cost_model import CostModel, cost_model
from chronosketch.advisor.guidelines import Question
from chronosketch.advisor.units import memory_bytes, seconds
from chronosketch.advisor.workloads import Workload
from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from datetime import timedelta
    from pathlib import Path


def advise(
    *,
    aggregate: str,
    retention: str | timedelta | None = None,
    slide: str | timedelta | None = None,
    rate: float | None = None,
    epsilon: float = 0.0,
    delta: float | None = None,
    memory: str | int | None = None,
    retention_rows: int | None = None,
    slide_rows: int | None = None,
    model: CostModel | str | Path | None = None,
) -> Advice:
    """Say how to compute an aggregate over a window that slides: recompute, keep a summary, or sample.

    It needs only Python, no Spark. Costs come from a cost model, a file that ``chronosketch calibrate``
    writes.

    Parameters
    ----------
    aggregate : str
        "quantile", "median", "variance", "stddev", "count", "sum", "average", "skewness", "kurtosis" or
        "covariance".
    retention, slide : str or timedelta, optional
        The length of the window, and how far it moves each time, for example ``"1 hour"``. Give `rate` too.
    rate : float, optional
        How many rows come each second.
    epsilon : float, default 0.0
        The error that you allow, as a share: of the number of values for quantiles, of the exact answer for
        others. 0 asks for exact answers.
    delta : float, optional
        The chance of a larger error that you allow, above 0 and below 1. Without it answers must be certain.
    memory : str or int, optional
        The most memory that a window may take: a number of bytes, or text such as ``"64m"``. Without it there
        is no limit.
    retention_rows, slide_rows : int, optional
        The window and its step as numbers of rows, in place of `retention` and `slide`.
    model : CostModel, str or Path, optional
        A cost model, or the path of its file. Without it the model that comes with the package is used.

    Returns
    -------
    Advice
        The approaches, the best first. Those that are excluded come last, each with the reason. ``print``
        shows them as a table.

    Raises
    ------
    ChronosketchError
        If an argument is out of its range, or there is no cost model. The message says what to give.

    Examples
    --------
    >>> advice = cs.advise(
    ...     aggregate="quantile", retention="1 hour", slide="1 minute", rate=320, epsilon=0.01
    ... )  # doctest: +SKIP
    >>> advice.best.approach  # doctest: +SKIP
    'arasu_manku'
    """
    named = aggregate_named(aggregate)
    if rate is not None and not _real(rate, 0):
        raise ChronosketchError(f"rate is {rate!r}: give a number of rows a second, above 0.")
    rows = _rows("retention", retention, retention_rows, rate)
    step = _rows("slide", slide, slide_rows, rate)
    if step > rows:
        raise ChronosketchError(
            f"The slide of {step:g} rows is longer than the retention of {rows:g}. Such windows share no "
            "rows, so there is nothing to choose. Give a slide that is not longer than the retention."
        )
    if not _share(epsilon) and epsilon != 0:
        raise ChronosketchError(f"epsilon is {epsilon!r}: give a share below 1, or 0 for exact answers.")
    if delta is not None and not _share(delta):
        raise ChronosketchError(
            f"delta is {delta!r}: give a chance above 0 and below 1, or leave it out for certain answers."
        )
    limit = memory_bytes(memory)
    workload = Workload(rows, step, float(epsilon), float(delta or 0))
    return decide(Question(named, workload, delta, limit, rate), cost_model(model))


def _rows(argument: str, length: str | timedelta | None, rows: int | None, rate: float | None) -> float:
    if (length is None) == (rows is None):
        what = "both are" if rows is not None else "neither is"
        raise ChronosketchError(
            f"{argument} and {argument}_rows: {what} given. Give {argument} as a length of time with a rate, "
            f"or {argument}_rows as a number of rows."
        )
    if length is None:
        if rows is None or not _real(rows, 0) or rows < 1:
            raise ChronosketchError(f"{argument}_rows is {rows!r}: give a number of rows, 1 or more.")
        return float(rows)
    lasting = seconds(argument, length)
    if rate is None:
        raise ChronosketchError(
            f"{argument} is {length!r} without a rate: give the rows a second as rate, or give "
            f"{argument}_rows."
        )
    return max(1.0, lasting * rate)


def _real(value: object, above: float) -> bool:
    return (
        isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value) and value > above
    )


def _share(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1
