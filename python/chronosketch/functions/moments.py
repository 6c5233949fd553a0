"""Sketches of sums, means and variances, and of how two columns go together; and what they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, call, literal

if TYPE_CHECKING:
    from pyspark.sql import Column


def moments_agg(value: ColumnOrName, frequency: ColumnOrName | None = None) -> Column:
    """Build a sketch of a column's count, sum, mean, variance, skewness and kurtosis.

    Parameters
    ----------
    value : Column or str
        Any number, DECIMAL up to 18 digits. NULL is skipped.
    frequency : Column or str, optional
        A whole number a row: that many copies of the value. One copy when not given.

    Returns
    -------
    Column
        BINARY, never NULL: a group without values gives an empty sketch. Sketches of one kind of number
        merge.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `value` is no number.

    Notes
    -----
    Of whole numbers and decimals each answer is the double nearest to the exact one, or beside it where there
    is a root, however the rows are split. Of FLOAT and DOUBLE a sum or mean is mostly the nearest double too,
    and a large mean costs the other statistics no digit. Pébay, "Formulas for robust, one-pass parallel
    computation of covariances and arbitrary-order statistical moments", Sandia 2008, §3.

    Examples
    --------
    >>> days = spark.range(1, 101).groupBy(F.col("id") % 7).agg(cf.moments_agg("id").alias("s"))
    >>> days.agg(cf.sketch_mean(cf.sketch_merge_agg("s")).alias("mean")).collect()
    [Row(mean=50.5)]
    """
    return call("moments_agg", value, frequency)


def comoments_agg(y: ColumnOrName, x: ColumnOrName) -> Column:
    """Build a sketch of pairs of numbers: their covariance, correlation and regression.

    Parameters
    ----------
    y : Column or str
        What is explained: any number, DECIMAL up to 18 digits. Rows where `y` or `x` is NULL are ignored.
    x : Column or str
        What explains it: any number.

    Returns
    -------
    Column
        BINARY, never NULL: a group without pairs gives an empty sketch. Sketches of one kind of numbers
        merge.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `y` or `x` is no number.

    Notes
    -----
    Exact as `moments_agg` is, where both columns are whole numbers or decimals. Pébay 2008, §4.

    Examples
    --------
    >>> line = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> line.select(cf.sketch_slope("s").alias("slope"), cf.sketch_r2("s").alias("r2")).collect()
    [Row(slope=2.0, r2=1.0)]
    """
    return call("comoments_agg", y, x)


def sketch_sum(sketch: ColumnOrName) -> Column:
    """Return the sum of a sketch's values.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `moments_agg`, or of `window_moments_agg` or a window of that.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch. Of whole numbers and decimals the double nearest to the exact
        sum.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

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
        A BINARY sketch of `moments_agg`, or of `window_moments_agg` or a window of that.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

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
        A BINARY sketch of `moments_agg`, or of `window_moments_agg` or a window of that.
    population : bool, default False
        Whether the rows are all there are; otherwise they are a sample of more, and the divisor is one less
        than their count.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch, and of a sample of one value.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

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
        A BINARY sketch of `moments_agg`, or of `window_moments_agg` or a window of that.
    population : bool, default False
        Whether the rows are all there are; otherwise they are a sample of more, and the divisor is one less
        than their count.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch, and of a sample of one value.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_stddev("s").alias("stddev")).collect()
    [Row(stddev=29.011491975882016)]
    """
    return call("sketch_stddev", sketch, literal(population))


def sketch_moment_bounds(sketch: ColumnOrName, moment: str | Column) -> Column:
    """Return a moment of a sketch's values, and between which numbers the exact one lies, for certain.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `moments_agg`, or of `window_moments_agg` or a window of that.
    moment : str or Column
        A constant: ``"count"``, ``"sum"``, ``"mean"``, ``"variance"``, ``"variance_pop"``, ``"stddev"`` or
        ``"stddev_pop"``.

    Returns
    -------
    Column
        STRUCT<value DOUBLE, lower DOUBLE, upper DOUBLE>; NULL where the moment is. Where the exact answer may
        be NaN or infinite, value and upper are NaN.

    Raises
    ------
    pyspark.errors.AnalysisException
        If there is no moment of this name.
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

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
        A BINARY sketch of `moments_agg`.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch, and where all values are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_skewness("s").alias("skewness")).collect()
    [Row(skewness=0.0)]
    """
    return call("sketch_skewness", sketch)


def sketch_kurtosis(sketch: ColumnOrName) -> Column:
    """Return the excess kurtosis of a sketch's values.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `moments_agg`.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch, and where all values are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.moments_agg("id").alias("s"))
    >>> s.select(cf.sketch_kurtosis("s").alias("kurtosis")).collect()
    [Row(kurtosis=-1.2002400240024003)]
    """
    return call("sketch_kurtosis", sketch)


def sketch_covar(sketch: ColumnOrName, population: bool = False) -> Column:
    """Return the covariance of a sketch's pairs.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `comoments_agg`.
    population : bool, default False
        Whether the rows are all there are; otherwise they are a sample of more, and the divisor is one less
        than their count.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch, and of a sample of one pair.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> s.select(cf.sketch_covar("s").alias("covar")).collect()
    [Row(covar=1683.3333333333333)]
    """
    return call("sketch_covar", sketch, literal(population))


def sketch_corr(sketch: ColumnOrName) -> Column:
    """Return the correlation of a sketch's pairs.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `comoments_agg`.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch, and where all x or all y are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> s.select(cf.sketch_corr("s").alias("corr")).collect()
    [Row(corr=1.0)]
    """
    return call("sketch_corr", sketch)


def sketch_slope(sketch: ColumnOrName) -> Column:
    """Return the slope of the line that is nearest to a sketch's pairs.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `comoments_agg`.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch, and where all x are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> s.select(cf.sketch_slope("s").alias("slope")).collect()
    [Row(slope=2.0)]
    """
    return call("sketch_slope", sketch)


def sketch_intercept(sketch: ColumnOrName) -> Column:
    """Return where the line that is nearest to a sketch's pairs is at x = 0.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `comoments_agg`.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch, and where all x are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> s.select(cf.sketch_intercept("s").alias("intercept")).collect()
    [Row(intercept=1.0)]
    """
    return call("sketch_intercept", sketch)


def sketch_r2(sketch: ColumnOrName) -> Column:
    """Return which share of the variance of y the line explains.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `comoments_agg`.

    Returns
    -------
    Column
        DOUBLE; NULL for a NULL or empty sketch, and where all x are equal; 1 where all y are.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no sketch, or one of another family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> s.select(cf.sketch_r2("s").alias("r2")).collect()
    [Row(r2=1.0)]
    """
    return call("sketch_r2", sketch)
