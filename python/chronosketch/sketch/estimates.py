"""Quantiles that need not be values that came."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronosketch.sketch.answering import Quantiles
from chronosketch.sketch.domain import conversion, double_keys
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.domain.values import Value, value_of

if TYPE_CHECKING:
    from chronosketch.sketch.rank.phi import Phi

_DOUBLE = Domain(Kind.DOUBLE)


@dataclass(frozen=True)
class Estimate:
    """A value that need not be one of its type's.

    Attributes
    ----------
    key : int
        The nearest key that is.
    value : float
        The value itself, in the units of the type.
    """

    key: int
    value: float

    @staticmethod
    def of(key: int, domain: Domain) -> Estimate:
        """Return a value of the type, as near as doubles have it.

        Examples
        --------
        >>> from chronosketch.sketch.domain.type_names import domain_named
        >>> Estimate.of(125, domain_named("decimal(9, 2)"))
        Estimate(key=125, value=1.25)
        """
        if domain.is_floating:
            return Estimate(key, double_keys.value(key))
        return Estimate(key, key / 10 ** (domain.second if domain.is_numeric else 0))


class Estimates(Quantiles):
    """A sketch whose quantiles need not be values that came."""

    @abstractmethod
    def estimate(self, phi: Phi) -> Estimate | None:
        """Return the φ-quantile; None where there are no values. A φ that it does not answer is refused."""

    def one_quantile(self, phi: Phi, to: Domain | None, call: str) -> Value | None:
        """Return the φ-quantile in a type: of numbers, DOUBLE where none is given."""
        estimate, held = self.estimate(phi), self.domain
        asked = to or (_DOUBLE if held.is_numeric else held)
        if estimate is None:
            return None
        conversion.require_allowed(held, asked, call)
        # it may lie between the values that the type of the rows has
        if held.is_numeric and asked != held and not asked.is_integer:
            key, held = double_keys.key(estimate.value), _DOUBLE
        else:
            key = estimate.key
        return value_of(conversion.convert(key, held, asked), asked)
