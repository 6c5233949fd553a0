"""Compare two sketches, or a sketch with the population that its values were drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.columns import (
    ColumnOrName,
    Number,
    Phi,
    TypeName,
    call,
    literal,
    phi_or_column,
    type_literal,
)

if TYPE_CHECKING:
    from pyspark.sql import Column


def sketch_ks(a: ColumnOrName, b: ColumnOrName, type: TypeName = "double") -> Column:  # noqa: A002
    """Return the Kolmogorov-Smirnov distance of two sketches: the greatest difference of their shares.

    Parameters
    ----------
    a, b : Column or str
        Two BINARY sketches of families that certify ranks. Their values have one type, or types that one type
        holds exactly.
    type : str or DataType, default "double"
        The type of the field `at`.

    Returns
    -------
    Column
        STRUCT<distance, low, high, at>. The exact distance always lies from `low` to `high`. `at` is the
        least value where the difference is greatest, and NULL if it is 0. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, a family keeps no ranks, or the types of the values do not go together.

    Examples
    --------
    >>> both = (cf.quantile_sketch_agg("id").alias("a"), cf.quantile_sketch_agg(F.col("id") + 20).alias("b"))
    >>> spark.range(1, 101).agg(*both).select(cf.sketch_ks("a", "b", type="int").alias("ks")).collect()
    [Row(ks=Row(distance=0.2, low=0.2, high=0.2, at=20))]
    """
    return call("sketch_ks", a, b, type_literal(type))


def sketch_ks_p_value(a: ColumnOrName, b: ColumnOrName) -> Column:
    """Return the asymptotic p-value of the Kolmogorov-Smirnov distance of two sketches.

    Parameters
    ----------
    a, b : Column or str
        Two BINARY sketches, as of `sketch_ks`. Their rows are taken as independent.

    Returns
    -------
    Column
        STRUCT<value, low, high> of DOUBLE: the p-value at the distance of `sketch_ks`, at its upper bound and
        at its lower bound. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        As `sketch_ks` does.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_ks_p_value("s", "s").alias("p")).collect()
    [Row(p=Row(value=1.0, low=1.0, high=1.0))]
    """
    return call("sketch_ks_p_value", a, b)


def sketch_psi(a: ColumnOrName, b: ColumnOrName, bins: int = 10) -> Column:
    """Return the population stability index of two sketches, over bins of the first one.

    Parameters
    ----------
    a, b : Column or str
        Two BINARY sketches, as of `sketch_ks`. `a` is the reference: the bins end at its quantiles.
    bins : int, default 10
        How many bins, from 2 to 10000. Edges that are equal are one.

    Returns
    -------
    Column
        STRUCT<value, low, high> of DOUBLE. The exact index of these bins always lies from `low` to `high`. A
        sketch without values in a bin counts as if it had half a value there, and a bin that is empty in both
        adds nothing. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        As `sketch_ks` does.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_psi("s", "s", bins=4).value.alias("psi")).collect()
    [Row(psi=0.0)]
    """
    return call("sketch_psi", a, b, literal(bins))


def sketch_wasserstein(a: ColumnOrName, b: ColumnOrName) -> Column:
    """Return the Wasserstein distance of two sketches: the mean distance between their quantiles.

    Parameters
    ----------
    a, b : Column or str
        Two BINARY sketches of numbers, as of `sketch_ks`.

    Returns
    -------
    Column
        STRUCT<value, low, high> of DOUBLE, in units of the values. The exact distance always lies from `low`
        to `high`. All are NaN if one of the values may be NaN. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        As `sketch_ks` does, and if the values are not numbers.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_wasserstein("s", "s").alias("w")).collect()
    [Row(w=Row(value=0.0, low=0.0, high=0.0))]
    """
    return call("sketch_wasserstein", a, b)


def sketch_quantile_interval(
    sketch: ColumnOrName,
    phi: Phi | Column,
    confidence: Number = 0.95,
    design_effect: Number | ColumnOrName = 1.0,
    type: TypeName = "double",  # noqa: A002
) -> Column:
    """Return a confidence interval of the phi-quantile of the population behind a sketch.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of a family that certifies ranks.
    phi : float, Decimal, sequence of them, or Column
        The share of the population at or below the quantile.
    confidence : float or Decimal, default 0.95
        The probability that the interval contains the population's quantile, if the rows are independent.
    design_effect : number, Column or str, default 1.0
        How many rows are worth one independent row. Rows of one user are alike: then it is above 1.
    type : str or DataType, default "double"
        The type of the answer. Ends that it cannot hold exactly are rounded outward.

    Returns
    -------
    Column
        STRUCT<value, low, high>, or an ARRAY of them. An end is NULL if there are too few values for it. NULL
        for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the family keeps no ranks, the number of values of a window is not
        known, or the design effect is not above 0.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_quantile_interval("s", 0.5, type="int").alias("i")).collect()
    [Row(i=Row(value=50, low=40, high=61))]
    """
    return call(
        "sketch_quantile_interval",
        sketch,
        phi_or_column(phi),
        literal(confidence),
        design_effect,
        type_literal(type),
    )


def sketch_quantile_difference(
    a: ColumnOrName,
    b: ColumnOrName,
    phi: Phi | Column,
    confidence: Number = 0.95,
    design_effect: Number | ColumnOrName = 1.0,
) -> Column:
    """Return the difference of two populations' phi-quantiles, with a confidence interval and a p-value.

    Parameters
    ----------
    a, b : Column or str
        Two BINARY sketches of numbers, of families that certify ranks.
    phi : float, Decimal, sequence of them, or Column
        The share of each population at or below its quantile.
    confidence : float or Decimal, default 0.95
        The probability that the interval contains the difference, if the rows are independent.
    design_effect : number, Column or str, default 1.0
        How many rows are worth one independent row, in both samples.

    Returns
    -------
    Column
        STRUCT<value, low, high, p_value> of DOUBLE, or an ARRAY of them. `p_value` is the least
        1 - confidence whose interval leaves out 0, and at least 1e-15. An end is NULL if there are too few
        values for it. NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        As `sketch_quantile_interval` does, and if the values are not numbers.

    Examples
    --------
    >>> both = (cf.quantile_sketch_agg("id").alias("a"), cf.quantile_sketch_agg(F.col("id") + 20).alias("b"))
    >>> d = cf.sketch_quantile_difference("a", "b", 0.5).value
    >>> spark.range(1, 101).agg(*both).select(d.alias("d")).collect()
    [Row(d=-20.0)]
    """
    return call("sketch_quantile_difference", a, b, phi_or_column(phi), literal(confidence), design_effect)


def quantile_design_effect_agg(count_below: ColumnOrName, count: ColumnOrName) -> Column:
    """Return the design effect of a quantile, from the counts of each user.

    Parameters
    ----------
    count_below : Column or str
        How many rows of the user are at or below the quantile of all rows, for example
        ``cf.sketch_rank(s, q)``.
    count : Column or str
        How many rows the user has, for example ``cf.sketch_count(s)``. A user with NULL or 0 is ignored.

    Returns
    -------
    Column
        DOUBLE of at least 1: how many rows are worth one independent row, if users are independent and the
        rows of a user are alike. NULL if there are fewer than two users.

    Notes
    -----
    Deng, Knoblich and Lu, "Applying the Delta Method in Metric Analytics", KDD 2018, §4, with a factor for
    few users.

    Examples
    --------
    >>> users = spark.createDataFrame([(9, 10), (2, 10), (8, 10), (1, 10)], "b INT, n INT")
    >>> users.agg(F.round(cf.quantile_design_effect_agg("b", "n"), 1).alias("effect")).collect()
    [Row(effect=21.1)]
    """
    return call("quantile_design_effect_agg", count_below, count)
