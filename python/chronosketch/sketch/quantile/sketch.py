"""The quantile sketch: any quantile and rank, with a certified error."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.answering import Ranked
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.envelope import Header, Parameter
from chronosketch.sketch.quantile.tuples import Tuples, read_tuples, write_tuples
from chronosketch.sketch.refusal import Refusal, question

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.quantile.tuples import Longs
    from chronosketch.sketch.rank import RankProfile

# What only builds or merges is imported there, so that reading a sketch loads little.

EPSILON = Parameter("epsilon", 0.0, 0.5)

_DOUBLE = Domain(Kind.DOUBLE)
# The questions that need sums.
_OF_SUMS = ("sum", "mean", "variance", "stddev", "skewness", "kurtosis", "moment_bounds", "exact_sum")


class QuantileBased(Ranked):
    """A quantile sketch, alone or with what else it keeps."""

    parameters: ClassVar[tuple[Parameter, ...]] = (EPSILON,)

    @classmethod
    def _kin(cls) -> type[Sketch]:
        """Return the class of all quantile sketches."""
        return QuantileBased

    @classmethod
    @question
    def build(  # type: ignore[override]  # the class says what is kept
        cls,
        values: Iterable[object],
        epsilon: float = 1e-3,
        type: str | None = None,  # noqa: A002
        frequency: Iterable[int | None] | None = None,
    ) -> Self:
        """Build a sketch of some values; see `Sketch.build`."""
        from chronosketch.sketch.domain.values import keys_of
        from chronosketch.sketch.quantile.building import keys_and_counts

        header, counts = Header(_DOUBLE, (EPSILON.require(epsilon),)), None
        if frequency is None:
            domain, keys = keys_of(values, type)
        else:
            domain, keys, counts = keys_and_counts(values, type, frequency)
        return cls._of_keys(replace(header, domain=domain), keys, counts)

    @classmethod
    @abstractmethod
    def _of_keys(cls, header: Header, keys: Longs, counts: Longs | None = None) -> Self:
        """Return a sketch of some keys, each of which counts once or several times."""

    @property
    def epsilon(self) -> float:
        """The allowed rank error, as a share of the elements: of all, or of those to the end of a tail."""
        return self.header.numbers[0]


class QuantileFamily(QuantileBased):
    """A quantile sketch with or without a tail. Those of different tails are merged only if one is empty."""

    def __init__(self, header: Header, tuples: Tuples) -> None:
        super().__init__(header)
        self.tuples = tuples

    @classmethod
    @abstractmethod
    def _summary_of_keys(cls, keys: Longs, epsilon: float) -> Tuples:
        """Return the tuples that summarise some keys."""

    @classmethod
    @abstractmethod
    def _summary_of_counts(cls, keys: Longs, counts: Longs, epsilon: float) -> Tuples:
        """Return the tuples that summarise keys, each of which counts several times."""

    @classmethod
    @abstractmethod
    def _united(cls, lists: Sequence[Tuples], epsilon: float) -> Tuples:
        """Return the union of the tuples of several sketches, the largest epsilon of which is given."""

    @classmethod
    def _of_keys(cls, header: Header, keys: Longs, counts: Longs | None = None) -> Self:
        """Return a sketch of some keys, each of which counts once or several times."""
        epsilon = header.numbers[0]
        if counts is None:
            return cls(header, cls._summary_of_keys(keys, epsilon))
        return cls(header, cls._summary_of_counts(keys, counts, epsilon))

    def _unite(self, those: Sequence[Self], wider: Domain) -> Self:
        """Return the union. The largest epsilon counts."""
        epsilon = max(sketch.epsilon for sketch in (self, *those))
        lists = [sketch.tuples for sketch in (self, *those)]
        return type(self)(Header(wider, (epsilon,)), self._united(lists, epsilon))

    def _refused(self, name: str) -> Refusal | None:
        """Return the error for a question that the sketch does not answer, or None if none does."""
        if name not in _OF_SUMS:
            return super()._refused(name)
        arguments = ["value", f"epsilon => {EPSILON.text(self.epsilon)}", *self.aggregate[2:], "sum => true"]
        return Refusal("NO_SUMS", family=self.family, build=f"{self.aggregate[0]}({', '.join(arguments)})")

    def write(self, w: Writer) -> None:
        """Write the payload."""
        write_tuples(w, self.tuples)

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sketch of the cast values."""
        return type(self)(Header(cast.to, self.header.numbers), self.tuples.cast_by(cast))

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


class QuantileSketch(QuantileFamily):
    """A quantile sketch with a rank error of at most epsilon times the count, as in Spark.

    Examples
    --------
    >>> from chronosketch.sketch import QuantileSketch
    >>> s = QuantileSketch.build(range(100_000), epsilon=0.01)
    >>> s.rank_error <= 0.01, abs(s.quantile(0.5) - 50_000) <= 1_000
    (True, True)
    """

    number: ClassVar[int] = 1
    family: ClassVar[str] = "quantile sketch"
    aggregate: ClassVar[tuple[str, ...]] = ("quantile_sketch_agg", "value")

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        return cls(header, read_tuples(r, header.domain, header.numbers[0]))

    @classmethod
    def _summary_of_keys(cls, keys: Longs, epsilon: float) -> Tuples:
        """Return the tuples that summarise some keys."""
        from chronosketch.sketch.quantile.building import summary_of_keys

        return summary_of_keys(keys, epsilon)

    @classmethod
    def _summary_of_counts(cls, keys: Longs, counts: Longs, epsilon: float) -> Tuples:
        """Return the tuples that summarise keys, each of which counts several times."""
        from chronosketch.sketch.quantile.building import summary_of_counts

        return summary_of_counts(keys, counts, epsilon)

    @classmethod
    def _united(cls, lists: Sequence[Tuples], epsilon: float) -> Tuples:
        """Return the union of the tuples of several sketches, the largest epsilon of which is given."""
        from chronosketch.sketch.quantile.summaries import merged_tuples

        return merged_tuples(lists, epsilon)
