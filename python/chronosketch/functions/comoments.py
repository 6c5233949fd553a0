"""Sketches of the comoments of two columns, and queries: covariance, correlation, regression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.columns import ColumnOrName, call, literal

if TYPE_CHECKING:
    from pyspark.sql import Column


def comoments_agg(y: ColumnOrName, x: ColumnOrName) -> Column:
    """Build a sketch of pairs of numbers: their covariance, correlation and regression.

    Parameters
    ----------
    y : Column or str
        The column to explain: a number (a DECIMAL has at most 18 digits). Rows where `y` or `x` is NULL are
        ignored.
    x : Column or str
        The column that explains it: a number (a DECIMAL has at most 18 digits).

    Returns
    -------
    Column
        BINARY, never NULL. A group without pairs gives an empty sketch. Sketches of one kind of number merge.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `y` or `x` is not a number. Cast it, or take another column.

    Notes
    -----
    If both columns are whole numbers or decimals, answers are as exact as those of `moments_agg`.

    Pébay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical
    moments", Sandia 2008, §4.

    Examples
    --------
    >>> line = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> line.select(cf.sketch_slope("s").alias("slope"), cf.sketch_r2("s").alias("r2")).collect()
    [Row(slope=2.0, r2=1.0)]
    """
    return call("comoments_agg", y, x)


def sketch_covar(sketch: ColumnOrName, population: bool = False) -> Column:
    """Return the covariance of a sketch's pairs.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `comoments_agg`.
    population : bool, default False
        True if the rows are the whole population: the divisor is their count. False if they are a sample of
        it: the divisor is one less.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch. With `population` False it is NULL for one pair, too.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

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
        A BINARY sketch by `comoments_agg`.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch, and if all x or all y are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> s.select(cf.sketch_corr("s").alias("corr")).collect()
    [Row(corr=1.0)]
    """
    return call("sketch_corr", sketch)


def sketch_slope(sketch: ColumnOrName) -> Column:
    """Return the slope of the regression line of a sketch's pairs.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `comoments_agg`.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch, and if all x are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> s.select(cf.sketch_slope("s").alias("slope")).collect()
    [Row(slope=2.0)]
    """
    return call("sketch_slope", sketch)


def sketch_intercept(sketch: ColumnOrName) -> Column:
    """Return the intercept of the regression line of a sketch's pairs: its y at x = 0.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `comoments_agg`.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch, and if all x are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> s.select(cf.sketch_intercept("s").alias("intercept")).collect()
    [Row(intercept=1.0)]
    """
    return call("sketch_intercept", sketch)


def sketch_r2(sketch: ColumnOrName) -> Column:
    """Return the share of the variance of y that the regression line explains.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `comoments_agg`.

    Returns
    -------
    Column
        DOUBLE. NULL for a NULL or empty sketch, and if all x are equal. 1 if all y are equal.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or are one of another family. `sketch_describe` names the family.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.comoments_agg(F.col("id") * 2 + 1, "id").alias("s"))
    >>> s.select(cf.sketch_r2("s").alias("r2")).collect()
    [Row(r2=1.0)]
    """
    return call("sketch_r2", sketch)
