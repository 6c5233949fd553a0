"""Generates the rows for sliding frames by seeds, as Parquet, in order of time or shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PARTITIONS = 100
_PARTS = 8


@dataclass(frozen=True)
class SlidingSizes:
    """The sizes of the data of a run, which all follow from the number of rows.

    Attributes
    ----------
    rows : int
        Number of rows of the table of 100 partitions.
    """

    rows: int

    @property
    def one(self) -> int:
        """The rows of the table of a single partition."""
        return 4 * self.rows

    @property
    def tiny(self) -> int:
        """The rows of the table with about as many partitions as rows."""
        return max(1, self.rows // 5)

    @property
    def slow(self) -> int:
        """The rows for contestants that take a tenth of a millisecond per row: whole partitions."""
        return max(1, self.rows // 10)


class SlidingData:
    """Parquet files in a folder, each written on first use."""

    def __init__(self, spark: SparkSession, folder: str, sizes: SlidingSizes) -> None:
        self._spark, self._folder, self._sizes = spark, folder, sizes
        self._made: set[str] = set()

    def folder(self, name: str) -> str:
        """Return the folder of a data set, for other engines; Spark gets it as the view `v`."""
        path = f"{self._folder}/{name}.parquet"
        if name not in self._made:
            self._make(name).write.parquet(path)
            self._made.add(name)
        self._spark.read.parquet(path).createOrReplaceTempView("v")
        return path

    def _make(self, name: str) -> DataFrame:
        sizes = self._sizes
        if name == "one":
            return self._rows(sizes.one, "0")
        if name == "one-shuffled":
            return _shuffled(self._rows(sizes.one, "0"))
        if name == "tiny":
            return self._rows(sizes.tiny, f"CAST(pmod(xxhash64(id), {sizes.tiny}) AS INT)")
        if name == "slow":
            return self._rows(sizes.slow, f"CAST(id % {PARTITIONS // 10} AS INT)")
        ordered = self._rows(sizes.rows, f"CAST(id % {PARTITIONS} AS INT)")
        return ordered if name == "ordered" else _shuffled(ordered)

    def _rows(self, rows: int, key: str) -> DataFrame:
        # The number of parts is part of the seed: randn numbers its rows part by part.
        made = self._spark.range(0, rows, 1, _PARTS)
        return made.selectExpr(f"{key} AS k", "id AS t", "exp(randn(42)) AS v")


def _shuffled(ordered: DataFrame) -> DataFrame:
    shuffled = ordered.selectExpr("*", "xxhash64(t) AS place").repartition(_PARTS, "place")
    return shuffled.sortWithinPartitions("place", "t").select("k", "t", "v")
