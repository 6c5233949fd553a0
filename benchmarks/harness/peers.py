"""Runs other engines in this process by their packages, and computes the k of KLL that fits an ε.

If a package is not installed, results say so.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from math import ceil
from typing import Any

THREADS = 2  # as many as Spark has


class _Peer:
    """An engine that is a Python package, or is not installed."""

    def __init__(self, package: str) -> None:
        try:
            self._module: Any = import_module(package)
        except ImportError:
            self._module = None

    @property
    def installed(self) -> bool:
        """Whether the package is installed."""
        return self._module is not None

    @property
    def version(self) -> str | None:
        """The version of the engine, if it is installed."""
        return self._version() if self.installed else None

    def _version(self) -> str:
        return str(self._module.__version__)


class ClickHouse(_Peer):
    """Runs queries of ClickHouse over Parquet files."""

    def __init__(self) -> None:
        super().__init__("chdb")

    def run(self, query: str, folder: str) -> None:
        """Run a query to its end and discard the rows, as Spark's noop sink does."""
        self._ask(f"{_from_files(query, folder)} SETTINGS max_threads = {THREADS}", "Null")

    def row(self, query: str, folder: str) -> list[Any]:
        """Return the one row of a query."""
        answer = json.loads(str(self._ask(_from_files(query, folder), "JSONCompact")))
        (row,) = answer["data"]
        return list(row)

    def _version(self) -> str:
        # of ClickHouse, not of the package
        return str(self._ask("SELECT version()", "TSV")).strip()

    def _ask(self, query: str, form: str) -> Any:
        return self._module.query(query, form)


def _from_files(query: str, folder: str) -> str:
    return query.replace("FROM v", f"FROM file('{folder}/*.parquet', Parquet)")


class DuckDB(_Peer):
    """Runs queries of DuckDB over Parquet files."""

    def __init__(self) -> None:
        super().__init__("duckdb")

    def run(self, query: str, folder: str) -> None:
        """Run a query to its end. It should return one row, because fetching many would measure Python."""
        self.row(query, folder)

    def row(self, query: str, folder: str) -> list[Any]:
        """Return the first row of a query."""
        with self._module.connect(config={"threads": THREADS}) as connection:
            asked = query.replace("FROM v", f"FROM read_parquet('{folder}/*.parquet')")
            return list(connection.execute(asked).fetchall()[0])


class Polars(_Peer):
    """Computes rolling quantiles of Parquet files.

    A query is the frame length in rows. With `in order` behind it, the rows of the files are not sorted first.
    """

    def __init__(self) -> None:
        os.environ["POLARS_MAX_THREADS"] = str(THREADS)  # read once, while it is imported
        super().__init__("polars")

    def run(self, query: str, folder: str) -> None:
        """Compute for every row the p99 of the frame that ends with it, by partition and in order of time."""
        pl = self._module
        files = pl.scan_parquet(f"{folder}/*.parquet")
        length, _, order = query.partition(" ")
        p99 = pl.col("v").rolling_quantile(
            0.99, interpolation="higher", window_size=int(length), min_samples=1
        )
        rows = files if order == "in order" else files.sort("k", "t")
        rows.with_columns(q=p99.over("k")).collect()


# The formula that datasketches-java publishes for its double sketches. It is the single-sided error, of one rank or
# quantile, which favours KLL: for the double-sided error, of a share between two points, k would be larger by a third.
# Both hold with 99 % confidence.
_COEFFICIENT, _EXPONENT = 2.296, 0.9723


def error_of(k: int) -> float:
    """Return the single-sided rank error of a KLL sketch with this k."""
    return float(_COEFFICIENT / k**_EXPONENT)


def k_of(epsilon: float) -> int:
    """Return the least k of a KLL sketch whose error is at most ε."""
    return ceil(float((_COEFFICIENT / epsilon) ** (1 / _EXPONENT)))
