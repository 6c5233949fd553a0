"""Aggregates over hopping windows that insert each row once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Column

from chronosketch.columns import listed_columns
from chronosketch.errors import ChronosketchError
from chronosketch.sql_text import interval, quoted_name, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame

    from chronosketch.sql_text import Span


def hopping(
    df: DataFrame,
    event_time: str,
    size: Span,
    slide: Span,
    *,
    aggs: Column | Sequence[Column],
    by: Column | str | Sequence[Column | str] = (),
    structure: str = "auto",
) -> DataFrame:
    """Aggregate the rows of every hopping window, as ``groupBy(F.window(event_time, size, slide))`` does.

    Spark copies each row into every window that contains it. Here each row goes into one pane, and panes are
    merged into windows. A pane is as long as the greatest common divisor of size and slide.

    Parameters
    ----------
    df : DataFrame
        The rows: a table or a stream. Set a watermark on `event_time` for a stream. Append mode works with
        every state store. Update mode works if Spark's state store is RocksDB.
    event_time : str
        The name of the TIMESTAMP or TIMESTAMP_NTZ column that says when a row happened. Write it as for
        ``F.col``: ``"request.sent_at"`` is a field of a struct. Put a name that holds a dot or a backtick in
        backticks. Rows with a NULL time are ignored.
    size : str or timedelta
        The length of a window, for example ``"10 minutes"``. You cannot give months, as they have no fixed
        length.
    slide : str or timedelta
        The time from the start of one window to the start of the next, for example ``"1 minute"``. It must
        not be longer than `size`.
    aggs : Column or sequence of Column
        What to compute for each window. You can use the aggregates of this library
        (`approx_window_quantile` only without `as_of`), Spark's count, sum, min, max and avg, and expressions
        of these.
    by : Column, str or sequence of these
        The columns to group by, beside the windows.
    structure : {"auto", "panes", "expiration_list"}
        How windows are made. ``"panes"`` puts each row into one pane. ``"expiration_list"`` copies each row
        into all its windows, as Spark does. ``"auto"`` takes the list for windows of a table that do not
        overlap, and panes otherwise.

    Returns
    -------
    DataFrame
        One row for each group and window that has rows. Its columns are those of `by`, the STRUCT ``window``
        with its ``start`` and ``end``, and the aggregates.

    Raises
    ------
    pyspark.errors.AnalysisException
        If the slide is longer than the size, a column does not exist, or an aggregate is not one of those
        above. The message names the aggregates that work.
    ChronosketchError
        If `event_time` is not the name of a column, a length is neither a str nor a timedelta, or `aggs` has
        something else than columns. The message shows how to write it.

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
    example = "[cf.approx_quantile('latency', 0.5)]"
    computed = listed_columns("aggs", aggs, example, (Column,))
    if not computed:
        raise ChronosketchError(f"aggs is empty. Write aggs={example}.")
    # Spark also groups by positions.
    groups = listed_columns("by", by, "['host']", (Column, str, int))
    # No parameter markers: a session with Delta's extension does not bind them.
    return df.sparkSession.sql(
        f"SELECT * FROM chronosketch_hopping(TABLE({{grouped}}), event_time => {text(time)}, "
        f"size => {interval('size', size)}, slide => {interval('slide', slide)}, "
        f"structure => {text(structure)})",
        grouped=df.groupBy(*groups).agg(*computed),
    )


#: The older name of `hopping`.
hopping_sketch = hopping
