"""Call the procedures of the jar: build the CALL, and write its arguments as SQL."""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError
from chronosketch.sessions import declare_catalog
from chronosketch.sql_text import literal, plain

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession


def call(spark: SparkSession, procedure: str, **arguments: str | None) -> list[Row]:
    """Call a procedure of the catalog. Arguments that are None are left out."""
    # A session that someone else started, or a new one beside a session that used `attach`, may not have it.
    declare_catalog(spark)
    given = ", ".join(f"{name} => {value}" for name, value in arguments.items() if value is not None)
    return spark.sql(f"CALL chronosketch.`{procedure}`({given})").collect()


def number(value: Any) -> str:
    """Write a number as a SQL literal."""
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        raise ChronosketchError(f"{value!r}, of type {type(value).__name__}, is not a number. Give a float.")
    if isinstance(value, int) or math.isfinite(value):
        return repr(value if isinstance(value, int) else float(value))
    return literal(float(value))
