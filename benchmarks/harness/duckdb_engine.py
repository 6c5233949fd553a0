"""Runs DuckDB in this process by its package. Without it, results say that it is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

THREADS = 2  # as many as Spark has


class DuckDB:
    """Runs queries of DuckDB over Parquet files."""

    def __init__(self) -> None:
        try:
            self._duckdb: Any = import_module("duckdb")
        except ImportError:
            self._duckdb = None

    @property
    def installed(self) -> bool:
        """Whether the package is installed."""
        return self._duckdb is not None

    @property
    def version(self) -> str | None:
        """The version of DuckDB."""
        return str(self._duckdb.__version__) if self.installed else None

    def run(self, query: str, folder: str) -> None:
        """Run a query to its end. It should return one row, because fetching many would measure Python."""
        self.row(query, folder)

    def row(self, query: str, folder: str) -> list[Any]:
        """Return the first row of a query."""
        with self._duckdb.connect(config={"threads": THREADS}) as connection:
            asked = query.replace("FROM v", f"FROM read_parquet('{folder}/*.parquet')")
            return list(connection.execute(asked).fetchall()[0])
