"""Generates rows of an hour as Parquet, sorted by time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FEW, MANY = 10, 10_000
HOUR = "2026-01-01 00:00:00"
_MICROS = 3_600_000_000
_FILES = 8


class HoppingData:
    """The rows as the view ``v``: a column of keys for each number of keys, the time, and a lognormal value."""

    def __init__(self, spark: SparkSession, folder: str, rows: int) -> None:
        self._spark, self._folder, self._rows = spark, folder, rows
        self._is_made = False

    def folder(self, name: str) -> str:
        """Return the folder of the only data set."""
        files = f"{self._folder}/{name}.parquet"
        if not self._is_made:
            self._spark.range(0, self._rows, 1, _FILES).selectExpr(
                f"CAST(pmod(xxhash64(id), {FEW}) AS INT) AS few",
                f"CAST(pmod(xxhash64(id), {MANY}) AS INT) AS many",
                f"timestamp_micros(unix_micros(TIMESTAMP'{HOUR}') + id * {_MICROS} div {self._rows}) AS ts",
                "exp(randn(42)) AS v",
            ).write.parquet(files)
            self._is_made = True
        self._spark.read.parquet(files).createOrReplaceTempView("v")
        return files
