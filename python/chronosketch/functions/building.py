"""Aggregates that build and merge sketches, which are kept as BINARY columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, call, literal

if TYPE_CHECKING:
    from pyspark.sql import Column


def quantile_sketch_agg(
    value: ColumnOrName, epsilon: float = 1e-3, frequency: ColumnOrName | None = None
) -> Column:
    """Build a sketch that answers any quantile and rank, with a certified rank error.

    Parameters
    ----------
    value : Column or str
        Any number, DECIMAL up to 18 digits, date, timestamp or interval. NULL is skipped; NaN is the largest.
    epsilon : float, default 1e-3
        Rank error allowed, as a share of the values, after any merging; 0 is exact, in bytes that grow with
        the data.
    frequency : Column or str, optional
        A whole number a row: that many copies of the value. One copy when not given.

    Returns
    -------
    Column
        BINARY, never NULL: a group without values gives an empty sketch.

    Raises
    ------
    pyspark.errors.AnalysisException
        If epsilon is out of range, or the type of `value` has no quantiles.

    Notes
    -----
    Greenwald and Khanna, "Space-efficient online computation of quantile summaries", SIGMOD 2001; in the
    array form of Luo, Wang, Yi and Cormode, "Quantiles over data streams: experimental comparisons, new
    analyses, and further improvements", VLDB Journal 2016, section 3.

    Examples
    --------
    >>> days = spark.range(0, 1000).groupBy((F.col("id") % 7).alias("day"))
    >>> sketches = days.agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> sketches.agg(cf.sketch_quantile(cf.sketch_merge_agg("s"), 0.5).alias("median")).collect()
    [Row(median=499.0)]
    """
    return call("quantile_sketch_agg", value, literal(epsilon), frequency)


def sketch_merge_agg(sketch: ColumnOrName) -> Column:
    """Merge the sketches of a group into one sketch of all their values.

    What it certifies still holds: the error is computed from the union itself.

    Parameters
    ----------
    sketch : Column or str
        BINARY sketches of one family, of values whose types widen (whole numbers do, FLOAT with DOUBLE does,
        decimals of one scale do). NULL is skipped.

    Returns
    -------
    Column
        BINARY; NULL where there was no sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        When the query runs, if bytes are no sketch or sketches do not fit together: of different families,
        of types that do not widen, DDSketches of different alpha, window sketches with different filters,
        panes of `qlove_sketch_agg` that overlap in time.

    Notes
    -----
    Each family merges in its own way. Quantile sketches follow Greenwald and Khanna, "Power-conserving
    computation of order-statistics over sensor networks", PODS 2004, with a limit on the tuples kept.

    Examples
    --------
    >>> parts = spark.range(0, 100).groupBy(F.col("id") % 2).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> parts.agg(cf.sketch_count(cf.sketch_merge_agg("s")).alias("n")).collect()
    [Row(n=100)]
    """
    return call("sketch_merge_agg", sketch)


def sketch_merge(left: ColumnOrName, right: ColumnOrName) -> Column:
    """Merge two sketches into one sketch of all their values.

    Parameters
    ----------
    left, right : Column or str
        BINARY sketches that fit together, as in `sketch_merge_agg`.

    Returns
    -------
    Column
        BINARY; NULL where either is.

    Raises
    ------
    pyspark.errors.PySparkException
        If bytes are no sketch or the sketches do not fit together, as in `sketch_merge_agg`.

    Examples
    --------
    >>> s = spark.range(0, 100).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_count(cf.sketch_merge("s", "s")).alias("n")).collect()
    [Row(n=200)]
    """
    return call("sketch_merge", left, right)
