"""Questions to a sketch: quantiles, and what the sketch says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, Phi, TypeName, call, phi_or_column, type_literal

if TYPE_CHECKING:
    from pyspark.sql import Column


def sketch_quantile(sketch: ColumnOrName, phi: Phi | Column, type: TypeName | None = None) -> Column:  # noqa: A002
    """Return the φ-quantile of what a sketch saw, within its certified rank error.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.
    phi : float, Decimal, sequence of these, or Column
        As in `approx_quantile`; a column asks each row its own.
    type : str or DataType, optional
        The type of the answer, as ``"timestamp"``: DOUBLE when not given.

    Returns
    -------
    Column
        DOUBLE or `type`; an ARRAY of it for several φ. NULL for a NULL or empty sketch and for a NULL φ.

    Raises
    ------
    pyspark.errors.PySparkException
        For bytes that are no sketch, a φ out of range, or a sketch whose values the type cannot hold: dates
        asked for as numbers, say.

    Notes
    -----
    Nearest rank, in exact arithmetic; Greenwald and Khanna, SIGMOD 2001, Proposition 1.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_quantile("s", [0.5, 0.99]).alias("q")).collect()
    [Row(q=[50.0, 99.0])]
    >>> s.select(cf.sketch_quantile("s", 0.5, type="bigint").alias("q")).collect()
    [Row(q=50)]
    """
    return call("sketch_quantile", sketch, phi_or_column(phi), type_literal(type))


def sketch_quantile_bounds(sketch: ColumnOrName, phi: Phi | Column, type: TypeName | None = None) -> Column:  # noqa: A002
    """Return two values between which the exact φ-quantile of what a sketch saw lies, always.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.
    phi : float, Decimal, sequence of these, or Column
        As in `sketch_quantile`.
    type : str or DataType, optional
        As in `sketch_quantile`; bounds that it cannot hold exactly are rounded outward.

    Returns
    -------
    Column
        STRUCT<low, high> of DOUBLE or `type`; an ARRAY of these for several φ. NULL as in `sketch_quantile`.

    Raises
    ------
    pyspark.errors.PySparkException
        As in `sketch_quantile`.

    Notes
    -----
    From the least and the most ranks that the summary leaves possible; Greenwald and Khanna, SIGMOD 2001,
    section 2.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_quantile_bounds("s", 0.5).alias("b")).collect()
    [Row(b=Row(low=50.0, high=50.0))]
    """
    return call("sketch_quantile_bounds", sketch, phi_or_column(phi), type_literal(type))


def sketch_count(sketch: ColumnOrName) -> Column:
    """Return how many values a sketch saw, exactly.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.

    Returns
    -------
    Column
        BIGINT; 0 for an empty sketch, NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        For bytes that are no sketch.

    Notes
    -----
    Kept beside the summary; no estimate.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_count("s").alias("n")).collect()
    [Row(n=100)]
    """
    return call("sketch_count", sketch)


def sketch_count_bounds(sketch: ColumnOrName) -> Column:
    """Return the least and the most elements that a sketch can have.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.

    Returns
    -------
    Column
        STRUCT<low, high> of BIGINT, equal but for windows whose edge is not certain; NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        For bytes that are no sketch.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.window_sketch_agg("id", "id").alias("s"))
    >>> s.select(cf.sketch_count_bounds(cf.sketch_window("s", 10)).alias("n")).collect()
    [Row(n=Row(low=10, high=10))]
    """
    return call("sketch_count_bounds", sketch)


def sketch_min(sketch: ColumnOrName, type: TypeName | None = None) -> Column:  # noqa: A002
    """Return the least value that a sketch saw, exactly.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.
    type : str or DataType, optional
        As in `sketch_quantile`.

    Returns
    -------
    Column
        DOUBLE or `type`; NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        As in `sketch_quantile`.

    Notes
    -----
    The first tuple of a Greenwald-Khanna summary is never dropped (SIGMOD 2001, section 2).

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_min("s").alias("least")).collect()
    [Row(least=1.0)]
    """
    return call("sketch_min", sketch, type_literal(type))


def sketch_max(sketch: ColumnOrName, type: TypeName | None = None) -> Column:  # noqa: A002
    """Return the largest value that a sketch saw, exactly.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.
    type : str or DataType, optional
        As in `sketch_quantile`.

    Returns
    -------
    Column
        DOUBLE or `type`; NULL for a NULL or empty sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        As in `sketch_quantile`.

    Notes
    -----
    The last tuple of a Greenwald-Khanna summary is never dropped (SIGMOD 2001, section 2).

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_max("s", "bigint").alias("largest")).collect()
    [Row(largest=100)]
    """
    return call("sketch_max", sketch, type_literal(type))


def sketch_rank_error(sketch: ColumnOrName) -> Column:
    """Return the rank error that a sketch certifies for itself, as a share of its count.

    Computed from the sketch's own state, so that it says what is true after any merging; it is at most the
    epsilon that the sketch was built with.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch.

    Returns
    -------
    Column
        DOUBLE in [0, 1]; 0 while the sketch is exact, NULL for a NULL or empty one.

    Raises
    ------
    pyspark.errors.PySparkException
        For bytes that are no sketch.

    Notes
    -----
    Greenwald and Khanna, SIGMOD 2001, Corollary 1: half of the largest g + Δ.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_rank_error("s").alias("error")).collect()
    [Row(error=0.0)]
    """
    return call("sketch_rank_error", sketch)
