"""Sketches of telemetry, whose errors are errors of value: relative ones, or low ones at named quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, Phi, call, constant_phi, literal

if TYPE_CHECKING:
    from pyspark.sql import Column


def ddsketch_agg(value: ColumnOrName, alpha: float = 0.01, frequency: ColumnOrName | None = None) -> Column:
    """Build a DDSketch of numbers: each quantile is within a share alpha of the exact one.

    Parameters
    ----------
    value : Column or str
        Any number, DECIMAL up to 18 digits. NULL is skipped; infinities are values, NaN is the largest.
    alpha : float, default 0.01
        Error allowed, as a share of the exact value, after any merging, in [0.0001, 0.5].
    frequency : Column or str, optional
        A whole number a row: that many copies of the value. One copy when not given.

    Returns
    -------
    Column
        BINARY, never NULL: a group without values gives an empty sketch. Those of one alpha merge.

    Raises
    ------
    pyspark.errors.AnalysisException
        If alpha is out of range, or `value` is no number.

    Notes
    -----
    Masson, Rim and Lee, "DDSketch: a fast and fully-mergeable quantile sketch with relative-error
    guarantees", PVLDB 2019; bins by Datadog's sketches-java. No bins are collapsed: the error holds for all
    quantiles. A type with gaps, such as BIGINT, rounds the answer to its nearest value.

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
    """Build one pane of a window, for the phis that are named here.

    Parameters
    ----------
    value : Column or str
        As in `approx_quantile`.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. Rows with a NULL value or
        time are ignored.
    phis : float, Decimal or sequence of these
        What will be asked by `sketch_quantile`; nothing else can be.
    panes : int
        How many panes a full window has.
    budget : int, optional
        How many values a pane keeps for each φ from 0.9 on; 0 keeps none. Half of what makes a window's
        answer exact, where that is less than a tenth of the pane or the pane is small, when not given.

    Returns
    -------
    Column
        BINARY, never NULL: a group without rows gives a sketch of no pane. `sketch_merge_agg` joins panes
        whose times do not overlap, as many as `panes`.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of range or of the wrong type.

    Notes
    -----
    Lim, Hassan, Jin, Volos and Jeon, "Approximate quantiles for datacenter telemetry monitoring", 2019. The
    answers of one pane are exact. Those of several are the mean of the panes' own, or come from the few
    greatest values that panes keep: `sketch_describe` says which, and why. Neither is certified.

    Examples
    --------
    >>> pane = F.expr("(id - 1) div 25").alias("pane")
    >>> df = spark.range(1, 101).groupBy(pane).agg(cf.qlove_sketch_agg("id", "id", [0.5, 1], 4).alias("s"))
    >>> df.agg(cf.sketch_quantile(cf.sketch_merge_agg("s"), [0.5, 1]).alias("q")).collect()
    [Row(q=[50.5, 100.0])]
    """
    return call("qlove_sketch_agg", value, event_time, constant_phi(phis), literal(panes), literal(budget))
