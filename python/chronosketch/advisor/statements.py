"""The SQL and the settings that compute a window with an approach in Spark."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from chronosketch.advisor.approaches import RECOMPUTING, title_of

if TYPE_CHECKING:
    from chronosketch.advisor.workloads import WindowQuestion

_CALLS = {
    "quantile": "approx_quantile(value, 0.99, {epsilon})",
    "median": "approx_quantile(value, 0.5, {epsilon})",
    "variance": "var_samp(value)",
    "stddev": "stddev_samp(value)",
    "count": "count(value)",
    "sum": "sum(value)",
    "average": "avg(value)",
    "skewness": "skewness(value)",
    "kurtosis": "kurtosis(value)",
    "covariance": "covar_samp(value, other)",
}
_SAMPLES = ("bernoulli", "bounded_priority", "priority")
_OF_QUANTILES = ("arasu_manku", "arasu_manku_variable", "block_sort", "cmqs", RECOMPUTING, *_SAMPLES)
_OF_SUMS = ("exponential_histogram", RECOMPUTING)
_OF_VARIANCES = ("variance_histogram", RECOMPUTING)
#: The aggregates that `hopping` can merge from panes.
_HOPPING = ("quantile", "median", "count", "sum", "average")
#: The approaches that `spark.chronosketch.sliding.structure` can name, for each aggregate.
_STRUCTURES = {
    "quantile": _OF_QUANTILES,
    "median": _OF_QUANTILES,
    "count": _OF_SUMS,
    "sum": _OF_SUMS,
    "average": _OF_SUMS,
    "variance": _OF_VARIANCES,
    "stddev": _OF_VARIANCES,
}


def statements(question: WindowQuestion, approach: str, promise: str) -> str:
    """Return what to write in Spark for an approach: settings, if there are any, and a query of ``events``.

    A window that moves on by one row, or has no rate, is a frame: ``OVER`` has an answer for every row. With
    a rate, a window that moves on by more is `hopping`, which keeps panes or a list. What `hopping` can't
    merge is ``GROUP BY window(...)``. If Spark has no such structure there, a comment says so. The table
    ``events`` has the columns ``time`` and ``value``, and ``other`` for a covariance.

    Examples
    --------
    >>> from chronosketch.advisor.workloads import WindowQuestion, Workload, aggregate_named
    >>> window = Workload(1000, 1, 0.01)
    >>> question = WindowQuestion(aggregate_named("median"), window, None, None, None)
    >>> print(statements(question, "cmqs", "certified"))
    SET spark.chronosketch.sliding.structure = cmqs;
    SELECT time, approx_quantile(value, 0.5, 0.01) OVER (ORDER BY time ROWS 999 PRECEDING) AS answer
    FROM events;
    """
    workload = question.workload
    epsilon = 0.0 if promise == "exact" else workload.epsilon
    call = _CALLS[question.aggregate.name].format(epsilon=_plain(epsilon))
    if question.rate is not None and workload.slide > 1:
        size = _seconds(workload.retention / question.rate)
        slide = _seconds(workload.slide / question.rate)
        return "\n".join(_hops(question.aggregate.name, approach, call, size, slide))
    frame = f"ORDER BY time ROWS {round(workload.retention) - 1} PRECEDING"
    query = [f"SELECT time, {call} OVER ({frame}) AS answer", "FROM events;"]
    return "\n".join([*_settings(question, approach, call), *query])


def _hops(aggregate: str, approach: str, call: str, size: str, slide: str) -> list[str]:
    if aggregate not in _HOPPING:
        return [
            "-- Spark copies each row into all its windows",
            f"SELECT window, {call} AS answer",
            f"FROM events GROUP BY window(time, '{size}', '{slide}');",
        ]
    structure = f", structure => '{RECOMPUTING}'" if approach == RECOMPUTING else ""
    query = [
        f"SELECT * FROM hopping(TABLE(events), event_time => 'time', size => '{size}',",
        f"slide => '{slide}', aggs => array('{call} AS answer'){structure});",
    ]
    if approach in (RECOMPUTING, "panes"):
        return query
    return [f"-- Spark has no {title_of(approach)} for windows that hop, and keeps panes", *query]


def _settings(question: WindowQuestion, approach: str, call: str) -> list[str]:
    name = question.aggregate.name
    settings = {}
    if name not in ("quantile", "median"):
        settings["accelerate"] = call.split("(")[0]
    lines = []
    if approach in _STRUCTURES.get(name, ()):
        settings["structure"] = approach
        if approach in _SAMPLES and question.delta is not None:
            settings["delta"] = _plain(question.delta)
        if approach.endswith("_histogram"):
            settings["epsilon"] = _plain(question.workload.epsilon)
    else:
        lines = [f"-- Spark has no {title_of(approach)} for frames, and chooses a structure by itself"]
    return [*lines, *(f"SET spark.chronosketch.sliding.{key} = {value};" for key, value in settings.items())]


def _seconds(length: float) -> str:
    """Write a length in whole microseconds, at least one."""
    return f"{_plain(max(1e-6, round(length, 6)))} seconds"


def _plain(number: float) -> str:
    """Write a number without an exponent and without zeros at its end."""
    text = format(Decimal(repr(float(number))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
