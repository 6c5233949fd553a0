"""The steps by which a history follows a table."""

from __future__ import annotations

from datetime import timedelta
from threading import Event
from typing import TYPE_CHECKING

from chronosketch.errors import HistoryError
from chronosketch.history.attempt import Attempt, OnReplace, Overtaken, Plan, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

_ATTEMPTS = 5


def follow(
    spark: SparkSession,
    *,
    source: str,
    value: str,
    into: str,
    by: Sequence[str] = (),
    where: str | None = None,
    epsilon: float = 0.01,
    start: int | None = None,
    on_replace: OnReplace = "error",
) -> Step | None:
    """Bring a history up to the newest version of a table: one step, in one commit.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog.
    source : str
        A Delta table that keeps a change feed or tracks its rows, or an Iceberg table, as SQL names it:
        ``orders``, ``delta.`/path``` or ``lake.sales.orders``.
    value : str
        What is measured: a column, or an expression of one row. Rows where it is NULL are ignored.
    into : str
        The history's own Delta table. The first step creates it.
    by : sequence of str
        Groups: columns or expressions, as ``upper(region) AS region``. NULL is a group.
    where : str, optional
        A condition for rows to be there. An update can make a row come or go.
    epsilon : float, default 0.01
        Rank error allowed, as a share of the values that a group has at a version.
    start : int, optional
        The version that a new history begins with, as a snapshot. When not given, the first from which all
        changes are known. Of an Iceberg table, version 0 is the oldest snapshot that is there.
    on_replace : {"error", "rebuild", "continue"}
        What to do where another table has taken the source's name: "rebuild" forgets the history and begins
        with the new table, "continue" goes on with the changes, which Delta's REPLACE TABLE carries on.

    Returns
    -------
    Step or None
        The versions taken; None where the history has them all.

    Raises
    ------
    HistoryError
        If changes are missing or do not fit: `condition` says which case it is, the message from where a
        history can begin. Nothing is written then.
    pyspark.errors.AnalysisException
        If an expression is none over the source, or a value's type cannot be measured.

    Notes
    -----
    Versions are Delta's own, or the place of Iceberg's snapshots in their chain. Steps can be repeated by
    whoever is at it: one that was made is not made again, and of two followers at the same step one writes.

    Examples
    --------
    >>> step = cs.history.follow(spark, source="orders", value="amount", by=["region"], into="orders_history")
    >>> spark.sql("UPDATE orders SET amount = 40 WHERE region = 'south'").collect()
    [Row(num_affected_rows=1)]
    >>> cs.history.follow(spark, source="orders", value="amount", by=["region"], into="orders_history")
    Step(first=3, last=3, changes=2, sealed=False)
    """
    follower = Follower(source, value, into, tuple(by), where, epsilon, start, on_replace)
    return follower.step(spark)


class Follower(Plan):
    """Follows a table, as `follow` does, step by step or again and again.

    Parameters
    ----------
    source, value, into, by, where, epsilon, start, on_replace
        As in `follow`.

    Examples
    --------
    >>> follower = cs.history.Follower("orders", "amount", "orders_history", by=["region"])
    >>> follower.step(spark) is None  # the history has all versions
    True
    >>> feed = spark.readStream.option("readChangeFeed", "true").table("orders")
    >>> triggered = feed.writeStream.foreachBatch(follower.tick)  # a step whenever the table changes
    """

    def step(self, spark: SparkSession) -> Step | None:
        """Take every version that the source has beyond the last, in one commit; None where there is none.

        Raises
        ------
        HistoryError
            As `follow`.
        """
        for _ in range(_ATTEMPTS):
            try:
                return Attempt(spark, self).make()
            except Overtaken:
                continue
        raise HistoryError(
            "CONCURRENT_FOLLOWER",
            f"Another writer of {self.into} was faster {_ATTEMPTS} times in a row. Nothing was lost or done "
            "twice. Let one follower write a history.",
        )

    def run(self, spark: SparkSession, every: float | timedelta, until: Event | None = None) -> None:
        """Make a step, wait, and so on, until a step fails or an event is set.

        Parameters
        ----------
        spark : SparkSession
            A session with Delta's extension and catalog.
        every : float or timedelta
            How long to wait after a step, in seconds if it is a number.
        until : threading.Event, optional
            Once another thread has set it, no further step is made.
        """
        seconds = every.total_seconds() if isinstance(every, timedelta) else every
        until = until or Event()
        while not until.is_set():
            self.step(spark)
            until.wait(seconds)

    def tick(self, batch: DataFrame, number: int) -> None:
        """Make a step at each batch of a stream, as the function given to ``foreachBatch``.

        The batch itself is not used: a stream splits versions, a step takes them whole. Let the stream read
        Delta's change feed, for a stream of a table's rows fails at the first update or delete.
        """
        del number
        self.step(batch.sparkSession)
