"""Measure what a query reads: rows by Spark's metrics, bytes by the files' metadata."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import Row, SparkSession


@dataclass(frozen=True)
class Reading:
    """The rows that Spark's scans read, and the bytes of the requested columns in the scanned files."""

    rows: int
    size_bytes: int


def rows_read(spark: SparkSession, sql: str) -> tuple[list[Row], int]:
    """Run a query. Return its rows, and the number of rows that its scans read by Spark's input metrics.

    Spark's count of bytes is not used: on a local file system it misses what Parquet's readers fetch.
    """
    group, context = f"chronosketch-{uuid4()}", spark.sparkContext
    context.setJobGroup(group, "rows read")
    try:
        answer = spark.sql(sql).collect()
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    jvm_context: Any = context._jsc.sc()
    jvm_context.listenerBus().waitUntilEmpty()  # the metrics of the last task arrive after its answer
    tracker, store = context.statusTracker(), jvm_context.statusStore()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = {stage for job in jobs if job for stage in job.stageIds}
    return answer, sum(_input_rows(store, stage) for stage in stages)


def _input_rows(store: Any, stage: int) -> int:
    try:
        return int(store.lastStageAttempt(stage).inputRecords())
    except Py4JJavaError:  # a stage that was skipped never had an attempt
        return 0


def column_bytes(place: Path, columns: Sequence[str]) -> int:
    """Add up the compressed bytes of columns in a Parquet file, or in all Parquet files of a folder."""
    files = sorted(place.glob("*.parquet")) if place.is_dir() else [place]
    total = 0
    for file in files:
        footer = pq.read_metadata(file)
        for group in range(footer.num_row_groups):
            chunks = [footer.row_group(group).column(i) for i in range(footer.num_columns)]
            total += sum(chunk.total_compressed_size for chunk in chunks if chunk.path_in_schema in columns)
    return total
