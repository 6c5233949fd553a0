"""Measures the true rank errors of ungrouped answers at several φ, by counting."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from harness.figures import GK_3, GK_4, KLL, OURS_3, OURS_4, SPARK_3, SPARK_4

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from harness.clickhouse import ClickHouse

# Several φ, because at a single φ two algorithms may return the same value by chance.
PHIS = ("0.01", "0.1", "0.25", "0.5", "0.75", "0.9", "0.95", "0.99", "0.999")


def rank_errors(spark: SparkSession, clickhouse: ClickHouse, folder: str) -> dict[str, float]:
    """Return the largest rank error of each aggregate, relative to the count."""
    array = f"array({', '.join(PHIS)})"
    asked = {name: name.replace("0.99", array) for name in (OURS_3, OURS_4, SPARK_3, SPARK_4)}
    asked[KLL] = f"kll_sketch_get_quantile_double({KLL}, {array})"
    answers = {name: spark.sql(f"SELECT {sql} AS a FROM v").collect()[0]["a"] for name, sql in asked.items()}
    if clickhouse.installed:
        for name, accuracy in ((GK_3, 1000), (GK_4, 10000)):
            sql = f"SELECT quantilesGK({accuracy}, {', '.join(PHIS)})(v) FROM v"
            (answers[name],) = clickhouse.row(sql, folder)
    return {name: rank_error(spark, values) for name, values in answers.items()}


def rank_error(spark: SparkSession, answers: list[float]) -> float:
    """Return the largest rank error of the answers, relative to the count."""
    counts = [
        f"count_if(v < {answer!r}D) + 1 AS first{i}, count_if(v <= {answer!r}D) AS last{i}"
        for i, answer in enumerate(answers)
    ]
    row = spark.sql(f"SELECT count(*) AS n, {', '.join(counts)} FROM v").collect()[0]
    ranks = [ceil(Fraction(phi) * row["n"]) for phi in PHIS]
    missed = [max(0, rank - row[f"last{i}"], row[f"first{i}"] - rank) for i, rank in enumerate(ranks)]
    return float(max(missed) / row["n"])
