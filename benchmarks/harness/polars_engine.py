"""Polars in this process, by its package; without it, its rows say that it is not installed."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

THREADS = 2  # as many as Spark has


class Polars:
    """Slides over Parquet files: its queries are no SQL, but the length of the frame in rows; 0: only read all columns."""

    def __init__(self) -> None:
        os.environ["POLARS_MAX_THREADS"] = str(THREADS)  # read once, while it is imported
        try:
            self._polars: Any = import_module("polars")
        except ImportError:
            self._polars = None

    @property
    def installed(self) -> bool:
        """Whether it can be asked at all."""
        return self._polars is not None

    @property
    def version(self) -> str | None:
        """Polars' version."""
        return str(self._polars.__version__) if self.installed else None

    def run(self, query: str, folder: str) -> None:
        """Answer the p99 of the last so many rows of every row, partition by partition in order of time."""
        pl = self._polars
        files = pl.scan_parquet(f"{folder}/*.parquet")
        if query == "0":
            files.collect()
            return
        p99 = pl.col("v").rolling_quantile(
            0.99, interpolation="higher", window_size=int(query), min_samples=1
        )
        files.sort("k", "t").with_columns(q=p99.over("k")).collect()
