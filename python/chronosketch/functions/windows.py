"""Windows back from the newest row: asked at once, or of a sketch that was stored."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as F

from chronosketch.functions.calls import ColumnOrName, Phi, call, constant_phi, literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Span: TypeAlias = str | timedelta | int
Window: TypeAlias = Span | Column
Time: TypeAlias = date | int | Column


def _map(filters: Mapping[str, Column] | Column | None) -> Column:
    if filters is None or isinstance(filters, Column):
        return literal(filters)
    return F.create_map(*[column for name, test in filters.items() for column in (F.lit(name), test)])


def within_last(interval: Span | Column) -> Column:
    """Select the rows of the last interval of time, (newest - interval, newest].

    Parameters
    ----------
    interval : str, timedelta, int or Column
        As ``"10 minutes"``; a whole number counts the units of whole-number times. ``"1 day"`` is 24 hours;
        months have no fixed length and are refused.

    Returns
    -------
    Column
        BOOLEAN, for the window of `approx_window_quantile` or `sketch_window` only, alone or put together
        with others by ``&`` and ``|``.

    Raises
    ------
    pyspark.errors.AnalysisException
        If it stands elsewhere, or under ``~``.

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
    return call("within_last", literal(interval))


def among_last(n: int | Column) -> Column:
    """Select the newest n rows.

    Parameters
    ----------
    n : int or Column
        How many rows, whether or not they pass the conditions beside it.

    Returns
    -------
    Column
        BOOLEAN, to be used as `within_last`.

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
    return call("among_last", literal(n))


def passing(filter: str | Column) -> Column:  # noqa: A002
    """Select the rows that passed a filter which the sketch was built with.

    Parameters
    ----------
    filter : str or Column
        The name that `window_sketch_agg` was given for it.

    Returns
    -------
    Column
        BOOLEAN, for the window of `sketch_window` only. It may also stand under ``~``.

    Raises
    ------
    pyspark.errors.PySparkException
        If it stands elsewhere; when the query runs, if the sketch has no such filter.

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
    return call("passing", literal(filter))


def approx_window_quantile(
    value: ColumnOrName,
    event_time: ColumnOrName,
    phi: Phi,
    window: Window,
    epsilon: float = 0.01,
    as_of: Time | None = None,
) -> Column:
    """Return the phi-quantile of the rows in a window that ends at the newest row, or at as_of.

    Parameters
    ----------
    value : Column or str
        As in `approx_quantile`.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL value or
        time are ignored: they are never the newest.
    phi : float, Decimal or sequence of these
        As in `approx_quantile`.
    window : str, timedelta, int or Column
        As ``"10 minutes"``, or `within_last`, `among_last` and conditions on the rows put together with ``&``
        and ``|``.
    epsilon : float, default 0.01
        Rank error allowed, as a share of the window's rows.
    as_of : datetime, date, int or Column, optional
        A constant of the type of `event_time`, where the window ends; later rows do not count.

    Returns
    -------
    Column
        The type of `value`; an ARRAY of it, in the order asked, for a sequence. NULL where no value is.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of range or of the wrong type, for a window under ``~``, and for more than 6
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
        literal(window),
        literal(epsilon),
        literal(as_of),
    )


def window_sketch_agg(
    value: ColumnOrName,
    event_time: ColumnOrName,
    epsilon: float = 0.01,
    retention: Span | Column | None = None,
    filters: Mapping[str, Column] | Column | None = None,
) -> Column:
    """Build a sketch from which sketch_window takes any window back from the newest row, later.

    Parameters
    ----------
    value : Column or str
        As in `approx_quantile`.
    event_time : Column or str
        As in `approx_window_quantile`.
    epsilon : float, default 0.01
        Rank error allowed, as a share of a window's rows.
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
        If an argument is out of range or of the wrong type.

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
    return call("window_sketch_agg", value, event_time, literal(epsilon), literal(retention), _map(filters))


def window_moments_agg(
    value: ColumnOrName,
    event_time: ColumnOrName,
    epsilon: float = 0.01,
    retention: Span | Column | None = None,
    filters: Mapping[str, Column] | Column | None = None,
) -> Column:
    """Build a sketch of the count, sum, mean and variance of any window back from the newest row.

    Parameters
    ----------
    value : Column or str
        Any number, DECIMAL up to 18 digits. NULL is skipped.
    event_time : Column or str
        As in `approx_window_quantile`.
    epsilon : float, default 0.01
        Relative error allowed of the count, of the sum of numbers of one sign, of variance and of standard
        deviation.
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
        If an argument is out of range or of the wrong type.

    Notes
    -----
    `sketch_moment_bounds` says between which numbers the exact answer lies, for certain, for every window.
    The error is at most `epsilon` for windows by time that end at the newest row, with filters too, and for
    windows by count of rows that came in order of time and were not merged.

    Examples
    --------
    >>> parts = spark.range(1, 101).groupBy(F.col("id") % 3).agg(cf.window_moments_agg("id", "id").alias("s"))
    >>> last = cf.sketch_window(cf.sketch_merge_agg("s"), 10)
    >>> parts.agg(cf.sketch_mean(last).alias("mean")).collect()
    [Row(mean=95.5)]
    """
    return call("window_moments_agg", value, event_time, literal(epsilon), literal(retention), _map(filters))


def sketch_window(sketch: ColumnOrName, window: Window, as_of: Time | None = None) -> Column:
    """Return the sketch of one window of a window sketch, its moments or a window sample.

    Ask of it what the whole can answer.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch, as `window_sketch_agg`, `window_moments_agg` or `window_sample_agg` builds it.
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
        For bytes that are no window sketch nor window sample, a filter that it does not have, a window that
        reaches back further than its retention, and `among_last` of a window sample.

    Notes
    -----
    The rank error is at most the sketch's epsilon for windows by time, and for windows by count without a
    filter, that end at the newest row. For other windows `sketch_rank_error` says what it is. The count of a
    window is an estimate, between `sketch_count_bounds`.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.window_sketch_agg("id", "id").alias("s"))
    >>> s.select(cf.sketch_count(cf.sketch_window("s", 10)).alias("n")).collect()
    [Row(n=10)]
    """
    return call("sketch_window", sketch, literal(window), literal(as_of))
