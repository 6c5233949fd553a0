"""Aggregates over hopping windows, each row touched once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from pyspark.sql import Column, DataFrame

    Span = str | timedelta


def hopping(
    df: DataFrame,
    event_time: str,
    size: Span,
    slide: Span,
    *,
    aggs: Sequence[Column],
    by: Sequence[Column | str] = (),
) -> DataFrame:
    """Aggregate the rows of every hopping window, as ``groupBy(F.window(event_time, size, slide))`` does.

    Spark copies each row into all the windows that it lies in. Here a row goes into one pane, as long as the
    greatest common divisor of size and slide, and windows are merged from panes.

    Parameters
    ----------
    df : DataFrame
        The rows; of a stream too, in append mode with a watermark on `event_time`, and in update mode where
        Spark's state store is RocksDB.
    event_time : str
        The TIMESTAMP or TIMESTAMP_NTZ column that says when a row happened. Rows without one are not there.
    size : str or timedelta
        How long a window is, as ``"10 minutes"``; months are refused.
    slide : str or timedelta
        From the beginning of a window to that of the next; no longer than `size`.
    aggs : sequence of Column
        Of this library all, `approx_window_quantile` without `as_of`; of Spark's count, sum, min, max and
        avg; and what is computed from these.
    by : sequence of Column or str
        What to group by beside the windows.

    Returns
    -------
    DataFrame
        The columns of `by`, ``window`` with its start and end, and the aggregates: a row for each window that
        has rows.

    Raises
    ------
    pyspark.errors.AnalysisException
        Where a slide is longer than the size, an aggregate is none of these, or a column is not there.

    Notes
    -----
    Li, Maier, Tufte, Papadimos and Tucker, "No pane, no gain", SIGMOD Record 2005.

    Examples
    --------
    >>> df = spark.range(60).selectExpr("timestamp_seconds(id * 60) AS ts", "id AS latency")
    >>> p50 = cf.approx_quantile("latency", 0.5).alias("p50")
    >>> windows = cs.hopping(df, "ts", "30 minutes", "20 minutes", aggs=[p50, F.count("*").alias("n")])
    >>> windows.orderBy("window").selectExpr("date_format(window.start, 'HH:mm') AS start", "p50", "n").show()
    +-----+---+---+
    |start|p50|  n|
    +-----+---+---+
    |23:40|  4| 10|
    |00:00| 14| 30|
    |00:20| 34| 30|
    |00:40| 49| 20|
    +-----+---+---+
    """
    from pyspark.sql import functions as F

    return df.sparkSession.sql(
        "SELECT * FROM chronosketch_hopping_sketch(TABLE({grouped}), event_time => :event_time, "
        "size => :size, slide => :slide)",
        args={"event_time": event_time, "size": F.lit(size), "slide": F.lit(slide)},
        grouped=df.groupBy(*by).agg(*aggs),
    )
