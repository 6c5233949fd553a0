"""What other libraries stored, as sketches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import (
    ColumnOrName,
    Constant,
    TypeName,
    call,
    literal,
    type_literal,
    value_or_column,
)

if TYPE_CHECKING:
    from pyspark.sql import Column


def sketch_from_histogram(
    bounds: ColumnOrName,
    counts: ColumnOrName,
    cumulative: Column | bool = False,
    minimum: Column | Constant | None = None,
    maximum: Column | Constant | None = None,
) -> Column:
    """Return a sketch of the values that a histogram counted, with bounds that always hold.

    At a bound of the histogram a rank is exact; between two bounds it is between their ranks. Every function
    that asks a sketch asks it, and it merges with others of its kind, of other bounds too.

    Parameters
    ----------
    bounds : Column or str
        An array of the buckets' upper bounds, which rise: numbers, read as DOUBLE, or values of one type of
        time. A bucket has the values above the bound before its own, and not above its own.
    counts : Column or str
        An array of whole numbers, one more than `bounds`: the last is for values above all bounds. As many as
        `bounds` where the last bound is +Infinity.
    cumulative : Column or bool
        Whether each count has all values up to its bound, as the buckets of Prometheus do.
    minimum : Column or constant, optional
        A value that none is below: the least one, where the source knows it. Without it the first bucket has
        no beginning.
    maximum : Column or constant, optional
        A value that none is above: the greatest one, where the source knows it. Without it the last bucket
        has no end.

    Returns
    -------
    Column
        BINARY; NULL where `bounds`, `counts` or `cumulative` is.

    Raises
    ------
    pyspark.errors.PySparkException
        If the types are others, or a row has no histogram: bounds that do not rise, another number of counts,
        counts below 0 or that fall where they are cumulative, NULL or NaN in an array.

    Notes
    -----
    OpenTelemetry, "Metrics data model", section Histogram; Prometheus, "Metric types", section Histogram.

    Examples
    --------
    >>> rows = spark.sql("SELECT array(10, 50, 100) AS bounds, array(7, 80, 9, 4) AS counts")
    >>> s = cf.sketch_from_histogram("bounds", "counts", minimum=0, maximum=250)
    >>> rows.select(cf.sketch_rank_bounds(s, 60).alias("at_60")).collect()
    [Row(at_60=Row(low=87, high=96))]
    """
    return call(
        "sketch_from_histogram", bounds, counts, literal(cumulative), literal(minimum), literal(maximum)
    )


def sketch_from_exponential_histogram(
    scale: Column | str | int,
    zero_count: Column | str | int,
    positive_offset: Column | str | int,
    positive_counts: ColumnOrName,
    negative_offset: Column | str | int,
    negative_counts: ColumnOrName,
    zero_threshold: Column | float = 0.0,
    minimum: Column | float | None = None,
    maximum: Column | float | None = None,
) -> Column:
    """Return a sketch of the values that an exponential histogram counted, with bounds that always hold.

    Bucket i has the values above 2^(i * 2^-scale) and not above 2^((i + 1) * 2^-scale).

    Parameters
    ----------
    scale : Column, str or int
        A whole number from -10 to 20: each doubling has 2^scale buckets.
    zero_count : Column, str or int
        How many values are 0, or not further from it than `zero_threshold`.
    positive_offset : Column, str or int
        The index of the first positive bucket.
    positive_counts : Column or str
        An array of whole numbers: the counts of the positive buckets.
    negative_offset : Column, str or int
        The index of the first negative bucket.
    negative_counts : Column or str
        The same for the values below 0, by magnitude; an empty array where there are none.
    zero_threshold : Column or float
        How far from 0 a value counts as 0.
    minimum, maximum : Column or float, optional
        Values that none is below, and none above: the least and the greatest, where the source knows them.

    Returns
    -------
    Column
        BINARY; NULL where any argument but `minimum` and `maximum` is.

    Raises
    ------
    pyspark.errors.PySparkException
        If the types are others, or a row has no such histogram: another scale, a bucket with values in which
        no DOUBLE lies, counts below 0, NULL in an array.

    Notes
    -----
    OpenTelemetry, "Metrics data model", section ExponentialHistogram. At a scale above 0 clients round, so
    each edge e is moved outward by the share (abs(log2 e) + 2) * 2^-51 of itself. At other scales edges are
    powers of two, and exact.

    Examples
    --------
    >>> rows = spark.sql("SELECT array(10, 20) AS positive, CAST(array() AS ARRAY<INT>) AS negative")
    >>> s = cf.sketch_from_exponential_histogram(0, 1, 3, "positive", 0, "negative")
    >>> rows.select(cf.sketch_rank_bounds(s, 16).alias("at_16")).collect()
    [Row(at_16=Row(low=11, high=11))]
    """
    return call(
        "sketch_from_exponential_histogram",
        value_or_column(scale),
        value_or_column(zero_count),
        value_or_column(positive_offset),
        positive_counts,
        value_or_column(negative_offset),
        negative_counts,
        literal(zero_threshold),
        literal(minimum),
        literal(maximum),
    )


def sketch_from_kll(binary: ColumnOrName, type: TypeName) -> Column:  # noqa: A002
    """Return a sketch of what a KLL sketch of Apache DataSketches knows, with the bounds that it states.

    They hold with 99 % for each question, and always where the KLL sketch threw nothing away: ``confidence``
    of `sketch_describe` says which. Least and greatest value are exact.

    Parameters
    ----------
    binary : Column or str
        What ``toByteArray`` writes in Java, and ``serialize`` in C++ and Python: the results of Spark's
        ``kll_sketch_agg_double``, ``kll_sketch_agg_float`` and ``kll_sketch_agg_bigint`` too.
    type : str or pyspark.sql.types.DataType
        What it was built of: ``'double'``, ``'float'`` or ``'bigint'``. The bytes do not tell the first from
        the last.

    Returns
    -------
    Column
        BINARY; NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no KLL sketch of items of that width, or were changed; if `type` is another.

    Notes
    -----
    Karnin, Lang and Liberty, "Optimal quantile approximation in streams", FOCS 2016. The bounds are those of
    ``getNormalizedRankError`` of Apache DataSketches.

    Examples
    --------
    >>> kll = spark.range(1, 101).selectExpr("kll_sketch_agg_bigint(id) AS kll")
    >>> s = cf.sketch_from_kll("kll", "bigint")
    >>> confidence = cf.sketch_describe(s).confidence.alias("confidence")
    >>> kll.select(cf.sketch_quantile(s, 0.5).alias("p50"), confidence).collect()
    [Row(p50=50.0, confidence=1.0)]
    """
    return call("sketch_from_kll", binary, type_literal(type))


def sketch_from_ddsketch(
    binary: ColumnOrName,
    library: str = "java",
    collapsed: str = "none",
    minimum: Column | float | None = None,
    maximum: Column | float | None = None,
) -> Column:
    """Return a sketch of what a DDSketch of Datadog's libraries knows, with bounds that always hold.

    The bytes are the message ``DDSketch`` of protocol buffers. They have neither a least nor a greatest
    value, so the result is no ddsketch, but an imported sketch.

    Parameters
    ----------
    binary : Column or str
        The message of ``DDSketch.proto``, as BINARY. Its counts must be whole numbers.
    library : str
        Who wrote the bytes: ``'java'`` for sketches-java and sketches-go, ``'python'`` for ddsketch of PyPI.
        Both have the same message, and mean different bins by it.
    collapsed : str
        ``'lowest'`` or ``'highest'`` where the sketch had room for so many bins only, and values of the least
        or greatest magnitudes may be in bins of others.
    minimum, maximum : Column or float, optional
        Values that none is below, and none above: the least and the greatest, where the source knows them.

    Returns
    -------
    Column
        BINARY; NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are no such message, or counts are no whole numbers.

    Notes
    -----
    Masson, Rim and Lee, "DDSketch: a fast and fully-mergeable quantile sketch with relative-error
    guarantees", VLDB 2019. Edges of bins are moved outward by more than a library's rounding.

    Examples
    --------
    >>> s = cf.ddsketch_agg(F.col("id") * 10)
    >>> theirs = spark.range(1, 11).agg(cf.sketch_to_ddsketch(s).alias("b"))
    >>> theirs.select(cf.sketch_rank_bounds(cf.sketch_from_ddsketch("b"), 55).alias("at_55")).collect()
    [Row(at_55=Row(low=5, high=5))]
    """
    return call(
        "sketch_from_ddsketch",
        binary,
        literal(library),
        literal(collapsed),
        literal(minimum),
        literal(maximum),
    )


def sketch_to_ddsketch(sketch: ColumnOrName, library: str = "java") -> Column:
    """Return a ddsketch as the bytes that Datadog's libraries read, who then answer within its alpha.

    The bytes are the message ``DDSketch`` of protocol buffers. Subnormal numbers, nearer to 0 than 2.3e-308,
    count as 0 there.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `ddsketch_agg`.
    library : str
        Who will read the bytes: ``'java'`` for sketches-java and sketches-go, ``'python'`` for ddsketch of
        PyPI. Both have the same message, and mean different bins by it.

    Returns
    -------
    Column
        BINARY; NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the sketch is of another family, or has NaN, infinities, or decimals with digits after the point.

    Notes
    -----
    Masson, Rim and Lee, "DDSketch: a fast and fully-mergeable quantile sketch with relative-error
    guarantees", VLDB 2019.

    Examples
    --------
    >>> theirs = cf.sketch_to_ddsketch(cf.ddsketch_agg("id"))
    >>> spark.range(1, 101).select(cf.sketch_count(cf.sketch_from_ddsketch(theirs)).alias("n")).collect()
    [Row(n=100)]
    """
    return call("sketch_to_ddsketch", sketch, literal(library))
