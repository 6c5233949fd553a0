"""Any past version of values that come and go: kept as one sketch, or asked at once."""

from __future__ import annotations

from datetime import date
from typing import TypeAlias

from pyspark.sql import Column

from chronosketch.functions.calls import (
    ColumnOrName,
    Phi,
    TypeName,
    call,
    constant_phi,
    literal,
    type_literal,
)

Version: TypeAlias = date | int | Column


def history_sketch_agg(
    value: ColumnOrName,
    version: ColumnOrName,
    change: ColumnOrName | None = None,
    epsilon: float = 0.01,
    until: ColumnOrName | None = None,
) -> Column:
    """Build a sketch from which sketch_at_version takes the values of any past version, later.

    Parameters
    ----------
    value : Column or str
        Any number, DECIMAL up to 18 digits, date, timestamp or interval. NULL is skipped; NaN is the largest.
    version : Column or str
        From when on the row holds: a whole number, DATE, TIMESTAMP or TIMESTAMP_NTZ. Rows come in any order.
        Those with a NULL version are ignored.
    change : Column or str, optional
        A whole number a row: so many copies of the value more from that version on, or fewer where it is
        below 0. Rows with a NULL change are ignored; 0 only says that there is such a version. Each row is
        one copy more when not given. What would take away more than is there is left out and counted:
        `sketch_describe` shows it as ``clamped``.
    epsilon : float, default 0.01
        Rank error allowed, as a share of the values that are there at a version; 0 is exact, in bytes that
        grow with the changes.
    until : Column or str, optional
        From when on the row no longer holds, of the type of `version`. NULL means that it still holds. A row
        that ends where it begins never held, and is ignored.

    Returns
    -------
    Column
        BINARY, never NULL: a group without rows gives an empty history.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of range or of the wrong type, and on a stream.
    pyspark.errors.PySparkException
        When the query runs, if a row ends before it begins.

    Notes
    -----
    Tao, Yi, Sheng, Pei and Li, "Logging every footstep: quantile summaries for the entire history", SIGMOD
    2010, with other constants. Without other aggregates beside it, it runs in an operator of its own: Spark
    sorts the rows by group and version, and a task holds what one group has at one version. Otherwise Spark's
    operator keeps 24 bytes for each change of a group.

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
    """Return the sketch of one version of a history.

    Any question about a sketch may be asked of it.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch, as `history_sketch_agg` builds it.
    version : datetime, date, int, Column or str
        Of the type of the history's versions; a column, or its name, asks each row its own. A version between
        two that came is as the one before.

    Returns
    -------
    Column
        BINARY; NULL for NULL, and of an empty history, which has no version.

    Raises
    ------
    pyspark.errors.PySparkException
        For bytes that are no history, a version of another type, and one before the first or after the last.

    Examples
    --------
    >>> s = spark.range(1, 101).agg(cf.history_sketch_agg("id", "id").alias("s"))
    >>> days = s.crossJoin(spark.createDataFrame([(10,), (20,)], "day BIGINT"))
    >>> days.select("day", cf.sketch_count(cf.sketch_at_version("s", "day")).alias("n")).collect()
    [Row(day=10, n=10), Row(day=20, n=20)]
    """
    return call("sketch_at_version", sketch, version if isinstance(version, str) else literal(version))


def sketch_versions(sketch: ColumnOrName, type: TypeName = "bigint") -> Column:  # noqa: A002
    """Return the first and the last version of a history, and the number of trees that it consists of.

    Parameters
    ----------
    sketch : Column or str
        A BINARY sketch, as `history_sketch_agg` builds it.
    type : str or DataType, default "bigint"
        The type of `first` and `last`: ``"date"`` or ``"timestamp"`` where the versions are such.

    Returns
    -------
    Column
        STRUCT<first, last, trees>; NULL for NULL. `first` and `last` of an empty history are NULL.

    Raises
    ------
    pyspark.errors.PySparkException
        For bytes that are no history, and if `type` cannot hold the versions.

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
    phi: Phi,
    at_version: Version,
    epsilon: float = 0.01,
) -> Column:
    """Return the phi-quantile of the values that were there at a version.

    Parameters
    ----------
    value : Column or str
        As in `history_sketch_agg`.
    version : Column or str
        As in `history_sketch_agg`.
    change : Column, str or None
        As in `history_sketch_agg`; None stands for one copy more a row.
    phi : float, Decimal or sequence of these
        As in `approx_quantile`.
    at_version : datetime, date, int or Column
        A constant of the type of `version`. Rows of later versions do not count.
    epsilon : float, default 0.01
        Rank error allowed, as a share of the values that are there.

    Returns
    -------
    Column
        The type of `value`; an ARRAY of it, in the order asked, for a sequence. NULL where no value is.

    Raises
    ------
    pyspark.errors.AnalysisException
        If an argument is out of range or of the wrong type, and on a stream.

    Notes
    -----
    As `history_sketch_agg`.

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
        constant_phi(phi),
        literal(at_version),
        literal(epsilon),
    )
