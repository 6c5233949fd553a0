"""Classify the aggregates of windows, by table 3.1 of Meijer's thesis."""

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
