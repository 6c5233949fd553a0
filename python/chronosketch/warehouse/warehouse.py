"""A warehouse: append to it, attach streams, maintain it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from chronosketch.errors import ChronosketchError
from chronosketch.sql_text import text, whole
from chronosketch.warehouse.queries import Appended, Deleted, Ended, Replaced, WarehouseQueries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, Row
    from pyspark.sql.streaming.query import StreamingQuery


class Warehouse(WarehouseQueries):
    """Sorted rows in a folder, with summaries from which quantiles are answered.

    Get one with `create` or `open`. You append rows in steps. The rows of a step become one run of sorted
    files. Rows that come from a stream are live until their step ends. One manifest lists what belongs to
    the newest version.

    Everything goes through SQL, so a warehouse works the same in classic sessions and on Connect.
    """

    def append(
        self, df: DataFrame, step: int | None = None, *, writer: str | None = None, batch: int | None = None
    ) -> Appended:
        """Add rows as one step, in one commit: readers see all of them or none.

        Parameters
        ----------
        df : DataFrame
            Rows that have the columns of the warehouse. Other columns are left out. The first append decides
            the types.
        step : int, optional
            The number of the step, greater than that of every step so far. Without it the step gets the next
            number.
        writer, batch : str and int, optional
            The name of the writer, and the number of its batch. The numbers must increase. If you repeat
            the last batch, it is not appended again, so you can repeat an append after any failure. A number
            below the last one is an error.

        Returns
        -------
        Appended
            The step, its number of rows, the number of rows with a NULL value, the version, and whether the
            batch was new.

        Raises
        ------
        pyspark.errors.SparkRuntimeException
            If the step is not greater than the last one: leave it out, or give a later one. If the batch is
            below the last one of its writer: the warehouse can't tell a repeat from new rows. Also if a
            column is missing or of another type.
        ChronosketchError
            If you give only one of `writer` and `batch`. Give both or neither.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency")
        >>> w.append(spark.range(100).selectExpr("id AS latency"), writer="loader", batch=1)
        Appended(step=1, rows=100, nulls=0, version=1, is_new=True)
        >>> w.append(spark.range(100).selectExpr("id AS latency"), writer="loader", batch=1).is_new
        False
        """
        (row,) = self._call_with_rows("append", df, writer, batch, step=_long("step", step))
        return Appended(*row)

    def replace(
        self,
        df: DataFrame,
        step: int | None = None,
        last_step: int | None = None,
        *,
        where: str | None = None,
        writer: str | None = None,
        batch: int | None = None,
    ) -> Replaced:
        """Put rows in place of stored ones, in one commit: readers see the old ones or the new ones.

        With steps alone, the rows become one run of these steps. So you can load a step again, or fill in
        one that was left out. With `where` alone, all rows of the groups that meet the condition are
        replaced, also live ones. The new rows go to the newest run that has such a group, or become the next
        step if there is none. With both, the rows of those groups in these steps are replaced.

        Parameters
        ----------
        df : DataFrame
            Rows that have the columns of the warehouse. Other columns are left out.
        step, last_step : int, optional
            The first and the last step. Without `last_step` it is `step` alone. A step that has been merged
            with others can only be replaced together with these. If you group by a day or an hour, `where`
            can select it at any time.
        where : str, optional
            A condition in SQL that reads columns of `by`. All new rows must meet it.
        writer, batch : str and int, optional
            The name of the writer, and the number of its batch, as in `append`.

        Returns
        -------
        Replaced
            The step of the rows, their number, the number of rows with a NULL value, the number of rows that
            were replaced, the version, and whether the batch was new.

        Raises
        ------
        pyspark.errors.SparkRuntimeException
            If steps have been merged with others, if a row does not meet the condition, if a batch is below
            the last one of its writer, or if a column is missing or of another type.
        pyspark.errors.AnalysisException
            If `where` reads a column that is not one of `by`.
        ChronosketchError
            If you give only one of `writer` and `batch`. Give both or neither.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", by=["service"])
        >>> rows = spark.range(100).selectExpr("IF(id < 60, 'a', 'b') AS service", "id AS latency")
        >>> step = w.append(rows)
        >>> w.replace(rows.where("latency < 10"), where="service = 'a'")
        Replaced(step=1, rows=10, nulls=0, deleted=60, version=2, is_new=True)
        >>> w.replace(rows, step=1).deleted
        50
        """
        (row,) = self._call_with_rows(
            "replace",
            df,
            writer,
            batch,
            step=_long("step", step),
            last_step=_long("last_step", last_step),
            where=None if where is None else text(where),
        )
        return Replaced(*row)

    def delete(
        self, where: str | None = None, *, step: int | None = None, last_step: int | None = None
    ) -> Deleted:
        """Delete the rows of groups, of steps, or of groups in steps, in one commit.

        The files that have them stay until you call `vacuum` once its grace has passed. Without steps, live
        rows are deleted too. If you delete steps alone, they are gone. If a condition leaves no row of a
        step, the step stays. So windows have the same steps as before.

        Parameters
        ----------
        where : str, optional
            A condition in SQL that reads columns of `by`.
        step, last_step : int, optional
            The first and the last step. Without `last_step` it is `step` alone. A step that has been merged
            with others can only be deleted together with these.

        Returns
        -------
        Deleted
            How many rows were deleted, and the version. If there were none, there is no new version.

        Raises
        ------
        pyspark.errors.SparkRuntimeException
            If steps have been merged with others, or you give neither a condition nor a step.
        pyspark.errors.AnalysisException
            If `where` reads a column that is not one of `by`.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", by=["service"])
        >>> rows = spark.range(100).selectExpr("IF(id < 60, 'a', 'b') AS service", "id AS latency")
        >>> step = w.append(rows)
        >>> w.delete("service = 'a'")
        Deleted(rows=60, version=2)
        """
        (row,) = self._call(
            "delete",
            where=None if where is None else text(where),
            step=_long("step", step),
            last_step=_long("last_step", last_step),
        )
        return Deleted(*row)

    def attach(
        self,
        stream: DataFrame,
        *,
        checkpoint: str,
        step: str | None = None,
        trigger: Mapping[str, Any] | None = None,
    ) -> StreamingQuery:
        """Append the rows of a stream from now on, each batch in one commit.

        The rows are live until their step ends. Answers include them, with the error of a sketch. When the
        step ends, they become one sorted run.

        Parameters
        ----------
        stream : DataFrame
            A streaming DataFrame that has the columns of the warehouse. Other columns are left out.
        checkpoint : str
            The folder where the query keeps its progress. Give the same folder to go on after a stop: no
            batch is appended twice. With another folder it counts as another stream.
        step : str, optional
            The length of a step: an interval such as ``"1 day"``. Steps end at whole multiples since 1970, in
            UTC, by the clock of the driver. The first batch after that time ends the step, or a call of
            `compact`. Without this argument only `end_step` ends a step.
        trigger : dict, optional
            The arguments of ``DataStreamWriter.trigger``, for example ``{"processingTime": "10 seconds"}``.
            Without it each batch starts as soon as the one before is done.

        Returns
        -------
        StreamingQuery
            The query. It is already running.

        Raises
        ------
        pyspark.errors.AnalysisException
            If `step` is not an interval, or has months. Give a length such as ``"1 day"``.
        pyspark.errors.SparkRuntimeException
            If a column is missing or of another type, or the warehouse no longer exists.

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
        """End the step that streams write to. Its live rows become one sorted run, in one commit.

        Returns
        -------
        Ended or None
            The step, its number of rows, the number of rows with a NULL value, and the version. None if there
            are no live rows.

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

    def compact(self) -> int:
        """End a step whose time is over, and merge where a level has more than kappa runs or live batches.

        Appends and streams do so by themselves. Call this if one of them stopped before it could.

        Returns
        -------
        int
            How many runs and live batches were merged.

        Examples
        --------
        >>> import tempfile
        >>> cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency").compact()
        0
        """
        (row,) = self._call("compact")
        return int(row[0])

    def retain(self, steps: int) -> int:
        """Drop the runs that have none of the last `steps` steps, in one commit.

        A run of several steps stays until all of its steps are older. Live rows stay too. The files stay on
        disk until you call `vacuum`.

        Parameters
        ----------
        steps : int
            How many of the last steps to keep, 1 or more.

        Returns
        -------
        int
            How many rows were dropped.

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
        (row,) = self._call("retain", steps=f"{whole('steps', steps)}L")
        return int(row[0])

    def vacuum(self, grace: str = "1 day") -> int:
        """Delete files that no version of the last `grace` needs.

        These are the folders of old runs, and files that failed tasks left in other folders.

        Parameters
        ----------
        grace : str, default "1 day"
            An interval that is longer than any query, append, edit or merge takes. Younger files stay.

        Returns
        -------
        int
            How many folders and files were deleted.

        Examples
        --------
        >>> import tempfile
        >>> cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency").vacuum()
        0
        """
        (row,) = self._call("vacuum", grace=text(grace))
        return int(row[0])

    def _call_with_rows(
        self, procedure: str, df: DataFrame, writer: str | None, batch: int | None, **arguments: str | None
    ) -> list[Row]:
        """Call a procedure that takes rows and, if given, the batch of a writer."""
        if (writer is None) != (batch is None):
            raise ChronosketchError(
                f"writer is {writer!r} and batch is {batch!r}: give writer and batch together, or neither."
            )
        source = f"chronosketch_rows_{uuid4().hex}"
        df.createOrReplaceTempView(source)
        try:
            return self._call(
                procedure,
                source=text(source),
                **arguments,
                writer=None if writer is None else text(writer),
                batch=_long("batch", batch),
            )
        finally:
            self._spark.catalog.dropTempView(source)


def _long(name: str, value: int | None) -> str | None:
    return None if value is None else f"{whole(name, value)}L"
