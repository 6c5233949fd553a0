"""Check answers against the sorted data, without Spark and with exact ranks."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class CheckedAnswer:
    """One quantile of one group: the answer, its bounds, and the exact value.

    Attributes
    ----------
    group : str
        The group.
    The requested quantile, as written in SQL.
        The quantile asked for, as written in SQL.
    count : int
        The number of values in the group.
    answer, low, high : float
        The approximate quantile, plus a lower and an upper bound that always contain the exact one.
    exact : float
        The φ-quantile of the sorted values.
    certified, rank_error : float
        The rank error that the sketch certifies, and the true one, as shares of the count.
    """

    group: str
    phi: str
    count: int
    answer: float
    low: float
    high: float
    exact: float
    certified: float
    rank_error: float


class Truth:
    """A column, sorted within its groups.

    Parameters
    ----------
    groups, values : pandas.Series
        The group and the value of each row. Rows without a value are left out.
    """

    def __init__(self, groups: pd.Series[Any], values: pd.Series[Any]) -> None:
        present = values.dropna().astype("float64")
        self._sorted: dict[str, NDArray[np.float64]] = {
            str(group): np.sort(part.to_numpy()) for group, part in present.groupby(groups[present.index])
        }

    @property
    def groups(self) -> set[str]:
        """The groups that have a value."""
        return set(self._sorted)

    def count(self, group: str) -> int:
        """Return how many values a group has."""
        return len(self._sorted[group])

    def exact(self, group: str, phi: str) -> float:
        """Return the element at rank max(1, ⌈φN⌉)."""
        return float(self._sorted[group][self._rank(group, phi) - 1])

    def rank_error(self, group: str, phi: str, answer: float) -> float:
        """Return how many ranks an answer is from ⌈φN⌉, as a share of N. A tied value has all its ranks."""
        ordered, rank = self._sorted[group], self._rank(group, phi)
        first = int(np.searchsorted(ordered, answer, side="left")) + 1
        last = int(np.searchsorted(ordered, answer, side="right"))
        return max(0, rank - last, first - rank) / len(ordered)

    def _rank(self, group: str, phi: str) -> int:
        return max(1, ceil(Fraction(phi) * self.count(group)))


def window_truth(flights: pd.DataFrame) -> Truth:
    """Sort the delays in each airport's windows, which end at its last flight with a delay."""
    windows = []
    for origin, of_origin in flights.dropna(subset=["dep_delay"]).groupby("origin"):
        latest_first = of_origin.sort_values("scheduled", ascending=False)
        age = latest_first["scheduled"].iloc[0] - latest_first["scheduled"]
        inside = {
            "last day": age < pd.Timedelta(days=1),
            "last week": age < pd.Timedelta(days=7),
            "last 30 days": age < pd.Timedelta(days=30),
            "last 1 000 flights": np.arange(len(age)) < 1000,
        }
        windows += [latest_first[rows].assign(window=f"{origin}, {name}") for name, rows in inside.items()]
    together = pd.concat(windows, ignore_index=True)
    return Truth(together["window"], together["dep_delay"])


def then_truth(flights: pd.DataFrame, column: str, moments: Sequence[str], days: int | None = None) -> Truth:
    """Sort a column of each airport's flights that counted at some moments.

    Parameters
    ----------
    flights : pandas.DataFrame
        All flights.
    column : str
        The column to sort.
    moments : sequence of str
        The moments.
    days : int, optional
        How many days a flight counts after its departure. Without it, a flight counts until it lands.
    """
    flown = flights.dropna(subset=["air_time"])
    took_off = flown["scheduled"] + pd.to_timedelta(flown["dep_delay"].astype("int64"), unit="min")
    in_the_air = pd.to_timedelta(flown["air_time"].astype("int64"), unit="min")
    until = took_off + (in_the_air if days is None else pd.Timedelta(days=days))
    there = [
        flown[(took_off <= pd.Timestamp(moment)) & (until > pd.Timestamp(moment))].assign(moment=moment)
        for moment in moments
    ]
    together = pd.concat(there, ignore_index=True)
    return Truth(together["origin"] + ", " + together["moment"], together[column])


def check(rows: Sequence[Mapping[str, Any]], phis: Sequence[str], truth: Truth) -> list[CheckedAnswer]:
    """Check Spark's answers: bounds contain the exact value, and rank errors are within the certified ones.

    Parameters
    ----------
    rows : sequence of mappings
        The group comes first, under any name; then ``n``, ``answer``, ``bounds``, ``exact``, ``certified``.
        The middle three are arrays if several φ were requested. ``n`` is the count, or its bounds.
    phis : sequence of str
        The requested quantiles.
    truth : Truth
        The same column, sorted.

    Raises
    ------
    ChronosketchError
        On the first answer that breaks its guarantee, or if groups or counts differ.
    """
    answers = [answer for row in rows if _counts(row)[1] for answer in _answers(row, phis, truth)]
    if {answer.group for answer in answers} != truth.groups:
        raise ChronosketchError(f"Spark answered for other groups than {sorted(truth.groups)}.")
    for answer in answers:
        _hold(answer)
    return answers


def _answers(row: Mapping[str, Any], phis: Sequence[str], truth: Truth) -> Iterable[CheckedAnswer]:
    group = str(next(iter(row.values())))
    low, high = _counts(row)
    if not low <= truth.count(group) <= high:
        counted = low if low == high else f"{low} to {high}"
        raise ChronosketchError(
            f"{group}: Spark counts {counted} values, but there are {truth.count(group)}."
        )
    per_phi = zip(phis, _list(row["answer"]), _list(row["bounds"]), _list(row["exact"]), strict=True)
    for phi, answer, bounds, exact_in_spark in per_phi:
        exact = truth.exact(group, phi)
        if exact_in_spark != exact:
            raise ChronosketchError(
                f"{group}, φ = {phi}: percentile_disc says {exact_in_spark}, the sorted values say {exact}."
            )
        yield CheckedAnswer(
            group=group,
            phi=phi,
            count=truth.count(group),
            answer=float(answer),
            low=float(bounds["low"]),
            high=float(bounds["high"]),
            exact=exact,
            certified=row["certified"],
            rank_error=truth.rank_error(group, phi, answer),
        )


def _hold(answer: CheckedAnswer) -> None:
    where = f"{answer.group}, φ = {answer.phi}"
    if not answer.low <= answer.exact <= answer.high:
        raise ChronosketchError(
            f"{where}: the exact {answer.exact} lies outside its bounds [{answer.low}, {answer.high}]."
        )
    if answer.rank_error > answer.certified:
        raise ChronosketchError(
            f"{where}: the true rank error {answer.rank_error} is above the certified {answer.certified}."
        )


def _counts(row: Mapping[str, Any]) -> tuple[int, int]:
    n = row["n"]
    return (n, n) if isinstance(n, int) else (n["low"], n["high"])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
