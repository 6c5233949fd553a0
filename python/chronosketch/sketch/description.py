"""What a sketch tells of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from chronosketch.sketch.domain.values import Value


@dataclass(frozen=True)
class NamedAnswer:
    """How a QLOVE sketch answers a φ that it was built with; all but the φ are None without rows."""

    phi: float
    method: str | None = None
    reason: str | None = None
    need: int | None = None
    reached: int | None = None
    bursty: bool | None = None
    bound: float | None = None


@dataclass(frozen=True)
class Description:
    """What a sketch tells of itself, as SQL's sketch_describe does; what its family has not is None.

    Attributes
    ----------
    family : str
        The name of the family.
    format : int
        The version of the format of its bytes.
    value_type : str
        The SQL type of its values.
    parameters : dict of str to float
        By their names.
    count : int
        How many values it has seen.
    bytes : int
        How many bytes it is stored in.
    error : float
        The certified rank error, as a share of the count.
    exact : bool
        Whether every answer is exact.
    time_type : str
        The SQL type of its times.
    retention : str
        How far back windows reach.
    filters : tuple of str
        The names of its filters.
    panes : int
        How many panes have rows.
    answers : tuple of NamedAnswer
        How each φ that was named beforehand is answered.
    trees : int
        Over how many trees and logs its versions are spread.
    clamped : int
        Deletes of what was not there.
    confidence : float
        The probability that the error and all bounds hold; 1 is for certain.
    kept : int
        How many values a sample has.
    """

    family: str
    format: int
    value_type: str
    parameters: dict[str, float]
    count: int
    bytes: int
    error: float | None = None
    exact: bool | None = None
    time_type: str | None = None
    retention: str | None = None
    filters: tuple[str, ...] | None = None
    panes: int | None = None
    answers: tuple[NamedAnswer, ...] | None = None
    trees: int | None = None
    clamped: int | None = None
    confidence: float | None = None
    kept: int | None = None


#: Two values that enclose the exact one.
Bounds: TypeAlias = tuple[Value, Value]
