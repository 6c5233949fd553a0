"""Abilities that only some families have, as base classes of their sketches."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar, overload

from chronosketch.sketch.base import Sketch
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.domain import conversion
from chronosketch.sketch.domain.conversion import Rounding
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.domain.values import Value, value_of
from chronosketch.sketch.rank import Phi, Share, is_several
from chronosketch.sketch.refusal import question
from chronosketch.sketch.value_ranks import ValueRanks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from chronosketch.sketch.description import Bounds, Estimate
    from chronosketch.sketch.rank import RankProfile


A = TypeVar("A")


class Extremes(Sketch):
    """A sketch that keeps its least and its greatest value."""

    @property
    @abstractmethod
    def _least_key(self) -> int | None:
        """The key of the least value, or None if there are no values."""

    @property
    @abstractmethod
    def _greatest_key(self) -> int | None:
        """The key of the greatest value, or None if there are no values."""

    @question
    def min(self, type: str | None = None) -> Value | None:  # noqa: A002
        """Return the smallest value, or None for an empty sketch.

        Exact, except for one window of a window sketch: then it is the smallest value that may lie in it.

        Parameters
        ----------
        type : str, optional
            The SQL type of the answer, such as ``"double"``; by default that of the sketch.
        """
        return self._end(self._least_key, type, "min")

    @question
    def max(self, type: str | None = None) -> Value | None:  # noqa: A002
        """Return the greatest value, or None for an empty sketch. It is as exact as `min`.

        Parameters
        ----------
        type : str, optional
            The SQL type of the answer, such as ``"double"``; by default that of the sketch.
        """
        return self._end(self._greatest_key, type, "max")

    def _end(self, key: int | None, type_name: str | None, name: str) -> Value | None:
        to = target_type(self.domain, type_name)
        return None if key is None else answer(key, self.domain, to, f"Sketch.{name}('{{}}')")


class Quantiles(Sketch):
    """A sketch that answers quantiles, with or without certified bounds."""

    @abstractmethod
    def _one_quantile(self, phi: Phi, to: Domain | None, call: str) -> Value | None:
        """Return the φ-quantile in a type, by default the sketch's own; None if there are no values."""

    @overload
    def quantile(self, phi: Share, type: str | None = None) -> Value | None: ...
    @overload
    def quantile(self, phi: Iterable[Share], type: str | None = None) -> list[Value | None]: ...
    @question
    def quantile(self, phi: Share | Iterable[Share], type: str | None = None) -> Any:  # noqa: A002
        """Return the phi-quantile of the values.

        Parameters
        ----------
        phi : float, Decimal or iterable of these
            The share, from 0 to 1, of the values that are at most the answer.
        type : str, optional
            The SQL type of the answer, such as ``"double"``; by default that of the sketch. For a DDSketch of
            numbers the default is DOUBLE, as its answers need not be values of the sketch.

        Returns
        -------
        value, or list of values
            A list for several φ; None for an empty sketch. `chronosketch.sketch.domain.values.value_of` lists
            the Python type of each SQL type.

        Raises
        ------
        ChronosketchError
            If φ is out of range, or `type` cannot hold the sketch's values, for example DOUBLE for dates.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> s = Sketch.build(range(1, 101))
        >>> s.quantile([0.5, 0.99]), s.quantile(0.5, type="double")
        ([50, 99], 50.0)
        """
        to = None if type is None else domain_named(type)
        return each_phi(phi, lambda p: self._one_quantile(p, to, f"sketch.quantile({p}, '{{}}')"))


class Bounded(ValueRanks, Extremes, Quantiles):
    """A sketch that certifies bounds of ranks and of quantiles.

    `chronosketch.sketch.comparison` compares two of them, and has confidence intervals.
    """

    @property
    @abstractmethod
    def profile(self) -> RankProfile:
        """The rank bounds."""

    @property
    def _estimates(self) -> RankProfile:
        """The profile that answers are taken from. It lies within the bounds."""
        return self.profile

    @property
    def _rank_estimates(self) -> RankProfile:
        """The profile that the rank of a value that is looked up is taken from. It lies within the bounds."""
        return self._estimates

    @property
    def confidence(self) -> float:
        """The probability that all bounds hold. 1 means always."""
        return 1.0

    @property
    def _least_key(self) -> int | None:
        """The key of the least value, or None if there are no values."""
        return None if self.profile.is_empty else self.profile.keys[0]

    @property
    def _greatest_key(self) -> int | None:
        """The key of the greatest value, or None if there are no values."""
        return None if self.profile.is_empty else self.profile.keys[-1]

    def _one_quantile(self, phi: Phi, to: Domain | None, call: str) -> Value | None:
        """Return the φ-quantile in a type."""
        if self._estimates.is_empty:
            return None
        return answer(self._estimates.quantile(phi), self.domain, to or self.domain, call)

    def _description_fields(self) -> dict[str, Any]:
        """Return the fields of `describe` that only this family has."""
        return {
            **super()._description_fields(),
            "exact": self.profile.is_exact,
            "confidence": self.confidence,
        }

    @overload
    def bounds(self, phi: Share, type: str | None = None) -> Bounds | None: ...
    @overload
    def bounds(self, phi: Iterable[Share], type: str | None = None) -> list[Bounds | None]: ...
    @question
    def bounds(self, phi: Share | Iterable[Share], type: str | None = None) -> Any:  # noqa: A002
        """Return two values that enclose the exact phi-quantile.

        Parameters
        ----------
        phi : float, Decimal or iterable of these
            The share in [0, 1] of the values that are at most the quantile.
        type : str, optional
            The SQL type of the bounds. Bounds that it cannot hold exactly are rounded outward.

        Returns
        -------
        tuple of two values, or list of tuples
            Equal if the answer is exact; None for an empty sketch.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> Sketch.build(range(1, 101)).bounds(0.5)
        (50, 50)
        """
        to = target_type(self.domain, type)
        return each_phi(phi, lambda p: self._bounds(p, to))

    def _bounds(self, phi: Phi, to: Domain) -> Bounds | None:
        if self.profile.is_empty:
            return None
        low, high = self.profile.quantile_bounds(phi)
        call = f"sketch.bounds({phi}, '{{}}')"
        return (
            answer(low, self.domain, to, call, Rounding.DOWN),
            answer(high, self.domain, to, call, Rounding.UP),
        )


class Ranked(Bounded):
    """A sketch that certifies a rank error."""

    @property
    def rank_error(self) -> float | None:
        """The certified rank error, as a share of the count; None for an empty sketch."""
        return None if self.profile.is_empty else self.profile.rank_error

    @question
    def to_kll(self, k: int | None = None) -> bytes:
        """Return the bytes of a KLL sketch of Apache DataSketches, the same as SQL's ``sketch_to_kll``.

        Parameters
        ----------
        k : int, optional
            From 8 to 65535: the most values that count equally; by default it follows from epsilon.

        Returns
        -------
        bytes
            Of doubles, floats or longs. The rank error that it claims is never smaller than the true one.

        Raises
        ------
        ChronosketchError
            If the values have another type or are NaN, or the rank error is above 30.4 %.

        Examples
        --------
        >>> from chronosketch.sketch import Sketch
        >>> len(Sketch.build(range(1, 1_001), epsilon=0.01).to_kll())
        560
        """
        from chronosketch.sketch.kll import write

        numbers = {p.name: n for p, n in zip(self.parameters, self.header.numbers, strict=True)}
        return write(self, numbers.get("epsilon"), k)

    def _description_fields(self) -> dict[str, Any]:
        """Return the fields of `describe` that only this family has."""
        return {**super()._description_fields(), "error": self.rank_error}


def each_phi(phi: Share | Iterable[Share], one: Callable[[Phi], A]) -> A | list[A]:
    """Apply a function to one φ, or to each of several."""
    if is_several(phi):
        return [one(Phi.of(p)) for p in phi]
    return one(Phi.of(phi))


def target_type(stored: Domain, name: str | None) -> Domain:
    """Return the named type, or the sketch's own without a name."""
    return stored if name is None else domain_named(name)


def answer(key: int, stored: Domain, to: Domain, call: str, rounding: Rounding = Rounding.NEAREST) -> Value:
    """Return the value of a key in the requested type. `call` is the call for messages, {} its type."""
    conversion.require_allowed(stored, to, call)
    return value_of(conversion.convert(key, stored, to, rounding), to)


_DOUBLE = Domain(Kind.DOUBLE)


class Estimates(Quantiles):
    """A sketch whose quantiles need not be values of the sketch."""

    @abstractmethod
    def estimate(self, phi: Phi) -> Estimate | None:
        """Return the φ-quantile, or None without values. Refuse a φ that the sketch does not answer."""

    def _one_quantile(self, phi: Phi, to: Domain | None, call: str) -> Value | None:
        """Return the φ-quantile in a type. The default for numbers is DOUBLE."""
        estimate, stored = self.estimate(phi), self.domain
        target = to or (_DOUBLE if stored.is_numeric else stored)
        if estimate is None:
            return None
        conversion.require_allowed(stored, target, call)
        # the estimate may lie between two values of the rows' type
        if stored.is_numeric and target != stored and not target.is_integer:
            key, stored = doubles.key(estimate.value), _DOUBLE
        else:
            key = estimate.key
        return value_of(conversion.convert(key, stored, target), target)
