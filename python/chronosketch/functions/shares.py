"""Questions to a sketch that turn values into ranks and shares."""

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
        A BINARY sketch of any family but QLOVE's.
    value : number, date, datetime, timedelta, Column or str
        The value; a string is a column's name. It is compared with what the sketch saw without rounding.

    Returns
    -------
    Column
        BIGINT, an estimate inside `sketch_rank_bounds`; NULL for a NULL or empty sketch and for a NULL value.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, the family keeps no ranks, or the type of `value` does not compare with
        the sketch's.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_rank("s", 40).alias("rank")).collect()
    [Row(rank=40)]
    """
    return call("sketch_rank", sketch, value_or_column(value))


def sketch_rank_bounds(sketch: ColumnOrName, value: Value) -> Column:
    """Return the least and the most of a sketch's values that can be at or below a value.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of any family but QLOVE's.
    value : number, date, datetime, timedelta, Column or str
        As in `sketch_rank`.

    Returns
    -------
    Column
        STRUCT<low, high> of BIGINT: the true number lies between them, always. NULL as in `sketch_rank`.

    Raises
    ------
    pyspark.errors.PySparkException
        As in `sketch_rank`.

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
        A BINARY sketch of any family but QLOVE's.
    points : sequence of constants, Column or str
        Strictly increasing, none NULL; a column, or its name, holds an ARRAY.

    Returns
    -------
    Column
        ARRAY<DOUBLE>, one a point; NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, the family keeps no ranks, or the points do not increase.

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
        A BINARY sketch of any family but QLOVE's.
    points : sequence of constants, Column or str
        As in `sketch_cdf`.

    Returns
    -------
    Column
        ARRAY<DOUBLE>, one more than points: up to the first point, within each (p(i-1), p(i)], above the
        last. They add up to 1. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        As in `sketch_cdf`.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_pmf("s", [25, 75]).alias("pmf")).collect()
    [Row(pmf=[0.25, 0.5, 0.25])]
    """
    return call("sketch_pmf", sketch, points_or_column(points))
