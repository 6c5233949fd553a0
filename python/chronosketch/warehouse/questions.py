"""What can be asked of a warehouse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from chronosketch.literals import Value, literal, text
from chronosketch.warehouse.calls import call, number
from chronosketch.warehouse.records import Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, Row, SparkSession


class Questions:
    """The questions to the warehouse in a folder: none of them changes anything."""

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
            The shares of the values at or below the answers, in [0, 1].
        accuracy : str
            ``"accurate"`` reads the few rows that leave nothing in doubt but what live rows do; ``"quick"``
            reads summaries alone.
        window : int, optional
            The last so many steps, of which what is live is the newest. `windows` lists those that are as
            exact as all steps; of others the bounds are wider.

        Returns
        -------
        DataFrame
            A row for each group and phi: the columns of `by`; phi; value, low and high, of the type of the
            values; rank_error, in ranks; count_low and count_high, of the group's rows; rows and bytes read
            and in all; version; accuracy. It keeps the version that is newest now. A condition on columns of
            `by` is met before anything is read.

        Raises
        ------
        pyspark.errors.AnalysisException
            If an argument is not one of these.
        pyspark.errors.SparkRuntimeException
            If the warehouse has had no rows yet, or is damaged.

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
        phis = f"array({', '.join(map(number, phi))})" if isinstance(phi, Iterable) else number(phi)
        return self._ask("quantile", phis, accuracy, window)

    def rank(
        self,
        value: Value | Sequence[Value],
        accuracy: Literal["accurate", "quick"] = "accurate",
        window: int | None = None,
    ) -> DataFrame:
        """Return how many values of each group are at most the one given, with bounds that always hold.

        Parameters
        ----------
        value : int, float, Decimal, date, datetime or timedelta, or a sequence of such
            Of the type of the warehouse's values, or any number for numbers.
        accuracy : str
            ``"accurate"`` reads the few rows that leave nothing in doubt but what live rows do; ``"quick"``
            reads summaries alone.
        window : int, optional
            The last so many steps, of which what is live is the newest. `windows` lists those that are as
            exact as all steps; of others the bounds are wider.

        Returns
        -------
        DataFrame
            A row for each group and value: the columns of `by`; value; rank_low and rank_high, in elements;
            and what `quantile` has from count_low on.

        Raises
        ------
        pyspark.errors.AnalysisException
            If an argument is not one of these, or no value of the warehouse can be compared with it.
        pyspark.errors.SparkRuntimeException
            If the warehouse has had no rows yet, or is damaged.
        ChronosketchError
            If a value is of none of these types.

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
        values = f"array({', '.join(map(literal, value))})" if isinstance(value, Iterable) else literal(value)
        return self._ask("rank", values, accuracy, window)

    def _ask(self, function: str, asked: str, accuracy: str, window: int | None) -> DataFrame:
        last = "NULL" if window is None else f"{int(window)}L"
        return self._spark.sql(
            f"SELECT * FROM chronosketch_warehouse_{function}({text(self.path)}, {asked}, "
            f"accuracy => {text(accuracy)}, window => {last})"
        )

    def windows(self) -> list[Window]:
        """List the windows, back from the newest step, that answers are as exact of as of all.

        While rows are live, they are the newest step.

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
        """Tell what the warehouse is, how large, and on what its commits stand.

        Examples
        --------
        >>> import tempfile
        >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", by=["service"])
        >>> [w.describe()[name] for name in ("value", "by", "runs", "rows", "commits")]
        ['latency', ['service'], 0, 0, 'files on a local disk, each linked once']
        """
        (row,) = self._call("describe")
        return row.asDict()

    def _call(self, procedure: str, **arguments: str | None) -> list[Row]:
        return call(self._spark, procedure, warehouse=text(self.path), **arguments)
