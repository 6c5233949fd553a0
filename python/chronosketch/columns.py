"""Turn Python values into columns, on classic sessions and on Connect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias, TypeGuard

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

from chronosketch.errors import ChronosketchError
from chronosketch.sql_text import is_sequence, plain

ColumnOrName: TypeAlias = Column | str
Number: TypeAlias = float | Decimal
Phi: TypeAlias = Number | Sequence[Number]
Constant: TypeAlias = Number | date | timedelta
Value: TypeAlias = Constant | Column | str
Points: TypeAlias = Constant | Sequence[Constant] | Column | str
TypeName: TypeAlias = str | DataType


# The types of Spark's literals. F.lit would report any other as an internal error.
_CONSTANTS = (bool, int, float, Decimal, str, bytes, bytearray, date, time, timedelta)
# The most digits of Spark's DECIMAL.
_MOST_DIGITS = 38


def is_column(value: Any) -> TypeGuard[Column]:
    """Return whether a value is a column. On Spark 3.5, columns of Connect have a class of their own."""
    return isinstance(value, Column) or type(value).__module__ == "pyspark.sql.connect.column"


def call(name: str, *arguments: Any) -> Column:
    """Call ``chronosketch_<name>`` with arguments by position. None becomes NULL, which means not given.

    A str is the name of a column, and any other constant a literal.
    """
    return F.call_function(f"chronosketch_{name}", *map(value_or_column, arguments))


def phi_or_column(phi: Phi | Column) -> Column:
    """Turn a number into a DOUBLE literal, a Decimal into a DECIMAL one, and several into an array.

    A column stays as it is.
    """
    if is_column(phi):
        return phi
    given: Any = plain(phi)
    if is_sequence(given):
        return F.array(*[_one_phi(one) for one in given])
    if not _is_number(given):
        raise TypeError(f"phi is {given!r}: give a number from 0 to 1, such as 0.99, or a list of them.")
    return _one_phi(given)


def _one_phi(phi: Any) -> Column:
    if is_column(phi):
        return phi
    phi = plain(phi)
    if not _is_number(phi):
        raise TypeError(f"phi has the element {phi!r}: give numbers from 0 to 1, such as [0.5, 0.99].")
    # Also 0 and 1, so that φ always reaches Spark as DOUBLE and never as INT.
    return literal(phi) if isinstance(phi, Decimal) else F.lit(float(phi))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | Decimal) and not isinstance(value, bool)


def literal(value: Any) -> Column:
    """Turn a constant into a literal, several into an array, and None into NULL. A column stays as it is.

    Scalars and arrays of numpy and Arrow are taken as the values that they stand for. A whole number beyond
    BIGINT is a DECIMAL, as in SQL.
    """
    if is_column(value):
        return value
    value = plain(value)
    if isinstance(value, memoryview):
        value = bytes(value)
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
        value = Decimal(value)
    if isinstance(value, Decimal):
        _require_decimal(value)
    if value is None or isinstance(value, _CONSTANTS):
        return F.lit(value)
    if is_sequence(value):
        return F.array(*map(literal, value))
    raise TypeError(
        f"{value!r}, of type {type(value).__name__}, is not a constant of SQL: give a number, text, a date, "
        "a time or a Column."
    )


def _require_decimal(value: Decimal) -> None:
    """Refuse a number that no DECIMAL holds, which Spark would report as an error inside of the JVM."""
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or max(len(digits) + max(exponent, 0), -exponent) > _MOST_DIGITS:
        raise TypeError(f"{value} is not a DECIMAL of at most {_MOST_DIGITS} digits: give a float.")


def value_or_column(value: Any) -> ColumnOrName:
    """Return a column or its name as it is, and anything else as a literal."""
    return value if isinstance(value, str) or is_column(value) else literal(value)


def type_literal(sql_type: TypeName) -> Column:
    """Turn the name of a SQL type, or a type of ``pyspark.sql.types``, into a literal."""
    return F.lit(name_of_type(sql_type))


def name_of_type(sql_type: TypeName) -> str:
    """Return the name of a SQL type that is given as its name, or as a type of ``pyspark.sql.types``."""
    if isinstance(sql_type, type) and issubclass(sql_type, DataType):
        sql_type = sql_type()
    if not isinstance(sql_type, str | DataType):
        raise TypeError(f"type is {sql_type!r}: give the name of a SQL type, such as 'double'.")
    return sql_type.simpleString() if isinstance(sql_type, DataType) else sql_type


def listed_columns(argument: str, columns: Any, example: str, kinds: tuple[type, ...]) -> list[Any]:
    """Return the columns that an argument lists. One column by itself counts as a list of it.

    Raises
    ------
    ChronosketchError
        If `columns` has something that is not of these kinds. The message shows the example.
    """
    alone = isinstance(columns, str) or is_column(columns) or not isinstance(columns, Iterable)
    listed = [columns] if alone else list(columns)
    for column in listed:
        if not isinstance(column, kinds) and not (Column in kinds and is_column(column)):
            raise ChronosketchError(
                f"{argument} has {column!r}, of type {type(column).__name__}. Write {argument}={example}."
            )
    return listed
