"""Measures the state per key of a stream with hopping windows: Spark's aggregation, two chained ones, and panes.

``python benchmarks/spark_hopping_state.py``. It needs no files: values and times are computed from a range. It writes
``benchmarks/results/spark_hopping_state.json`` and ``.md``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.results import RESULTS, footer, provenance
from harness.rounds import log_progress
from harness.sessions import start
from harness.spread import spaced
from pyspark.sql.types import BinaryType, StringType, StructType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

SIZE, SLIDE = 600, 10  # seconds: windows of 60 panes
BATCHES = 3
FIRST = 1_767_225_600  # 2026-01-01
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SCHEMA = "host STRING, ts TIMESTAMP, latency DOUBLE"

SPARK, CHAINED, PANES = "one aggregation", "two aggregations", "panes a key"


@dataclass(frozen=True)
class Case:
    """A case: the number of keys, the rows of each per ten seconds, and the duration."""

    keys: int
    rows: int
    seconds: int
    epsilon: float

    def arrive(self, spark: SparkSession, folder: str) -> None:
        """Write the rows, one file per batch."""
        each = self.seconds // BATCHES
        a_second = self.keys * self.rows // SLIDE
        for batch in range(BATCHES):
            made = spark.range(batch * each * a_second, (batch + 1) * each * a_second, 1, 1).selectExpr(
                f"format_string('web-%04d', id % {self.keys}) AS host",
                f"timestamp_seconds({FIRST} + id DIV {a_second}) AS ts",
                "exp(CAST(xxhash64(id) AS DOUBLE) / 3e18) AS latency",
            )
            made.write.mode("append").parquet(folder)

    def query(self, contestant: str) -> str:
        """Return the query of a contestant over a stream."""
        agg = f"quantile_sketch_agg(latency, {self.epsilon!r}D) AS s"
        hop = f"'{SIZE} seconds', '{SLIDE} seconds'"
        by_pane = f"SELECT host, window(ts, '{SLIDE} seconds') AS pane, {agg} FROM stream GROUP BY 1, 2"
        return {
            SPARK: f"SELECT host, window(ts, {hop}) AS window, {agg} FROM stream GROUP BY 1, 2",
            CHAINED: f"SELECT host, window(pane, {hop}) AS window, sketch_merge_agg(s) AS s FROM ({by_pane}) GROUP BY 1, 2",
            PANES: "SELECT * FROM hopping_sketch(TABLE(stream), event_time => 'ts', "
            f"size => '{SIZE} seconds', slide => '{SLIDE} seconds', by => array('host'), aggs => array('{agg}'))",
        }[contestant]


def main() -> None:
    """Run the cases, print and store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=20, help="of panes of 100 rows")
    parser.add_argument(
        "--saturated-rows", type=int, default=20_000, help="of a pane of the last case's one key"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="the folder for .json and .md")
    options = parser.parse_args()
    command = f"python benchmarks/spark_hopping_state.py --keys {options.keys} --saturated-rows {options.saturated_rows}"
    cases = [
        Case(options.keys, 100, 720, 1e-2),
        Case(1, options.saturated_rows, 720, 1e-2),
        Case(options.keys, 100, 720, 1e-3),
        Case(options.keys, 10, 720, 1e-2),
    ]
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as folder:
        conf = {
            "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.session.timeZone": "UTC",
        }
        spark = start(folder, "4g", conf)
        try:
            results: list[dict[str, Any]] = []
            for number, case in enumerate(cases):
                rows = f"{folder}/{number}"
                case.arrive(spark, rows)
                for contestant in (SPARK, CHAINED, PANES):
                    results.append(
                        {**vars(case), "contestant": contestant, **run(spark, case, contestant, rows)}
                    )
                    log_progress(f"{case}: {results[-1]}")
                store({**provenance(spark, command), "figures": results}, options.results)
        finally:
            spark.stop()


def store(report: dict[str, Any], folder: Path) -> None:
    """Store the results so far."""
    text = as_markdown(report)
    print(text)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spark_hopping_state.json").write_text(
        json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    (folder / "spark_hopping_state.md").write_text(text, encoding="utf-8")


def run(spark: SparkSession, case: Case, contestant: str, rows: str) -> dict[str, Any]:
    """Stream all rows, and measure the state."""
    with tempfile.TemporaryDirectory(prefix="chronosketch-bench-") as checkpoint:
        source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", "1").parquet(rows)
        source.withWatermark("ts", "10 seconds").createOrReplaceTempView("stream")
        query = (
            spark.sql(case.query(contestant))
            .writeStream.outputMode("append")
            .format("noop")
            .option("checkpointLocation", checkpoint)
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        kept, size = state(spark, checkpoint)
    return {"state_rows": kept / case.keys, "state_bytes": size / case.keys}


def state(spark: SparkSession, checkpoint: str) -> tuple[int, int]:
    """Return the rows of all operators' state, and the bytes of their keys and values, by Spark's state reader."""
    kept = size = 0
    for operator in spark.read.format("state-metadata").load(checkpoint).collect():
        number = operator.operatorId

        def load(number: int = number, **of: str) -> DataFrame:
            reader = spark.read.format("statestore").option("operatorId", number)
            return reader.options(**of).load(checkpoint)

        if operator.operatorName == "transformWithStateExec":
            panes = load(stateVarName="panes", flattenCollectionTypes="true")
            timers = load(readRegisteredTimers="true")
            tables = [
                (panes.selectExpr("struct(key, user_map_key) AS key", "user_map_value AS value"), 1),
                # the stores by key and by time
                (
                    timers.selectExpr(
                        "struct(key, expiration_timestamp_ms) AS key", "struct(false AS none) AS value"
                    ),
                    2,
                ),
            ]
        else:
            tables = [(load().select("key", "value"), 1)]
        for table, times in tables:
            of = " + ".join(unsafe_row(name, table.schema[name].dataType) for name in ("key", "value"))
            row = table.selectExpr("count(*) AS n", f"coalesce(sum({of}), 0) AS size").first()
            assert row is not None
            kept += times * row["n"]
            size += times * row["size"]
    return kept, size


def unsafe_row(name: str, of: DataType) -> str:
    """Return the size of a struct in Spark's format: a bit and eight bytes per field, then the longer values."""
    assert isinstance(of, StructType)
    fixed = 8 * ((len(of) + 63) // 64) + 8 * len(of)
    parts = [str(fixed)]
    for field in of:
        column = f"{name}.{field.name}"
        if isinstance(field.dataType, StructType):
            parts.append(unsafe_row(column, field.dataType))
        elif isinstance(field.dataType, BinaryType | StringType):
            parts.append(f"(octet_length({column}) + 7) DIV 8 * 8")
    return " + ".join(parts)


def as_markdown(report: dict[str, Any]) -> str:
    """Write the report as a page."""
    figures = report["figures"]
    sparks = {_case(f): f["state_bytes"] for f in figures if f["contestant"] == SPARK}
    lines = [
        "# State of a stream a key, for windows of 10 minutes every 10 seconds",
        "",
        "`quantile_sketch_agg(latency, ε)` by host, append mode, watermark 10 seconds, RocksDB, at the end of the stream: "
        "rows of state, and bytes of their keys and values as Spark's rows, uncompressed, of all operators.",
        "",
        "| rows a pane | ε | keys | plan | rows a key | bytes a key | of one aggregation's |",
        "|---|---|---|---|---|---|---|",
        *[
            f"| {spaced(f['rows'])} | {f['epsilon']:g} | {f['keys']} | {f['contestant']} | {f['state_rows']:.1f} "
            f"| {spaced(round(f['state_bytes']))} | {f['state_bytes'] / sparks[_case(f)]:.3f} |"
            for f in figures
        ],
        "",
        "One aggregation: `GROUP BY host, window(ts, …)`. Two: `sketch_merge_agg` by window of sketches by pane. "
        "Panes a key: `hopping_sketch`; its timers count, one a key, two rows each.",
        "",
        *footer(report),
        "",
    ]
    return "\n".join(lines)


def _case(figure: dict[str, Any]) -> tuple[int, float]:
    return figure["rows"], figure["epsilon"]


if __name__ == "__main__":
    main()
