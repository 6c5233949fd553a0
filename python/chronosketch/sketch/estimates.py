"""Quantiles that are estimates and need not be values of the sketch."""

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
            return Estimate(key, double_keys.value(key))
        return Estimate(key, key / 10 ** (domain.second if domain.is_numeric else 0))


class Estimates(Quantiles):
    """A sketch whose quantiles need not be values of the sketch."""

    @abstractmethod
    def estimate(self, phi: Phi) -> Estimate | None:
        """Return the φ-quantile, or None without values. Refuse a φ that the sketch does not answer."""

    def one_quantile(self, phi: Phi, to: Domain | None, call: str) -> Value | None:
        """Return the φ-quantile in a type. The default for numbers is DOUBLE."""
        estimate, stored = self.estimate(phi), self.domain
        target = to or (_DOUBLE if stored.is_numeric else stored)
        if estimate is None:
            return None
        conversion.require_allowed(stored, target, call)
        # the estimate may lie between two values of the rows' type
        if stored.is_numeric and target != stored and not target.is_integer:
            key, stored = double_keys.key(estimate.value), _DOUBLE
        else:
            key = estimate.key
        return value_of(conversion.convert(key, stored, target), target)
