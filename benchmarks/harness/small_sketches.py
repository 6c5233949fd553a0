"""Sketches of six rows each, ours and Spark's KLL sketches of the same rows, stored in a folder that is reused."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from harness.dashboards import PHI
from harness.figures import Figure, Pair
from harness.peers import k_of
from harness.rollups import ENDPOINTS, SERVICES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS_A_SKETCH = 6
DEFAULT_K = 200
LEAST_RATIO = 2
MOST_BYTES = 70
SAMPLED = 10_000

OURS = "sketch_merge_agg of the sketches"
KLL = f"kll_merge_agg_double of KLL sketches, k = {DEFAULT_K}"
ROWS_OURS, ROWS_SPARK = "approx_quantile of their rows", "percentile_approx of their rows"
SCAN = "max of the lengths of the sketches"


def kll_of(epsilon: float) -> str:
    """Return the name of the contestant whose KLL sketches have the k for ε."""
    return f"kll_merge_agg_double of KLL sketches, k = {k_of(epsilon)}"


def columns(epsilon: float) -> dict[str, str]:
    """Return the column of the view ``s`` that each contestant merges."""
    return {OURS: "latency", KLL: "kll", kll_of(epsilon): "kll_fit"}


def byte_shares(sketch: bytes) -> dict[str, int]:
    """Return what the bytes of a small quantile sketch are for, as docs/format.md describes them.

    It must be an exact bag of fewer than 128 keys, without a tail or sums.
    """
    payload = sketch[22:-4]
    distinct = payload[1]
    # the last byte of each varint
    ends = [i + 1 for i, byte in enumerate(payload) if byte < 0x80]
    first, keys = ends[2], ends[1 + distinct]
    return {
        "magic, version, length": 9,
        "family, type of the values": 4,
        "number of parameters, ε": 9,
        "form, number of keys": 2,
        "first key": first - 2,
        "differences to the other keys": keys - first,
        "counts of the keys": len(payload) - keys,
        "checksum": 4,
    }


class SmallSketches:
    """Stored sketches as the view ``s``, with a column for each kind, and their rows as the view ``v``."""

    def __init__(self, spark: SparkSession, folder: str, sketches: int, epsilon: float) -> None:
        self._spark, self._sketches, self._epsilon = spark, sketches, epsilon
        self._path = Path(folder) / f"small-{sketches}-{epsilon:g}"

    def folder(self, name: str) -> str:
        """Return the folder of the rows. Create what is absent."""
        del name
        rows, stored = self._path / "rows.parquet", self._path / "sketches.parquet"
        if not (rows / "_SUCCESS").exists():
            self._write_rows(rows)
        self._spark.read.parquet(str(rows)).createOrReplaceTempView("v")
        if not (stored / "_SUCCESS").exists():
            self._write_sketches(stored)
        self._spark.read.parquet(str(stored)).createOrReplaceTempView("s")
        return str(rows)

    def mean_bytes(self) -> dict[str, float]:
        """Return the mean number of bytes of a sketch of each kind."""
        means = {name: f"avg(length({column}))" for name, column in columns(self._epsilon).items()}
        found = self._spark.sql(f"SELECT {', '.join(means.values())} FROM s").collect()[0]
        return dict(zip(means, found, strict=True))

    def file_bytes(self) -> dict[str, float]:
        """Return the mean number of bytes that a sketch of each kind takes in the compressed files."""
        import pyarrow.parquet as pq

        files = [pq.ParquetFile(file).metadata for file in self._path.glob("sketches.parquet/*.parquet")]
        groups = [file.row_group(i) for file in files for i in range(file.num_row_groups)]
        rows = sum(file.num_rows for file in files)
        taken = dict.fromkeys(columns(self._epsilon).values(), 0)
        for chunk in (group.column(i) for group in groups for i in range(group.num_columns)):
            if chunk.path_in_schema in taken:
                taken[chunk.path_in_schema] += chunk.total_compressed_size
        return {name: taken[column] / rows for name, column in columns(self._epsilon).items()}

    def mean_shares(self) -> dict[str, float]:
        """Return what the bytes of our sketches are for, on average over some of them."""
        stored = self._spark.sql(f"SELECT latency FROM s LIMIT {SAMPLED}").collect()
        shares = [byte_shares(bytes(row[0])) for row in stored]
        return {name: fmean(share[name] for share in shares) for name in shares[0]}

    def _write_rows(self, path: Path) -> None:
        groups = SERVICES * ENDPOINTS
        made = self._spark.range(0, self._sketches * ROWS_A_SKETCH, 1, 8).selectExpr(
            f"id DIV {ROWS_A_SKETCH} AS sketch", "exp(randn(42)) * 50 AS v"
        )
        made.selectExpr(
            f"sketch DIV {groups} AS hour",
            f"concat('service-', sketch % {groups} % {SERVICES}) AS service",
            f"concat('/endpoint-', sketch % {groups} DIV {SERVICES}) AS endpoint",
            "v",
        ).write.mode("overwrite").parquet(str(path))

    def _write_sketches(self, path: Path) -> None:
        """Write all kinds into one table, so that contestants read the same rows from the same files, and columns of their own."""
        self._spark.sql(
            f"SELECT hour, service, endpoint, quantile_sketch_agg(v, {self._epsilon!r}D) AS latency, "
            f"kll_sketch_agg_double(v) AS kll, kll_sketch_agg_double(v, {k_of(self._epsilon)}) AS kll_fit "
            "FROM v GROUP BY hour, service, endpoint"
        ).write.mode("overwrite").parquet(str(path))


def merge_figure(sketches: int, epsilon: float) -> Figure:
    """Merge all sketches of each group."""
    fit = kll_of(epsilon)
    kll = "kll_sketch_get_quantile_double(kll_merge_agg_double({0}), " + f"{PHI}) FROM s"
    of = columns(epsilon)
    quantiles = (
        (OURS, f"sketch_quantile(sketch_merge_agg({of[OURS]}), {PHI}) FROM s"),
        (KLL, kll.format(of[KLL])),
        (fit, kll.format(of[fit])),
        (ROWS_OURS, f"approx_quantile(v, {PHI}, {epsilon!r}D) FROM v"),
        (ROWS_SPARK, f"percentile_approx(v, {PHI}, {round(1 / epsilon)}) FROM v"),
        (SCAN, f"max(length({of[OURS]})) FROM s"),
    )
    return Figure(
        "merge",
        f"{SERVICES * ENDPOINTS} groups",
        "stored",
        sketches,
        "{0}",
        (
            Pair(OURS, KLL, LEAST_RATIO),
            Pair(OURS, fit, LEAST_RATIO),
            Pair(OURS, ROWS_OURS),
            Pair(OURS, ROWS_SPARK),
        ),
        scale=(SCAN,),
        texts=tuple((n, f"SELECT service, endpoint, {q} GROUP BY service, endpoint") for n, q in quantiles),
    )
