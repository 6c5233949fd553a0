"""Where warehouses come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from chronosketch.errors import ChronosketchError
from chronosketch.literals import text
from chronosketch.warehouse.calls import call, number
from chronosketch.warehouse.warehouse import Warehouse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession


def create(
    spark: SparkSession,
    path: str,
    *,
    value: str,
    by: Sequence[str] = (),
    epsilon: float | None = None,
    memory: str | int | None = None,
    steps: int = 10_000,
    kappa: int = 10,
    if_not_exists: bool = False,
    store: Literal["files", "delta"] = "files",
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
    epsilon : float, optional
        The rank error allowed to quick answers, as a share of the rows, in [0.000001, 0.5]. 0.001 where
        neither it nor `memory` is given.
    memory : str or int, optional
        What all summaries together may take, in bytes or as in ``"256m"``, in place of `epsilon`: answers are
        as close as they can be then. Half goes to runs and half to what is live. Where groups are so many
        that the coarsest summaries don't fit, they take more.
    steps : int
        How many steps share the memory at most: few runs are there at once, so ten times as many steps take
        little more.
    kappa : int
        How many runs a level has at most, in [1, 1000]: more of them are merged into one of the next level.
    if_not_exists : bool
        Whether a warehouse that is there already, and is the same in all this, is opened.
    store : str
        What keeps the manifest: ``"files"``, or ``"delta"``, which is a Delta table. Choose Delta where the
        object store has no conditional put; every session that opens the warehouse needs Delta Lake then.
        `open` finds out by itself.

    Returns
    -------
    Warehouse
        The warehouse, without rows.

    Raises
    ------
    pyspark.errors.SparkRuntimeException
        If there is a warehouse already, and another one where `if_not_exists` is set; or an argument is out
        of its range, or `store` is neither; or it is ``"delta"`` and the session has no Delta Lake; or both
        `epsilon` and `memory` are given.
    ChronosketchError
        If `by` is a str.

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
    if isinstance(by, str):
        raise ChronosketchError(f"by is {by!r}, which is no list: write by=[{by!r}].")
    names = ", ".join(text(name) for name in by)
    (row,) = call(
        spark,
        "create",
        warehouse=text(path),
        value=text(value),
        by=f"array({names})" if by else None,
        epsilon=None if epsilon is None else number(epsilon),
        memory=None if memory is None else text(str(memory)),
        steps=f"{int(steps)}L",
        kappa=str(int(kappa)),
        if_not_exists="true" if if_not_exists else None,
        store=text(store),
    )
    return Warehouse(spark, str(row[0]))


def open(spark: SparkSession, path: str) -> Warehouse:  # noqa: A001
    """Open the warehouse in a folder, or of a name.

    Parameters
    ----------
    spark : SparkSession
        Classic or Connect.
    path : str
        The folder, as given to `create`, or a name that `Warehouse.register` gave it in this session.

    Returns
    -------
    Warehouse
        The warehouse as it is, whoever else writes to it.

    Raises
    ------
    pyspark.errors.SparkRuntimeException
        If there is none in this folder or of this name.

    Examples
    --------
    >>> import tempfile
    >>> made = cs.warehouse.create(spark, tempfile.mkdtemp(), value="latency")
    >>> cs.warehouse.open(spark, made.path).describe()["value"]
    'latency'
    """
    return Warehouse(spark, str(Warehouse(spark, path).describe()["warehouse"]))
