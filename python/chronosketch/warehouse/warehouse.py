"""A warehouse, and all that can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from chronosketch.errors import ChronosketchError
from chronosketch.literals import text
from chronosketch.warehouse.questions import Questions
from chronosketch.warehouse.records import Appended, Ended

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


class Warehouse(Questions):
    """Sorted rows in a folder: one run of files a step, summaries beside them, and one manifest.

    Rows that streams bring are live until their step ends.

    Everything goes through SQL, so that classic sessions and Connect do the same. Make one with `create` or
    `open`.
    """

    def append(
        self, df: DataFrame, step: int | None = None, *, writer: str | None = None, batch: int | None = None
    ) -> Appended:
        """Add rows as one step, in one commit: readers see all of them or none.

        Parameters
        ----------
        df : DataFrame
            Rows with the columns of the warehouse; others are left out. The first rows decide the types.
        step : int, optional
            A number above those of all steps so far. The next one where it is left out.
        writer, batch : str and int, optional
            Who writes, and the number of the batch, which rises. A batch that was taken is not taken again,
            so that an append may be repeated after any failure.

        Returns
        -------
        Appended
            The step, its rows, those with a NULL value, the version, and whether it is new.

        Raises
        ------
        pyspark.errors.SparkRuntimeException
            If the step is not above the last one, or a column is missing or of another type.
        ChronosketchError
            If only one of `writer` and `batch` is given.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency")
        >>> w.append(spark.range(100).selectExpr("id AS latency"), writer="loader", batch=1)
        Appended(step=1, rows=100, nulls=0, version=1, is_new=True)
        >>> w.append(spark.range(100).selectExpr("id AS latency"), writer="loader", batch=1).is_new
        False
        """
        if (writer is None) != (batch is None):
            raise ChronosketchError("Give writer and batch together, or neither.")
        source = f"chronosketch_rows_{uuid4().hex}"
        df.createOrReplaceTempView(source)
        try:
            (row,) = self._call(
                "append",
                source=text(source),
                step=None if step is None else f"{int(step)}L",
                writer=None if writer is None else text(writer),
                batch=None if batch is None else f"{int(batch)}L",
            )
        finally:
            self._spark.catalog.dropTempView(source)
        return Appended(*row)

    def attach(
        self,
        stream: DataFrame,
        *,
        checkpoint: str,
        step: str | None = None,
        trigger: Mapping[str, Any] | None = None,
    ) -> StreamingQuery:
        """Take the rows of a stream from now on, each batch in one commit.

        They are live until their step ends: answers have them, and are as uncertain as their sketches. At the
        end of the step they become one sorted run.

        Parameters
        ----------
        stream : DataFrame
            A streaming one, with the columns of the warehouse; others are left out.
        checkpoint : str
            The folder where the query keeps how far it is. With the same one it goes on after a stop, and no
            batch is taken twice. With another one it is another stream.
        step : str, optional
            How long a step is: an interval, as in ``"1 day"``. It ends at whole multiples since 1970, in UTC,
            by the clock of the driver, with the first batch after that, or with `compact`. Where it is left
            out, `end_step` alone ends it.
        trigger : dict, optional
            What ``DataStreamWriter.trigger`` takes, as in ``{"processingTime": "10 seconds"}``. Where it is
            left out, there is a batch as soon as the one before is done.

        Returns
        -------
        StreamingQuery
            The query, which has begun.

        Raises
        ------
        pyspark.errors.AnalysisException
            If `step` is no interval, or has months.
        pyspark.errors.SparkRuntimeException
            If a column is missing or of another type, or there is no such warehouse.

        Examples
        --------
        >>> import tempfile
        >>> source, checkpoint, path = (tempfile.mkdtemp() for _ in range(3))
        >>> spark.range(100).selectExpr("id AS latency").write.mode("append").parquet(source)
        >>> w = cs.warehouse.create(spark, path, value="latency")
        >>> stream = spark.readStream.schema("latency BIGINT").parquet(source)
        >>> query = w.attach(stream, checkpoint=checkpoint, step="1 day", trigger={"availableNow": True})
        >>> query.awaitTermination(60)
        True
        >>> [(window.rows, window.live_rows) for window in w.windows()]
        [(100, 100)]
        >>> w.quantile(0.5).first()["value"]
        49
        """
        writer = stream.writeStream.format("chronosketch").option("checkpointLocation", checkpoint)
        if step is not None:
            writer = writer.option("step", step)
        if trigger is not None:
            writer = writer.trigger(**trigger)
        return writer.start(self.path)

    def end_step(self) -> Ended | None:
        """End the step that streams write to: what is live becomes one sorted run, in one commit.

        Returns
        -------
        Ended or None
            The step, its rows, those with a NULL value, and the version. None where nothing is live.

        Examples
        --------
        >>> import tempfile
        >>> source, checkpoint, path = (tempfile.mkdtemp() for _ in range(3))
        >>> spark.range(100).selectExpr("id AS latency").write.mode("append").parquet(source)
        >>> w = cs.warehouse.create(spark, path, value="latency")
        >>> stream = spark.readStream.schema("latency BIGINT").parquet(source)
        >>> query = w.attach(stream, checkpoint=checkpoint, trigger={"availableNow": True})
        >>> query.awaitTermination(60)
        True
        >>> w.end_step()
        Ended(step=1, rows=100, nulls=0, version=2)
        >>> w.end_step() is None
        True
        """
        rows = self._call("end_step")
        return Ended(*rows[0]) if rows else None

    def register(self, name: str) -> int:
        """Let the session know the warehouse by a name, and make views of its newest version.

        SQL takes the name where it takes the path. The views are temporary: ``<name>_runs`` has a row for
        each run; ``<name>_live`` one for each live batch; ``<name>_summaries`` one for each group of each of
        these, with a sketch. They stay as they are. Register the name again for views of what is newest then.

        Parameters
        ----------
        name : str
            Letters, digits and ``_``, which no digit begins.

        Returns
        -------
        int
            The version that the views are of.

        Raises
        ------
        pyspark.errors.SparkRuntimeException
            If the name has other characters.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", by=["service"])
        >>> rows = spark.range(100).selectExpr("IF(id < 60, 'a', 'b') AS service", "id AS latency")
        >>> step = w.append(rows)
        >>> w.register("latency")
        1
        >>> spark.sql("SELECT service, value FROM warehouse_quantile('latency', 0.5)").show()
        +-------+-----+
        |service|value|
        +-------+-----+
        |      a|   29|
        |      b|   79|
        +-------+-----+
        >>> last = spark.table("latency_summaries").where("last_step > 0")
        >>> last.selectExpr("sketch_quantile(sketch_merge_agg(sketch), 0.5) AS median").show()
        +------+
        |median|
        +------+
        |  49.0|
        +------+
        """
        (row,) = self._call("register", name=text(name))
        return int(row[0])

    def compact(self) -> int:
        """End a step whose time is over, and merge where a level has more than kappa runs or live batches.

        Appends and streams do so by themselves: this is for what one that stopped has left undone. Return how
        many runs and live batches were merged.

        Examples
        --------
        >>> import tempfile
        >>> cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency").compact()
        0
        """
        (row,) = self._call("compact")
        return int(row[0])

    def retain(self, steps: int) -> int:
        """Forget the runs that have none of the last `steps` steps, in one commit; return their rows.

        A run of several steps stays until all of them are older, and so does what is live. `vacuum` deletes
        the files.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency")
        >>> for step in range(3):
        ...     appended = w.append(spark.range(100).selectExpr("id AS latency"))
        >>> w.retain(2)
        100
        >>> [(window.steps, window.first_step) for window in w.windows()]
        [(1, 3), (2, 2)]
        """
        (row,) = self._call("retain", steps=f"{int(steps)}L")
        return int(row[0])

    def vacuum(self, grace: str = "1 day") -> int:
        """Delete what no version needs that was current within `grace` back from now; count what is gone.

        These are folders of runs, and files that failed tasks left in the folders of others.

        Parameters
        ----------
        grace : str
            An interval, longer than any query, append or merge takes: what is younger stays.

        Examples
        --------
        >>> import tempfile
        >>> cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency").vacuum()
        0
        """
        (row,) = self._call("vacuum", grace=text(grace))
        return int(row[0])
