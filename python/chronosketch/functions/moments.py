"""Sketches of moments, and queries: sum, mean, variance, skewness and kurtosis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.columns import ColumnOrName, call, literal

if TYPE_CHECKING:
    from pyspark.sql import Column


def moments_agg(value: ColumnOrName, frequency: ColumnOrName | None = None) -> Column:
    """Build a sketch of a column's count, sum, mean, variance, skewness and kurtosis.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits). NULL is skipped.
    frequency : Column or str, optional
        A whole number in each row, 0 or more: how many copies of the value the row stands for. NULL and 0
        count nothing. Without this argument each row counts once.

    Returns
    -------
    Column
        BINARY, never NULL. A group without values gives an empty sketch. Sketches of one kind of number
        merge.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `value` is not a number. Cast it, or measure another column.
    pyspark.errors.PySparkException
        When the query runs, if a frequency is below 0. Filter such rows out.

    Notes
    -----
    For whole numbers and decimals each answer is the double nearest to the exact one. If the answer takes
    a root, it may be the double next to that. It does not depend on how the rows are split. For FLOAT and
    DOUBLE a sum or a mean is mostly the nearest double too. A large mean costs the other statistics no digit.

    Pébay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical
    moments", Sandia 2008, §3.

    Examples
    --------
    >>> days = spark.range(1, 101).groupBy(F.col("id") % 7).agg(cf.moments_agg("id").alias("s"))
    >>> days.agg(cf.sketch_mean(cf.sketch_merge_agg("s")).alias("mean")).collect()
    [Row(mean=50.5)]
    """
    return call("moments_agg", value, frequency)


def sketch_sum(sketch: ColumnOrName) -> Column:
    """Return the sum of a sketch's values.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `moments_agg` or `window_moments_agg`, or one window of the latter.

    Returns
    -------
    Column
        DOUBLE. For whole numbers and decimals it is the double nearest to the exact sum. NULL for a NULL or
        empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_sum("s").alias("sum")).collect()
    [Row(sum=5050.0)]
    """
    return call("sketch_sum", sketch)


def sketch_mean(sketch: ColumnOrName) -> Column:
    """Return the mean of a sketch's values.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `moments_agg` or `window_moments_agg`, or one window of the latter.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_mean("s").alias("mean")).collect()
    [Row(mean=50.5)]
    """
    return call("sketch_mean", sketch)


def sketch_variance(sketch: ColumnOrName, population: bool = False) -> Column:
    """Return the variance of a sketch's values.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `moments_agg` or `window_moments_agg`, or one window of the latter.
    population : bool, default False
        True if the rows are the whole population: the divisor is their count. False if they are a sample of
        it: the divisor is one less.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch. With `population` False it is NULL for one value, too.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_variance("s").alias("variance")).collect()
    [Row(variance=841.6666666666666)]
    """
    return call("sketch_variance", sketch, literal(population))


def sketch_stddev(sketch: ColumnOrName, population: bool = False) -> Column:
    """Return the standard deviation of a sketch's values.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `moments_agg` or `window_moments_agg`, or one window of the latter.
    population : bool, default False
        True if the rows are the whole population: the divisor is their count. False if they are a sample of
        it: the divisor is one less.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch. With `population` False it is NULL for one value, too.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_stddev("s").alias("stddev")).collect()
    [Row(stddev=29.011491975882016)]
    """
    return call("sketch_stddev", sketch, literal(population))


def sketch_moment_bounds(sketch: ColumnOrName, moment: str | Column) -> Column:
    """Return a moment of a sketch's values, plus bounds that always contain the exact one.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `moments_agg` or `window_moments_agg`, or one window of the latter.
    moment : str or Column
        A constant: ``"count"``, ``"sum"``, ``"mean"``, ``"variance"``, ``"variance_pop"``, ``"stddev"`` or
        ``"stddev_pop"``. Names that end in ``_pop`` take the rows as the whole population, the others as a
        sample of it.

    Returns
    -------
    Column
        STRUCT<value, lower, upper> of DOUBLE: the moment, plus a lower and an upper bound that always contain
        the exact answer. NULL if the moment is NULL. If the exact answer may be NaN or infinite, ``value``
        and ``upper`` are NaN.

    Raises
    ------
    pyspark.errors.AnalysisException
        If there is no moment of this name. The message lists the names.
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_moment_bounds("s", "mean").alias("mean")).collect()
    [Row(mean=Row(value=50.5, lower=50.5, upper=50.5))]
    """
    return call("sketch_moment_bounds", sketch, literal(moment))


def sketch_skewness(sketch: ColumnOrName) -> Column:
    """Return the skewness of a sketch's values.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `moments_agg`.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch, and if all values are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_skewness("s").alias("skewness")).collect()
    [Row(skewness=0.0)]
    """
    return call("sketch_skewness", sketch)


def sketch_kurtosis(sketch: ColumnOrName) -> Column:
    """Return the excess kurtosis of a sketch's values.

    It is 0 for a normal distribution.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `moments_agg`.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch, and if all values are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_kurtosis("s").alias("kurtosis")).collect()
    [Row(kurtosis=-1.2002400240024003)]
    """
    return call("sketch_kurtosis", sketch)
