"""Builds a warehouse with a stream of live rows, from data like the paper's, and computes errors of answers."""

from __future__ import annotations

import tempfile
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import chronosketch as cs
import numpy as np
from pyarrow.parquet import read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

# The paper's data sets (§3.1) as Spark's SQL. The last two replace traces that are not available: sizes of served pages, with many
# ties, and pairs of addresses, some of which are frequent.
DATA = {
    "uniform": "CAST(1e8 + rand({seed}) * 9e8 AS BIGINT)",
    "normal": "CAST(1e8 + randn({seed}) * 1e7 AS BIGINT)",
    "Wikipedia-like": "CAST(exp(8.5 + 1.6 * randn({seed})) AS BIGINT)",
    "network-like": "abs(xxhash64(CAST(exp(rand({seed}) * ln(1000001)) AS INT)))",
}
PHIS = [round(0.05 * i, 2) for i in range(1, 20)]
MEMORIES = {"64k": 1 << 16, "256k": 1 << 18, "1m": 1 << 20}
MEMORY = "256k"
_SEED = 1000


class Steps:
    """Rows of a data set as Parquet, one file per step, written once. Equal arguments give equal rows.

    Attributes
    ----------
    files : list of Path
        The files in the order of the steps.
    """

    def __init__(self, spark: SparkSession, folder: str, data: str, each: int, steps: int) -> None:
        self._spark = spark
        place = Path(folder)
        # a partition is a file, and has its own random numbers
        rows = spark.range(0, each * steps, 1, steps).selectExpr(f"{DATA[data].format(seed=_SEED)} AS v")
        rows.write.parquet(str(place))
        self.files = sorted(place.glob("part-*.parquet"))
        assert len(self.files) == steps

    def frame(self, first: int, until: int) -> DataFrame:
        """Return the rows of some steps."""
        return self._spark.read.schema("v BIGINT").parquet(*(str(file) for file in self.files[first:until]))

    def values(self, first: int, until: int) -> np.ndarray:
        """Return the values of some steps, sorted."""
        found = [read_table(file)["v"].to_numpy() for file in self.files[first:until]]
        return np.sort(np.concatenate(found))


class History:
    """A warehouse with appended steps of rows, and more rows from a stream.

    Parameters
    ----------
    spark : SparkSession
        A classic session.
    folder : str
        The folder for the warehouse and the stream's checkpoint.
    settings : Any
        Settings of the warehouse: `memory` and `steps`, or `epsilon`; `kappa`.

    Attributes
    ----------
    seconds : list of float
        The seconds of each append with its merges.
    """

    def __init__(self, spark: SparkSession, folder: str, **settings: Any) -> None:
        self._spark, self._folder = spark, folder
        self.warehouse = cs.warehouse.create(spark, f"{folder}/warehouse", value="v", **settings)
        self.seconds: list[float] = []

    def append(self, steps: Steps, first: int, until: int) -> None:
        """Append the steps [first, until)."""
        for step in range(first, until):
            rows = steps.frame(step, step + 1)
            self.seconds.append(timed(lambda rows=rows: self.warehouse.append(rows)))

    def live(self, steps: Steps, first: int, until: int) -> None:
        """Stream the rows of the steps [first, until) as one batch."""
        stream = Path(self._folder) / "stream"
        stream.mkdir()
        for file in steps.files[first:until]:
            (stream / file.name).hardlink_to(file)
        source = self._spark.readStream.schema("v BIGINT").parquet(str(stream))
        query = self.warehouse.attach(
            source, checkpoint=f"{self._folder}/checkpoint", trigger={"availableNow": True}
        )
        query.awaitTermination()

    def answers(self, accuracy: str = "accurate") -> list[int]:
        """Return the quantiles at PHIS."""
        return [row.value for row in self.warehouse.quantile(PHIS, accuracy).orderBy("phi").collect()]

    @property
    def memory(self) -> int:
        """The bytes of all summaries."""
        return int(self.warehouse.describe()["summary_bytes"])


def build_history(
    spark: SparkSession, folder: str, taken: Steps, count: int, live: int = 1, **settings: Any
) -> History:
    """Return a history of some steps, with some more steps live."""
    history = History(spark, folder, **settings)
    history.append(taken, 0, count)
    history.live(taken, count, count + live)
    return history


def warm_up(spark: SparkSession, folder: str, steps: Steps) -> None:
    """Append, merge, attach and query once, so that JIT compilation does not count as the cost of a step."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        history = build_history(spark, own, steps, min(4, len(steps.files) - 1), memory=MEMORY, kappa=1)
        history.answers()
        history.answers("quick")


def median_cost(history: History, rounds: int, window: int | None = None) -> dict[str, Any]:
    """Measure the time and the reads of an accurate median, after a first query that does not count."""
    one = history.warehouse.quantile(0.5, window=window)
    seconds = [timed(one.collect) for _ in range(rounds + 1)][1:]
    row = one.first()
    assert row is not None
    return {
        "query_seconds": seconds,
        "rows_read": row.rows_read,
        "bytes_read": row.bytes_read,
        "rows_total": row.rows_total,
    }


def timed(body: Callable[[], object]) -> float:
    """Return the seconds of a call."""
    started = perf_counter()
    body()
    return perf_counter() - started


def relative_errors(values: np.ndarray, answers: Sequence[int], phis: Sequence[float] = PHIS) -> list[float]:
    """Return the rank errors of the answers, relative to the target ranks as in the paper. `values` are all, sorted."""
    below = np.searchsorted(values, answers, side="left")
    upto = np.searchsorted(values, answers, side="right")
    errors = []
    for phi, less, most in zip(phis, below.tolist(), upto.tolist(), strict=True):
        rank = max(1, ceil(round(phi * len(values), 6)))
        errors.append(max(0, rank - most, less + 1 - rank) / rank)
    return errors
