"""Answers that have several parts: descriptions, bounds, estimates and ends of histories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.domain.values import Value

if TYPE_CHECKING:
    from chronosketch.sketch.domain.domain import Domain


@dataclass(frozen=True)
class NamedAnswer:
    """How a QLOVE sketch answers one of its φ. Without rows, all fields but the φ are None."""

    phi: float
    method: str | None = None
    reason: str | None = None
    need: int | None = None
    reached: int | None = None
    bursty: bool | None = None
    bound: float | None = None


@dataclass(frozen=True)
class Description:
    """The description of a sketch, as by SQL's sketch_describe. Fields that a family lacks are None.

    Attributes
    ----------
    family : str
        The name of the family.
    format : int
        The version of the format of its bytes.
    value_type : str
        The SQL type of its values.
    parameters : dict of str to float
        The parameters by name.
    count : int
        The number of values.
    bytes : int
        The number of stored bytes.
    error : float
        The certified rank error, as a share of the count.
    exact : bool
        Whether every answer is exact.
    time_type : str
        The SQL type of its times.
    retention : str
        How far back windows may reach.
    filters : tuple of str
        The names of its filters.
    panes : int
        The number of panes that have rows.
    answers : tuple of NamedAnswer
        How each φ is answered.
    trees : int
        The number of trees and logs that hold its versions.
    clamped : int
        The number of ignored deletes of values that were not there.
    confidence : float
        The probability that the error and all bounds hold. 1 means always.
    kept : int
        The number of values in a sample.
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


#: A lower and an upper bound of a value.
Bounds: TypeAlias = tuple[Value, Value]


class ShareBounds(NamedTuple):
    """The share of the values at or below a point, and a lower and an upper bound of the exact share."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """An estimate, which need not be a value of the type.

    Attributes
    ----------
    key : int
        The key of the nearest value of the type.
    value : float
        The estimate itself, in the units of the type.
    """

    key: int
    value: float

    @staticmethod
    def of(key: int, domain: Domain) -> Estimate:
        """Return the value of a key as an estimate, to the precision of doubles.

        Examples
        --------
        >>> from chronosketch.sketch.domain.type_names import domain_named
        >>> Estimate.of(125, domain_named("decimal(9, 2)"))
        Estimate(key=125, value=1.25)
        """
        if domain.is_floating:
            return Estimate(key, doubles.value(key))
        return Estimate(key, key / 10 ** (domain.second if domain.is_numeric else 0))


class Versions(NamedTuple):
    """The first and the last version of a history, and the number of trees and logs that hold them."""

    first: Value | None
    last: Value | None
    trees: int
