"""The arguments of `follow`, checked before any table is read, and what a step returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from chronosketch.errors import ChronosketchError
from chronosketch.following import check_expression, check_table, group_expressions, of_type, rank_error
from chronosketch.procedures import call, number
from chronosketch.sql_text import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from pyspark.sql import SparkSession


class Step(NamedTuple):
    """The outcome of a step.

    `step` counts the steps of the roll-up. `version` is the version of the source up to which the roll-up is
    fresh, and `committed` the time of that version. `rows` is the number of rows of the roll-up that were
    written. `is_new` is False if there was nothing new: then nothing was written. An Iceberg table without
    snapshots has no version: then `version` and `committed` are None.
    """

    step: int
    version: int | None
    committed: datetime | None
    rows: int
    is_new: bool


@dataclass(frozen=True)
class Plan:
    """The arguments of `follow`."""

    source: str
    into: str
    time: str
    bucket: str | None = None
    by: str | Sequence[str] = ()
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    epsilon: float = 0.01
    zone: str = "UTC"
    levels: Sequence[str] | None = None
    retention: Mapping[str, str] | None = field(default=None, hash=False)
    tail: str | None = None

    def __post_init__(self) -> None:
        """Refuse arguments of a wrong type or out of range. The jar judges expressions and lengths."""
        check_table("source", self.source)
        check_table("into", self.into)
        check_expression("time", self.time, "ts")
        if self.bucket is not None and self.levels is not None:
            raise ChronosketchError(
                f"bucket is {self.bucket!r} and levels is {self.levels!r}. Give one of them: the first of "
                "levels is the bucket."
            )
        if self.levels is None:
            _check_text("bucket", self.bucket or "1 hour", "1 hour")
        else:
            object.__setattr__(self, "levels", _lengths(self.levels))
        object.__setattr__(self, "by", group_expressions(self.by, "service"))
        example = {"latency": "latency_ms"}
        object.__setattr__(self, "values", _texts("values", self.values, example))
        if not self.values:
            raise ChronosketchError(f"values is empty. Give a dict of at least one value, such as {example}.")
        object.__setattr__(self, "epsilon", rank_error(self.epsilon))
        _check_text("zone", self.zone, "Europe/Berlin")
        if self.retention is not None:
            object.__setattr__(self, "retention", _texts("retention", self.retention, {"1 hour": "30 days"}))
        if self.tail not in (None, "high", "low", "both"):
            raise ChronosketchError(f"tail is {self.tail!r}. Give 'high', 'low' or 'both', or leave it out.")

    def make_step(self, spark: SparkSession, procedure: str = "rollup", **more: str) -> Step:
        """Call the procedure that makes a step, or that creates the roll-up."""
        (row,) = call(
            spark,
            procedure,
            source=text(self.source),
            into=text(self.into),
            time=text(self.time),
            bucket=text(self.bucket or "1 hour") if self.levels is None else None,
            by=_array(self.by) if self.by else None,
            values=_map(self.values),
            epsilon=number(self.epsilon),
            zone=text(self.zone),
            levels=None if self.levels is None else _array(self.levels),
            retention=_map(self.retention) if self.retention else None,
            tail=text(self.tail) if self.tail else None,
            **more,
        )
        return Step(*row)


def _check_text(argument: str, value: Any, example: str) -> None:
    if not isinstance(value, str):
        raise ChronosketchError(f"{argument} is {value!r}, {of_type(value)}. Give text, such as {example!r}.")
    if not value.strip():
        raise ChronosketchError(f"{argument} is {value!r}. Give text, such as {example!r}.")


def _lengths(levels: Any) -> tuple[str, ...]:
    example = ["1 hour", "1 day"]
    try:
        lengths = () if isinstance(levels, str | Mapping) else tuple(levels)
    except TypeError:
        lengths = ()
    if not lengths:
        raise ChronosketchError(
            f"levels is {levels!r}, {of_type(levels)}. Give a list of lengths, such as {example}."
        )
    for length in lengths:
        _check_text("levels", length, example[0])
    return lengths


def _texts(argument: str, mapping: Any, example: dict[str, str]) -> dict[str, str]:
    if not isinstance(mapping, Mapping):
        raise ChronosketchError(
            f"{argument} is {mapping!r}, {of_type(mapping)}. Give a dict, such as {example}."
        )
    ((name, value),) = example.items()
    for key, given in mapping.items():
        _check_text(f"a key of {argument}", key, name)
        _check_text(f"{argument}[{key!r}]", given, value)
    return dict(mapping)


def _array(values: Iterable[str]) -> str:
    return f"array({', '.join(map(text, values))})"


def _map(mapping: Mapping[str, str]) -> str:
    return f"map({', '.join(text(one) for pair in mapping.items() for one in pair)})"
