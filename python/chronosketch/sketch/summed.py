"""Quantile sketches that also keep the sums of their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.envelope import Header
from chronosketch.sketch.moments.bounds import MomentBounds, Moments
from chronosketch.sketch.moments.sketch import MomentsSketch
from chronosketch.sketch.quantile.sketch import QuantileBased, QuantileFamily, QuantileSketch
from chronosketch.sketch.quantile.tail_sketch import BothTailsSketch, HighTailSketch, LowTailSketch
from chronosketch.sketch.refusal import question

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from typing_extensions import Self

    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.quantile.tuples import Longs
    from chronosketch.sketch.rank import RankProfile


class SummedSketch(QuantileBased, Moments):
    """A quantile sketch and the moments of the same values. Stored, they share the count and the ends."""

    #: The class of the quantile sketch.
    plain: ClassVar[type[QuantileFamily]]

    def __init__(self, quantiles: QuantileFamily, moments: MomentsSketch) -> None:
        super().__init__(quantiles.header)
        self.quantiles = quantiles
        self.moments = moments

    @classmethod
    def _takes(cls, domain: Domain) -> bool:
        """Return whether the type is numeric: only numbers have sums."""
        return MomentsSketch._takes(domain)

    @classmethod
    def _of_keys(cls, header: Header, keys: Longs, counts: Longs | None = None) -> Self:
        """Return a sketch of some keys, each of which counts once or several times."""
        moments = cls.sums_of(header.domain, keys, counts)
        return cls(cls.plain._of_keys(header, keys, counts), moments)

    @staticmethod
    def sums_of(domain: Domain, keys: Longs, counts: Longs | None = None) -> MomentsSketch:
        """Return the sums of some keys, each of which counts once or several times. They must be numbers."""
        from chronosketch.sketch.moments.building import moments_of_keys

        return moments_of_keys(domain, keys, counts)

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        quantiles = cls.plain.read(header, r)
        of_moments = Header(header.domain, ())
        if quantiles.is_empty:
            return cls(quantiles, MomentsSketch(of_moments, None))
        keys = quantiles.tuples.keys
        moments = MomentsSketch.read_sums(of_moments, r, quantiles.count, int(keys[0]), int(keys[-1]))
        return cls(quantiles, moments)

    def write(self, w: Writer) -> None:
        """Write the payload."""
        self.quantiles.write(w)
        if self.moments.tally is not None:
            self.moments.tally.write(w)

    def _unite(self, those: Sequence[Self], wider: Domain) -> Self:
        """Return the union of both parts."""
        quantiles = self.quantiles._unite([that.quantiles for that in those], wider)
        return type(self)(quantiles, self.moments._unite([that.moments for that in those], wider))

    def _reduced_to(self, other: Sketch) -> Sketch:
        """Return the quantile sketch alone if the other one has no sums."""
        return self if isinstance(other, SummedSketch) else self.quantiles

    def _cast_obstacle(self, cast: Cast) -> str | None:
        """Return why the sums can't be those of the cast values, or None if the cast changes no value."""
        return self.moments._cast_obstacle(cast)

    def _wider_type(self, left: Domain, right: Domain) -> Domain | None:
        """Return the type of a union of such sketches of two types, or None if they have no union."""
        return left.widen(right) or self.moments._wider_type(left, right)

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sketch of the cast values."""
        return type(self)(self.quantiles._cast_by(cast), self.moments._cast_by(cast))

    @property
    def profile(self) -> RankProfile:
        """The rank bounds."""
        return self.quantiles.profile

    @property
    def count(self) -> int:
        """The number of values."""
        return self.quantiles.count

    def bounds_of(self, moment: str) -> MomentBounds | None:
        """Return a moment and its bounds."""
        return self.moments.bounds_of(moment)

    def _value(self, moment: str) -> float | None:
        return self.moments._value(moment)

    @property
    def exact_sum(self) -> Decimal | None:
        """The sum with all digits; None for FLOAT and DOUBLE, and for an empty sketch."""
        return self.moments.exact_sum

    @question
    def skewness(self) -> float | None:
        """Return the skewness, or None for an empty sketch and if all values are equal."""
        return self.moments.skewness()

    @question
    def kurtosis(self) -> float | None:
        """Return the excess kurtosis, or None for an empty sketch and if all values are equal."""
        return self.moments.kurtosis()


class SummedQuantileSketch(SummedSketch):
    """A quantile sketch that answers sums, means and variances, too.

    Examples
    --------
    >>> from chronosketch.sketch.summed import SummedQuantileSketch
    >>> s = SummedQuantileSketch.build(range(1, 101), epsilon=0.01)
    >>> s.quantile(0.99), s.mean(), s.sum(), s.exact_sum, s.variance(population=True)
    (99, 50.5, 5050.0, Decimal('5050'), 833.25)
    """

    number: ClassVar[int] = 22
    family: ClassVar[str] = "quantile sketch with sum => true"
    aggregate: ClassVar[tuple[str, ...]] = (*QuantileSketch.aggregate, "sum => true")
    plain: ClassVar[type[QuantileFamily]] = QuantileSketch


class SummedHighTailSketch(SummedSketch):
    """A quantile sketch with sums whose rank error falls towards the greatest value."""

    number: ClassVar[int] = 23
    family: ClassVar[str] = "quantile sketch with tail => 'high', sum => true"
    aggregate: ClassVar[tuple[str, ...]] = (*HighTailSketch.aggregate, "sum => true")
    plain: ClassVar[type[QuantileFamily]] = HighTailSketch


class SummedLowTailSketch(SummedSketch):
    """A quantile sketch with sums whose rank error falls towards the least value."""

    number: ClassVar[int] = 24
    family: ClassVar[str] = "quantile sketch with tail => 'low', sum => true"
    aggregate: ClassVar[tuple[str, ...]] = (*LowTailSketch.aggregate, "sum => true")
    plain: ClassVar[type[QuantileFamily]] = LowTailSketch


class SummedBothTailsSketch(SummedSketch):
    """A quantile sketch with sums whose rank error falls towards the least and the greatest value."""

    number: ClassVar[int] = 25
    family: ClassVar[str] = "quantile sketch with tail => 'both', sum => true"
    aggregate: ClassVar[tuple[str, ...]] = (*BothTailsSketch.aggregate, "sum => true")
    plain: ClassVar[type[QuantileFamily]] = BothTailsSketch
