"""Follow a table: keep a roll-up of it up to date, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.following import repeat
from chronosketch.rollup.plan import Plan, Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import timedelta
    from threading import Event

    from pyspark.sql import DataFrame, SparkSession


def follow(
    spark: SparkSession,
    *,
    source: str,
    into: str,
    time: str,
    bucket: str | None = None,
    by: str | Sequence[str] = (),
    values: Mapping[str, str],
    epsilon: float = 0.01,
    zone: str = "UTC",
    levels: Sequence[str] | None = None,
    retention: Mapping[str, str] | None = None,
    tail: str | None = None,
) -> Step:
    """Bring a roll-up to the newest version of a table, in one step and one commit. The first creates it.

    A row of the roll-up is a bucket of time and a group. It has the number of rows, and of each value a
    sketch, the count, the sum, the least and the greatest value. They are those of all rows that the source
    has now: late rows, updates and deletes count too.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog, classic or Connect.
    source : str
        The table to follow, as SQL names it: ``requests``, ``delta.`/path``` or ``lake.sales.requests``.
    into : str
        The roll-up's own table: an Iceberg table if its catalog is Iceberg's, else a Delta table.
    time : str
        When a row happened: a column, or an expression of one row, of type TIMESTAMP, TIMESTAMP_NTZ or DATE.
    bucket : str, optional
        The length of a bucket, such as ``"15 minutes"`` or ``"1 day"``. It is one hour if you give neither
        `bucket` nor `levels`. A length below a day must divide a day.
    by : str or sequence of str
        What to group by: columns, or expressions such as ``upper(region) AS region``. NULL is a group of its
        own.
    values : dict of str to str
        What is measured: a name for each column, or expression of one row. ``{"latency": "latency_ms"}``
        makes the columns ``latency`` (a BINARY sketch), ``latency_count``, ``latency_sum``, ``latency_min``
        and ``latency_max``. Rows where a value is NULL count in ``rows`` only.
    epsilon : float, default 0.01
        The rank error that you allow, as a share of the values of a row or of any union of rows, from 0 to
        0.5.
    zone : str, default "UTC"
        The time zone in which days begin. Leave it out if `time` is a DATE or a TIMESTAMP_NTZ.
    levels : sequence of str, optional
        Several lengths in place of `bucket`, from the shortest on: ``["1 hour", "1 day", "30 days"]``. Each
        is a multiple of the one before. The rows of all levels are in the same table: ask with
        ``WHERE level = '1 day'``.
    retention : dict of str to str, optional
        How long rows of a level are kept: ``{"1 hour": "30 days"}``. A step drops buckets that are older, as
        of the time of the source's version. Other levels are kept for ever.
    tail : {"high", "low", "both"}, optional
        Near this end of the values epsilon is a share of the values from there on only.

    Returns
    -------
    Step
        The number of the step, the source's version that the roll-up now has and its time, how many rows were
        written, and whether there was anything new.

    Raises
    ------
    pyspark.errors.AnalysisException
        If the source does not exist, changes are missing, an expression is wrong, or the roll-up was begun
        with other arguments. ``getCondition()`` names the case, and the message says what to do. Nothing is
        written then.
    ChronosketchError
        If an argument is of a wrong type or out of its range.

    Notes
    -----
    You can repeat a step at any time: a step that was made is not made again. If two followers make the same
    step, only one of them writes.

    Examples
    --------
    >>> late = spark.sql("INSERT INTO requests VALUES (TIMESTAMP'2026-03-02 09:59:59', 'web', 700)")
    >>> step = cs.rollup.follow(
    ...     spark,
    ...     source="requests",
    ...     into="requests_hourly",
    ...     time="ts",
    ...     by=["service"],
    ...     values={"latency": "latency_ms"},
    ... )
    >>> step.is_new
    True
    """
    follower = Follower(source, into, time, bucket, by, values, epsilon, zone, levels, retention, tail)
    return follower.step(spark)


class Follower(Plan):
    """Follows a table as `follow` does, one step at a time or again and again.

    Parameters
    ----------
    source : str
        The table to follow, as SQL names it.
    into : str
        The roll-up's own table, in Delta or Iceberg. The first step creates it.
    time : str
        When a row happened: an expression of type TIMESTAMP, TIMESTAMP_NTZ or DATE.
    bucket : str, optional
        The length of a bucket. It is one hour if you give neither `bucket` nor `levels`.
    by : str or sequence of str
        What to group by: columns, or expressions such as ``upper(region) AS region``.
    values : dict of str to str
        What is measured: a name for each column, or expression of one row.
    epsilon : float, default 0.01
        The rank error that you allow, as a share of the values of a row, from 0 to 0.5.
    zone : str, default "UTC"
        The time zone in which days begin. Leave it out if `time` is a DATE or a TIMESTAMP_NTZ.
    levels : sequence of str, optional
        Several lengths in place of `bucket`, from the shortest on.
    retention : dict of str to str, optional
        How long rows of a level are kept, such as ``{"1 hour": "30 days"}``.
    tail : {"high", "low", "both"}, optional
        Near this end of the values epsilon is a share of the values from there on only.

    Raises
    ------
    ChronosketchError
        If an argument is of a wrong type or out of its range. The message says what to give.

    Examples
    --------
    >>> follower = cs.rollup.Follower(
    ...     "requests", "requests_hourly", "ts", by=["service"], values={"latency": "latency_ms"}
    ... )
    >>> follower.step(spark).is_new  # the roll-up has all rows
    False
    >>> rows = spark.readStream.option("skipChangeCommits", "true").table("requests")
    >>> triggered = rows.writeStream.foreachBatch(follower.tick)  # a step whenever rows arrive
    """

    def step(self, spark: SparkSession) -> Step:
        """Add what the source has gained or lost since the last step, in one commit.

        Parameters
        ----------
        spark : SparkSession
            A session with Delta's extension and catalog.

        Returns
        -------
        Step
            The number of the step, the source's version that the roll-up now has and its time, how many rows
            were written, and whether there was anything new.

        Raises
        ------
        pyspark.errors.AnalysisException
            If changes are missing, or the roll-up was begun with other arguments. ``getCondition()`` names
            the case, and the message says what to do. Nothing is written then.
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
        pyspark.errors.AnalysisException
            If a step fails. The message says what to do.
        ChronosketchError
            If `every` is not a length of time, or `until` is not an event. No step is made then.
        """
        repeat(spark, lambda: self.step(spark), every, until)

    def tick(self, batch: DataFrame, number: int) -> None:
        """Make a step at each batch of a stream. Give this function to ``foreachBatch``.

        The batch itself is not used: a step reads what the source has gained since the last step, so a batch
        that is repeated does no harm. Let the stream read the source with ``skipChangeCommits``, or its
        change feed. Otherwise it fails at the first update or delete.

        Parameters
        ----------
        batch : DataFrame
            The batch. Only its session is used.
        number : int
            The number of the batch. It is not used.
        """
        del number
        self.step(batch.sparkSession)
