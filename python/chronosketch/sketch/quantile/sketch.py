"""The quantile sketch: any quantile and rank, with a certified error."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.answering import Ranked
from chronosketch.sketch.domain.values import keys_of
from chronosketch.sketch.envelope import Header, Parameter
from chronosketch.sketch.quantile.merging import Merging
from chronosketch.sketch.quantile.tuples import read_tuples, summarised, write_tuples
from chronosketch.sketch.refusal import refusing_as

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.quantile.tuples import Tuples
    from chronosketch.sketch.rank import RankProfile

EPSILON = Parameter("epsilon", 0.0, 0.5)


class QuantileSketch(Ranked):
    """A quantile sketch with a rank error of at most epsilon times the count, as in Spark.

    Examples
    --------
    >>> from chronosketch.sketch import QuantileSketch
    >>> s = QuantileSketch.of(range(100_000), epsilon=0.01)
    >>> s.rank_error <= 0.01, abs(s.quantile(0.5) - 50_000) <= 1_000
    (True, True)
    """

    number: ClassVar[int] = 1
    family: ClassVar[str] = "quantile sketch"
    aggregate: ClassVar[tuple[str, ...]] = ("quantile_sketch_agg", "value")
    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON,)

    def __init__(self, header: Header, tuples: Tuples) -> None:
        super().__init__(header)
        self.tuples = tuples

    @classmethod
    @refusing_as("QuantileSketch.of")
    def of(cls, values: Iterable[object], epsilon: float = 1e-3, type: str | None = None) -> Self:  # noqa: A002
        """Build a sketch of some values.

        Parameters
        ----------
        values : iterable
            Numbers, dates, datetimes, times or timedeltas of one type. None is skipped; NaN is the greatest.
        epsilon : float, default 0.001
            The allowed rank error, as a share of the count, from 0 to 0.5. 0 keeps every value.
        type : str, optional
            The SQL type of the sketch, such as ``"decimal(10, 2)"``; by default that of the values.

        Raises
        ------
        ChronosketchError
            If epsilon is out of range, or the values have no supported type or not one common type.
        """
        epsilon = EPSILON.require(epsilon)
        domain, keys = keys_of(values, type)
        keys.sort()
        return cls(Header(domain, (epsilon,)), summarised(keys, epsilon))

    @property
    def epsilon(self) -> float:
        """The allowed rank error, as a share of the count."""
        return self.header.numbers[0]

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        return cls(header, read_tuples(r, header.domain, header.numbers[0]))

    def write(self, w: Writer) -> None:
        """Write the payload."""
        write_tuples(w, self.tuples)

    def unite(self, that: Self, wider: Domain) -> Self:
        """Return the union. The larger epsilon counts."""
        union = Merging(self.epsilon, self.tuples)
        union.unite(Merging(that.epsilon, that.tuples))
        return type(self)(Header(wider, (union.epsilon,)), union.finished())

    @cached_property
    def profile(self) -> RankProfile:
        """The rank bounds."""
        return self.tuples.profile()

    @cached_property
    def _count(self) -> int:
        return self.tuples.count

    @property
    def count(self) -> int:
        """The number of values."""
        return self._count
