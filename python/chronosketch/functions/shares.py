"""Query a sketch for ranks and shares of values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, Points, Value, call, points_or_column, value_or_column

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
    points : sequence of constants, Column or str
        The points, strictly increasing and none of them NULL. You can also give an ARRAY column or its name.

    Returns
    -------
    Column
        ARRAY<DOUBLE> with one share from 0 to 1 for each point. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the sketch keeps no ranks, or the points do not strictly increase.
        Sort the points and drop duplicates.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_cdf("s", [25, 75]).alias("cdf")).collect()
    [Row(cdf=[0.25, 0.75])]
    """
    return call("sketch_cdf", sketch, points_or_column(points))


def sketch_pmf(sketch: ColumnOrName, points: Points) -> Column:
    """Return the shares of a sketch's values that lie between the points.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that answers quantiles, except one by `qlove_sketch_agg`: that keeps no ranks.
    points : sequence of constants, Column or str
        The points, strictly increasing and none of them NULL. You can also give an ARRAY column or its name.

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
    return call("sketch_pmf", sketch, points_or_column(points))
