"""Samples: what draws them, and what shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, TypeName, call, literal, type_literal

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
        A number, date, timestamp, time or interval. NULL is skipped.
    size : int, optional
        How many rows the sample keeps, from 1 to 2²⁴. Without it the sample keeps what `epsilon` takes, or
        10 000 rows.
    method : {"reservoir", "priority", "bernoulli"}, optional
        How rows are chosen. "reservoir" makes the smallest sketch and takes no `id`. "priority" keeps the
        rows with the least random numbers. "bernoulli" keeps each row with the same probability, which is
        halved when the sample is full. The default is "reservoir", and "priority" where `id` is given.
    seed : int
        Where chance begins. The same seed and the same rows in the same partitions give the same sample.
    id : Column or str, optional
        A whole number that no two rows share. With it the sample depends on neither the order nor the
        partitions of the rows. Rows with a NULL id are ignored.
    epsilon : float, optional
        The rank error that the sample is to keep to, as a share of the count, in place of `size`. It takes
        ⌈ln(1 / (epsilon · delta)) / epsilon²⌉ rows.
    delta : float
        The probability that the bounds of the sample do not hold.

    Returns
    -------
    Column
        BINARY, never NULL: a group without values gives an empty sample. It answers all questions that
        `quantile_sketch_agg`'s sketches do. Samples of one method merge.

    Raises
    ------
    pyspark.errors.AnalysisException
        If a parameter is out of its range, both `size` and `epsilon` are given, or a reservoir is given
        an id.

    Notes
    -----
    All bounds of a sample hold at once with the probability 1 - `delta`, and for certain while no row was
    left out: ``sketch_describe(sketch).confidence`` says which. Samples that are to be merged need seeds or
    ids of their own where their rows may be the very same.

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
    """Build a sketch from which sketch_window takes a random sample of any window by time, later.

    Parameters
    ----------
    value : Column or str
        As in `sample_sketch_agg`.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL value or
        time are ignored.
    size : int
        How many rows of a window are drawn, from 1 to 2²⁴. The sketch keeps more: of n rows about
        ``size * (1 + ln(n / size))``.
    retention : str, timedelta, int or Column, optional
        How far back windows may reach, as ``"30 days"``. Without it windows may reach to the first row.
    seed : int
        Where chance begins. The same seed and the same rows in the same partitions give the same sample.
    id : Column or str, optional
        A whole number that no two rows share. With it the sample depends on neither the order nor the
        partitions of the rows. Rows with a NULL id are ignored.

    Returns
    -------
    Column
        BINARY, never NULL. `sketch_window` takes windows by time of it, back from the newest row or from an
        ``as_of``. Each window is a sample that answers what one of `sample_sketch_agg` does.

    Raises
    ------
    pyspark.errors.AnalysisException
        If a parameter is out of its range or of the wrong type.

    Notes
    -----
    All bounds of a window hold at once with the probability 0.9999, and for certain while no row of it was
    left out. How many rows a window has is known within 1 %: `sketch_count_bounds`.

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
        A BINARY sketch of `sample_sketch_agg` or `window_sample_agg`, or a window of the latter.
    type : str or DataType
        The type of the values: the sketch's own for dates, times and intervals; any number type for numbers.

    Returns
    -------
    Column
        ARRAY of the type; NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sample, or its values do not convert to the type.

    Examples
    --------
    >>> s = spark.range(1, 4).agg(cf.sample_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_sample("s", "int").alias("values")).collect()
    [Row(values=[1, 2, 3])]
    """
    return call("sketch_sample", sketch, type_literal(type))
