"""The comoments sketch: covariance, correlation and regression of pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.base import Sketch
from chronosketch.sketch.codec.wire import corrupt
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.moments.double_pairs import DoublePairs
from chronosketch.sketch.moments.sketch import read_ends
from chronosketch.sketch.moments.whole_pairs import WholePairs
from chronosketch.sketch.refusal import question

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.envelope import Header


class ComomentsSketch(Sketch):
    """A sketch of pairs (y, x). For whole numbers and decimals its sums are exact, as Spark's are.

    Examples
    --------
    >>> from chronosketch.sketch.envelope import Header
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.moments.comoments import ComomentsSketch
    >>> from chronosketch.sketch.moments.whole_pairs import WholePairs, WholeSide
    >>> whole = domain_named("int")
    >>> pairs = WholePairs(2, WholeSide(1, 3, 4, 10), WholeSide(0, 1, 1, 1), 3)
    >>> s = ComomentsSketch(Header(whole, ()), whole, pairs)
    >>> s.covar(), s.slope(), s.intercept(), s.r2(), s.value_type, s.x_type
    (1.0, 2.0, 1.0, 1.0, 'INT', 'INT')
    """

    number: ClassVar[int] = 10
    family: ClassVar[str] = "comoments sketch"
    aggregate: ClassVar[tuple[str, ...]] = ("comoments_agg", "y", "x")

    def __init__(self, header: Header, x_domain: Domain, pairs: WholePairs | DoublePairs | None) -> None:
        super().__init__(header)
        self.x_domain = x_domain
        self.pairs = pairs

    @classmethod
    def _takes(cls, domain: Domain) -> bool:
        """Return whether values of y, and of x, can be of this type."""
        return domain.is_numeric

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        kind = r.byte()
        x_domain = Domain.of(kind, r.byte(), r.byte())
        if x_domain is None or not cls._takes(x_domain):
            raise corrupt(f"its x have a type that is not numeric ({kind})")
        n = r.long()
        if n < 0:
            raise corrupt("its count is not valid")
        if n == 0:
            return cls(header, x_domain, None)
        domains = (header.domain, x_domain)
        is_whole = not any(domain.is_floating for domain in domains)
        # an integer column next to a column of doubles is stored as doubles
        held = [domain if is_whole or domain.is_floating else Domain(Kind.DOUBLE) for domain in domains]
        ends = [read_ends(r, domain) for domain in held]
        if n == 1 and any(least != greatest for least, greatest in ends):
            raise corrupt("it has one pair, but its least and greatest values differ")
        return cls(header, x_domain, (WholePairs if is_whole else DoublePairs).read(r, n, ends))

    def write(self, w: Writer) -> None:
        """Write the payload."""
        self.x_domain.write(w)
        w.varint(self.count)
        if self.pairs is not None:
            for side in (self.pairs.y, self.pairs.x):
                w.zigzag(side.least)
                w.varint(side.greatest - side.least)
            self.pairs.write(w)

    def _require_alike(self, that: Self) -> None:
        """Refuse another sketch if the types of x have no common type."""
        self.x_domain.widen_or_refuse(that.x_domain, self._built_with_second)

    def _cast_obstacle(self, cast: Cast) -> str | None:
        """Return why the sums can't be those of the cast values of y, or None if y only widens."""
        return None if cast.keeps_keys and cast.is_exact else "it has sums of two columns, y and x"

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sketch of the cast values of y."""
        return type(self)(replace(self.header, domain=cast.to), self.x_domain, self.pairs)

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union. It is the same as Spark's, bit for bit."""
        pairs = self.pairs or that.pairs
        if self.pairs is not None and that.pairs is not None:
            # types with a common type are both floating or neither, and so are the tallies
            pairs = self.pairs.plus(that.pairs)  # type: ignore[arg-type]
        x_domain = self.x_domain.widen_or_refuse(that.x_domain, self._built_with_second)
        return type(self)(replace(self.header, domain=wider), x_domain, pairs)

    @property
    def count(self) -> int:
        """The number of pairs."""
        return 0 if self.pairs is None else self.pairs.n

    @property
    def x_type(self) -> str:
        """The SQL type of x. `value_type` is that of y."""
        return self.x_domain.sql

    @property
    def units(self) -> tuple[int, int]:
        """The divisors that turn the keys of y and of x into numbers."""
        return int(10**self.domain.second), int(10**self.x_domain.second)

    @question
    def covar(self, population: bool = False) -> float | None:
        """Return the covariance of the pairs.

        Parameters
        ----------
        population : bool, default False
            Whether the rows are the whole population. Otherwise they are a sample, and the divisor is one
            less than their count.

        Returns
        -------
        float
            None for an empty sketch, and for a sample of one pair.
        """
        return None if self.pairs is None else self.pairs.covar(*self.units, population=population)

    @question
    def corr(self) -> float | None:
        """Return the correlation, or None for an empty sketch and if all x or all y are equal."""
        return None if self.pairs is None else self.pairs.corr()

    @question
    def slope(self) -> float | None:
        """Return the slope of the regression line, or None for an empty sketch and if all x are equal."""
        return None if self.pairs is None else self.pairs.slope(*self.units)

    @question
    def intercept(self) -> float | None:
        """Return the regression line's y at x = 0. None as for `slope`."""
        return None if self.pairs is None else self.pairs.intercept(*self.units)

    @question
    def r2(self) -> float | None:
        """Return the share of the variance of y that the regression line explains; 1 if all y are equal."""
        return None if self.pairs is None else self.pairs.r2()
