"""Describe what the advisor is asked about: an aggregate, its class, and a window with slide and error."""

from __future__ import annotations

from dataclasses import dataclass

from chronosketch.errors import ChronosketchError


@dataclass(frozen=True)
class Aggregate:
    """An aggregate. Bounded: partial aggregates have constant size. Differential: rows can be removed again.

    `model` names the measured aggregates whose costs may be used for this one, the nearest first. Section 8.2
    of the thesis allows that for bounded and differential aggregates, in approaches that keep rows or panes.
    """

    name: str
    bounded: bool
    differential: bool
    model: tuple[str, ...]

    @property
    def kind(self) -> str:
        """Describe the class of the aggregate in words, as in table 3.1."""
        bounded = "bounded" if self.bounded else "unbounded"
        return f"{bounded} and {'differential' if self.differential else 'not differential'}"


_ALL = (
    Aggregate("variance", True, True, ("variance",)),
    Aggregate("quantile", False, False, ("quantile",)),
    Aggregate("count", True, True, ("count", "sum", "variance")),
    Aggregate("sum", True, True, ("sum", "count", "variance")),
    Aggregate("average", True, True, ("average", "sum", "variance")),
    Aggregate("stddev", True, True, ("stddev", "variance")),
    Aggregate("skewness", True, True, ("skewness", "variance")),
    Aggregate("kurtosis", True, True, ("kurtosis", "variance")),
    Aggregate("covariance", True, True, ("covariance", "variance")),
    Aggregate("median", False, False, ("median", "quantile")),
)
AGGREGATES = {aggregate.name: aggregate for aggregate in _ALL}


def aggregate_named(name: str) -> Aggregate:
    """Find an aggregate by its name.

    Raises
    ------
    ChronosketchError
        If there is none of this name.

    Examples
    --------
    >>> aggregate_named("quantile").kind
    'unbounded and not differential'
    """
    found = AGGREGATES.get(name) if isinstance(name, str) else None
    if found is None:
        raise ChronosketchError(f"aggregate is {name!r}: give one of {', '.join(sorted(AGGREGATES))}.")
    return found


FACTORS = ("retention", "slide", "epsilon", "delta")


@dataclass(frozen=True, order=True)
class Workload:
    """A window of `retention` rows that moves by `slide` rows. An `epsilon` of 0 is exact.

    Examples
    --------
    >>> Workload(19_200, 320, 0.01, 1e-4).factor("slide")
    320.0
    """

    retention: float
    slide: float
    epsilon: float = 0.0
    delta: float = 0.0

    def factor(self, name: str) -> float:
        """Return one of the four factors by name."""
        return float(
            {"retention": self.retention, "slide": self.slide, "epsilon": self.epsilon}.get(name, self.delta)
        )


@dataclass(frozen=True)
class WindowQuestion:
    """The question to the advisor: aggregate, window, allowed chance of a larger error, and memory."""

    aggregate: Aggregate
    workload: Workload
    delta: float | None
    memory: int | None
    rate: float | None
