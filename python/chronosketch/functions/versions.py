"""Quantiles of any past version of changing values, from a stored sketch or directly."""

from __future__ import annotations

from datetime import date
from typing import TypeAlias

from pyspark.sql import Column

from chronosketch.columns import (
    ColumnOrName,
    Phi,
    TypeName,
    call,
    literal,
    phi_or_column,
    type_literal,
    value_or_column,
)

Version: TypeAlias = date | int | Column


def history_sketch_agg(
    value: ColumnOrName,
    version: ColumnOrName,
    change: ColumnOrName | None = None,
    epsilon: float = 0.01,
    until: ColumnOrName | None = None,
) -> Column:
    """Build a sketch that answers for any past version of values that come and go.

    You choose the version later, with `sketch_at_version`.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    version : Column or str
        The first version in which the row's value is there: a whole number, DATE, TIMESTAMP or TIMESTAMP_NTZ.
        Rows may come in any order. Rows with a NULL version are ignored.
    change : Column or str, optional
        A whole number in each row: how many copies of the value are added at that version. A number below 0
        takes copies away. 0 only says that there is such a version. Rows with a NULL change are ignored.
        Without this argument each row adds one copy. Copies that are taken away beyond those that are there
        are left out; `sketch_describe` counts them as ``clamped``.
    epsilon : float, default 0.01
        The rank error that you allow, as a share of the values that are there at a version, from 0 to 0.5.
        With 0 the history is exact, and its bytes grow with the changes.
    until : Column or str, optional
        The first version in which the row's value is no longer there, of the type of `version`. NULL means
        that it is still there. A row whose `until` equals its `version` is ignored.

    Returns
    -------
    Column
        BINARY, never NULL. A group without rows gives an empty history.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of its range or of the wrong type, or the query runs on a stream. Build it in a
        batch job. For a Delta table use `chronosketch.history.follow`.
    pyspark.errors.PySparkException
        When the query runs, if `until` is earlier than `version` in a row. Correct such rows, or filter them
        out.

    Notes
    -----
    A query without other aggregates runs in an operator of its own. There Spark sorts the rows by group and
    version, and a task holds only what one group has at one version. With other aggregates beside it, Spark's
    own operator keeps 24 bytes for each change of a group.

    Tao, Yi, Sheng, Pei and Li, "Logging every footstep: quantile summaries for the entire history", SIGMOD
    2010, with other constants.

    Examples
    --------
    >>> from datetime import date
    >>> orders = spark.sql(
    ...     "SELECT * FROM VALUES (10, DATE'2026-01-01', NULL), (30, DATE'2026-01-01', DATE'2026-01-03'), "
    ...     "(20, DATE'2026-01-04', NULL) AS orders(amount, opened, closed)"
    ... )
    >>> history = orders.agg(cf.history_sketch_agg("amount", "opened", until="closed").alias("s"))
    >>> second = cf.sketch_at_version("s", date(2026, 1, 2))
    >>> n, most = cf.sketch_count(second).alias("n"), cf.sketch_max(second, "int").alias("most")
    >>> history.select(n, most).collect()
    [Row(n=2, most=30)]
    """
    return call("history_sketch_agg", value, version, change, literal(epsilon), until)


def sketch_at_version(sketch: ColumnOrName, version: Version | str) -> Column:
    """Return one version of a history, as a sketch.

    You can ask it every question that a sketch by `quantile_sketch_agg` answers.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `history_sketch_agg`.
    version : datetime, date, int, Column or str
        The version, of the type of the history's versions. A column, or its name, gives each row a version of
        its own. A version between two versions of the history equals the earlier of the two.

    Returns
    -------
    Column
        BINARY. NULL for NULL. NULL for an empty history too, as it has no version.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a history, the version has another type, or it lies before the first version or
        after the last. `sketch_versions` shows the first and the last.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.history_sketch_agg("id", "id").alias("s"))
    >>> days = s.crossJoin(spark.createDataFrame([(10,), (20,)], "day BIGINT"))
    >>> days.select("day", cf.sketch_count(cf.sketch_at_version("s", "day")).alias("n")).collect()
    [Row(day=10, n=10), Row(day=20, n=20)]
    """
    return call("sketch_at_version", sketch, value_or_column(version))


def sketch_versions(sketch: ColumnOrName, type: TypeName = "bigint") -> Column:  # noqa: A002
    """Return the first and the last version of a history, and the number of trees that it consists of.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch by `history_sketch_agg`.
    type : str or DataType, default "bigint"
        The SQL type of ``first`` and ``last``. Write ``"date"`` or ``"timestamp"`` if the versions are dates
        or timestamps.

    Returns
    -------
    Column
        STRUCT<first, last, trees>. NULL for NULL. For an empty history ``first`` and ``last`` are NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        If the bytes are not a history, or `type` cannot hold the versions. The message names their type.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.history_sketch_agg("id", "id").alias("s"))
    >>> s.select(cf.sketch_versions("s").alias("v")).select("v.first", "v.last").collect()
    [Row(first=1, last=100)]
    """
    return call("sketch_versions", sketch, type_literal(type))


def approx_quantile_at_version(
    value: ColumnOrName,
    version: ColumnOrName,
    change: ColumnOrName | None,
    phi: Phi | Column,
    at_version: Version,
    epsilon: float = 0.01,
) -> Column:
    """Return the phi-quantile of the values that were there at a version.

    Parameters
    ----------
    value : Column or str
        What is measured: a number (a DECIMAL has at most 18 digits), date, timestamp, time or interval. NULL
        is skipped. NaN counts as the largest number.
    version : Column or str
        The first version in which the row's value is there: a whole number, DATE, TIMESTAMP or TIMESTAMP_NTZ.
        Rows may come in any order. Rows with a NULL version are ignored.
    change : Column, str or None
        A whole number in each row: how many copies of the value are added at that version. A number below 0
        takes copies away. With None each row adds one copy.
    phi : float, Decimal, sequence of these, or constant Column
        The share of the values that are at or below the answer, from 0 to 1: 0.99 asks for the 99th
        percentile, 0 for the minimum, 1 for the maximum.
    at_version : datetime, date, int or Column
        The version that you ask for: a constant of the type of `version`. Rows of later versions do not
        count.
    epsilon : float, default 0.01
        The rank error that you allow, as a share of the values that are there at the version, from 0 to 0.5.
        With 0 the answer is exact, and the memory grows with the changes.

    Returns
    -------
    Column
        A value of the type of `value`. For a sequence of phis it is an ARRAY of them, in the same order. NULL
        if no value is there at the version.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of its range or of the wrong type, or the query runs on a stream. Ask in a batch
        job.

    Notes
    -----
    Tao, Yi, Sheng, Pei and Li, "Logging every footstep: quantile summaries for the entire history", SIGMOD
    2010, with other constants.

    Examples
    --------
    >>> changes = spark.createDataFrame([(10, 1, 1), (20, 2, 1), (20, 3, -1)], ["amount", "day", "change"])
    >>> most = cf.approx_quantile_at_version("amount", "day", "change", 1, 2)
    >>> changes.agg(most.alias("most")).collect()
    [Row(most=20)]
    """
    return call(
        "approx_quantile_at_version",
        value,
        version,
        change,
        phi_or_column(phi),
        literal(at_version),
        literal(epsilon),
    )
