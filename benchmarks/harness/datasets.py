"""Generates the data by seeds, so that the rows are the same on every machine, and counts how far answers are off."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from harness.peers import k_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

# Several φ, because at a single φ two algorithms may return the same value by chance.
PHIS = ("0.01", "0.1", "0.25", "0.5", "0.75", "0.9", "0.95", "0.99", "0.999")
EPSILON = 1e-3  # of the stored sketches
COLUMNS = tuple(f"c{i}" for i in range(20))
_PARTS = 8
_VALUE = "exp(randn(42)) AS v"
# Keys in random order, by a hash of the id. By the id itself, keys would repeat in a fixed cycle.
_KEY = "CAST(pmod(xxhash64(id), 1000) AS INT)"


@dataclass(frozen=True)
class Sizes:
    """The sizes of the data of a run, which all follow from the number of rows."""

    rows: int

    @property
    def many_groups(self) -> int:
        """The number of groups of 20 rows."""
        return max(1, self.rows // 20)

    @property
    def sketches_100(self) -> int:
        """The number of stored sketches of 100 rows each."""
        return max(1, self.rows // 20)

    @property
    def sketches_2000(self) -> int:
        """The number of stored sketches of 2 000 rows each, which have the same number of rows in total."""
        return max(1, self.sketches_100 // 20)

    @property
    def column_rows(self) -> int:
        """The rows of the table of 20 columns: four times the values, not twenty times, so that it fits on a disk."""
        return max(1, self.rows // 5)

    @property
    def cube_rows(self) -> int:
        """The rows of which Spark's plan of a CUBE of four keys makes 16 copies each."""
        return max(1, self.rows // 10)


class Datasets:
    """Parquet files in a folder, each written on first use."""

    def __init__(self, spark: SparkSession, folder: str, sizes: Sizes) -> None:
        self._spark, self._folder, self._sizes = spark, folder, sizes
        self._made: set[str] = set()

    def folder(self, name: str) -> str:
        """Return the folder of a data set, for other engines; Spark gets it as the view `v`."""
        path = f"{self._folder}/{name}.parquet"
        if name not in self._made:
            _MAKERS[name](self._spark, self._sizes).write.parquet(path)
            self._made.add(name)
        self._spark.read.parquet(path).createOrReplaceTempView("v")
        return path


def _range(spark: SparkSession, rows: int) -> DataFrame:
    # The number of parts is part of the seed: randn numbers its rows part by part.
    return spark.range(0, rows, 1, _PARTS)


def _lognormal(spark: SparkSession, sizes: Sizes) -> DataFrame:
    return _range(spark, sizes.rows).selectExpr(f"{_KEY} AS k", _VALUE)


def _many(spark: SparkSession, sizes: Sizes) -> DataFrame:
    made = _range(spark, sizes.rows).selectExpr("id", f"CAST(id % {sizes.many_groups} AS INT) AS k", _VALUE)
    # Groups of exactly 20 rows must be shuffled to be in random order: sorted by a hash, and by the id if hashes are equal.
    made = made.selectExpr("*", "xxhash64(id) AS place")
    return made.repartition(_PARTS, "place").sortWithinPartitions("place", "id").select("k", "v")


def _sketches(spark: SparkSession, sketches: int, rows: int) -> DataFrame:
    _range(spark, sketches * rows).selectExpr(f"id DIV {rows} AS sketch", _VALUE).createOrReplaceTempView("v")
    k = k_of(EPSILON)
    return spark.sql(
        f"SELECT CAST(sketch % 100 AS INT) AS g, quantile_sketch_agg(v, {EPSILON!r}D) AS ours, "
        f"kll_sketch_agg_double(v, {k}) AS kll FROM v GROUP BY sketch"
    )


def _sketches_100(spark: SparkSession, sizes: Sizes) -> DataFrame:
    return _sketches(spark, sizes.sketches_100, 100)


def _sketches_2000(spark: SparkSession, sizes: Sizes) -> DataFrame:
    return _sketches(spark, sizes.sketches_2000, 2000)


def _zipf(spark: SparkSession, sizes: Sizes) -> DataFrame:
    # The share of key i is log(1 + 1/i) / log(1001): Zipf's law with exponent 1, by inverting a uniform number.
    return _range(spark, sizes.rows).selectExpr("CAST(exp(rand(7) * ln(1001)) AS INT) AS k", _VALUE)


def _sorted(spark: SparkSession, sizes: Sizes) -> DataFrame:
    return _range(spark, sizes.rows).selectExpr("id / 1000D AS v")


def _equal(spark: SparkSession, sizes: Sizes) -> DataFrame:
    return _range(spark, sizes.rows).selectExpr("1D AS v")


def _strings(spark: SparkSession, sizes: Sizes) -> DataFrame:
    return _range(spark, sizes.rows).selectExpr(f"format_string('host-%06d', {_KEY}) AS k", _VALUE)


def _columns(spark: SparkSession, sizes: Sizes) -> DataFrame:
    made = _range(spark, sizes.column_rows)
    return made.selectExpr(*(f"exp(randn({42 + i})) AS {column}" for i, column in enumerate(COLUMNS)))


def _shapes(spark: SparkSession, sizes: Sizes) -> DataFrame:
    hashed = "pmod(xxhash64(id, 1), {})"
    return _range(spark, sizes.rows).selectExpr(
        f"{_KEY} AS k",
        f"CAST({hashed.format(100)} AS INT) AS k100",
        f"CAST({hashed.format(100_000)} AS INT) AS k100k",
        f"CAST({hashed.format(40)} AS INT) AS a",
        f"CAST({hashed.format(1000)} DIV 40 AS INT) AS b",
        _VALUE,
        "IF(pmod(xxhash64(id, 2), 5) = 0, NULL, exp(randn(42))) AS w",
    )


def _cube(spark: SparkSession, rows: int) -> DataFrame:
    # 12 services × 40 endpoints × 3 regions × 4 classes of status: 5 760 groups
    values = {"service": 12, "endpoint": 40, "region": 3, "status": 4}
    keys = (
        f"CAST(pmod(xxhash64(id, {i}), {n}) AS INT) AS {key}" for i, (key, n) in enumerate(values.items())
    )
    return _range(spark, rows).selectExpr(*keys, _VALUE)


_MAKERS: dict[str, Callable[[SparkSession, Sizes], DataFrame]] = {
    "lognormal": _lognormal,
    "many": _many,
    "sketches 100": _sketches_100,
    "sketches 2000": _sketches_2000,
    "zipf": _zipf,
    "sorted": _sorted,
    "equal": _equal,
    "strings": _strings,
    "columns": _columns,
    "shapes": _shapes,
    "cube": lambda spark, sizes: _cube(spark, sizes.rows),
    "cube-small": lambda spark, sizes: _cube(spark, sizes.cube_rows),
}


def rank_error(spark: SparkSession, answers: list[float]) -> float:
    """Return the largest rank error of the answers, relative to the count of the view ``v``."""
    counts = [
        f"count_if(v < {answer!r}D) + 1 AS first{i}, count_if(v <= {answer!r}D) AS last{i}"
        for i, answer in enumerate(answers)
    ]
    row = spark.sql(f"SELECT count(*) AS n, {', '.join(counts)} FROM v").collect()[0]
    ranks = [ceil(Fraction(phi) * row["n"]) for phi in PHIS]
    missed = [max(0, rank - row[f"last{i}"], row[f"first{i}"] - rank) for i, rank in enumerate(ranks)]
    return float(max(missed) / row["n"])
