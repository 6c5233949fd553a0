"""Queries about the distribution of a sketch's values: ranks, shares, histogram, box plot, trimmed mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.columns import (
    ColumnOrName,
    Number,
    Points,
    TypeName,
    Value,
    call,
    literal,
    type_literal,
    value_or_column,
)

if TYPE_CHECKING:
    from pyspark.sql import Column


def sketch_rank(sketch: ColumnOrName, value: Value) -> Column:
    """Return how many of a sketch's values are at or below a value.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that answers quantiles, except one by `qlove_sketch_agg`: that keeps no ranks.
    value : number, date, datetime, timedelta, Column or str
        The value to look up. A str is the name of a column. The value is compared with the sketch's values
        without rounding.

    Returns
    -------
    Column
        BIGINT: an estimate that lies within `sketch_rank_bounds`. NULL for a NULL or empty sketch, and for a
        NULL value.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the sketch keeps no ranks, or the type of `value` cannot be compared
        with the sketch's values. The message names the type to cast to.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_rank("s", 40).alias("rank")).collect()
    [Row(rank=40)]
    """
    return call("sketch_rank", sketch, value_or_column(value))


def sketch_rank_bounds(sketch: ColumnOrName, value: Value) -> Column:
    """Return a lower and an upper bound of how many of a sketch's values are at or below a value.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that answers quantiles, except one by `qlove_sketch_agg`: that keeps no ranks.
    value : number, date, datetime, timedelta, Column or str
        The value to look up. A str is the name of a column. The value is compared with the sketch's values
        without rounding.

    Returns
    -------
    Column
        STRUCT<low, high> of BIGINT. The exact number always lies from low to high. For a sample it does so
        with the probability ``sketch_describe(sketch).confidence``. NULL for a NULL or empty sketch, and for
        a NULL value.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the sketch keeps no ranks, or the type of `value` cannot be compared
        with the sketch's values. The message names the type to cast to.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_rank_bounds("s", 40).alias("b")).collect()
    [Row(b=Row(low=40, high=40))]
    """
    return call("sketch_rank_bounds", sketch, value_or_column(value))


def sketch_cdf(sketch: ColumnOrName, points: Points) -> Column:
    """Return the shares of a sketch's values that are at or below each point.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that answers quantiles, except one by `qlove_sketch_agg`: that keeps no ranks.
    points : constant, sequence of constants, Column or str
        One point, or several that strictly increase, none of them NULL. You can also give a column of points
        or of ARRAYs, or its name.

    Returns
    -------
    Column
        DOUBLE from 0 to 1 for one point; ARRAY<DOUBLE> with one share for each of several. NULL for a NULL or
        empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the sketch keeps no ranks, or the points do not strictly increase.
        Sort the points and drop duplicates.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_cdf("s", [25, 75]).alias("cdf"), cf.sketch_cdf("s", 25).alias("at")).collect()
    [Row(cdf=[0.25, 0.75], at=0.25)]
    """
    return call("sketch_cdf", sketch, value_or_column(points))


def sketch_cdf_bounds(sketch: ColumnOrName, points: Points) -> Column:
    """Return the shares of a sketch's values that are at or below each point, with their bounds.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that answers quantiles, except one by `qlove_sketch_agg`: that keeps no ranks.
    points : constant, sequence of constants, Column or str
        One point, or several that strictly increase, none of them NULL. You can also give a column of points
        or of ARRAYs, or its name.

    Returns
    -------
    Column
        STRUCT<share, low, high> of DOUBLE for one point; an ARRAY of these with one for each of several.
        `share` is the answer of `sketch_cdf`. The exact share always lies from `low` to `high`; for a sample
        it does so with the probability ``sketch_describe(sketch).confidence``. NULL for a NULL or empty
        sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the sketch keeps no ranks, or the points do not strictly increase.
        Sort the points and drop duplicates.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_cdf_bounds("s", 25).alias("at_25")).collect()
    [Row(at_25=Row(share=0.25, low=0.25, high=0.25))]
    """
    return call("sketch_cdf_bounds", sketch, value_or_column(points))


def sketch_pmf(sketch: ColumnOrName, points: Points) -> Column:
    """Return the shares of a sketch's values that lie between the points.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that answers quantiles, except one by `qlove_sketch_agg`: that keeps no ranks.
    points : constant, sequence of constants, Column or str
        One point, or several that strictly increase, none of them NULL. You can also give a column of points
        or of ARRAYs, or its name.

    Returns
    -------
    Column
        ARRAY<DOUBLE> with one share more than there are points. The first is the share up to and including
        the first point. The next ones are the shares above one point, up to and including the next. The last
        is the share above the last point. They add up to 1. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the sketch keeps no ranks, or the points do not strictly increase.
        Sort the points and drop duplicates.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_pmf("s", [25, 75]).alias("pmf")).collect()
    [Row(pmf=[0.25, 0.5, 0.25])]
    """
    return call("sketch_pmf", sketch, value_or_column(points))


def sketch_histogram(sketch: ColumnOrName, bins: int = 10, type: TypeName = "double") -> Column:  # noqa: A002
    """Return bins that each hold about the same number of a sketch's values, with their counts.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of a family that certifies ranks: any but DDSketch's, QLOVE's and the moments'.
    bins : int, default 10
        How many bins, from 1 to 10000. If one value fills several bins, they become one.
    type : str or DataType, default "double"
        The type of the edges.

    Returns
    -------
    Column
        ARRAY<STRUCT<lower, upper, count, count_low, count_high>>. A bin holds the values above `lower`, up to
        and including `upper`. The first bin includes `lower` too. The exact count lies within `count_low` and
        `count_high`. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the family keeps no ranks, or `type` cannot hold the sketch's values.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_histogram("s", 4, type="int").upper.alias("upper")).collect()
    [Row(upper=[25, 50, 75, 100])]
    """
    return call("sketch_histogram", sketch, literal(bins), type_literal(type))


def sketch_box(sketch: ColumnOrName, type: TypeName = "double") -> Column:  # noqa: A002
    """Return what a box plot shows: minimum, lower whisker, quartiles, upper whisker and maximum.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of a family that certifies ranks: any but DDSketch's, QLOVE's and the moments'.
    type : str or DataType, default "double"
        The type of the answers. Bounds that it cannot hold exactly are rounded outward.

    Returns
    -------
    Column
        STRUCT<minimum, lower_whisker, q1, median, q3, upper_whisker, maximum>. Each is a
        STRUCT<value, low, high> whose bounds enclose the exact value. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the family keeps no ranks, or `type` cannot hold the sketch's values.

    Notes
    -----
    The lower whisker is the least value that is at least q1 - 1.5 * (q3 - q1). The upper one is the greatest
    that is at most q3 + 1.5 * (q3 - q1). Tukey, "Exploratory data analysis", 1977, section 2C.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_box("s", type="int").q1.alias("q1")).collect()
    [Row(q1=Row(value=25, low=25, high=25))]
    """
    return call("sketch_box", sketch, type_literal(type))


def sketch_trimmed_mean(sketch: ColumnOrName, lower: Number = 0.1, upper: Number = 0.9) -> Column:
    """Return the mean of a sketch's values between two quantiles, plus a lower and an upper bound of it.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of numbers, of a family that certifies ranks.
    lower : float or Decimal, default 0.1
        The share of the smallest values that is left out: 0.1 leaves out the smallest tenth.
    upper : float or Decimal, default 0.9
        1 minus the share of the greatest values that is left out: 0.9 leaves out the greatest tenth.

    Returns
    -------
    Column
        STRUCT<value, lower, upper> of DOUBLE: the mean of the values with the ranks ⌊lower n⌋ + 1 to
        ⌈upper n⌉, plus a lower and an upper bound of it. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the family keeps no ranks, the values are not numbers, `lower` is not
        less than `upper`, or the number of values of a window is not known.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_trimmed_mean("s", 0.05, 0.95).alias("m")).collect()
    [Row(m=Row(value=50.5, lower=50.5, upper=50.5))]
    """
    return call("sketch_trimmed_mean", sketch, literal(lower), literal(upper))
