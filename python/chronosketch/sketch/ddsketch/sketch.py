"""The DDSketch: quantiles of numbers with a relative error of at most alpha."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.answering import Bounded, Estimates
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.ddsketch import wire
from chronosketch.sketch.ddsketch.bin_keys import BinKeys, profile
from chronosketch.sketch.ddsketch.bins import bins_of, middle
from chronosketch.sketch.description import Estimate
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.domain.values import keys_of
from chronosketch.sketch.envelope import Header, Parameter
from chronosketch.sketch.rank import EMPTY
from chronosketch.sketch.refusal import Refusal, refusing_as

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.rank import Phi, RankProfile

ALPHA = Parameter("alpha", 1e-4, 0.5)


class DDSketch(Estimates, Bounded):
    """A sketch by ddsketch_agg: quantiles of numbers with a relative error of at most alpha.

    Notes
    -----
    Masson, Rim and Lee, "DDSketch: a fast and fully-mergeable quantile sketch with relative-error
    guarantees", VLDB 2019; bins never collapse. The sketch does not depend on the order of the values.

    Examples
    --------
    >>> from chronosketch.sketch import DDSketch
    >>> s = DDSketch.of([10.0, 20.0, 40.0], alpha=0.01)
    >>> abs(s.quantile(0.5) - 20) <= 0.2, s.max()
    (True, 40.0)
    """

    number: ClassVar[int] = 6
    family: ClassVar[str] = "ddsketch"
    aggregate: ClassVar[tuple[str, ...]] = ("ddsketch_agg", "value")
    parameters: ClassVar[tuple[Parameter, ...]] = (ALPHA,)

    def __init__(self, header: Header, least: int, greatest: int, counts: dict[int, int]) -> None:
        super().__init__(header)
        self._least = least
        self._greatest = greatest
        self._counts = counts

    @classmethod
    def takes(cls, domain: Domain) -> bool:
        """Return whether values are numbers: a relative error of a date has no meaning."""
        return domain.is_numeric

    @classmethod
    @refusing_as("DDSketch.of")
    def of(cls, values: Iterable[object], alpha: float = 0.01, type: str | None = None) -> Self:  # noqa: A002
        """Build a sketch of some numbers.

        Parameters
        ----------
        values : iterable
            Numbers of one type. None is skipped; NaN is the greatest.
        alpha : float, default 0.01
            The allowed error, as a share of the answer, from 0.0001 to 0.5.
        type : str, optional
            The SQL type of the sketch; by default that of the values.

        Raises
        ------
        ChronosketchError
            If alpha is out of range, or a value is not a number, or the values have no common type.
        """
        alpha = ALPHA.require(alpha)
        domain, keys = keys_of(values, type)
        if not cls.takes(domain):
            raise Refusal("NO_RELATIVE_ERROR", sql="value", type=domain.sql)
        bins = bins_of(alpha)
        counts = Counter(bins.of(_double(key, domain)) for key in keys)
        ends = (min(keys), max(keys)) if keys else (0, 0)
        return cls(Header(domain, (alpha,)), *ends, dict(counts))

    @property
    def alpha(self) -> float:
        """The allowed error, as a share of the answer."""
        return self.header.numbers[0]

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        return cls(header, *wire.read(r, header.domain, bins_of(header.numbers[0])))

    def write(self, w: Writer) -> None:
        """Write the payload."""
        wire.write(w, self._least, self._greatest, self._counts)

    def require_alike(self, that: Self) -> None:
        """Refuse another alpha, because its bins differ."""
        if self.alpha != that.alpha:
            raise Refusal("ALPHAS_DIFFER", left=ALPHA.text(self.alpha), right=ALPHA.text(that.alpha))

    def unite(self, that: Self, wider: Domain) -> Self:
        """Return the union, with the counts added up."""
        full = [sketch for sketch in (self, that) if sketch._counts]
        least = min((sketch._least for sketch in full), default=0)
        greatest = max((sketch._greatest for sketch in full), default=0)
        counts = Counter(self._counts)
        counts.update(that._counts)
        return type(self)(Header(wider, self.header.numbers), least, greatest, dict(counts))

    @cached_property
    def profile(self) -> RankProfile:
        """The rank bounds."""
        if not self._counts:
            return EMPTY
        keys = BinKeys(bins_of(self.alpha), self.domain)
        return profile(keys, self._least, self._greatest, self._counts)

    @cached_property
    def _count(self) -> int:
        return sum(self._counts.values())

    @property
    def count(self) -> int:
        """The number of values."""
        return self._count

    @property
    def bins(self) -> int:
        """The number of bins that have values."""
        return len(self._counts)

    def estimate(self, phi: Phi) -> Estimate | None:
        """Return the φ-quantile."""
        if not self._counts:
            return None
        low, high = self.profile.quantile_bounds(phi)
        domain = self.domain
        if low == high:
            return Estimate.of(low, domain)
        if domain.is_floating:
            value = middle(doubles.value(low), doubles.value(high))
            single = doubles.nearest_float(value) if domain.kind == Kind.FLOAT else value
            return Estimate(doubles.key(single), value)
        unscaled = middle(float(low), float(high))
        nearest = max(low, min(high, round(unscaled)))
        return Estimate(nearest, unscaled / math.pow(10, domain.second))


def _double(key: int, domain: Domain) -> float:
    return doubles.value(key) if domain.is_floating else float(key)
