"""Create or open a warehouse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from chronosketch.columns import listed_columns
from chronosketch.procedures import call, number
from chronosketch.sql_text import text, whole
from chronosketch.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession


def create(
    spark: SparkSession,
    path: str,
    *,
    value: str,
    by: str | Sequence[str] = (),
    epsilon: float | None = None,
    memory: str | int | None = None,
    steps: int = 10_000,
    kappa: int = 10,
    if_not_exists: bool = False,
    store: Literal["files", "delta"] = "files",
) -> Warehouse:
    """Create an empty warehouse in a folder that has none.

    Parameters
    ----------
    spark : SparkSession
        A classic or a Connect session.
    path : str
        The folder, on any file system that Spark reads.
    value : str
        The column that is measured: a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or INTERVAL.
    by : str or sequence of str
        The columns to group by.
    epsilon : float, optional
        The rank error that you allow for quick answers, as a share of the rows, from 0.000001 to 0.5. It is
        0.001 if you give neither `epsilon` nor `memory`.
    memory : str or int, optional
        How much memory all summaries together may take: a number of bytes, or text such as ``"256m"``. Give
        it in place of `epsilon`. Answers are then as close as that memory allows. Half goes to runs and half
        to live rows. If even the coarsest summaries of all groups don't fit, they take more.
    steps : int, default 10_000
        The largest number of steps that share the memory. Few runs exist at once, so ten times as many steps
        take little more memory.
    kappa : int, default 10
        The largest number of runs on one level, from 1 to 1000. When there are more, they are merged into one
        run of the next level.
    if_not_exists : bool, default False
        If True, a warehouse that is already there is opened. It must have the same columns, epsilon, kappa
        and store.
    store : {"files", "delta"}
        What keeps the manifest. ``"delta"`` keeps it in a Delta table. Choose it if your object store has no
        conditional put. Every session that opens the warehouse needs Delta Lake then. `open` finds out
        which store it is.

    Returns
    -------
    Warehouse
        The warehouse. It has no rows yet.

    Raises
    ------
    pyspark.errors.SparkRuntimeException
        If the folder already has a warehouse (with `if_not_exists`: a different one), an argument is out of
        its range, both `epsilon` and `memory` are given, or `store` is ``"delta"`` and the session has no
        Delta Lake. The message says what to change.
    ChronosketchError
        If `steps` or `kappa` is not a whole number, or a name or a path is not text.

    Examples
    --------
    >>> import tempfile
    >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", by=["service"], epsilon=0.01)
    >>> w.describe()["epsilon"]
    0.01
    >>> w = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency", memory="1m")
    >>> w.describe()["memory"]
    1048576
    """
    columns = listed_columns("by", by, "['host']", (str,))
    names = ", ".join(text(name) for name in columns)
    (row,) = call(
        spark,
        "create",
        warehouse=text(path),
        value=text(value),
        by=f"array({names})" if columns else None,
        epsilon=None if epsilon is None else number(epsilon),
        memory=None if memory is None else text(str(memory)),
        steps=f"{whole('steps', steps)}L",
        kappa=str(whole("kappa", kappa)),
        if_not_exists="true" if if_not_exists else None,
        store=text(store),
    )
    return Warehouse(spark, str(row[0]))


def open(spark: SparkSession, path: str) -> Warehouse:  # noqa: A001
    """Open the warehouse in a folder, or of a registered name.

    Parameters
    ----------
    spark : SparkSession
        A classic or a Connect session.
    path : str
        The folder that `create` was given, or a name that `Warehouse.register` gave the warehouse in this
        session.

    Returns
    -------
    Warehouse
        The warehouse. Others may read it and write to it at the same time.

    Raises
    ------
    pyspark.errors.SparkRuntimeException
        If there is no warehouse in this folder or of this name. Check the path, or create one there first.

    Examples
    --------
    >>> import tempfile
    >>> made = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency")
    >>> cs.warehouse.open(spark, made.path).describe()["value"]
    'latency'
    """
    return Warehouse(spark, str(Warehouse(spark, path).describe()["warehouse"]))
