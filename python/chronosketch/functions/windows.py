"""Windows back from the newest row. You ask at once, or keep a sketch and ask later."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as F

from chronosketch.columns import ColumnOrName, Phi, call, is_column, literal, phi_or_column

Span: TypeAlias = str | timedelta | int
Window: TypeAlias = Span | Column
Time: TypeAlias = date | int | Column


def _map(filters: Mapping[str, Column] | Column | None) -> Column:
    if filters is None or is_column(filters):
        return literal(filters)
    if not isinstance(filters, Mapping):
        raise TypeError(
            f"filters is {filters!r}, of type {type(filters).__name__}: give a dict of names and conditions, "
            "such as {'errors': F.col('status') >= 500}."
        )
    return F.create_map(*[part for name, test in filters.items() for part in (F.lit(name), literal(test))])


def within_last(interval: Span | Column) -> Column:
    """Select the rows of the last interval of time, up to the newest row.

    A row that is older by exactly that interval is not in it.

    Parameters
    ----------
    interval : str, timedelta, int or Column
        The length of the window, for example ``"10 minutes"``. ``"1 day"`` is 24 hours. You cannot give
        months, as they have no fixed length. If the times are whole numbers, give a whole number.

    Returns
    -------
    Column
        BOOLEAN. Use it only as the `window` of `approx_window_quantile` or `sketch_window`. You can combine
        it with other conditions by ``&`` and ``|``.

    Raises
    ------
    pyspark.errors.AnalysisException
        If you use it anywhere else, or negate it with ``~``. Only conditions on rows can be negated.

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
        The number of rows. Rows that fail the conditions beside it are counted too.

    Returns
    -------
    Column
        BOOLEAN. Use it only as the `window` of `approx_window_quantile` or `sketch_window`. You can combine
        it with other conditions by ``&`` and ``|``.

    Raises
    ------
    pyspark.errors.AnalysisException
        If you use it anywhere else, or negate it with ``~``. Only conditions on rows can be negated.

    Notes
    -----
    Rows of equal time are ordered by a fixed mix of their values, not by the values. So a window that takes
    only some of them does not prefer small or large values.

    Examples
    --------
    >>> df = spark.range(1, 101)
    >>> df.agg(cf.approx_window_quantile("id", "id", 0.5, cf.among_last(20)).alias("q")).collect()
    [Row(q=90)]
    """
    return call("among_last", literal(n))


def passing(filter: str | Column) -> Column:  # noqa: A002
    """Select the rows that pass a filter which the sketch was built with.

    Parameters
    ----------
    filter : str or Column
        The name of the filter, as you gave it to `window_sketch_agg` or `window_moments_agg`.

    Returns
    -------
    Column
        BOOLEAN. Use it only in the `window` of `sketch_window`. You can combine it with other conditions by
        ``&`` and ``|``, and negate it with ``~``.

    Raises
    ------
    pyspark.errors.PySparkException
        If you use it anywhere else. When the query runs, if the sketch has no such filter. The message names
        the filters that it has.

    Notes
    -----
    Class (b) of Xu, Lin and Zhou, "Space efficient quantile summary for constrained sliding windows on a data
    stream", WAIM 2004.

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
    phi: Phi | Column,
    window: Window,
    epsilon: float = 0.01,
    as_of: Time | None = None,
) -> Column:
    """Return the phi-quantile of the rows in a window that ends at the newest row, or at as_of.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL value or
        time are ignored, so they are never the newest row.
    phi : float, Decimal, sequence of these, or constant Column
        The share of the values that are at or below the answer, from 0 to 1: 0.99 asks for the 99th
        percentile, 0 for the minimum, 1 for the maximum.
    window : str, timedelta, int or Column
        The rows that count. Give a length of time such as ``"10 minutes"``. Or combine `within_last`,
        `among_last` and conditions on the rows by ``&`` and ``|``.
    epsilon : float, default 0.01
        The rank error that you allow, as a share of the number of rows in the window, from 0 to 0.5.
    as_of : datetime, date, int or Column, optional
        The time at which the window ends, of the type of `event_time`: a constant, ``F.current_timestamp()``,
        a scalar subquery such as ``df.scalar()``, or a column by which you group. Later rows do not count. If
        its value is NULL, so is the answer. Without it the window ends at the newest row.

    Returns
    -------
    Column
        A value of the type of `value`. For a sequence of phis it is an ARRAY of them, in the same order. NULL
        if the window has no row.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of its range or of the wrong type, `within_last` or `among_last` is negated with
        ``~``, or there are more than 6 different conditions. Put a condition that all rows must pass into a
        filter of the query instead.

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
        phi_or_column(phi),
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
    """Build a sketch that answers for any window back from the newest row.

    You choose the window later, with `sketch_window`.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL value or
        time are ignored, so they are never the newest row.
    epsilon : float, default 0.01
        The rank error that you allow, as a share of the number of rows in a window, from 0 to 0.5.
    retention : str, timedelta, int or Column, optional
        How far back windows may reach, for example ``"30 days"``. Without it windows may reach to the first
        row.
    filters : mapping of str to Column, or Column, optional
        Names and conditions on rows, at most 6: ``{"errors": F.col("status") >= 500}``. Later you ask for the
        rows that pass one with `passing`.

    Returns
    -------
    Column
        BINARY, never NULL. A group without rows gives an empty sketch.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of its range or of the wrong type. The message names the range or the types.

    Notes
    -----
    Xu, Lin and Zhou, "Space efficient quantile summary for constrained sliding windows on a data stream",
    WAIM 2004, over disjoint buckets.

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

    You choose the window later, with `sketch_window`.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits). NULL is skipped.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL value or
        time are ignored, so they are never the newest row.
    epsilon : float, default 0.01
        The error that you allow, as a share of the exact answer, from 0 to 0.5. It applies to the count, the
        variance, the standard deviation, and the sum of numbers of one sign. With 0 the sketch keeps all
        rows.
    retention : str, timedelta, int or Column, optional
        How far back windows may reach, for example ``"30 days"``. Without it windows may reach to the first
        row.
    filters : mapping of str to Column, or Column, optional
        Names and conditions on rows, at most 6: ``{"errors": F.col("status") >= 500}``. Later you ask for the
        rows that pass one with `passing`.

    Returns
    -------
    Column
        BINARY, never NULL. A group without rows gives an empty sketch.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of its range or of the wrong type. The message names the range or the types.

    Notes
    -----
    `sketch_moment_bounds` gives a lower and an upper bound that always contain the exact answer, for every
    window. The error is at most `epsilon` in two cases: for windows by time that end at the newest row, with
    filters or without; and for windows by count, if the rows came in order of time and the sketch was not
    merged.

    Examples
    --------
    >>> parts = spark.range(1, 101).groupBy(F.col("id") % 3).agg(cf.window_moments_agg("id", "id").alias("s"))
    >>> last = cf.sketch_window(cf.sketch_merge_agg("s"), 10)
    >>> parts.agg(cf.sketch_mean(last).alias("mean")).collect()
    [Row(mean=95.5)]
    """
    return call("window_moments_agg", value, event_time, literal(epsilon), literal(retention), _map(filters))


def sketch_window(sketch: ColumnOrName, window: Window, as_of: Time | None = None) -> Column:
    """Return one window of a window sketch, as a sketch.

    You can ask it every question that the whole sketch answers.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `window_sketch_agg`, `window_moments_agg` or `window_sample_agg`.
    window : str, timedelta, int or Column
        The rows that count. Give a length of time such as ``"10 minutes"``. Or combine `within_last`,
        `among_last` and `passing` by ``&`` and ``|``.
    as_of : datetime, date, int or Column, optional
        The time at which the window ends, of the type of the sketch's times: a constant,
        ``F.current_timestamp()``, a scalar subquery such as ``df.scalar()``, or a column. Later rows do not
        count. If its value is NULL, so is the answer. Without it the window ends at the newest row.

    Returns
    -------
    Column
        BINARY. NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not such a sketch, the sketch has no filter of that name, or the window reaches back
        further than the sketch's retention. Also for `among_last` of a window sample: use `within_last`
        there.

    Notes
    -----
    The rank error is at most the sketch's epsilon for windows that end at the newest row, if they are windows
    by time, or windows by count without a filter. For all other windows `sketch_rank_error` returns it. The
    count of a window is an estimate that lies within `sketch_count_bounds`.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.window_sketch_agg("id", "id").alias("s"))
    >>> s.select(cf.sketch_count(cf.sketch_window("s", 10)).alias("n")).collect()
    [Row(n=10)]
    """
    return call("sketch_window", sketch, literal(window), literal(as_of))
