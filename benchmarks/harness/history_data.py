"""Rows that hold for a time, and a Delta table of many versions with its stored histories."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from harness.rounds import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

GROUPS = 1_000
REGIONS = 10
_PARTS = 8
_YEAR = 365 * 86_400
_START = "TIMESTAMP'2025-01-01'"


@dataclass(frozen=True)
class HistorySizes:
    """How large the data is.

    Attributes
    ----------
    rows : int
        Rows that hold for a time; and rows of the table at each of its versions, about.
    versions : int
        Of the table.
    """

    rows: int
    versions: int

    @property
    def rows_a_batch(self) -> int:
        """What one version adds or removes."""
        return self.rows // self.versions


class HistoryData:
    """The rows as the view ``v``, the table ``orders`` and its ``histories``, each made when it is first asked for.

    A folder that a run of the same sizes has left is used as it is.

    Attributes
    ----------
    made_in : dict
        The seconds that the table and the histories took.
    """

    def __init__(self, spark: SparkSession, folder: str, sizes: HistorySizes) -> None:
        self._spark, self._folder, self._sizes = spark, folder, sizes
        self._note = Path(folder) / "made.json"
        noted = json.loads(self._note.read_text("utf-8")) if self._note.exists() else {}
        self.made_in: dict[str, float] = noted.get("seconds", {}) if noted.get("of") == asdict(sizes) else {}

    def folder(self, name: str) -> str:
        """Return where the rows are, or where the histories of the table are."""
        if name == "versions":
            return self._histories()
        rows = f"{self._folder}/rows.parquet"
        self._make("rows", lambda: self._rows().write.mode("overwrite").parquet(rows))
        self._spark.read.parquet(rows).createOrReplaceTempView("v")
        return rows

    def _make(self, what: str, making: Callable[[], None]) -> None:
        if what not in self.made_in:
            started = perf_counter()
            making()
            self.made_in[what] = round(perf_counter() - started, 1)
            text = json.dumps({"of": asdict(self._sizes), "seconds": self.made_in})
            self._note.write_text(text, encoding="utf-8")

    def _rows(self) -> DataFrame:
        """Make rows of a year in no order; they hold for a month on average, one in twenty still does."""
        made = self._spark.range(0, self._sizes.rows, 1, _PARTS)
        placed = made.selectExpr(
            f"CAST(pmod(xxhash64(id), {GROUPS}) AS INT) AS k",
            "exp(randn(42)) AS v",
            f"timestamp_micros(unix_micros({_START}) + CAST(rand(1) * {_YEAR}e6 AS BIGINT)) AS valid_from",
            "CAST(-ln(1 - rand(2)) * 30 * 86400e6 AS BIGINT) AS micros",
            "rand(3) < 0.05 AS is_open",
        )
        until = "IF(is_open, NULL, timestamp_micros(unix_micros(valid_from) + micros)) AS valid_to"
        return placed.selectExpr("k", "v", "valid_from", until)

    def _histories(self) -> str:
        stored = f"{self._folder}/histories.parquet"
        self._make("table", self._table)
        self._spark.sql(f"CREATE TABLE IF NOT EXISTS orders USING delta LOCATION '{self._folder}/orders'")
        change = "IF(_change_type IN ('insert', 'update_postimage'), 1, -1)"
        history = self._spark.sql(
            f"SELECT region, history_sketch_agg(amount, _commit_version, {change}) AS h "
            "FROM table_changes('orders', 0) GROUP BY region"
        )
        self._make("histories", lambda: history.write.mode("overwrite").parquet(stored))
        self._spark.read.parquet(stored).createOrReplaceTempView("histories")
        return stored

    def _table(self) -> None:
        """Make batches that come at one version and go at another: what goes is whole files, for speed."""
        sizes = self._sizes
        self._spark.sql(
            "CREATE TABLE orders (batch INT, region INT, amount INT) USING delta PARTITIONED BY (batch) "
            f"LOCATION '{self._folder}/orders' TBLPROPERTIES (delta.enableChangeDataFeed = true)"
        )
        self._batches(0, sizes.versions).write.format("delta").mode("append").saveAsTable("orders")
        # the table was created by version 0 and filled by version 1
        for version in range(2, sizes.versions):
            if version % 2 == 0:
                self._batches(sizes.versions + version // 2, 1).write.format("delta").mode(
                    "append"
                ).saveAsTable("orders")
            else:
                self._spark.sql(f"DELETE FROM orders WHERE batch = {version // 2}")
            if version % 20 == 0:
                say(f"version {version}")

    def _batches(self, first: int, batches: int) -> DataFrame:
        """Whole cents, dearer from batch to batch."""
        rows = self._sizes.rows_a_batch
        made = self._spark.range(first * rows, (first + batches) * rows, 1, batches)
        return made.selectExpr(
            f"CAST(id DIV {rows} AS INT) AS batch",
            f"CAST(pmod(xxhash64(id), {REGIONS}) AS INT) AS region",
            f"CAST(exp(randn(42 + {first})) * (5000 + 20 * (id DIV {rows})) AS INT) AS amount",
        )
