"""Windows back from the newest row: asked at once, or of a sketch that was stored."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as F

from chronosketch.functions.calls import ColumnOrName, Phi, before, call, constant_phi, literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Span: TypeAlias = str | timedelta | int
Window: TypeAlias = Span | Column
Time: TypeAlias = date | int | Column

_EPSILON = 0.01


def _constant(value: Span | Time) -> Column:
    return value if isinstance(value, Column) else F.lit(value)


def _map(filters: Mapping[str, Column] | Column) -> Column:
    if isinstance(filters, Column):
        return filters
    return F.create_map(*[column for name, test in filters.items() for column in (F.lit(name), test)])


def within_last(interval: Span | Column) -> Column:
    """Mean the rows of the last interval of time, (newest - interval, newest]: a part of a window.

    Parameters
    ----------
    interval : str, timedelta, int or Column
        As ``"10 minutes"``; a whole number counts the units of whole-number times. ``"1 day"`` is 24 hours;
        months have no fixed length and are refused.

    Returns
    -------
    Column
        To stand in the window of `approx_window_quantile` or `sketch_window`, alone or put together with
        others by ``&`` and ``|``, and nowhere else.

    Raises
    ------
    pyspark.errors.AnalysisException
        Where it stands elsewhere, or under ``~``.

    Notes
    -----
    Class (a) of Xu, Lin and Zhou, "Space efficient quantile summary for constrained sliding windows on a data
    stream", WAIM 2004.

    Examples
    --------
    >>> df = spark.range(1, 101)
    >>> df.agg(cf.approx_window_quantile("id", "id", 0.5, cf.within_last(10)).alias("q")).collect()
    [Row(q=95)]
    """
    return call("within_last", _constant(interval))


def among_last(n: int | Column) -> Column:
    """Mean the newest rows, so many of them: a part of a window.

    Parameters
    ----------
    n : int or Column
        How many; rows are counted whether or not they pass the conditions that stand beside.

    Returns
    -------
    Column
        As of `within_last`.

    Raises
    ------
    pyspark.errors.AnalysisException
        As in `within_last`.

    Notes
    -----
    Rows of equal time are ordered by a mix of their values, so that a window which cuts through them is not
    biased.

    Examples
    --------
    >>> df = spark.range(1, 101)
    >>> df.agg(cf.approx_window_quantile("id", "id", 0.5, cf.among_last(20)).alias("q")).collect()
    [Row(q=90)]
    """
    return call("among_last", _constant(n))


def passing(filter: str | Column) -> Column:  # noqa: A002
    """Mean the rows that passed a filter of a stored sketch: a part of the window of `sketch_window`.

    Parameters
    ----------
    filter : str or Column
        The name that `window_sketch_agg` was given for it.

    Returns
    -------
    Column
        As of `within_last`; it may also stand under ``~``.

    Raises
    ------
    pyspark.errors.PySparkException
        Where it stands elsewhere; when the query runs, for a sketch without that filter.

    Notes
    -----
    Class (b) of Xu, Lin and Zhou, WAIM 2004.

    Examples
    --------
    >>> even = {"even": F.col("id") % 2 == 0}
    >>> s = spark.range(1, 101).agg(cf.window_sketch_agg("id", "id", filters=even).alias("s"))
    >>> window = cf.within_last(10) & cf.passing("even")
    >>> s.select(cf.sketch_quantile(cf.sketch_window("s", window), 0.5).alias("q")).collect()
    [Row(q=96.0)]
    """
    return call("passing", literal(filter) if isinstance(filter, str) else filter)


def approx_window_quantile(
    value: ColumnOrName,
    event_time: ColumnOrName,
    phi: Phi,
    window: Window,
    epsilon: float | None = None,
    as_of: Time | None = None,
) -> Column:
    """Return the φ-quantile of the rows of a window, back from the newest row of the group.

    Parameters
    ----------
    value : Column or str
        As in `approx_quantile`.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. A row without a value or a
        time is neither seen nor newest.
    phi : float, Decimal or sequence of these
        As in `approx_quantile`.
    window : str, timedelta, int or Column
        As ``"10 minutes"``, or `within_last`, `among_last` and conditions on the rows put together with ``&``
        and ``|``.
    epsilon : float, optional
        Rank error allowed, as a share of the window's elements: 0.01 when not given.
    as_of : datetime, date, int or Column, optional
        A constant of the type of `event_time`, where the window ends; later rows do not count.

    Returns
    -------
    Column
        The type of `value`; an ARRAY of it, in the order asked, for a sequence. NULL where no value is.

    Raises
    ------
    pyspark.errors.AnalysisException
        When an argument is out of range or of the wrong type, for a window under ``~``, and for more than 6
        different conditions.

    Notes
    -----
    Xu, Lin and Zhou, "Space efficient quantile summary for constrained sliding windows on a data stream",
    WAIM 2004, over disjoint buckets.

    Examples
    --------
    >>> df = spark.range(1, 101).select("id", F.timestamp_seconds(F.col("id") * 60).alias("ts"))
    >>> df.agg(cf.approx_window_quantile("id", "ts", [0.5, 1], "10 minutes").alias("q")).collect()
    [Row(q=[95, 100])]
    >>> window = cf.within_last("10 minutes") & (F.col("id") % 2 == 0) | cf.among_last(1)
    >>> df.agg(cf.approx_window_quantile("id", "ts", 0, window).alias("q")).collect()
    [Row(q=92)]
    """
    return call(
        "approx_window_quantile",
        value,
        event_time,
        constant_phi(phi),
        _constant(window),
        before(as_of, epsilon, _EPSILON),
        None if as_of is None else _constant(as_of),
    )


def window_sketch_agg(
    value: ColumnOrName,
    event_time: ColumnOrName,
    epsilon: float | None = None,
    retention: Span | Column | None = None,
    filters: Mapping[str, Column] | Column | None = None,
) -> Column:
    """Build a sketch of a group from which any window back from its newest row is taken later.

    Parameters
    ----------
    value : Column or str
        As in `approx_quantile`.
    event_time : Column or str
        As in `approx_window_quantile`.
    epsilon : float, optional
        Rank error allowed, as a share of a window's elements: 0.01 when not given.
    retention : str, timedelta, int or Column, optional
        How far back windows may reach: to the first row when not given.
    filters : mapping of str to Column, or Column, optional
        Conditions on rows under names, 6 at most: windows over the rows that pass.

    Returns
    -------
    Column
        BINARY, never NULL: a group without rows gives an empty sketch.

    Raises
    ------
    pyspark.errors.AnalysisException
        When an argument is out of range or of the wrong type.

    Notes
    -----
    As `approx_window_quantile`.

    Examples
    --------
    >>> parts = spark.range(1, 101).groupBy(F.col("id") % 3).agg(cf.window_sketch_agg("id", "id").alias("s"))
    >>> last = cf.sketch_window(cf.sketch_merge_agg("s"), 10)
    >>> parts.agg(cf.sketch_quantile(last, 0.5).alias("median")).collect()
    [Row(median=95.0)]
    """
    named = None if filters is None else _map(filters)
    kept = None if retention is None else _constant(retention)
    if kept is None and named is not None:
        kept = F.lit(None)
    return call("window_sketch_agg", value, event_time, before(kept, epsilon, _EPSILON), kept, named)


def sketch_window(sketch: ColumnOrName, window: Window, as_of: Time | None = None) -> Column:
    """Restrict a window sketch to one window: any question about a sketch may be asked of what comes out.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch, as `window_sketch_agg` builds it.
    window : str, timedelta, int or Column
        As ``"10 minutes"``, or `within_last`, `among_last` and `passing` put together with ``&`` and ``|``.
    as_of : datetime, date, int or Column, optional
        A constant of the type of the sketch's times, where the window ends; later rows do not count.

    Returns
    -------
    Column
        BINARY; NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        For bytes that are no window sketch, a filter that it does not have, and a window that reaches back
        further than its retention.

    Notes
    -----
    Its rank error is promised back from the newest row; as of an earlier time the sketch says its true bound.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.window_sketch_agg("id", "id").alias("s"))
    >>> s.select(cf.sketch_count(cf.sketch_window("s", 10)).alias("n")).collect()
    [Row(n=10)]
    """
    return call("sketch_window", sketch, _constant(window), None if as_of is None else _constant(as_of))
