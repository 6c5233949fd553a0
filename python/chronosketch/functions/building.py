"""Aggregates that build and merge sketches. A sketch is a BINARY value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.columns import ColumnOrName, Phi, TypeName, call, literal, phi_or_column, type_literal

if TYPE_CHECKING:
    from pyspark.sql import Column


def quantile_sketch_agg(
    value: ColumnOrName,
    epsilon: float = 1e-3,
    frequency: ColumnOrName | None = None,
    tail: str | None = None,
    sum: bool = False,  # noqa: A002
) -> Column:
    """Build a sketch that answers any quantile and rank, with a certified rank error.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    epsilon : float, default 1e-3
        The rank error that you allow, as a share of the number of values, from 0 to 0.5. It still holds after
        any merging. With 0 the sketch is exact, and its bytes grow with the data.
    frequency : Column or str, optional
        A whole number in each row, 0 or more: how many copies of the value the row stands for. NULL and 0
        count nothing. Without this argument each row counts once.
    tail : {"high", "low", "both"}, optional
        The end of the values where you need a smaller error. "high" makes epsilon a share of the values from
        the quantile up only: at p99.9 it is a thousandth. "low" makes it a share of those up to the quantile,
        "both" of the fewer of the two. Without it the error is the same everywhere. Sketches of different
        tails are not merged.
    sum : bool, default False
        Whether the sketch also keeps the sums of the values, which must be numbers. `sketch_sum`,
        `sketch_mean`, `sketch_variance` and the other moments then answer from it, too. It takes some 40
        bytes more. The union with a sketch without sums has none.

    Returns
    -------
    Column
        BINARY, never NULL. A group without values gives an empty sketch.

    Raises
    ------
    pyspark.errors.AnalysisException
        If epsilon is out of its range, or the type of `value` has no order. The message names the range and
        the types that you can use.
    pyspark.errors.PySparkException
        When the query runs, if a frequency is below 0. Filter such rows out.

    Notes
    -----
    Greenwald and Khanna, "Space-efficient online computation of quantile summaries", SIGMOD 2001; in the
    array form of Luo, Wang, Yi and Cormode, "Quantiles over data streams: experimental comparisons, new
    analyses, and further improvements", VLDB Journal 2016, section 3.

    Examples
    --------
    >>> days = spark.range(0, 1000).groupBy((F.col("id") % 7).alias("day"))
    >>> sketches = days.agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> sketches.agg(cf.sketch_quantile(cf.sketch_merge_agg("s"), 0.5).alias("median")).collect()
    [Row(median=499.0)]
    >>> s = cf.quantile_sketch_agg("id", epsilon=0.01, tail="high")
    >>> bounds = cf.sketch_quantile_bounds(s, 0.9999, "bigint")
    >>> spark.range(1, 1_000_001).agg((bounds.high - bounds.low).alias("width")).collect()[0].width <= 3
    True
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id", sum=True).alias("s"))
    >>> s.select(cf.sketch_mean("s").alias("mean"), cf.sketch_quantile("s", 0.99).alias("p99")).collect()
    [Row(mean=50.5, p99=99.0)]
    """
    return call("quantile_sketch_agg", value, literal(epsilon), frequency, literal(tail), literal(sum))


def sketch_merge_agg(sketch: ColumnOrName) -> Column:
    """Merge the sketches of a group into one sketch of all their values.

    The merged sketch certifies its own error: the error is computed from the merged sketch itself.

    Parameters
    ----------
    sketch : Column or str
        BINARY sketches of one family. Their values have one type, or types that one type holds exactly: whole
        numbers do, decimals do up to 18 digits together, and whole numbers of at most 32 bits do with FLOAT
        and DOUBLE. `sketch_cast` casts others. NULL is skipped.

    Returns
    -------
    Column
        BINARY. NULL for a group without a sketch.

    Raises
    ------
    pyspark.errors.PySparkException
        When the query runs, if some bytes are not a sketch: `is_sketch` finds them. Also if two sketches do
        not fit together. That is so for different families, types that do not merge, different alphas of
        `ddsketch_agg`, different filters of `window_sketch_agg`, and panes of `qlove_sketch_agg` that overlap
        in time. Merge each kind by itself: ``sketch_describe(sketch)`` says which kind a sketch is.

    Notes
    -----
    Each family merges in its own way. Sketches by `quantile_sketch_agg` follow Greenwald and Khanna,
    "Power-conserving computation of order-statistics over sensor networks", PODS 2004, with a limit on the
    tuples kept.

    Examples
    --------
    >>> parts = spark.range(0, 100).groupBy(F.col("id") % 2).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> parts.agg(cf.sketch_count(cf.sketch_merge_agg("s")).alias("n")).collect()
    [Row(n=100)]
    """
    return call("sketch_merge_agg", sketch)


def sketch_merge(left: ColumnOrName, right: ColumnOrName) -> Column:
    """Merge two sketches into one sketch of all their values.

    Parameters
    ----------
    left, right : Column or str
        Two BINARY sketches of one family. Their values have one type, or types that one type holds exactly:
        whole numbers do, decimals do up to 18 digits together, and whole numbers of at most 32 bits do with
        FLOAT and DOUBLE. `sketch_cast` casts others.

    Returns
    -------
    Column
        BINARY. NULL if one of the two is NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        When the query runs, if some bytes are not a sketch: `is_sketch` finds them. Also if the two sketches
        do not fit together, for example because they are of different families.
        ``sketch_describe(sketch)`` says which kind a sketch is.

    Examples
    --------
    >>> s = spark.range(0, 100).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_count(cf.sketch_merge("s", "s")).alias("n")).collect()
    [Row(n=200)]
    """
    return call("sketch_merge", left, right)


def sketch_merge_or(left: ColumnOrName, right: ColumnOrName) -> Column:
    """Merge two sketches, either of which may be NULL, into one sketch of all their values.

    Use it where a row may lack a sketch: in MERGE INTO a table of sketches, and after an outer join.

    Parameters
    ----------
    left, right : Column or str
        Two BINARY sketches of one family, as of `sketch_merge`. Either may be NULL.

    Returns
    -------
    Column
        BINARY. NULL only if both are NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        As `sketch_merge` does, also if the one that is not NULL is not a sketch.

    Examples
    --------
    >>> from pyspark.sql import functions as F
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_count(cf.sketch_merge_or("s", F.lit(None))).alias("n")).collect()
    [Row(n=100)]
    """
    return call("sketch_merge_or", left, right)


def sketch_cast(sketch: ColumnOrName, type: TypeName) -> Column:  # noqa: A002
    """Return the sketch with its values cast to another type.

    A cast keeps the order of values, so all certified bounds of ranks stay true.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch. NULL gives NULL.
    type : str or DataType
        The SQL type that the values get, for example ``"decimal(10, 2)"``. Numbers become numbers of any
        type, rounded as CAST does: whole numbers lose their fraction, decimals are rounded. DATE and
        TIMESTAMP_NTZ become one another, and intervals and times get other fields and digits.

    Returns
    -------
    Column
        BINARY. NULL for a NULL sketch.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `type` does not name a type that sketches hold.
    pyspark.errors.PySparkException
        When the query runs, if the bytes are not a sketch, a value is not in the range of the type, or the
        family can't keep its promise: a `ddsketch_agg` of decimals would leave its bins, and the sums of a
        `moments_agg` don't tell what rounding would change. The message shows how to build the sketch again.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    >>> s.select(cf.sketch_max(cf.sketch_cast("s", "decimal(10, 2)"), "decimal(10, 2)").alias("m")).collect()
    [Row(m=Decimal('100.00'))]
    """
    return call("sketch_cast", sketch, type_literal(type))


def ddsketch_agg(value: ColumnOrName, alpha: float = 0.01, frequency: ColumnOrName | None = None) -> Column:
    """Build a DDSketch of numbers: each quantile has a relative error of at most alpha.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits). NULL is skipped. Infinities count. NaN
        counts as the largest number.
    alpha : float, default 0.01
        The error that you allow, as a share of the exact value, from 0.0001 to 0.5: with 0.01 an answer is
        off by at most 1 %. It still holds after any merging.
    frequency : Column or str, optional
        A whole number in each row, 0 or more: how many copies of the value the row stands for. NULL and 0
        count nothing. Without this argument each row counts once.

    Returns
    -------
    Column
        BINARY, never NULL. A group without values gives an empty sketch. Sketches of one alpha merge.

    Raises
    ------
    pyspark.errors.AnalysisException
        If alpha is out of its range, or `value` is not a number. For dates and times use
        `quantile_sketch_agg`.
    pyspark.errors.PySparkException
        When the query runs, if a frequency is below 0. Filter such rows out.

    Notes
    -----
    Masson, Rim and Lee, "DDSketch: a fast and fully-mergeable quantile sketch with relative-error
    guarantees", PVLDB 2019. The bins are those of Datadog's sketches-java. No bins are collapsed, so the
    error holds for all quantiles. If you ask for a type with gaps, such as BIGINT, the answer is rounded to
    the nearest value of that type.

    Examples
    --------
    >>> parts = spark.range(0, 1000).groupBy(F.col("id") % 7).agg(cf.ddsketch_agg("id").alias("s"))
    >>> q = parts.agg(cf.sketch_quantile(cf.sketch_merge_agg("s"), 0.99).alias("q")).collect()[0].q
    >>> abs(q - 989) <= 0.01 * 989
    True
    """
    return call("ddsketch_agg", value, literal(alpha), frequency)


def qlove_sketch_agg(
    value: ColumnOrName,
    event_time: ColumnOrName,
    phis: Phi | Column,
    panes: int,
    budget: int | None = None,
) -> Column:
    """Build the sketch of one pane of a window, for the phis that you name.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL value or
        time are ignored.
    phis : float, Decimal, sequence of these, or constant Column
        The phis that you will ask `sketch_quantile` for, each from 0 to 1: 0.99 is the 99th percentile. The
        sketch answers no others.
    panes : int
        How many panes a full window has: 6 if a window of one hour has panes of ten minutes.
    budget : int, optional
        How many values a pane keeps for each phi from 0.9 on. 0 keeps none. Without it a pane keeps half of
        what makes a window's answer exact, where that is less than a tenth of the pane or the pane is small.

    Returns
    -------
    Column
        BINARY, never NULL. A group without rows gives a sketch of no pane. `sketch_merge_agg` joins up to
        `panes` panes whose times do not overlap.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of its range or of the wrong type. The message names the range or the types.

    Notes
    -----
    The answers of one pane are exact. The answer of several panes is the mean of the panes' own answers, or
    it comes from the few greatest values that the panes keep. `sketch_describe` says which, and why. Neither
    has a certified error.

    Lim, Hassan, Jin, Volos and Jeon, "Approximate quantiles for datacenter telemetry monitoring", 2019.

    Examples
    --------
    >>> pane = F.expr("(id - 1) div 25").alias("pane")
    >>> df = spark.range(1, 101).groupBy(pane).agg(cf.qlove_sketch_agg("id", "id", [0.5, 1], 4).alias("s"))
    >>> df.agg(cf.sketch_quantile(cf.sketch_merge_agg("s"), [0.5, 1]).alias("q")).collect()
    [Row(q=[50.5, 100.0])]
    """
    return call("qlove_sketch_agg", value, event_time, phi_or_column(phis), literal(panes), literal(budget))
