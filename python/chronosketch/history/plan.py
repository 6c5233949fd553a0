"""The arguments of `follow`, checked before any table is read."""

from __future__ import annotations

import math
import operator
import re
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Sequence

OnReplace = Literal["error", "rebuild", "continue"]

# Names that both SQL and DataFrameReader.table accept: parts of letters, digits and "_", or in backticks.
_PART = r"(?:`(?:[^`]|``)+`|\w+)"
_TABLE = re.compile(rf"\s*{_PART}(?:\s*\.\s*{_PART})*\s*")

_MOST_EPSILON = 0.5


@dataclass(frozen=True)
class Plan:
    """The arguments of `follow`."""

    source: str
    value: str
    into: str
    by: str | Sequence[str] = ()
    where: str | None = None
    epsilon: float = 0.01
    start: int | None = None
    on_replace: OnReplace = "error"

    def __post_init__(self) -> None:
        """Refuse arguments of a wrong type or out of range."""
        check_table("source", self.source)
        check_table("into", self.into)
        _check_expression("value", self.value)
        object.__setattr__(self, "by", _group_expressions(self.by))
        if self.where is not None:
            _check_expression("where", self.where)
        object.__setattr__(self, "epsilon", _rank_error(self.epsilon))
        if self.start is not None:
            object.__setattr__(self, "start", whole_number("start", self.start))
            if self.start < 0:
                raise ChronosketchError(f"start is {self.start}. Versions are counted from 0.")
        if self.on_replace not in ("error", "rebuild", "continue"):
            raise ChronosketchError(
                f"on_replace is {self.on_replace!r}. Give 'error', 'rebuild' or 'continue'."
            )


def check_table(argument: str, name: Any) -> None:
    """Refuse a value that is not a table name in SQL.

    Raises
    ------
    ChronosketchError
        If `name` is not a str, or a part of it needs backticks.

    Examples
    --------
    >>> check_table("source", "lake.sales.`my orders`")
    >>> check_table("source", 7)
    Traceback (most recent call last):
    chronosketch.errors.ChronosketchError: source is 7, of type int. Give the name of a table as text.
    """
    if not isinstance(name, str):
        raise ChronosketchError(
            f"{argument} is {name!r}, {_of_type(name)}. Give the name of a table as text."
        )
    if not _TABLE.fullmatch(name):
        raise ChronosketchError(
            f"{argument} is {name!r}, which is not the name of a table. Put a part that has other characters "
            "than letters, digits and _ in backticks, as in sales.`my orders` or delta.`/path`."
        )


def whole_number(argument: str, value: Any) -> int:
    """Return an integer as an int. Accepts numpy integers, but not True and False.

    Raises
    ------
    ChronosketchError
        If `value` is not a whole number.
    """
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise ChronosketchError(
        f"{argument} is {value!r}, {_of_type(value)}. Give an int, the number of a version."
    )


def _check_expression(argument: str, text: Any) -> None:
    if not isinstance(text, str):
        raise ChronosketchError(
            f"{argument} is {text!r}, {_of_type(text)}. Give an expression of SQL as text, such as 'amount'."
        )
    if not text.strip():
        raise ChronosketchError(f"{argument} is {text!r}. Give an expression of SQL, such as 'amount'.")


def _group_expressions(by: Any) -> tuple[str, ...]:
    try:
        expressions = (by,) if isinstance(by, str) else tuple(by)
    except TypeError:
        raise ChronosketchError(
            f"by is {by!r}, {_of_type(by)}. Give a list of expressions; an empty one is a single group."
        ) from None
    for expression in expressions:
        _check_expression("by", expression)
    return expressions


def _rank_error(epsilon: Any) -> float:
    if isinstance(epsilon, bool) or not isinstance(epsilon, Real):
        raise ChronosketchError(
            f"epsilon is {epsilon!r}, {_of_type(epsilon)}. Give a number from 0 to {_MOST_EPSILON}."
        )
    error = float(epsilon)
    if math.isnan(error) or not 0 <= error <= _MOST_EPSILON:
        raise ChronosketchError(f"epsilon is {epsilon!r}. Give a number from 0 to {_MOST_EPSILON}.")
    return error + 0.0  # -0.0 is 0.0


def _of_type(value: Any) -> str:
    return f"of type {type(value).__name__}"
