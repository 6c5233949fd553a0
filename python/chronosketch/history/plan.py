"""The arguments of `follow`, checked before any table is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from chronosketch.errors import ChronosketchError
from chronosketch.following import (
    check_expression,
    check_table,
    group_expressions,
    rank_error,
    whole_number,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

OnReplace = Literal["error", "rebuild", "continue"]


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
        check_expression("value", self.value)
        object.__setattr__(self, "by", group_expressions(self.by))
        if self.where is not None:
            check_expression("where", self.where)
        object.__setattr__(self, "epsilon", rank_error(self.epsilon))
        if self.start is not None:
            object.__setattr__(self, "start", whole_number("start", self.start))
            if self.start < 0:
                raise ChronosketchError(f"start is {self.start}. Versions are counted from 0.")
        if self.on_replace not in ("error", "rebuild", "continue"):
            raise ChronosketchError(
                f"on_replace is {self.on_replace!r}. Give 'error', 'rebuild' or 'continue'."
            )
