"""Aggregates that return answers directly, without a sketch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.columns import ColumnOrName, Phi, call, literal, phi_or_column

if TYPE_CHECKING:
    from pyspark.sql import Column


def approx_quantile(
    value: ColumnOrName,
    phi: Phi | Column,
    epsilon: float = 1e-4,
    frequency: ColumnOrName | None = None,
    interpolation: str = "nearest",
    tail: str | None = None,
) -> Column:
    """Return the phi-quantile of the values, wrong by at most epsilon * count ranks.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    phi : float, Decimal, sequence of these, or constant Column
        The share of the values that are at or below the answer, from 0 to 1: 0.99 asks for the 99th
        percentile, 0 for the minimum, 1 for the maximum. The exact answer has the rank max(1, ⌈φN⌉) among N
        values, as for Spark's ``percentile_disc``.
    epsilon : float, default 1e-4
        The rank error that you allow, as a share of the number of values, from 0 to 0.5. With 0 the answer
        is exact, and the memory grows with the data.
    frequency : Column or str, optional
        A whole number or DECIMAL in each row: how many copies of the value the row stands for, or its weight.
        Without this argument each row counts once.
    interpolation : {"nearest", "linear"}, default "nearest"
        "nearest" answers with one of the values. "linear" answers with a number between the two values next
        to the exact position, as ``percentile_cont`` does; `value` must be a number then.
    tail : {"high", "low", "both"}, optional
        The end of the values where you need a smaller error. "high" makes epsilon a share of the values from
        the quantile up only: at p99.9 it is a thousandth. "low" makes it a share of those up to the quantile,
        "both" of the fewer of the two. Without it the error is the same everywhere.

    Returns
    -------
    Column
        The type of `value`, or DOUBLE with "linear". An ARRAY of it, in the order asked, for a sequence.
        NULL if there are no values.

    Raises
    ------
    pyspark.errors.AnalysisException
        If phi or epsilon is out of range, the tail is none of these, or the type of `value` has no
        quantiles.

    Notes
    -----
    Greenwald and Khanna, "Space-efficient online computation of quantile summaries", SIGMOD 2001; in the
    array form of Luo, Wang, Yi and Cormode, "Quantiles over data streams: experimental comparisons, new
    analyses, and further improvements", VLDB Journal 2016, section 3.

    Examples
    --------
    >>> df = spark.range(1, 101)
    >>> df.agg(cf.approx_quantile("id", [0.5, 0.99]).alias("q")).collect()
    [Row(q=[50, 99])]
    >>> df.agg(cf.approx_quantile("id", 0.5, frequency="id").alias("q")).collect()
    [Row(q=71)]
    >>> df.agg(cf.approx_quantile("id", 0.5, interpolation="linear").alias("q")).collect()
    [Row(q=50.5)]
    >>> many = spark.range(1, 1_000_001)
    >>> near = F.abs(cf.approx_quantile("id", 0.9999, epsilon=0.01, tail="high") - 999_900) <= 0.01 * 101
    >>> many.agg(near.alias("near")).collect()
    [Row(near=True)]
    """
    return call(
        "approx_quantile",
        value,
        phi_or_column(phi),
        literal(epsilon),
        frequency,
        literal(interpolation),
        literal(tail),
    )


def approx_quantile_bounds(
    value: ColumnOrName,
    phi: Phi | Column,
    epsilon: float = 1e-4,
    frequency: ColumnOrName | None = None,
    interpolation: str = "nearest",
    tail: str | None = None,
) -> Column:
    """Return a lower and an upper bound that always contain the exact phi-quantile.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    phi : float, Decimal, sequence of these, or constant Column
        The share of the values that are at or below the quantile, from 0 to 1: 0.99 asks for the 99th
        percentile.
    epsilon : float, default 1e-4
        The rank error that you allow, as a share of the number of values, from 0 to 0.5. A smaller epsilon
        brings the two bounds closer together.
    frequency : Column or str, optional
        A whole number or DECIMAL in each row: how many copies of the value the row stands for, or its weight.
        Without this argument each row counts once.
    interpolation : {"nearest", "linear"}, default "nearest"
        "nearest" bounds one of the values. "linear" bounds the number that ``percentile_cont`` answers with;
        `value` must be a number then.
    tail : {"high", "low", "both"}, optional
        The end of the values where you need a smaller error. "high" makes epsilon a share of the values from
        the quantile up only: at p99.9 it is a thousandth. "low" makes it a share of those up to the quantile,
        "both" of the fewer of the two. Without it the error is the same everywhere.

    Returns
    -------
    Column
        STRUCT<low, high> of the type of `value`, or of DOUBLE with "linear". An ARRAY of these for a
        sequence. NULL if there are no values.

    Raises
    ------
    pyspark.errors.AnalysisException
        If phi or epsilon is out of range, the tail is none of these, or the type of `value` has no
        quantiles.

    Notes
    -----
    The certificate of the summary that `approx_quantile` builds; same source.

    Examples
    --------
    >>> spark.range(1, 101).agg(cf.approx_quantile_bounds("id", 0.99).alias("b")).collect()
    [Row(b=Row(low=99, high=99))]
    """
    return call(
        "approx_quantile_bounds",
        value,
        phi_or_column(phi),
        literal(epsilon),
        frequency,
        literal(interpolation),
        literal(tail),
    )


def n_least(value: ColumnOrName, n: int) -> Column:
    """Return the n smallest values, in ascending order.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    n : int
        How many values to return, from 1 to 1000.

    Returns
    -------
    Column
        ARRAY of the type of `value`, never NULL. Duplicates are kept. It is shorter than `n` if there are
        fewer values.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `n` is out of range, or the type of `value` has no order here.

    Notes
    -----
    Exact. With ``OVER`` it slides, for `n` up to 64: a row that enters or leaves the frame costs O(n).

    Examples
    --------
    >>> spark.range(1, 101).agg(cf.n_least("id", 3).alias("ends")).collect()
    [Row(ends=[1, 2, 3])]
    """
    return call("n_least", value, literal(n))


def n_greatest(value: ColumnOrName, n: int) -> Column:
    """Return the n greatest values, in descending order.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    n : int
        How many values to return, from 1 to 1000.

    Returns
    -------
    Column
        ARRAY of the type of `value`, never NULL. Duplicates are kept. It is shorter than `n` if there are
        fewer values.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `n` is out of range, or the type of `value` has no order here.

    Notes
    -----
    Exact. With ``OVER`` it slides, for `n` up to 64: a row that enters or leaves the frame costs O(n).

    Examples
    --------
    >>> spark.range(1, 101).agg(cf.n_greatest("id", 3).alias("ends")).collect()
    [Row(ends=[100, 99, 98])]
    """
    return call("n_greatest", value, literal(n))
