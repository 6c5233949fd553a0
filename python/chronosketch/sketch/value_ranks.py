"""The ranks of values that are looked up in a sketch, as numbers and as shares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from chronosketch.sketch.base import Sketch
from chronosketch.sketch.description import ShareBounds
from chronosketch.sketch.domain import conversion
from chronosketch.sketch.domain.values import Value, comparable_key
from chronosketch.sketch.refusal import Refusal, question

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.rank import RankProfile


A = TypeVar("A")


class ValueRanks(Sketch):
    """A sketch that answers how many of its values are at or below a value."""

    @property
    @abstractmethod
    def profile(self) -> RankProfile:
        """The rank bounds."""

    @property
    @abstractmethod
    def _rank_estimates(self) -> RankProfile:
        """The profile that the rank of a value that is looked up is taken from. It lies within the bounds."""

    @question
    def rank(self, value: Value) -> int | None:
        """Return an estimate of how many values are at or below a value. It lies within `rank_bounds`.

        Parameters
        ----------
        value : number, date, datetime, time or timedelta
            The value. It is compared with the sketch's values without rounding.

        Returns
        -------
        int
            None for an empty sketch.

        Raises
        ------
        ChronosketchError
            If values of its type cannot be compared with the sketch's.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.build(range(1, 101)).rank(40.5)
        40
        """
        profile = self._rank_estimates
        return None if profile.is_empty else profile.rank(self._position(profile, value))

    @question
    def rank_bounds(self, value: Value) -> tuple[int, int] | None:
        """Return a lower and an upper bound of how many values are at or below a value.

        Parameters
        ----------
        value : number, date, datetime, time or timedelta
            The value. It is compared with the sketch's values without rounding.
        """
        profile = self.profile
        return None if profile.is_empty else profile.rank_bounds(self._position(profile, value))

    @overload
    def cdf(self, points: Value) -> float | None: ...
    @overload
    def cdf(self, points: Sequence[Value]) -> list[float] | None: ...
    @question
    def cdf(self, points: Value | Sequence[Value]) -> Any:
        """Return the shares of the values that are at or below each point.

        Parameters
        ----------
        points : value, or sequence of values
            One point, or several that strictly increase.

        Returns
        -------
        float, or list of float
            A list for several points; None for an empty sketch.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> s = Sketch.build(range(1, 101))
        >>> s.cdf(25), s.cdf([25, 75])
        (0.25, [0.25, 0.75])
        """
        return self._at_points(points, self._share_at)

    def _share_at(self, point: Value) -> float:
        profile = self._rank_estimates
        return profile.cdf(self._position(profile, point))

    @overload
    def cdf_bounds(self, points: Value) -> ShareBounds | None: ...
    @overload
    def cdf_bounds(self, points: Sequence[Value]) -> list[ShareBounds] | None: ...
    @question
    def cdf_bounds(self, points: Value | Sequence[Value]) -> Any:
        """Return the shares of the values that are at or below each point, with their bounds.

        Parameters
        ----------
        points : value, or sequence of values
            As of `cdf`.

        Returns
        -------
        ShareBounds, or list of ShareBounds
            Tuples of `share`, the answer of `cdf`, and the bounds `low` and `high`. A list for several
            points; None for an empty sketch.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.build(range(1, 101)).cdf_bounds(25)
        ShareBounds(share=0.25, low=0.25, high=0.25)
        """
        return self._at_points(points, self._share_bounds_at)

    def _share_bounds_at(self, point: Value) -> ShareBounds:
        profile = self.profile
        return ShareBounds(self._share_at(point), *profile.cdf_bounds(self._position(profile, point)))

    @question
    def pmf(self, points: Value | Sequence[Value]) -> list[float] | None:
        """Return the shares of the values that lie between the points.

        Parameters
        ----------
        points : value, or sequence of values
            As of `cdf`.

        Returns
        -------
        list of float
            One share more than points: up to the first point, within each (p(i-1), p(i)], above the last.
            They add up to 1. None for an empty sketch.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.build(range(1, 101)).pmf([25, 75])
        [0.25, 0.5, 0.25]
        """
        profile = self._rank_estimates
        positions = self._at_points(_several(points), lambda point: self._position(profile, point))
        return None if positions is None else profile.pmf(positions)

    def _position(self, profile: RankProfile, value: Value) -> int:
        """Return the position of the greatest key that is not above a value."""
        floor = conversion.floor_of(value, self.domain)
        return -1 if floor is None else profile.position(floor)

    def _at_points(self, points: Value | Sequence[Value], one: Callable[[Value], A]) -> Any:
        """Return the answer for one point, or for each of several; None for an empty sketch."""
        several = increasing(points, self.domain)
        if self._rank_estimates.is_empty:
            return None
        answers = [one(point) for point in several]
        return answers if isinstance(points, Iterable) else answers[0]


def increasing(points: Value | Sequence[Value], stored: Domain) -> list[Value]:
    """Return one point or several as a list. Refuse points that do not increase or do not fit to a type.

    Examples
    --------
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.value_ranks import increasing
    >>> increasing(2.5, domain_named("int")), increasing([1, 2.5], domain_named("int"))
    ([2.5], [1, 2.5])
    """
    several = _several(points)
    placed = [comparable_key(point, stored) for point in several]
    for i, place in enumerate(placed):
        if i > 0 and not conversion.is_below(placed[i - 1], place):
            raise Refusal("INVALID_POINTS", index=i + 1, point=several[i], before=several[i - 1])
    return several


def _several(points: Value | Sequence[Value]) -> list[Value]:
    return list(points) if isinstance(points, Iterable) else [points]
