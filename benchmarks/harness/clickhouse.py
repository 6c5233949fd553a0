"""Runs ClickHouse in this process by the package chdb. Without it, results say that it is not installed."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

THREADS = 2  # as many as Spark has


class ClickHouse:
    """Runs queries of ClickHouse over Parquet files."""

    def __init__(self) -> None:
        try:
            self._chdb: Any = import_module("chdb")
        except ImportError:
            self._chdb = None

    @property
    def installed(self) -> bool:
        """Whether the package is installed."""
        return self._chdb is not None

    @property
    def version(self) -> str | None:
        """The version of ClickHouse, not of the package."""
        return str(self._ask("SELECT version()", "TSV")).strip() if self.installed else None

    def run(self, query: str, folder: str) -> None:
        """Run a query to its end and discard the rows, as Spark's noop sink does."""
        self._ask(f"{_from_files(query, folder)} SETTINGS max_threads = {THREADS}", "Null")

    def row(self, query: str, folder: str) -> list[Any]:
        """Return the one row of a query."""
        answer = json.loads(str(self._ask(_from_files(query, folder), "JSONCompact")))
        (row,) = answer["data"]
        return list(row)

    def _ask(self, query: str, form: str) -> Any:
        return self._chdb.query(query, form)


def _from_files(query: str, folder: str) -> str:
    return query.replace("FROM v", f"FROM file('{folder}/*.parquet', Parquet)")
