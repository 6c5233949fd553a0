"""Small DataFrames built from Python values."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame, SparkSession


def small_table(spark: SparkSession, rows: Iterable[Sequence[Any]], columns: dict[str, str]) -> DataFrame:
    """Return a DataFrame of integers, strings and lists of these, with the SQL types that `columns` names.

    The rows are sent as JSON in the plan. `createDataFrame` would start a Python worker on an executor,
    which takes longer than the rest of a small step.
    """
    text = json.dumps([dict(zip(columns, row, strict=True)) for row in rows])
    fields = ", ".join(f"`{name}`: {kind}" for name, kind in columns.items())
    read = F.from_json(F.lit(text), f"ARRAY<STRUCT<{fields}>>")
    return spark.range(0, 1, 1, 1).select(F.inline(read))
