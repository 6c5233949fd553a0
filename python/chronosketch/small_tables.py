"""Tables of a few rows that Python knows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame, SparkSession


def small_table(spark: SparkSession, rows: Iterable[Sequence[Any]], columns: dict[str, str]) -> DataFrame:
    """Return rows of whole numbers, texts, and lists of such, with the types of SQL that `columns` names.

    The rows travel as JSON in the plan: `createDataFrame` would start Python on an executor, which takes
    longer than the rest of a small step.
    """
    text = json.dumps([dict(zip(columns, row, strict=True)) for row in rows])
    fields = ", ".join(f"`{name}`: {kind}" for name, kind in columns.items())
    read = F.from_json(F.lit(text), f"ARRAY<STRUCT<{fields}>>")
    return spark.range(0, 1, 1, 1).select(F.inline(read))
