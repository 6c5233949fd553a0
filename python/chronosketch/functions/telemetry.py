"""Panes of telemetry: low error of value at quantiles that are named beforehand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.functions.calls import ColumnOrName, Phi, call, constant_phi, literal

if TYPE_CHECKING:
    from pyspark.sql import Column


def qlove_sketch_agg(
    value: ColumnOrName,
    event_time: ColumnOrName,
    phis: Phi,
    panes: int,
    budget: int | None = None,
) -> Column:
    """Build one pane of the windows that the φs named here will be asked of.

    Parameters
    ----------
    value : Column or str
        As in `approx_quantile`.
    event_time : Column or str
        When the row happened: TIMESTAMP, TIMESTAMP_NTZ, DATE or a whole number. A row without a value or a
        time is not there.
    phis : float, Decimal or sequence of these
        What will be asked by `sketch_quantile`; nothing else can be.
    panes : int
        Of how many panes a full window consists.
    budget : int, optional
        How many values a pane keeps for each φ from 0.9 on; 0 keeps none. Half of what makes a window's
        answer exact, where panes are small, when not given.

    Returns
    -------
    Column
        BINARY, never NULL: a group without rows gives a sketch of no pane. `sketch_merge_agg` joins panes
        whose times do not overlap, as many as `panes`.

    Raises
    ------
    pyspark.errors.AnalysisException
        When an argument is out of range or of the wrong type.

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
