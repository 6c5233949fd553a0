"""Sketches for telemetry: relative value error, or small value error at chosen quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, Phi, call, constant_phi, literal

if TYPE_CHECKING:
    from pyspark.sql import Column


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
    phis: Phi,
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
    phis : float, Decimal or sequence of these
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
    return call("qlove_sketch_agg", value, event_time, constant_phi(phis), literal(panes), literal(budget))
