"""The arguments of `follow`, checked before any table is read, and the step that the jar makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from chronosketch.errors import ChronosketchError
from chronosketch.following import (
    check_expression,
    check_table,
    group_expressions,
    rank_error,
    whole_number,
)
from chronosketch.history.refusals import history_errors
from chronosketch.procedures import call, number
from chronosketch.sql_text import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

OnReplace = Literal["error", "rebuild", "continue"]


class Step(NamedTuple):
    """The result of one step.

    The step added the versions `first` to `last`. `changes` counts their changes after changes of the same
    value were added up. `sealed` is True if the step also sealed the open rows.
    """

    first: int
    last: int
    changes: int
    sealed: bool


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

    def make_step(self, spark: SparkSession) -> Step | None:
        """Call the procedure that makes a step. Returns None if there is nothing new."""
        with history_errors():
            made = call(
                spark,
                "follow",
                source=text(self.source),
                into=text(self.into),
                value=text(self.value),
                by=f"array({', '.join(map(text, self.by))})" if self.by else None,
                where=None if self.where is None else text(self.where),
                epsilon=number(self.epsilon),
                start=None if self.start is None else number(self.start),
                on_replace=text(self.on_replace),
            )
        return Step(*made[0]) if made else None
