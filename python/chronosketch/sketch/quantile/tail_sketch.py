"""Quantile sketches whose rank error falls towards a tail of the values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from chronosketch.sketch.codec.wire import corrupt
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.quantile.sketch import EPSILON, QuantileFamily
from chronosketch.sketch.quantile.summaries import FEW_EXACT
from chronosketch.sketch.quantile.tail_thinning import Tail, merged_tuples, ranks_of, widest_gap
from chronosketch.sketch.quantile.tuples import NO_TUPLES, Tuples, read_tuples
from chronosketch.sketch.refusal import question

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.quantile.tuples import Longs


class TailSketch(QuantileFamily):
    """A quantile sketch with a rank error of at most epsilon times the elements to the end of its tail."""

    tail: ClassVar[Tail]

    @classmethod
    @question
    def build(  # type: ignore[override]  # which tail is known
        cls,
        values: Iterable[object],
        epsilon: float = 1e-3,
        type: str | None = None,  # noqa: A002
        frequency: Iterable[int | None] | None = None,
    ) -> Self:
        """Build a sketch of some values; see `Sketch.build`."""
        from chronosketch.sketch.domain.values import keys_of
        from chronosketch.sketch.quantile.building import keys_and_counts, require_countable

        epsilon = EPSILON.require(epsilon)
        if frequency is None:
            domain, keys = keys_of(values, type)
            distinct, counts = np.unique(keys, return_counts=True)
        else:
            domain, keys, copies = keys_and_counts(values, type, frequency)
            require_countable(copies)
            distinct, places = np.unique(keys, return_inverse=True)
            counts = np.zeros(len(distinct), np.int64)
            np.add.at(counts, places, copies)
        return cls(Header(domain, (epsilon,)), cls._summary_of(distinct, counts, epsilon))

    @classmethod
    def _summary_of(cls, keys: Longs, counts: Longs, epsilon: float) -> Tuples:
        """Return the tuples of ascending keys with counts: all of them if they are few, else some ranks."""
        exact = Tuples.counted(keys, counts)
        if len(exact) * epsilon <= FEW_EXACT:
            return exact if len(keys) else NO_TUPLES
        at_most = np.cumsum(counts)
        ranks = ranks_of(cls.tail, epsilon, int(at_most[-1]))
        return Tuples.at_ranks(keys[np.searchsorted(at_most, ranks)], ranks)

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        epsilon = header.numbers[0]
        tuples = read_tuples(r, header.domain, epsilon, widest_gap)
        if not tuples.is_exact and not cls.tail.are_valid(tuples, epsilon):
            raise corrupt("its error is above that of its tail")
        return cls(header, tuples)

    def _unite(self, those: Sequence[Self], wider: Domain) -> Self:
        """Return the union. The largest epsilon counts."""
        epsilon = max(sketch.epsilon for sketch in (self, *those))
        lists = [sketch.tuples for sketch in (self, *those)]
        return type(self)(Header(wider, (epsilon,)), merged_tuples(lists, self.tail, epsilon))


class HighTailSketch(TailSketch):
    """A quantile sketch whose rank error falls towards the greatest value.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tail_sketch import HighTailSketch
    >>> s = HighTailSketch.build(range(100_000), epsilon=0.01)
    >>> abs(s.quantile(0.999) - 99_900) <= 1, len(s.to_bytes()) < 8_000
    (True, True)
    """

    number: ClassVar[int] = 19
    tail: ClassVar[Tail] = Tail("high", is_high=True, is_low=False)
    family: ClassVar[str] = "quantile sketch with tail => 'high'"
    aggregate: ClassVar[tuple[str, ...]] = ("quantile_sketch_agg", "value", "tail => 'high'")


class LowTailSketch(TailSketch):
    """A quantile sketch whose rank error falls towards the least value."""

    number: ClassVar[int] = 20
    tail: ClassVar[Tail] = Tail("low", is_high=False, is_low=True)
    family: ClassVar[str] = "quantile sketch with tail => 'low'"
    aggregate: ClassVar[tuple[str, ...]] = ("quantile_sketch_agg", "value", "tail => 'low'")


class BothTailsSketch(TailSketch):
    """A quantile sketch whose rank error falls towards the least and the greatest value."""

    number: ClassVar[int] = 21
    tail: ClassVar[Tail] = Tail("both", is_high=True, is_low=True)
    family: ClassVar[str] = "quantile sketch with tail => 'both'"
    aggregate: ClassVar[tuple[str, ...]] = ("quantile_sketch_agg", "value", "tail => 'both'")
