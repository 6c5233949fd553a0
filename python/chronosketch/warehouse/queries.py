"""Queries of a warehouse, and the records that its procedures return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from chronosketch.procedures import call, number
from chronosketch.sql_text import Value, is_sequence, literal, plain, text, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, Row, SparkSession


class Appended(NamedTuple):
    """The outcome of an append.

    `step` is the step that it wrote and `rows` the number of rows in it. `nulls` rows had a NULL value and
    were left out. `version` is the warehouse's version since then. `is_new` is False if the batch had been
    appended before: then nothing was written.
    """

    step: int
    rows: int
    nulls: int
    version: int
    is_new: bool


class Replaced(NamedTuple):
    """The outcome of replacing rows.

    The `rows` new rows are in a run whose last step is `step`. `nulls` more had a NULL value and were left
    out. `deleted` is the number of rows whose place they take. `version` is the warehouse's version since
    then. `is_new` is False if the batch was a repeat: then nothing was changed.
    """

    step: int
    rows: int
    nulls: int
    deleted: int
    version: int
    is_new: bool


class Deleted(NamedTuple):
    """How many rows were deleted, and the warehouse's version since then."""

    rows: int
    version: int


class Window(NamedTuple):
    """The last `steps` steps, `first_step` to `last_step`. They have `rows` rows; `live_rows` are live."""

    steps: int
    first_step: int
    last_step: int
    rows: int
    live_rows: int


class Ended(NamedTuple):
    """The step that ended, with its number of rows.

    `nulls` rows had a NULL value and were left out. `version` is the warehouse's version since then.
    """

    step: int
    rows: int
    nulls: int
    version: int


class WarehouseQueries:
    """Queries of a warehouse. None of them changes it."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self.path = path

    def __repr__(self) -> str:
        return f"Warehouse({self.path!r})"

    def quantile(
        self,
        phi: float | Sequence[float],
        accuracy: Literal["accurate", "quick"] = "accurate",
        window: int | None = None,
    ) -> DataFrame:
        """Return the phi-quantiles of each group, with bounds that always hold, and what they cost.

        Parameters
        ----------
        phi : float or sequence of float
            The share of the values that are at or below the answer, from 0 to 1: 0.99 asks for the 99th
            percentile.
        accuracy : {"accurate", "quick"}
            ``"accurate"`` also reads a few rows, so many that the answer is exact. Only live rows still
            leave an error then. ``"quick"`` reads summaries alone.
        window : int, optional
            How many of the last steps count; live rows are the newest step. Without it all steps count.
            `windows` lists the windows that are answered as exactly as all steps. Other windows get wider
            bounds.

        Returns
        -------
        DataFrame
            One row for each group and phi. Its columns are those of `by`; ``phi``; the answer ``value``, plus
            a lower and an upper bound ``low`` and ``high`` that always contain the exact answer;
            ``rank_error``, in ranks; ``count_low`` and ``count_high``, bounds of the group's number of rows;
            how many rows and bytes were read, and how many there are; ``version``; ``accuracy``. It stays an
            answer of the version that is newest now. If you filter it by columns of `by`, the other groups
            are not read.

        Raises
        ------
        pyspark.errors.AnalysisException
            If an argument has a value that it cannot have. The message says what it takes.
        pyspark.errors.SparkRuntimeException
            If the warehouse has had no rows yet: append some first. Also if its files are damaged: restore
            them from a copy.

        Notes
        -----
        Singh, Srivastava and Tirthapura, "Estimating quantiles from the union of historical and streaming
        data", VLDB 2016, section 2.3.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", by=["service"])
        >>> rows = spark.range(100).selectExpr("IF(id < 60, 'a', 'b') AS service", "id AS latency")
        >>> step = w.append(rows)
        >>> w.quantile([0.5, 1]).select("service", "phi", "value", "rank_error").show()
        +-------+---+-----+----------+
        |service|phi|value|rank_error|
        +-------+---+-----+----------+
        |      a|0.5|   29|         0|
        |      a|1.0|   59|         0|
        |      b|0.5|   79|         0|
        |      b|1.0|   99|         0|
        +-------+---+-----+----------+
        """
        given: Any = plain(phi)
        phis = f"array({', '.join(map(number, given))})" if is_sequence(given) else number(given)
        return self._query("quantile", phis, accuracy, window)

    def rank(
        self,
        value: Value | Sequence[Value],
        accuracy: Literal["accurate", "quick"] = "accurate",
        window: int | None = None,
    ) -> DataFrame:
        """Return how many values of each group are at or below a value, with bounds that always hold.

        Parameters
        ----------
        value : int, float, Decimal, date, datetime or timedelta, or a sequence of these
            The value or values to look up, of the type of the warehouse's values. Any number can be compared
            with numbers.
        accuracy : {"accurate", "quick"}
            ``"accurate"`` also reads a few rows, so many that the answer is exact. Only live rows still
            leave an error then. ``"quick"`` reads summaries alone.
        window : int, optional
            How many of the last steps count; live rows are the newest step. Without it all steps count.
            `windows` lists the windows that are answered as exactly as all steps. Other windows get wider
            bounds.

        Returns
        -------
        DataFrame
            One row for each group and value. Its columns are those of `by`; ``value``; ``rank_low`` and
            ``rank_high``, a lower and an upper bound that always contain the exact number;
            ``count_low`` and ``count_high``, bounds of the group's number of rows; how many rows and bytes
            were read, and how many there are; ``version``; ``accuracy``.

        Raises
        ------
        pyspark.errors.AnalysisException
            If an argument has a value that it cannot have, or `value` cannot be compared with the warehouse's
            values. The message says what it takes.
        pyspark.errors.SparkRuntimeException
            If the warehouse has had no rows yet: append some first. Also if its files are damaged: restore
            them from a copy.
        ChronosketchError
            If a value has none of the types above. Convert it to one of them.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency")
        >>> step = w.append(spark.range(100).selectExpr("id AS latency"))
        >>> w.rank([9, 49.5]).select("value", "rank_low", "rank_high").show()
        +-----+--------+---------+
        |value|rank_low|rank_high|
        +-----+--------+---------+
        |  9.0|      10|       10|
        | 49.5|      50|       50|
        +-----+--------+---------+
        """
        given: Any = plain(value)
        values = f"array({', '.join(map(literal, given))})" if is_sequence(given) else literal(given)
        return self._query("rank", values, accuracy, window)

    def _query(self, function: str, argument: str, accuracy: str, window: int | None) -> DataFrame:
        last = "NULL" if window is None else f"{whole('window', window)}L"
        return self._spark.sql(
            f"SELECT * FROM chronosketch_warehouse_{function}({text(self.path)}, {argument}, "
            f"accuracy => {text(accuracy)}, window => {last})"
        )

    def windows(self) -> list[Window]:
        """List the windows that are answered as exactly as all steps together.

        Each window ends at the newest step. While there are live rows, they are the newest step.

        Returns
        -------
        list of Window
            The windows, from the shortest to the longest.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", kappa=2)
        >>> for step in range(4):
        ...     appended = w.append(spark.range(100).selectExpr("id AS latency"))
        >>> [(window.steps, window.first_step, window.rows) for window in w.windows()]
        [(1, 4, 100), (4, 1, 400)]
        """
        return [Window(*row) for row in self._call("windows")]

    def describe(self) -> dict[str, Any]:
        """Return the settings of the warehouse, its size, and what its commits rely on.

        Returns
        -------
        dict
            A value for each name: ``value``, ``by``, ``epsilon``, ``memory``, ``runs``, ``rows``, ``commits``
            and others.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", by=["service"])
        >>> [w.describe()[name] for name in ("value", "by", "runs", "rows", "commits")]
        ['latency', ['service'], 0, 0, 'files on a local disk, each linked once']
        """
        (row,) = self._call("describe")
        return row.asDict()

    def register(self, name: str) -> int:
        """Give the warehouse a name in this session, and make views of its newest version.

        In SQL you can write the name in place of the path. The views are temporary. ``<name>_runs`` has a row
        for each run, and ``<name>_live`` a row for each live batch. ``<name>_summaries`` has a row with a
        sketch for each group of each of these. The views keep showing this version. To see a newer version,
        register the name again.

        Parameters
        ----------
        name : str
            The name: letters, digits and ``_``. It must not begin with a digit.

        Returns
        -------
        int
            The version that the views show.

        Raises
        ------
        pyspark.errors.SparkRuntimeException
            If the name has other characters, or begins with a digit.

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

    def _call(self, procedure: str, **arguments: str | None) -> list[Row]:
        return call(self._spark, procedure, warehouse=text(self.path), **arguments)
