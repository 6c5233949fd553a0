"""Follow a table: keep a history of it up to date, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.following import repeat
from chronosketch.history.plan import OnReplace, Plan, Step

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta
    from threading import Event

    from pyspark.sql import DataFrame, SparkSession


def follow(
    spark: SparkSession,
    *,
    source: str,
    value: str,
    into: str,
    by: str | Sequence[str] = (),
    where: str | None = None,
    epsilon: float = 0.01,
    start: int | None = None,
    on_replace: OnReplace = "error",
) -> Step | None:
    """Bring a history up to the newest version of a table, in one step and one commit.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog.
    source : str
        The table to follow, as SQL names it: ``orders``, ``delta.`/path``` or ``lake.sales.orders``. It is a
        Delta table that keeps a change feed or tracks its rows, or an Iceberg table.
    value : str
        What is measured: a column, or an expression of one row. Rows where it is NULL are ignored.
    into : str
        The history's own Delta table. The first step creates it.
    by : str or sequence of str
        What to group by: columns, or expressions such as ``upper(region) AS region``. NULL is a group of its
        own.
    where : str, optional
        A condition: rows that fail it do not count. An update can make a row pass or fail.
    epsilon : float, default 0.01
        The rank error that you allow, as a share of the values that a group has at a version, from 0 to 0.5.
    start : int, optional
        The version with which a new history begins. It is read whole. Without this argument it is the first
        version since which all changes are known. Version 0 of an Iceberg table is its oldest snapshot. A
        history that is there must have begun with it.
    on_replace : {"error", "rebuild", "continue"}
        What to do if another table has taken the source's name. ``"error"`` refuses to go on. ``"rebuild"``
        drops the history and begins with the new table. ``"continue"`` goes on with the changes; it works
        after Delta's REPLACE TABLE, which records them.

    Returns
    -------
    Step or None
        The versions that the step added. None if the history already has all versions.

    Raises
    ------
    HistoryError
        If the source does not exist, changes are missing or do not fit, or the history was begun with other
        arguments. `condition` names the case, and the message says what to do. Nothing is written then.
    ChronosketchError
        If an argument is of a wrong type or out of its range.
    pyspark.errors.AnalysisException
        If `value`, `by` or `where` is not an expression over the source, or the type of `value` cannot be
        measured.

    Notes
    -----
    Versions are Delta's own. For Iceberg a version is the position of a snapshot in the chain of snapshots.

    You can repeat a step at any time: a step that was made is not made again. If two followers make the same
    step, only one of them writes.

    Examples
    --------
    >>> step = cs.history.follow(spark, source="orders", value="amount", by=["region"], into="orders_history")
    >>> spark.sql("UPDATE orders SET amount = 40 WHERE region = 'south'").collect()
    [Row(num_affected_rows=1)]
    >>> cs.history.follow(spark, source="orders", value="amount", by=["region"], into="orders_history")
    Step(first=3, last=3, changes=2, sealed=False)
    """
    follower = Follower(source, value, into, by, where, epsilon, start, on_replace)
    return follower.step(spark)


class Follower(Plan):
    """Follows a table as `follow` does, one step at a time or again and again.

    Parameters
    ----------
    source : str
        The table to follow, as SQL names it.
    value : str
        What is measured: a column, or an expression of one row.
    into : str
        The history's own Delta table. The first step creates it.
    by : str or sequence of str
        What to group by: columns, or expressions such as ``upper(region) AS region``.
    where : str, optional
        A condition: rows that fail it do not count.
    epsilon : float, default 0.01
        The rank error that you allow, as a share of the values that a group has at a version.
    start : int, optional
        The version with which a new history begins.
    on_replace : {"error", "rebuild", "continue"}
        What to do if another table has taken the source's name. `follow` describes the three.

    Raises
    ------
    ChronosketchError
        If an argument is of a wrong type or out of its range. The message says what to give.

    Examples
    --------
    >>> follower = cs.history.Follower("orders", "amount", "orders_history", by=["region"])
    >>> follower.step(spark) is None  # the history has all versions
    True
    >>> feed = spark.readStream.option("readChangeFeed", "true").table("orders")
    >>> triggered = feed.writeStream.foreachBatch(follower.tick)  # a step whenever the table changes
    """

    def step(self, spark: SparkSession) -> Step | None:
        """Add every version that the history does not have yet, in one commit.

        Parameters
        ----------
        spark : SparkSession
            A session with Delta's extension and catalog.

        Returns
        -------
        Step or None
            The versions that the step added. None if the history already has all versions.

        Raises
        ------
        HistoryError
            If changes are missing or do not fit. `condition` names the case, and the message says what to do.
            Nothing is written then.
        """
        return self.make_step(spark)

    def run(self, spark: SparkSession, every: float | timedelta, until: Event | None = None) -> None:
        """Make a step, wait, and repeat, until a step fails or an event is set.

        Parameters
        ----------
        spark : SparkSession
            A session with Delta's extension and catalog.
        every : float or timedelta
            How long to wait after each step: a number of seconds, or a timedelta.
        until : threading.Event, optional
            An event that another thread sets to stop. No further step is made then.

        Raises
        ------
        HistoryError
            If a step fails. `condition` names the case, and the message says what to do.
        ChronosketchError
            If `every` is not a length of time, or `until` is not an event. No step is made then.
        """
        repeat(spark, lambda: self.step(spark), every, until)

    def tick(self, batch: DataFrame, number: int) -> None:
        """Make a step at each batch of a stream. Give this function to ``foreachBatch``.

        The batch itself is not used, because a stream can split a version and a step takes it whole. Let the
        stream read Delta's change feed. A stream of the table's rows fails at the first update or delete.

        Parameters
        ----------
        batch : DataFrame
            The batch. Only its session is used.
        number : int
            The number of the batch. It is not used.
        """
        del number
        self.step(batch.sparkSession)
