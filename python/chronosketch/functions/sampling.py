"""Build random samples, and read their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.columns import ColumnOrName, TypeName, call, literal, type_literal

if TYPE_CHECKING:
    from pyspark.sql import Column

    from chronosketch.functions.windows import Span


def sample_sketch_agg(
    value: ColumnOrName,
    size: int | None = None,
    method: str | None = None,
    seed: int = 0,
    id: ColumnOrName | None = None,  # noqa: A002 - the name that it has in SQL
    epsilon: float | None = None,
    delta: float = 1e-4,
) -> Column:
    """Build a random sample of a column.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    size : int, optional
        How many rows the sample keeps, from 1 to 2²⁴. Without it the sample keeps as many as `epsilon` needs,
        or 10 000 rows.
    method : {"reservoir", "priority", "bernoulli"}, optional
        How rows are chosen. "reservoir" makes the smallest sketch and takes no `id`. "priority" keeps the
        rows with the least random numbers. "bernoulli" keeps each row with the same probability, which is
        halved when the sample is full. The default is "reservoir", and "priority" if `id` is given.
    seed : int, default 0
        The seed of the random numbers. The same seed and the same rows in the same partitions give the same
        sample.
    id : Column or str, optional
        A whole number that no two rows share. With it the sample depends on neither the order nor the
        partitions of the rows. Rows with a NULL id are ignored.
    epsilon : float, optional
        The rank error that you allow, as a share of the number of values. Give it in place of `size`. The
        sample then keeps ⌈ln(1 / (epsilon · delta)) / epsilon²⌉ rows.
    delta : float, default 1e-4
        The probability that the bounds of the sample do not hold, from 10⁻¹² to 0.5.

    Returns
    -------
    Column
        BINARY, never NULL. A group without values gives an empty sample. A sample answers every question that
        a sketch by `quantile_sketch_agg` answers. Samples of one method merge.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of its range, if you give both `size` and `epsilon`, or if you give an `id` to
        the method "reservoir". Give one of the two, and use the method "priority" with an `id`.

    Notes
    -----
    All bounds of a sample hold at once with the probability 1 - `delta`. They are certain while the sample
    has every row. ``sketch_describe(sketch).confidence`` is that probability. If two samples may have seen
    identical rows and you want to merge them, build each with a seed of its own, or with ids.

    Vitter, "Random sampling with a reservoir", ACM TOMS 1985; Meijer, "On a design space for aggregating over
    sliding windows on a stream", Twente 2011, §4.5; Massart 1990 for the bounds.

    Examples
    --------
    >>> s = spark.range(100_000).agg(cf.sample_sketch_agg("id", 1000, id="id").alias("s"))
    >>> s.select(cf.sketch_count("s").alias("n"), F.size(cf.sketch_sample("s")).alias("kept")).collect()
    [Row(n=100000, kept=1000)]
    """
    return call(
        "sample_sketch_agg",
        value,
        literal(size),
        literal(method),
        literal(seed),
        id,
        literal(epsilon),
        literal(delta),
    )


def window_sample_agg(
    value: ColumnOrName,
    event_time: ColumnOrName,
    size: int = 10_000,
    retention: Span | Column | None = None,
    seed: int = 0,
    id: ColumnOrName | None = None,  # noqa: A002 - the name that it has in SQL
) -> Column:
    """Build a sketch that gives a random sample of any window by time.

    You choose the window later, with `sketch_window`.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL value or
        time are ignored.
    size : int, default 10_000
        How many rows of a window are drawn, from 1 to 2²⁴. The sketch keeps more than that: of n rows about
        ``size * (1 + ln(n / size))``.
    retention : str, timedelta, int or Column, optional
        How far back windows may reach, for example ``"30 days"``. Without it windows may reach to the first
        row.
    seed : int, default 0
        The seed of the random numbers. The same seed and the same rows in the same partitions give the same
        sample.
    id : Column or str, optional
        A whole number that no two rows share. With it the sample depends on neither the order nor the
        partitions of the rows. Rows with a NULL id are ignored.

    Returns
    -------
    Column
        BINARY, never NULL. `sketch_window` takes windows by time from it. A window ends at the newest row, or
        at the time ``as_of``. Each window is a sample, and answers every question that a sample by
        `sample_sketch_agg` answers.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of its range or of the wrong type. The message names the range or the types.

    Notes
    -----
    All bounds of a window hold at once with the probability 0.9999. They are certain while the sample has
    every row of the window. The number of rows of a window is known within 1 %: `sketch_count_bounds` gives a
    lower and an upper bound.

    Babcock, Datar and Motwani, "Sampling from a moving window over streaming data", SODA 2002; Gemulla and
    Lehner, "Sampling time-based sliding windows in bounded space", SIGMOD 2008.

    Examples
    --------
    >>> s = spark.range(10_000).agg(cf.window_sample_agg("id", "id", 100, id="id").alias("s"))
    >>> last = cf.sketch_window("s", cf.within_last(300))
    >>> s.select(cf.sketch_count(last).alias("n"), F.size(cf.sketch_sample(last)).alias("kept")).collect()
    [Row(n=300, kept=100)]
    """
    return call("window_sample_agg", value, event_time, literal(size), literal(retention), literal(seed), id)


def sketch_sample(sketch: ColumnOrName, type: TypeName = "double") -> Column:  # noqa: A002 - as in SQL
    """Return the values of a sample, in ascending order.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `sample_sketch_agg` or `window_sample_agg`, or one window of the latter.
    type : str or DataType, default "double"
        The SQL type of the values, for example ``"bigint"``. Numbers can be read as any number type. Dates,
        times and intervals need the type that went into the sample, for example ``"timestamp"``.

    Returns
    -------
    Column
        ARRAY of `type`. NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sample, or `type` cannot hold its values. The message names the type to ask
        for.

    Examples
    --------
    >>> s = spark.range(1, 4).agg(cf.sample_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_sample("s", "int").alias("values")).collect()
    [Row(values=[1, 2, 3])]
    """
    return call("sketch_sample", sketch, type_literal(type))
