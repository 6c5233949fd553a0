"""Runs Polars in this process by its package. Without it, results say that it is not installed."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

THREADS = 2  # as many as Spark has


class Polars:
    """Computes rolling quantiles of Parquet files. A query is the frame length in rows; 0 only reads all columns."""

    def __init__(self) -> None:
        os.environ["POLARS_MAX_THREADS"] = str(THREADS)  # read once, while it is imported
        try:
            self._polars: Any = import_module("polars")
        except ImportError:
            self._polars = None

    @property
    def installed(self) -> bool:
        """Whether the package is installed."""
        return self._polars is not None

    @property
    def version(self) -> str | None:
        """The version of Polars."""
        return str(self._polars.__version__) if self.installed else None

    def run(self, query: str, folder: str) -> None:
        """Compute for every row the p99 of the frame that ends with it, by partition and in order of time."""
        pl = self._polars
        files = pl.scan_parquet(f"{folder}/*.parquet")
        if query == "0":
            files.collect()
            return
        p99 = pl.col("v").rolling_quantile(
            0.99, interpolation="higher", window_size=int(query), min_samples=1
        )
        files.sort("k", "t").with_columns(q=p99.over("k")).collect()
