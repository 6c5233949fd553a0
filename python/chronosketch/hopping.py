"""Aggregates over hopping windows, each row touched once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.literals import interval, quoted_name, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

    from chronosketch.literals import Span


def hopping(
    df: DataFrame,
    event_time: str,
    size: Span,
    slide: Span,
    *,
    aggs: Sequence[Column],
    by: Sequence[Column | str] = (),
    structure: str = "auto",
) -> DataFrame:
    """Aggregate the rows of every hopping window, as ``groupBy(F.window(event_time, size, slide))`` does.

    Spark copies each row into every window that it lies in. Here a row goes into one pane, and windows are
    merged from panes. A pane is as long as the greatest common divisor of size and slide.

    Parameters
    ----------
    df : DataFrame
        The rows. Streams work too; set a watermark on `event_time`. Append mode works with every state store,
        update mode where Spark's state store is RocksDB.
    event_time : str
        The name of the TIMESTAMP or TIMESTAMP_NTZ column that says when a row happened, written as for
        ``F.col``: a dot leads into a struct, and a name that holds a dot or a backtick stands in backticks.
        Rows with a NULL time are ignored.
    size : str or timedelta
        How long a window is, as ``"10 minutes"``. Months are refused.
    slide : str or timedelta
        The time from the start of one window to the start of the next. It is not longer than `size`.
    aggs : sequence of Column
        Aggregates of this library (`approx_window_quantile` without `as_of`), Spark's count, sum, min, max
        and avg, and expressions over these.
    by : sequence of Column or str
        What to group by beside the windows.
    structure : str
        How windows are made: ``"panes"``; ``"expiration_list"``, each row copied into all its windows, as
        Spark does; or ``"auto"``, which takes the list for windows of a table that do not overlap, and
        panes otherwise.

    Returns
    -------
    DataFrame
        One row for each window that has rows: the columns of `by`, the STRUCT ``window`` with its start and
        end, and the aggregates.

    Raises
    ------
    pyspark.errors.AnalysisException
        If the slide is longer than the size, an aggregate is none of these, or a column does not exist.
    ChronosketchError
        If `event_time` is not written as a column's name, or a length is neither a str nor a timedelta.

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
    time = quoted_name("event_time", event_time)
    # No parameter markers: a session with Delta's extension does not bind them.
    return df.sparkSession.sql(
        f"SELECT * FROM chronosketch_hopping_sketch(TABLE({{grouped}}), event_time => {text(time)}, "
        f"size => {interval('size', size)}, slide => {interval('slide', slide)}, "
        f"structure => {text(structure)})",
        grouped=df.groupBy(*by).agg(*aggs),
    )
