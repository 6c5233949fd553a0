"""Import summaries of other libraries as sketches, and export DDSketches and KLL sketches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.columns import (
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

    At a bound of the histogram the rank is exact. Between two bounds it lies between their ranks. You can ask
    the sketch every question that a sketch by `quantile_sketch_agg` answers. It merges with other sketches of
    histograms, even if their bounds differ.

    Parameters
    ----------
    bounds : Column or str
        An array of the buckets' upper bounds, strictly increasing: numbers, which are read as DOUBLE, or
        dates or times. A bucket has the values above the bound before its own, up to and including its own.
    counts : Column or str
        An array of whole numbers, one more than there are bounds: the last counts the values above all
        bounds. If the last bound is +Infinity, there are as many counts as bounds.
    cumulative : Column or bool
        Whether each count is of all values up to its bound, as in the buckets of Prometheus.
    minimum : Column or constant, optional
        A value that none of the histogram's values is below: the least one, if you know it. Without it the
        first bucket has no lower end.
    maximum : Column or constant, optional
        A value that none of the histogram's values is above: the greatest one, if you know it. Without it the
        last bucket has no upper end.

    Returns
    -------
    Column
        BINARY. NULL if `bounds`, `counts` or `cumulative` is NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If an argument has another type, or a row is not a histogram. That is so if the bounds do not strictly
        increase, the number of counts does not fit, a count is below 0, cumulative counts fall, or an array
        has NULL or NaN. The message says what is wrong.

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

    OpenTelemetry makes such histograms. Bucket i has the values above 2^(i * 2^-scale), up to and including
    2^((i + 1) * 2^-scale).

    Parameters
    ----------
    scale : Column, str or int
        A whole number from -10 to 20. There are 2^scale buckets for each doubling.
    zero_count : Column, str or int
        How many values are 0, or at most `zero_threshold` away from it.
    positive_offset : Column, str or int
        The index of the first bucket of values above 0.
    positive_counts : Column or str
        An array of whole numbers: the counts of the buckets of values above 0.
    negative_offset : Column, str or int
        The index of the first bucket of values below 0.
    negative_counts : Column or str
        An array of whole numbers: the counts of the buckets of values below 0, by their magnitude. Give an
        empty array if there are none.
    zero_threshold : Column or float
        Values that are at most this far from 0 are counted as 0.
    minimum, maximum : Column or float, optional
        Two values that none of the histogram's values is below, and none above: the least and the greatest
        one, if you know them.

    Returns
    -------
    Column
        BINARY. NULL if any argument but `minimum` and `maximum` is NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If an argument has another type, or a row is not such a histogram. That is so for another scale, for a
        bucket that has values but can hold no DOUBLE, for a count below 0, and for NULL in an array.

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

    They hold with a probability of 99 % for each question. If the KLL sketch still has all its values, they
    always hold. ``confidence`` of `sketch_describe` says which. The least and the greatest value are exact.

    Parameters
    ----------
    binary : Column or str
        The KLL sketch, as ``toByteArray`` writes it in Java, and ``serialize`` in C++ and Python. The results
        of Spark's ``kll_sketch_agg_double``, ``kll_sketch_agg_float`` and ``kll_sketch_agg_bigint`` are such.
    type : str or pyspark.sql.types.DataType
        The type of its values: ``'double'``, ``'float'`` or ``'bigint'``. The bytes do not tell DOUBLE from
        BIGINT, so the wrong one of these two gives wrong values. A KLL sketch of INT is not read.

    Returns
    -------
    Column
        BINARY. NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a KLL sketch of items of that width, or were changed, or `type` is another type.

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


def sketch_to_kll(sketch: ColumnOrName, k: int | None = None) -> Column:
    """Return the bytes of a KLL sketch of Apache DataSketches.

    The ``kll_sketch`` functions of Spark 4.1 and later read them, and so do other engines with that library.
    Its items are DOUBLE, FLOAT or BIGINT, as the values of the sketch; whole numbers become BIGINT. Count,
    minimum and maximum are exact. The rank error that the library claims for its k is never smaller than the
    true one. Equal sketches give equal bytes.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch that certifies a rank error, such as one by `quantile_sketch_agg`.
    k : int, optional
        From 8 to 65535: the most values that count equally, and the k of the KLL sketch.
        Without it, k follows from the epsilon of the sketch.

    Returns
    -------
    Column
        BINARY. NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the values have another type, such as DECIMAL or DATE, or are NaN; or if the sketch certifies no
        rank error, or one above 30.4 %, which no KLL sketch claims.

    Notes
    -----
    The format is that of Karnin, Lang and Liberty, "Optimal quantile approximation in streams", FOCS 2016, in
    Apache DataSketches. Its values are not drawn by chance: they stand at equal steps of ranks.

    Examples
    --------
    >>> kll = spark.range(1, 101).agg(cf.sketch_to_kll(cf.quantile_sketch_agg("id")).alias("kll"))
    >>> kll.selectExpr("kll_sketch_get_quantile_bigint(kll, 0.5D) AS p50").collect()
    [Row(p50=50)]
    """
    return call("sketch_to_kll", sketch, literal(k))


def sketch_from_ddsketch(
    binary: ColumnOrName,
    library: str = "java",
    collapsed: str = "none",
    minimum: Column | float | None = None,
    maximum: Column | float | None = None,
) -> Column:
    """Return a sketch of what a DDSketch of Datadog's libraries knows, with bounds that always hold.

    The bytes have neither the least nor the greatest value. So the result is an imported sketch, not one by
    `ddsketch_agg`.

    Parameters
    ----------
    binary : Column or str
        The protocol buffer message ``DDSketch`` of ``DDSketch.proto``, as BINARY. Its counts must be whole
        numbers.
    library : str
        The library that wrote the bytes: ``'java'`` for sketches-java and sketches-go, ``'python'`` for
        ddsketch of PyPI. They use the same message for different bins.
    collapsed : str
        ``'lowest'`` or ``'highest'`` if the sketch had a limit on its bins, and so may have collapsed its
        lowest or highest ones into others. The bytes do not say so. Otherwise ``'none'``.
    minimum, maximum : Column or float, optional
        Two values that none of the histogram's values is below, and none above: the least and the greatest
        one, if you know them.

    Returns
    -------
    Column
        BINARY. NULL for NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not such a message, or a count is not a whole number.

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
    """Return a sketch of ddsketch_agg as bytes that Datadog's libraries read.

    They then answer within its alpha. The bytes are the message ``DDSketch`` of protocol buffers. Subnormal
    numbers, nearer to 0 than 2.3e-308, count as 0 there.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch of `ddsketch_agg`.
    library : str
        The library that will read the bytes: ``'java'`` for sketches-java and sketches-go, ``'python'`` for
        ddsketch of PyPI. They use the same message for different bins.

    Returns
    -------
    Column
        BINARY. NULL for NULL.

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
