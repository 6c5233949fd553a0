"""Query a sketch: quantiles, counts, minimum and maximum, their error bounds, and its description."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.columns import ColumnOrName, Phi, TypeName, call, literal, phi_or_column, type_literal

if TYPE_CHECKING:
    from pyspark.sql import Column


def sketch_quantile(
    sketch: ColumnOrName,
    phi: Phi | Column,
    type: TypeName = "double",  # noqa: A002
    interpolation: str = "nearest",
) -> Column:
    """Return the phi-quantile of a sketch's values.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that answers quantiles: any but those of moments. Of a history, ask one version: see
        `sketch_at_version`.
    phi : float, Decimal, sequence of these, or Column
        The share of the values that are at or below the answer, from 0 to 1: 0.99 asks for the 99th
        percentile. A column gives each row a phi of its own. A sketch by `qlove_sketch_agg` answers only the
        phis that it was built with.
    type : str or DataType, default "double"
        The SQL type of the answer, for example ``"bigint"``. Dates, times and intervals need the type that
        went into the sketch, for example ``"timestamp"``.
    interpolation : {"nearest", "linear"}, default "nearest"
        "nearest" answers with one of the values. "linear" answers with a number between the two values next
        to the exact position, as ``percentile_cont`` does; the sketch must hold numbers then.

    Returns
    -------
    Column
        DOUBLE or `type`; an ARRAY of it for several φ. NULL for a NULL or empty sketch and for a NULL φ.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, φ is out of range, or `type` cannot hold the sketch's values, for
        example a number type for dates.

    Notes
    -----
    The promise is the family's. By `quantile_sketch_agg` and `window_sketch_agg`: at most
    `sketch_rank_error` of the count in ranks. By `ddsketch_agg`: at most a share alpha of the value. By
    `qlove_sketch_agg`: nothing certified.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_quantile("s", [0.5, 0.99]).alias("q")).collect()
    [Row(q=[50.0, 99.0])]
    >>> s.select(cf.sketch_quantile("s", 0.5, type="bigint").alias("q")).collect()
    [Row(q=50)]
    """
    return call("sketch_quantile", sketch, phi_or_column(phi), type_literal(type), literal(interpolation))


def sketch_quantile_bounds(
    sketch: ColumnOrName,
    phi: Phi | Column,
    type: TypeName = "double",  # noqa: A002
    interpolation: str = "nearest",
) -> Column:
    """Return a lower and an upper bound of the exact phi-quantile of a sketch's values.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that answers quantiles, except one by `qlove_sketch_agg`: that has no bounds.
    phi : float, Decimal, sequence of these, or Column
        The share of the values that are at or below the quantile, from 0 to 1: 0.99 asks for the 99th
        percentile. A column gives each row a phi of its own.
    type : str or DataType, default "double"
        The SQL type of the bounds, for example ``"bigint"``. Dates, times and intervals need the type that
        went into the sketch, for example ``"timestamp"``. A bound that does not fit the type exactly is
        rounded outward.
    interpolation : {"nearest", "linear"}, default "nearest"
        "nearest" bounds one of the values. "linear" bounds the number that ``percentile_cont`` answers with;
        the sketch must hold numbers then.

    Returns
    -------
    Column
        STRUCT<low, high> of DOUBLE or `type`, an ARRAY of these for several φ; equal if the answer is
        exact. NULL for a NULL or empty sketch and for a NULL φ.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the family certifies nothing, φ is out of range, or `type` cannot hold
        the sketch's values.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_quantile_bounds("s", 0.5).alias("b")).collect()
    [Row(b=Row(low=50.0, high=50.0))]
    """
    return call(
        "sketch_quantile_bounds", sketch, phi_or_column(phi), type_literal(type), literal(interpolation)
    )


def sketch_count(sketch: ColumnOrName) -> Column:
    """Return how many values a sketch has seen.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of any family.

    Returns
    -------
    Column
        BIGINT; 0 for an empty sketch, NULL for NULL. Exact, except for one window of a window sketch: then it
        is an estimate inside `sketch_count_bounds`.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_count("s").alias("n")).collect()
    [Row(n=100)]
    """
    return call("sketch_count", sketch)


def sketch_count_bounds(sketch: ColumnOrName) -> Column:
    """Return a lower and an upper bound of how many values a sketch has seen.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of any family.

    Returns
    -------
    Column
        STRUCT<low, high> of BIGINT; NULL for NULL. Equal, except for windows whose edge is not certain.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.window_sketch_agg("id", "id").alias("s"))
    >>> s.select(cf.sketch_count_bounds(cf.sketch_window("s", 10)).alias("n")).collect()
    [Row(n=Row(low=10, high=10))]
    """
    return call("sketch_count_bounds", sketch)


def sketch_min(sketch: ColumnOrName, type: TypeName = "double") -> Column:  # noqa: A002
    """Return the smallest value of a sketch.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of any family, except one by `qlove_sketch_agg`, `comoments_agg` or
        `window_moments_agg`: these do not keep it.
    type : str or DataType, default "double"
        The SQL type of the answer, for example ``"bigint"``. Dates, times and intervals need the type that
        went into the sketch, for example ``"timestamp"``.

    Returns
    -------
    Column
        DOUBLE or `type`; NULL for a NULL or empty sketch. Exact, except for one window of a window sketch:
        then it is the smallest value that may lie in the window.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the family keeps no smallest value, or `type` cannot hold it.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_min("s").alias("least")).collect()
    [Row(least=1.0)]
    """
    return call("sketch_min", sketch, type_literal(type))


def sketch_max(sketch: ColumnOrName, type: TypeName = "double") -> Column:  # noqa: A002
    """Return the greatest value of a sketch.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of any family, except one by `qlove_sketch_agg`, `comoments_agg` or
        `window_moments_agg`: these do not keep it.
    type : str or DataType, default "double"
        The SQL type of the answer, for example ``"bigint"``. Dates, times and intervals need the type that
        went into the sketch, for example ``"timestamp"``.

    Returns
    -------
    Column
        DOUBLE or `type`; NULL for a NULL or empty sketch. Exact, except for one window of a window sketch:
        then it is the greatest value that may lie in the window.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, the family keeps no greatest value, or `type` cannot hold it.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_max("s", "bigint").alias("largest")).collect()
    [Row(largest=100)]
    """
    return call("sketch_max", sketch, type_literal(type))


def sketch_rank_error(sketch: ColumnOrName) -> Column:
    """Return the certified rank error of a sketch, as a share of its count.

    No quantile of the sketch is wrong by more ranks. The error is computed from the sketch's own state, so it
    is true after any merging.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `quantile_sketch_agg`, `window_sketch_agg`, `sample_sketch_agg` or
        `window_sample_agg`, one window of these, or one version of a history.

    Returns
    -------
    Column
        DOUBLE in [0, 1]; 0 while the sketch is exact, NULL for a NULL or empty one. At most the largest
        epsilon among the sketches that were merged, except for windows `as_of` an earlier time and windows by
        count with a filter: those may have more. 1 if a window may have no row.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a sketch, or the family does not promise ranks.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_rank_error("s").alias("error")).collect()
    [Row(error=0.0)]
    """
    return call("sketch_rank_error", sketch)


def sketch_describe(sketch: ColumnOrName) -> Column:
    """Return what a sketch is: family, format, value type, parameters, count, bytes and error.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of any family.

    Returns
    -------
    Column
        A STRUCT, or NULL for NULL. A field that a family does not have is NULL.

        - All families: ``family``, ``format``, ``value_type``, ``parameters``, ``count`` of values,
          ``bytes``, ``exact``.
        - ``error``: the certified rank error, as a share of the count.
        - ``confidence``: the probability that the error and all bounds hold. 1 means always.
        - ``kept``: how many values a sample holds.
        - ``time_type``, ``retention``, ``filters``: of a window sketch.
        - ``panes``, ``answers``: of a sketch by `qlove_sketch_agg`.
        - ``trees``, ``clamped``: of a history. ``clamped`` counts the deletes of values that were not there.

    Raises
    ------
    pyspark.errors.PySparkException
        When the query runs, if the bytes are not a sketch. `is_sketch` finds such rows.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_describe("s").alias("d")).select("d.family", "d.count", "d.exact").collect()
    [Row(family='quantile sketch', count=100, exact=True)]
    """
    return call("sketch_describe", sketch)


def is_sketch(binary: ColumnOrName) -> Column:
    """Return whether a BINARY is a whole sketch that this version reads.

    It never fails. So you can use it to find the bad rows of a table.

    Parameters
    ----------
    binary : Column or str
        Any BINARY.

    Returns
    -------
    Column
        BOOLEAN. NULL for NULL.

    Notes
    -----
    It checks the sketch's header and its CRC32C checksum: the first bytes, format, family and length.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.is_sketch("s").alias("good"), cf.is_sketch(F.lit(b"no")).alias("bad")).collect()
    [Row(good=True, bad=False)]
    """
    return call("is_sketch", binary)


def chronosketch_version() -> Column:
    """Return the version of the chronosketch jar that answers.

    It should equal ``chronosketch.__version__``. `chronosketch.check_installed` compares the two for you.

    Returns
    -------
    Column
        STRING.

    Examples
    --------
    >>> spark.range(1).select(cf.chronosketch_version().alias("v")).collect()[0].v == cs.__version__
    True
    """
    return call("version")
