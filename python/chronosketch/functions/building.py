"""Aggregates that build and merge sketches, which are kept as BINARY columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, before, call

if TYPE_CHECKING:
    from pyspark.sql import Column

_EPSILON = 1e-3


def quantile_sketch_agg(
    value: ColumnOrName, epsilon: float | None = None, frequency: ColumnOrName | None = None
) -> Column:
    """Build a sketch of a group, for any quantile, rank or share, asked at any time.

    Parameters
    ----------
    value : Column or str
        Any number, DECIMAL up to 18 digits, date, timestamp or interval. NULL is skipped; NaN is the largest.
    epsilon : float, optional
        Rank error allowed, as a share of the elements, after any merging: 1e-3 when not given; 0 is exact,
        in bytes that grow with the data.
    frequency : Column or str, optional
        A whole number a row: that many copies of the value. One copy when not given.

    Returns
    -------
    Column
        BINARY, never NULL: a group without values gives an empty sketch.

    Raises
    ------
    pyspark.errors.AnalysisException
        When epsilon is out of range, or the type of `value` has no quantiles.

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
    return call("quantile_sketch_agg", value, before(frequency, epsilon, _EPSILON), frequency)


def sketch_merge_agg(sketch: ColumnOrName) -> Column:
    """Merge the sketches of a group: the sketch of all that they saw, with an error bound that still holds.

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
        When the query runs, for bytes that are no sketch, and for sketches that do not fit together.

    Notes
    -----
    Greenwald and Khanna's rule for merging, with a limit on the tuples kept; "Power-conserving computation of
    order-statistics over sensor networks", PODS 2004.

    Examples
    --------
    >>> parts = spark.range(0, 100).groupBy(F.col("id") % 2).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> parts.agg(cf.sketch_count(cf.sketch_merge_agg("s")).alias("n")).collect()
    [Row(n=100)]
    """
    return call("sketch_merge_agg", sketch)


def sketch_merge(left: ColumnOrName, right: ColumnOrName) -> Column:
    """Merge two sketches of one row.

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
        As in `sketch_merge_agg`.

    Notes
    -----
    As `sketch_merge_agg`.

    Examples
    --------
    >>> s = spark.range(0, 100).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_count(cf.sketch_merge("s", "s")).alias("n")).collect()
    [Row(n=200)]
    """
    return call("sketch_merge", left, right)
