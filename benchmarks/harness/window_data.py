"""Generates rows with times as Parquet, and a window sketch per group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

GROUPS = 1_000
DAY = "2026-01-01"
_PARTS = 8


@dataclass(frozen=True)
class WindowSizes:
    """The sizes of the data.

    Attributes
    ----------
    rows : int
        Number of rows of a day, in all groups together.
    """

    rows: int

    @property
    def micros_per_row(self) -> int:
        """The microseconds between two rows."""
        return 86_400_000_000 // self.rows


class WindowData:
    """The rows as the view ``v`` and their sketches as ``s``, each created on first use."""

    def __init__(self, spark: SparkSession, folder: str, sizes: WindowSizes) -> None:
        self._spark, self._folder, self._sizes = spark, folder, sizes
        self._made: set[str] = set()

    def folder(self, name: str) -> str:
        """Return the folder of the rows; ``stored`` also creates the sketches."""
        rows = f"{self._folder}/rows.parquet"
        if "rows" not in self._made:
            self._rows().write.parquet(rows)
            self._made.add("rows")
        self._spark.read.parquet(rows).createOrReplaceTempView("v")
        if name == "stored":
            sketches = f"{self._folder}/sketches.parquet"
            if name not in self._made:
                self._spark.sql("SELECT k, window_sketch_agg(v, ts) AS w FROM v GROUP BY k").write.parquet(
                    sketches
                )
                self._made.add(name)
            self._spark.read.parquet(sketches).createOrReplaceTempView("s")
        return rows

    def _rows(self) -> DataFrame:
        made = self._spark.range(0, self._sizes.rows, 1, _PARTS)
        return made.selectExpr(
            f"CAST(pmod(xxhash64(id), {GROUPS}) AS INT) AS k",
            f"timestamp_micros(unix_micros(TIMESTAMP'{DAY}') + id * {self._sizes.micros_per_row}) AS ts",
            "exp(randn(42)) AS v",
        )
