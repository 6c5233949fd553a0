"""The rank of the φ-quantile of n elements."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from chronosketch.sketch.codec import java_text
from chronosketch.sketch.refusal import Refusal

#: A share from 0 to 1. A float counts as the decimal number of its shortest text.
Share: TypeAlias = float | Decimal


class Phi:
    """A share of the elements, exactly as written.

    Examples
    --------
    >>> from chronosketch.sketch.rank.phi import Phi
    >>> Phi(0.07).rank(100), Phi(Decimal("0.5")).rank(3), Phi(0).rank(5)
    (7, 2, 1)

    Attributes
    ----------
    share : Fraction
        The share.
    """

    def __init__(self, share: Share) -> None:
        if not isinstance(share, Decimal):
            share = float(share)
            if not 0 <= share <= 1:
                raise Refusal("INVALID_PHI", phi=java_text.double(share))
        exact = Decimal(repr(share)) if isinstance(share, float) else share
        if not exact.is_finite() or not 0 <= exact <= 1:
            raise Refusal("INVALID_PHI", phi=format(exact, "f"))
        self.share = Fraction(exact)

    def rank(self, n: int) -> int:
        """Return the rank of the φ-quantile among n elements, counted from 1."""
        return max(1, -(-self.share.numerator * n // self.share.denominator))

    def reached(self, at_most: int, above: int) -> bool:
        """Return whether the φ-quantile of at_most + above elements is among the first at_most."""
        numerator, denominator = self.share.numerator, self.share.denominator
        return (denominator - numerator) * at_most >= numerator * above

    def __str__(self) -> str:
        # the denominator divides a power of ten
        digits = 0
        while 10**digits % self.share.denominator:
            digits += 1
        unscaled = self.share.numerator * 10**digits // self.share.denominator
        return format(Decimal(f"{unscaled}E-{digits}"), "f")
