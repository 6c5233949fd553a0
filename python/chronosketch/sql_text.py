"""Write Python values as SQL literals and names, and split a file of SQL into statements."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import ItemsView, Iterable, KeysView, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from chronosketch.errors import ChronosketchError

Span = str | timedelta
Value = int | float | Decimal | date | datetime | timedelta

# Inside quotes, every session reads these characters literally. Others need care: the meaning of a backslash
# depends on a Spark setting, Spark replaces "${...}" before it parses the statement, and PySpark uses braces
# as placeholders.
_PLAIN = re.compile(r"[\w .,:;`()+*/=<>-]*")

# The parts of a name as F.col reads them. A backtick is literal only inside backticks, where it is doubled.
_PART = r"`(?:[^`]|``)*`|[^`.]+"
_NAME = re.compile(rf"(?:{_PART})(?:\.(?:{_PART}))*")


def plain(value: Any) -> Any:
    """Return a scalar of numpy, pandas or Arrow as its Python value, and others as they are.

    Raises
    ------
    TypeError
        If `value` is a time that Python cannot hold, such as NaT.

    Examples
    --------
    >>> import numpy as np
    >>> plain(np.float64(0.25)), plain(np.int8(3)), plain(np.datetime64("2026-01-02")), plain("as it is")
    (0.25, 3, datetime.date(2026, 1, 2), 'as it is')
    """
    given = value
    if type(value).__module__ == "numpy":
        import numpy as np  # not before a value is of numpy

        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if isinstance(value, np.datetime64 | np.timedelta64):
            of_days = np.datetime_data(value.dtype)[0] in ("Y", "M", "W", "D")
            unit = "D" if of_days and isinstance(value, np.datetime64) else "us"
            value = value.astype(f"{value.dtype.kind}8[{unit}]").item()
            if not isinstance(value, date | timedelta):
                raise TypeError(f"{given!r} is not a time that Python can hold: give another one, or None.")
        elif isinstance(value, np.generic):
            # item() leaves a long double as it is
            value = float(value) if isinstance(value, np.floating) else value.item()
    elif type(value).__module__ == "pyarrow.lib" and hasattr(value, "as_py"):
        value = plain(value.as_py())
    elif isinstance(value, datetime) and value != value:
        raise TypeError(f"{given!r} is not a time that Python can hold: give another one, or None.")
    elif isinstance(value, datetime) and hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime(warn=False)
    elif isinstance(value, timedelta) and hasattr(value, "to_pytimedelta"):
        value = value.to_pytimedelta()
    return value


def is_sequence(value: Any) -> bool:
    """Return whether a value lists others, in an order. Text and bytes are one value each.

    Raises
    ------
    TypeError
        If `value` is a set, whose answers would come in any order.

    Examples
    --------
    >>> is_sequence([0.5, 0.99]), is_sequence(range(3)), is_sequence("0.5"), is_sequence({"a": 0.5})
    (True, True, False, False)
    """
    if isinstance(value, AbstractSet) and not isinstance(value, KeysView | ItemsView):
        raise TypeError(f"{value!r} has no order: give a list, such as {sorted(value, key=repr)}.")
    return isinstance(value, Iterable) and not isinstance(
        value, str | bytes | bytearray | memoryview | Mapping
    )


def whole(argument: str, value: Any) -> int:
    """Return a whole number as an int, whichever type it has.

    Raises
    ------
    ChronosketchError
        If `value` is not a whole number.

    Examples
    --------
    >>> whole("steps", 7)
    7
    """
    try:
        return operator.index(value)
    except TypeError:
        raise ChronosketchError(
            f"{argument} is {value!r}, of type {type(value).__name__}. Give a whole number, as an int."
        ) from None


def text(value: str | os.PathLike[str]) -> str:
    r"""Write a STRING that every session reads as `value`.

    Raises
    ------
    ChronosketchError
        If `value` is neither text nor a path.

    Examples
    --------
    >>> print(text("10 minutes"), text("it's"))
    '10 minutes' CAST(X'69742773' AS STRING)
    """
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise ChronosketchError(f"{value!r}, of type {type(value).__name__}, is not text. Give a str.")
    if _PLAIN.fullmatch(value):
        return f"'{value}'"
    return f"CAST(X'{value.encode().hex().upper()}' AS STRING)"


def interval(argument: str, value: Span) -> str:
    """Write a length of time. A str is passed on as a STRING, which SQL reads as an interval.

    Raises
    ------
    ChronosketchError
        If `value` is neither a str nor a timedelta.

    Examples
    --------
    >>> print(interval("size", "10 minutes"), interval("size", timedelta(hours=1, milliseconds=5)))
    '10 minutes' INTERVAL '3600.005000' SECOND
    """
    value = plain(value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, timedelta):
        micros = value // timedelta(microseconds=1)
        sign = "-" if micros < 0 else ""
        seconds, rest = divmod(abs(micros), 1_000_000)
        return f"INTERVAL '{sign}{seconds}.{rest:06}' SECOND"
    raise ChronosketchError(
        f"{argument} is {value!r}, of type {type(value).__name__}. "
        "Give text such as '10 minutes', or a timedelta."
    )


def literal(value: Value) -> str:
    """Write a value as a literal of the matching SQL type.

    Raises
    ------
    ChronosketchError
        If `value` has none of these types.

    Examples
    --------
    >>> print(literal(7), literal(0.5), literal(Decimal("1.50")))
    7 CAST('0.5' AS DOUBLE) 1.50BD
    >>> print(literal(date(2026, 1, 2)), literal(datetime(2026, 1, 2, 3, 4)))
    DATE'2026-01-02' TIMESTAMP'2026-01-02 03:04:00'
    """
    value = plain(value)
    if isinstance(value, int):
        return repr(value)
    if isinstance(value, float):
        return f"CAST('{value!r}' AS DOUBLE)"
    if isinstance(value, Decimal):
        return f"{value:f}BD"
    if isinstance(value, datetime):
        return f"TIMESTAMP'{value.isoformat(' ')}'"
    if isinstance(value, date):
        return f"DATE'{value.isoformat()}'"
    if isinstance(value, timedelta):
        return interval("value", value)
    raise ChronosketchError(
        f"value is {value!r}, of type {type(value).__name__}. "
        "Give an int, a float, a Decimal, a date, a datetime or a timedelta."
    )


def quoted_name(argument: str, name: str) -> str:
    """Write a column's name, given as ``F.col`` takes it, so that SQL reads it as that name.

    Raises
    ------
    ChronosketchError
        If `name` is not written as a column's name.

    Examples
    --------
    >>> print(quoted_name("event_time", "request.sent at"), quoted_name("event_time", "`a.b`"))
    `request`.`sent at` `a.b`
    """
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise ChronosketchError(
            f"{argument} is {name!r}, which is not the name of a column. Put a name that holds a dot or a "
            "backtick in backticks, and write a backtick inside it twice: '`back``tick`'."
        )
    parts = re.findall(_PART, name)
    return ".".join(part if part.startswith("`") else f"`{part}`" for part in parts)


# Tokens that may contain a semicolon that does not end a statement: comments, strings and quoted names.
_TOKEN = re.compile(
    r"""
      (?P<comment> --[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<quoted> '(?:\\.|[^'\\])*(?:'|\Z) | "(?:\\.|[^"\\])*(?:"|\Z) | `[^`]*(?:`|\Z) )
    | (?P<end> ; )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL,
)


def split_statements(text: str) -> list[str]:
    r"""Split at each semicolon that ends a statement, and drop comments.

    Examples
    --------
    >>> split_statements("SELECT ';' -- one; only\n; SELECT 2")
    ["SELECT ';'", 'SELECT 2']
    """
    statements = [""]
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "end":
            statements.append("")
        elif token.lastgroup == "comment" and not token.group().startswith("/*+"):
            statements[-1] += " "
        else:  # a hint looks like a comment but must stay
            statements[-1] += token.group()
    return [statement.strip() for statement in statements if statement.strip()]
