"""Warehouses: sorted rows in a folder, whose quantiles are answered from summaries and a few of the rows.

>>> w = cs.warehouse.create(spark, "/data/latencies", value="latency", by=["service"])  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from uuid import uuid4

from chronosketch.errors import ChronosketchError
from chronosketch.literals import Value, literal, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, Row, SparkSession

__all__ = ["Appended", "Warehouse", "Window", "create", "open"]

# Where SQL finds the procedures, and what answers there.
CATALOG = "spark.sql.catalog.chronosketch"
CATALOG_CLASS = "chronosketch.spark.warehouse.call.WarehouseCatalog"


class Appended(NamedTuple):
    """What an append did; rows with a NULL value were counted and left out."""

    step: int
    rows: int
    nulls: int
    version: int
    is_new: bool


class Window(NamedTuple):
    """The last `steps` steps, from the first of them to the last, and their rows."""

    steps: int
    first_step: int
    last_step: int
    rows: int


class Warehouse:
    """Sorted rows in a folder: one run of files a step, summaries beside them, and one manifest.

    Everything goes through SQL, so that classic sessions and Connect do the same. Make one with `create` or
    `open`.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self.path = path

    def __repr__(self) -> str:
        return f"Warehouse({self.path!r})"

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
            ``"accurate"`` reads the few rows that leave nothing in doubt; ``"quick"`` reads summaries alone.
        window : int, optional
            The last so many steps. `windows` lists those that are exact; of others the bounds are wider.

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
        phis = f"array({', '.join(map(_number, phi))})" if isinstance(phi, Iterable) else _number(phi)
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
            ``"accurate"`` reads the few rows that leave nothing in doubt; ``"quick"`` reads summaries alone.
        window : int, optional
            The last so many steps. `windows` lists those that are exact; of others the bounds are wider.

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
        """List the windows, back from the newest step, that answers are exact of.

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

    def compact(self) -> int:
        """Merge the runs of each level that has more than kappa, and return how many were merged.

        An append does so by itself: this is for what a writer that stopped has left undone.

        Examples
        --------
        >>> import tempfile
        >>> cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency").compact()
        0
        """
        (row,) = self._call("compact")
        return int(row[0])

    def vacuum(self, grace: str = "1 day") -> int:
        """Delete what no version needs that was current within `grace` back from now; return how many runs.

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
        return _call(self._spark, procedure, warehouse=text(self.path), **arguments)


def create(
    spark: SparkSession,
    path: str,
    *,
    value: str,
    by: Sequence[str] = (),
    epsilon: float = 0.001,
    kappa: int = 10,
) -> Warehouse:
    """Make an empty warehouse in a folder that has none.

    Parameters
    ----------
    spark : SparkSession
        Classic or Connect.
    path : str
        The folder, on any file system that Spark reads.
    value : str
        The column that is measured: a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or INTERVAL.
    by : sequence of str
        The columns that rows are grouped by.
    epsilon : float
        The rank error allowed to quick answers, as a share of the rows, in [0.000001, 0.5].
    kappa : int
        How many runs a level has at most, in [1, 1000]: more of them are merged into one of the next level.

    Returns
    -------
    Warehouse
        The warehouse, without rows.

    Raises
    ------
    pyspark.errors.SparkRuntimeException
        If there is a warehouse already, or an argument is out of its range.
    ChronosketchError
        If `by` is a str.

    Examples
    --------
    >>> import tempfile
    >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", by=["service"], epsilon=0.01)
    >>> w.describe()["epsilon"]
    0.01
    """
    if isinstance(by, str):
        raise ChronosketchError(f"by is {by!r}, which is no list: write by=[{by!r}].")
    names = ", ".join(text(name) for name in by)
    (row,) = _call(
        spark,
        "create",
        warehouse=text(path),
        value=text(value),
        by=f"array({names})" if by else None,
        epsilon=_number(epsilon),
        kappa=str(int(kappa)),
    )
    return Warehouse(spark, str(row[0]))


def open(spark: SparkSession, path: str) -> Warehouse:  # noqa: A001
    """Open the warehouse in a folder.

    Parameters
    ----------
    spark : SparkSession
        Classic or Connect.
    path : str
        The folder, as given to `create`.

    Returns
    -------
    Warehouse
        The warehouse as it is, whoever else writes to it.

    Raises
    ------
    pyspark.errors.SparkRuntimeException
        If there is none in this folder.

    Examples
    --------
    >>> import tempfile
    >>> made = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency")
    >>> cs.warehouse.open(spark, made.path).describe()["value"]
    'latency'
    """
    warehouse = Warehouse(spark, path)
    warehouse.describe()
    return warehouse


def _call(spark: SparkSession, procedure: str, **arguments: str | None) -> list[Row]:
    # A session that was attached, or whose server was started by others, has no such catalog yet.
    if spark.conf.get(CATALOG, None) is None:
        spark.conf.set(CATALOG, CATALOG_CLASS)
    given = ", ".join(f"{name} => {value}" for name, value in arguments.items() if value is not None)
    return spark.sql(f"CALL chronosketch.`{procedure}`({given})").collect()


def _number(value: Any) -> str:
    return repr(value) if isinstance(value, int) else repr(float(value))
