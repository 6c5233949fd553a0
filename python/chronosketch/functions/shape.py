"""Query a sketch for the shape of its distribution: histogram, box plot, trimmed mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, Number, TypeName, call, literal, type_literal

if TYPE_CHECKING:
    from pyspark.sql import Column


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
