"""A history and a stream beside it, of the paper's shapes of data, and how far answers about both are off."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import chronosketch as cs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

# The paper's data sets (§3.1) as Spark's SQL. The last two stand in for traces that are not to be had: sizes of pages that are served,
# with many ties, and pairs of addresses, some of which come often.
DATA = {
    "uniform": "CAST(1e8 + rand({seed}) * 9e8 AS BIGINT)",
    "normal": "CAST(1e8 + randn({seed}) * 1e7 AS BIGINT)",
    "Wikipedia-like": "CAST(exp(8.5 + 1.6 * randn({seed})) AS BIGINT)",
    "network-like": "abs(xxhash64(CAST(exp(rand({seed}) * ln(1000001)) AS INT)))",
}
PHIS = [round(0.05 * i, 2) for i in range(1, 20)]


def step_of(spark: SparkSession, data: str, step: int, rows: int) -> DataFrame:
    """Return the rows of a step: the same for the same numbers."""
    return spark.range(0, rows, 1, 2).selectExpr(f"{DATA[data].format(seed=1000 + step)} AS v")


class History:
    """Steps of rows in a warehouse, and one more that a stream has brought.

    Attributes
    ----------
    seconds : float
        What the appends took, with their merges.
    rows : DataFrame
        All of them.
    """

    def __init__(
        self, spark: SparkSession, folder: str, data: str, rows: int, steps: int, epsilon: float, kappa: int
    ) -> None:
        each = rows // (steps + 1)
        self.warehouse = cs.warehouse.create(
            spark, f"{folder}/warehouse", value="v", epsilon=epsilon, kappa=kappa
        )
        self.seconds = 0.0
        for step in range(steps):
            made = step_of(spark, data, step, each)
            self.seconds += timed(lambda made=made: self.warehouse.append(made))
        live = step_of(spark, data, steps, each)
        live.write.parquet(f"{folder}/stream")
        source = spark.readStream.schema("v BIGINT").parquet(f"{folder}/stream")
        query = self.warehouse.attach(
            source, checkpoint=f"{folder}/checkpoint", trigger={"availableNow": True}
        )
        query.awaitTermination()
        self.warehouse.register("measured")
        files = spark.sql("SELECT explode(files) FROM measured_runs").collect()
        history = spark.read.parquet(*(row[0] for row in files))
        self.rows = history.union(spark.read.parquet(f"{folder}/stream"))

    @property
    def memory(self) -> int:
        """The bytes of all summaries."""
        return int(
            self.rows.sparkSession.sql("SELECT sum(length(sketch)) FROM measured_summaries").first()[0]
        )


def timed(body) -> float:
    """Return the seconds of a call."""
    started = perf_counter()
    body()
    return perf_counter() - started


def relative_errors(rows: DataFrame, answers: Sequence[int], phis: Sequence[float] = PHIS) -> list[float]:
    """Return the ranks that each answer is off, as a share of the rank asked for, as the paper has it."""
    below = [
        f"count_if(v < {value}) AS b{i}, count_if(v <= {value}) AS a{i}" for i, value in enumerate(answers)
    ]
    row = rows.selectExpr("count(*) AS n", *", ".join(below).split(", ")).first()
    errors = []
    for i, phi in enumerate(phis):
        rank = max(1, -int(-round(phi * row.n, 6) // 1))
        errors.append(max(0, rank - row[f"a{i}"], row[f"b{i}"] + 1 - rank) / rank)
    return errors
