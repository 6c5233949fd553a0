"""The moments sketch: count, sum, mean, variance, skewness and kurtosis."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.answering import Extremes
from chronosketch.sketch.codec.wire import corrupt
from chronosketch.sketch.moments import ieee
from chronosketch.sketch.moments.bounds import MomentBounds, Moments
from chronosketch.sketch.moments.double_tally import DoubleTally
from chronosketch.sketch.moments.whole_tally import WholeTally
from chronosketch.sketch.refusal import question

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.envelope import Header


class MomentsSketch(Extremes, Moments):
    """A sketch of sums of powers. For whole numbers and decimals they are exact, as Spark's are.

    Examples
    --------
    >>> from chronosketch.sketch.envelope import Header
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.moments.sketch import MomentsSketch
    >>> from chronosketch.sketch.moments.whole_tally import WholeTally
    >>> ones = MomentsSketch(Header(domain_named("int"), ()), WholeTally.equal(3, 1))
    >>> fives = MomentsSketch(Header(domain_named("int"), ()), WholeTally.equal(1, 5))
    >>> s = ones.merge(fives)
    >>> s.sum(), s.mean(), s.variance(), s.moment_bounds("stddev").lower, s.max()
    (8.0, 2.0, 4.0, 2.0, 5)
    """

    number: ClassVar[int] = 9
    family: ClassVar[str] = "moments sketch"
    aggregate: ClassVar[tuple[str, ...]] = ("moments_agg", "value")

    def __init__(self, header: Header, tally: WholeTally | DoubleTally | None) -> None:
        super().__init__(header)
        self.tally = tally

    @classmethod
    def _takes(cls, domain: Domain) -> bool:
        """Return whether the type is numeric: the square of a day has no meaning."""
        return domain.is_numeric

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        n = r.long()
        if n < 0:
            raise corrupt("its count is not valid")
        if n == 0:
            return cls(header, None)
        least, greatest = read_ends(r, header.domain)
        if n == 1 and least != greatest:
            raise corrupt("it has one value, but its least and greatest values differ")
        return cls.read_sums(header, r, n, least, greatest)

    @classmethod
    def read_sums(cls, header: Header, r: Reader, n: int, least: int, greatest: int) -> Self:
        """Read what follows the count, which is not 0, and the ends."""
        kind = DoubleTally if header.domain.is_floating else WholeTally
        return cls(header, kind.read(r, n, least, greatest))

    def write(self, w: Writer) -> None:
        """Write the payload."""
        w.varint(self.count)
        if self.tally is not None:
            w.zigzag(self.tally.least)
            w.varint(self.tally.greatest - self.tally.least)
            self.tally.write(w)

    def _wider_type(self, left: Domain, right: Domain) -> Domain | None:
        """Return the type of a union of such sketches of two types, or None if they have no union."""
        # such a cast is exact, whatever the values are
        return left.coerced(right)

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union. It is the same as Spark's, bit for bit."""
        tally = self.tally or that.tally
        if self.tally is not None and that.tally is not None:
            # types with a common type are both floating or neither
            tally = self.tally.plus(that.tally)  # type: ignore[arg-type]
        return type(self)(replace(self.header, domain=wider), tally)

    def _cast_obstacle(self, cast: Cast) -> str | None:
        """Return why the sums can't be those of the cast values, or None if the cast changes no value."""
        if self.tally is None or self.tally.is_cast_exact(cast):
            return None
        return "it has sums, which don't tell what the cast changes in each value"

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sketch of the cast values."""
        return type(self)(
            replace(self.header, domain=cast.to), None if self.tally is None else self.tally.cast_by(cast)
        )

    @property
    def count(self) -> int:
        """The number of values."""
        return 0 if self.tally is None else self.tally.n

    @property
    def _least_key(self) -> int | None:
        """The key of the least value, or None if there are no values."""
        return None if self.tally is None else self.tally.least

    @property
    def _greatest_key(self) -> int | None:
        """The key of the greatest value, or None if there are no values."""
        return None if self.tally is None else self.tally.greatest

    @property
    def _unit(self) -> int:
        return int(10**self.domain.second)

    @property
    def exact_sum(self) -> Decimal | None:
        """The sum with all digits; None for FLOAT and DOUBLE, and for an empty sketch."""
        if not isinstance(self.tally, WholeTally):
            return None
        total = self.tally.sums[0]
        return Decimal((total < 0, tuple(map(int, str(abs(total)))), -self.domain.second))

    def bounds_of(self, moment: str) -> MomentBounds | None:
        """Return a moment and its bounds."""
        if moment == "count":
            return MomentBounds.of_count(self.count)
        answer = self._value(moment)
        if self.tally is None or answer is None:
            return None
        return self.tally.bounds(moment, answer, self._unit)

    def _value(self, moment: str) -> float | None:
        tally, unit = self.tally, self._unit
        if tally is None:
            return None
        if moment in ("sum", "mean"):
            return tally.total(unit) if moment == "sum" else tally.mean(unit)
        name, _, population = moment.partition("_")
        variance = tally.variance(unit, population=bool(population))
        return variance if name == "variance" or variance is None else ieee.root(variance)

    @property
    def squares(self) -> float | None:
        """The sum of the squares of the distances from the mean; None for an empty sketch."""
        return None if self.tally is None else self.tally.squares(self._unit)

    @question
    def skewness(self) -> float | None:
        """Return the skewness, or None for an empty sketch and if all values are equal."""
        return None if self.tally is None else self.tally.skewness()

    @question
    def kurtosis(self) -> float | None:
        """Return the excess kurtosis, or None for an empty sketch and if all values are equal."""
        return None if self.tally is None else self.tally.kurtosis()


def read_ends(r: Reader, domain: Domain) -> tuple[int, int]:
    """Read the least key, and the greatest as its difference. Refuse keys that no value has."""
    least = r.zigzag()
    greatest = least + r.varint()
    if not (domain.holds(least) and domain.holds(greatest)):
        raise corrupt(f"its least or greatest value is not of type {domain.sql}")
    return least, greatest
