"""Turn Python values into columns and small tables, on classic sessions and on Connect."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeAlias

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


ColumnOrName: TypeAlias = Column | str
Number: TypeAlias = float | Decimal
Phi: TypeAlias = Number | Sequence[Number]
Constant: TypeAlias = Number | date | timedelta
Value: TypeAlias = Constant | Column | str
Points: TypeAlias = Constant | Sequence[Constant] | Column | str
TypeName: TypeAlias = str | DataType


def call(name: str, *arguments: ColumnOrName | None) -> Column:
    """Call ``chronosketch_<name>`` with arguments by position. None becomes NULL, which means not given."""
    columns = [F.lit(None) if argument is None else argument for argument in arguments]
    return F.call_function(f"chronosketch_{name}", *columns)


def constant_phi(phi: Phi) -> Column:
    """Turn a number into a DOUBLE literal, a Decimal into a DECIMAL one, and several into an array."""
    if isinstance(phi, str) or not isinstance(phi, Iterable | SupportsFloat):
        raise TypeError(f"phi is {phi!r}: give a number from 0 to 1, such as 0.99, or a list of them.")
    if isinstance(phi, Iterable):
        return F.array(*[_one_phi(p) for p in phi])
    return _one_phi(phi)


def _one_phi(phi: Number) -> Column:
    if not isinstance(phi, SupportsFloat):
        raise TypeError(f"phi has the element {phi!r}: give numbers from 0 to 1, such as [0.5, 0.99].")
    # Also 0 and 1, so that φ always reaches Spark as DOUBLE and never as INT.
    return F.lit(phi if isinstance(phi, Decimal) else float(phi))


def phi_or_column(phi: Phi | Column) -> Column:
    """Return a column as it is, and a constant as `constant_phi` makes it."""
    return phi if isinstance(phi, Column) else constant_phi(phi)


def literal(value: Column | Constant | str | None) -> Column:
    """Turn a constant into a literal, and None into NULL. A column stays as it is."""
    return value if isinstance(value, Column) else F.lit(value)


def value_or_column(value: Value) -> ColumnOrName:
    """Return a column or its name as it is, and anything else as a literal."""
    return value if isinstance(value, Column | str) else F.lit(value)


def points_or_column(points: Points) -> ColumnOrName:
    """Return a column or its name as it is, a sequence as an array, and one value as a literal."""
    if isinstance(points, Column | str):
        return points
    if not isinstance(points, Iterable):
        return F.lit(points)
    return F.array(*[F.lit(point) for point in points])


def type_literal(sql_type: TypeName) -> Column:
    """Turn the name of a SQL type, or a type of ``pyspark.sql.types``, into a literal."""
    return F.lit(sql_type.simpleString() if isinstance(sql_type, DataType) else sql_type)


def small_table(spark: SparkSession, rows: Iterable[Sequence[Any]], columns: dict[str, str]) -> DataFrame:
    """Return a DataFrame of integers, strings and lists of these, with the SQL types that `columns` names.

    The rows are sent as JSON in the plan. `createDataFrame` would start a Python worker on an executor,
    which takes longer than the rest of a small step.
    """
    text = json.dumps([dict(zip(columns, row, strict=True)) for row in rows])
    fields = ", ".join(f"`{name}`: {kind}" for name, kind in columns.items())
    read = F.from_json(F.lit(text), f"ARRAY<STRUCT<{fields}>>")
    return spark.range(0, 1, 1, 1).select(F.inline(read))


def bigint(number: int | None) -> Column:
    """Return an integer as a BIGINT column, or NULL for None."""
    return F.lit(number).cast("bigint")
