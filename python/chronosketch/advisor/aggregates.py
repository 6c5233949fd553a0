"""What kind each aggregate is of: table 3.1 of Meijer's thesis, as far as a window can ask for it here."""

from __future__ import annotations

from dataclasses import dataclass

from chronosketch.errors import ChronosketchError


@dataclass(frozen=True)
class Aggregate:
    """An aggregate: bounded if partial answers have one size, differential if rows can be taken back out.

    `model` names the measured aggregates whose cost stands for this one's, the nearest first. Section 8.2 of
    the thesis allows that for aggregates that are bounded and differential, where rows or panes are kept.
    """

    name: str
    bounded: bool
    differential: bool
    model: tuple[str, ...]

    @property
    def kind(self) -> str:
        """Say in words what table 3.1 marks."""
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
    """Find an aggregate.

    Raises
    ------
    ChronosketchError
        If none has this name.

    Examples
    --------
    >>> aggregate_named("quantile").kind
    'unbounded and not differential'
    """
    found = AGGREGATES.get(name) if isinstance(name, str) else None
    if found is None:
        raise ChronosketchError(f"aggregate is {name!r}: give one of {', '.join(sorted(AGGREGATES))}.")
    return found
