"""The DDSketch: quantiles of numbers with a relative error of at most alpha."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from chronosketch.sketch.answering import Bounded, Estimates
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.ddsketch import wire
from chronosketch.sketch.ddsketch.bin_intervals import BinIntervals
from chronosketch.sketch.ddsketch.bin_keys import BinKeys
from chronosketch.sketch.ddsketch.bins import bins_of, middle
from chronosketch.sketch.description import Estimate
from chronosketch.sketch.domain.columns import doubles_of
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.domain.values import keys_of
from chronosketch.sketch.envelope import Header, Parameter
from chronosketch.sketch.quantile.building import keys_and_counts, require_countable
from chronosketch.sketch.rank import EMPTY
from chronosketch.sketch.refusal import Refusal, refusing_as

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.quantile.tuples import Longs
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
    >>> s = DDSketch.build([10.0, 20.0, 40.0], alpha=0.01)
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
    def _takes(cls, domain: Domain) -> bool:
        """Return whether values are numbers: a relative error of a date has no meaning."""
        return domain.is_numeric

    @classmethod
    @refusing_as("DDSketch.build")
    def build(  # type: ignore[override]
        cls,
        values: Iterable[object],
        alpha: float = 0.01,
        type: str | None = None,  # noqa: A002
        frequency: Iterable[int | None] | None = None,
    ) -> Self:
        """Build a sketch of some numbers.

        Parameters
        ----------
        values : iterable
            Numbers of one type, in any form that `Sketch.build` takes.
        alpha : float, default 0.01
            The allowed error, as a share of the answer, from 0.0001 to 0.5.
        type : str, optional
            The SQL type of the sketch; by default that of the values.
        frequency : iterable of int, optional
            How often each value counts. Values with 0 or None are skipped.

        Raises
        ------
        ChronosketchError
            If alpha is out of range, or a value is not a number, or the values have no common type.
        """
        alpha = ALPHA.require(alpha)
        if frequency is None:
            domain, keys = keys_of(values, type)
            copies = np.ones(len(keys), np.int64)
        else:
            domain, keys, copies = keys_and_counts(values, type, frequency)
        if not cls._takes(domain):
            raise Refusal("NO_RELATIVE_ERROR", sql="value", type=domain.sql)
        if not len(keys):
            return cls(Header(domain, (alpha,)), 0, 0, {})
        numbers, places = np.unique(bins_of(alpha).of_all(_doubles(keys, domain)), return_inverse=True)
        require_countable(copies)
        counts = np.zeros(len(numbers), np.int64)
        np.add.at(counts, places, copies)
        ends = int(keys.min()), int(keys.max())
        return cls(Header(domain, (alpha,)), *ends, dict(zip(numbers.tolist(), counts.tolist(), strict=True)))

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

    def _require_alike(self, that: Self) -> None:
        """Refuse another alpha, because its bins differ."""
        if self.alpha != that.alpha:
            raise Refusal("ALPHAS_DIFFER", left=ALPHA.text(self.alpha), right=ALPHA.text(that.alpha))

    def _cast_obstacle(self, cast: Cast) -> str | None:
        """Return why bins would not stay where they are: a whole number is in that of its nearest double."""
        are_doubles = not cast.given.is_floating and cast.given.scale == 0 and cast.to.kind == Kind.DOUBLE
        stay = cast.keeps_keys or are_doubles or (cast.is_exact and cast.given.scale == cast.to.scale)
        if stay or not self._counts:
            return None
        return "values would leave their bins, and answers be off by more than alpha"

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sketch of the cast values."""
        ends = (cast.key(self._least), cast.key(self._greatest)) if self._counts else (0, 0)
        return type(self)(Header(cast.to, self.header.numbers), *ends, self._counts)

    def _unite(self, those: Sequence[Self], wider: Domain) -> Self:
        """Return the union, with the counts added up."""
        full = (self, *those)
        least = min(sketch._least for sketch in full)
        greatest = max(sketch._greatest for sketch in full)
        counts: Counter[int] = Counter()
        for sketch in full:
            counts.update(sketch._counts)
        return type(self)(Header(wider, self.header.numbers), least, greatest, dict(counts))

    @cached_property
    def profile(self) -> RankProfile:
        """The rank bounds."""
        return self._intervals.profile() if self._counts else EMPTY

    @cached_property
    def _rank_estimates(self) -> RankProfile:
        """The likeliest ranks of values that are looked up."""
        return self._intervals.estimates() if self._counts else EMPTY

    @cached_property
    def _intervals(self) -> BinIntervals:
        keys = BinKeys(bins_of(self.alpha), self.domain)
        return BinIntervals(keys, self._least, self._greatest, self._counts)

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


def _doubles(keys: Longs, domain: Domain) -> npt.NDArray[np.float64]:
    return doubles_of(keys) if domain.is_floating else keys.astype(np.float64)
