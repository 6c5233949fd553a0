"""Feed a roll-up from a stream: add each of its batches once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from chronosketch.errors import ChronosketchError
from chronosketch.following import of_type
from chronosketch.rollup.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

_VIEW = "chronosketch_batch"


def attach(
    stream: DataFrame,
    *,
    into: str,
    time: str,
    bucket: str | None = None,
    by: str | Sequence[str] = (),
    values: Mapping[str, str],
    epsilon: float = 0.01,
    zone: str = "UTC",
    levels: Sequence[str] | None = None,
    retention: Mapping[str, str] | None = None,
) -> DataStreamWriter:
    """Let a stream add its rows to a roll-up: each batch once, in one commit. The first batch creates it.

    The rows need not be stored anywhere. There is no watermark, so late rows count too. Give the writer a
    checkpoint and start it.

    Parameters
    ----------
    stream : DataFrame
        A stream, of Kafka, of a folder of files or of a table, classic or Connect. Its rows must be final:
        output mode append.
    into : str
        The roll-up's own table: an Iceberg table if its catalog is Iceberg's, else a Delta table. It
        belongs to the checkpoint: a stream with another checkpoint is refused, because it would count rows
        again.
    time : str
        When a row happened: a column, or an expression of one row, of type TIMESTAMP, TIMESTAMP_NTZ or DATE.
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
        How long rows of a level are kept, such as ``{"1 hour": "30 days"}``, before the newest time that a
        row has had. So one row with a time in the future drops old buckets: filter such rows.

    Returns
    -------
    DataStreamWriter
        The writer: give it a checkpoint, a trigger and a name, and start it.

    Raises
    ------
    ChronosketchError
        If `stream` is not a stream, or an argument is of a wrong type or out of its range.

    Notes
    -----
    If a process ends after a batch was written and before Spark has noted that in the checkpoint, Spark runs
    the batch again. The roll-up remembers the id of the stream and the number of its last batch, in the
    commit of that batch, and leaves out a batch that it has. The query fails, and nothing is written, if
    batches are missing, such as after RESTORE of the roll-up.

    Examples
    --------
    >>> arriving = spark.readStream.table("requests")
    >>> writer = cs.rollup.attach(
    ...     arriving, into="streamed_hourly", time="ts", by=["service"], values={"latency": "latency_ms"}
    ... )
    >>> query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
    >>> query.awaitTermination(60)
    True
    """
    if not getattr(stream, "isStreaming", False):
        raise ChronosketchError(
            f"stream is {stream!r}, {of_type(stream)}. Give a stream, such as "
            "spark.readStream.table('requests'). For a table, cs.rollup.follow makes a roll-up."
        )
    plan = Plan(_VIEW, into, time, bucket, by, values, epsilon, zone, levels, retention)
    return stream.writeStream.foreachBatch(StreamFeeder(plan).add)


class StreamFeeder:
    """Adds the batches of a stream to a roll-up. Spark Connect pickles it."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def add(self, batch: DataFrame, number: int) -> None:
        """Add a batch in one commit, unless it was added before."""
        spark: Any = batch.sparkSession
        # several streams can share a session of Spark Connect
        view = f"{_VIEW}_{uuid4().hex}"
        batch.createOrReplaceTempView(view)
        try:
            replace(self._plan, source=view).make_step(spark, "rollup_batch", batch=f"{number}L")
        finally:
            spark.catalog.dropTempView(view)
