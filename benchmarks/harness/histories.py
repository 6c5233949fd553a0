"""The figures of histories in Spark: querying a version compared with time travel, building with a sort."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from harness.figures import SCALE, Figure, Pair
from harness.rounds import log_progress

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
    """The sizes of the data.

    Attributes
    ----------
    rows : int
        Number of rows with validity intervals, and approximate number of rows of the table at each version.
    versions : int
        Number of versions of the table.
    """

    rows: int
    versions: int

    @property
    def rows_per_batch(self) -> int:
        """The number of rows that one version adds or removes."""
        return self.rows // self.versions


class HistoryData:
    """The rows as the view ``v``, the table ``orders`` and its ``histories``, each created on first use.

    A folder of an earlier run with the same sizes is reused.

    Attributes
    ----------
    build_seconds : dict
        The seconds that creating the table and the histories took.
    """

    def __init__(self, spark: SparkSession, folder: str, sizes: HistorySizes) -> None:
        self._spark, self._folder, self._sizes = spark, folder, sizes
        self._note = Path(folder) / "made.json"
        noted = json.loads(self._note.read_text("utf-8")) if self._note.exists() else {}
        self.build_seconds: dict[str, float] = (
            noted.get("seconds", {}) if noted.get("of") == asdict(sizes) else {}
        )

    def folder(self, name: str) -> str:
        """Return the folder of the rows, or of the histories of the table."""
        if name == "versions":
            return self._histories()
        rows = f"{self._folder}/rows.parquet"
        self._make("rows", lambda: self._rows().write.mode("overwrite").parquet(rows))
        self._spark.read.parquet(rows).createOrReplaceTempView("v")
        return rows

    def _make(self, what: str, making: Callable[[], None]) -> None:
        if what not in self.build_seconds:
            started = perf_counter()
            making()
            self.build_seconds[what] = round(perf_counter() - started, 1)
            text = json.dumps({"of": asdict(self._sizes), "seconds": self.build_seconds})
            self._note.write_text(text, encoding="utf-8")

    def _rows(self) -> DataFrame:
        """Make rows of a year in random order, valid for a month on average; one in twenty is still valid."""
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
        """Insert a batch at one version and delete it at another. A batch is whole files, so that deletes are fast."""
        sizes = self._sizes
        self._spark.sql(
            "CREATE TABLE orders (batch INT, region INT, amount INT) USING delta PARTITIONED BY (batch) "
            f"LOCATION '{self._folder}/orders' TBLPROPERTIES (delta.enableChangeDataFeed = true)"
        )
        self._batches(0, sizes.versions).write.format("delta").mode("append").saveAsTable("orders")
        # version 0 created the table, and version 1 filled it
        for version in range(2, sizes.versions):
            if version % 2 == 0:
                self._batches(sizes.versions + version // 2, 1).write.format("delta").mode(
                    "append"
                ).saveAsTable("orders")
            else:
                self._spark.sql(f"DELETE FROM orders WHERE batch = {version // 2}")
            if version % 20 == 0:
                log_progress(f"version {version}")

    def _batches(self, first: int, batches: int) -> DataFrame:
        """Return batches of amounts in cents, which increase from batch to batch."""
        rows = self._sizes.rows_per_batch
        made = self._spark.range(first * rows, (first + batches) * rows, 1, batches)
        return made.selectExpr(
            f"CAST(id DIV {rows} AS INT) AS batch",
            f"CAST(pmod(xxhash64(id), {REGIONS}) AS INT) AS region",
            f"CAST(exp(randn(42 + {first})) * (5000 + 20 * (id DIV {rows})) AS INT) AS amount",
        )


# The accuracy of percentile_approx for ε = 0.01.
ACCURACY = 100

ONE, ALL = "one version of stored histories", "all versions of stored histories"
APPROX, DEFAULT = "VERSION AS OF, percentile_approx(100)", "VERSION AS OF, percentile_approx"
DISC, OURS = "VERSION AS OF, percentile_disc", "VERSION AS OF, approx_quantile"
TRAVELS = (APPROX, DEFAULT, DISC, OURS)

BUILD, SORT, MAX = "history_sketch_agg, until", "sort", "max"


def as_of_figure(sizes: HistorySizes) -> Figure:
    """Compute p99 of each region, at the middle version and at all versions."""
    middle = sizes.versions // 2

    def travel(aggregate: str) -> str:
        return f"SELECT region, {aggregate} FROM orders VERSION AS OF {middle} GROUP BY region"

    calendar = f"(SELECT explode(sequence(1, {sizes.versions - 1})) AS version)"
    texts = (
        (ONE, f"SELECT region, sketch_quantile(sketch_at_version(h, {middle}), 0.99) FROM histories"),
        (
            ALL,
            "SELECT region, version, sketch_quantile(sketch_at_version(h, version), 0.99) "
            f"FROM histories CROSS JOIN {calendar}",
        ),
        (APPROX, travel(f"percentile_approx(amount, 0.99, {ACCURACY})")),
        (DEFAULT, travel("percentile_approx(amount, 0.99)")),
        (DISC, travel("percentile_disc(0.99) WITHIN GROUP (ORDER BY amount)")),
        (OURS, travel("approx_quantile(amount, 0.99, 0.01)")),
    )
    pairs = tuple(Pair(ONE, travelled) for travelled in TRAVELS)
    title = f"{REGIONS} groups, one version"
    return Figure("as-of", title, "versions", sizes.rows, "{0}", pairs, scale=(ALL,), texts=texts)


def build_figure(sizes: HistorySizes) -> Figure:
    """Build histories of rows with validity intervals."""
    texts = (
        (BUILD, "SELECT k, history_sketch_agg(v, valid_from, until => valid_to) FROM v GROUP BY k"),
        (SORT, "SELECT * FROM v DISTRIBUTE BY k SORT BY k, valid_from"),
        (MAX, "SELECT k, max(v), max(valid_from), max(valid_to) FROM v GROUP BY k"),
    )
    pairs = (Pair(BUILD, SORT, 1 / 1.5, kind=SCALE), Pair(BUILD, MAX, kind=SCALE))
    return Figure("build", f"{GROUPS} groups, histories", "rows", sizes.rows, "{0}", pairs, texts=texts)
