"""Quantile sketches whose rank error falls towards a tail of the values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from chronosketch.sketch.codec.wire import corrupt
from chronosketch.sketch.quantile.sketch import QuantileFamily
from chronosketch.sketch.quantile.summaries import FEW_EXACT
from chronosketch.sketch.quantile.tail_thinning import Tail, merged_tuples, ranks_of, widest_gap
from chronosketch.sketch.quantile.tuples import NO_TUPLES, Tuples, read_tuples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader
    from chronosketch.sketch.envelope import Header
    from chronosketch.sketch.quantile.tuples import Longs


class TailSketch(QuantileFamily):
    """A quantile sketch with a rank error of at most epsilon times the elements to the end of its tail."""

    tail: ClassVar[Tail]

    @classmethod
    def _summary_of_keys(cls, keys: Longs, epsilon: float) -> Tuples:
        """Return the tuples that summarise some keys."""
        return cls._summary(*np.unique(keys, return_counts=True), epsilon)

    @classmethod
    def _summary_of_counts(cls, keys: Longs, counts: Longs, epsilon: float) -> Tuples:
        """Return the tuples that summarise keys, each of which counts several times."""
        from chronosketch.sketch.quantile.building import require_countable

        require_countable(counts)
        distinct, places = np.unique(keys, return_inverse=True)
        sums = np.zeros(len(distinct), np.int64)
        np.add.at(sums, places, counts)
        return cls._summary(distinct, sums, epsilon)

    @classmethod
    def _summary(cls, keys: Longs, counts: Longs, epsilon: float) -> Tuples:
        """Return the tuples of ascending keys with counts: all of them if they are few, else some ranks."""
        if not len(keys):
            return NO_TUPLES
        exact = Tuples.counted(keys, counts)
        if len(exact) * epsilon <= FEW_EXACT:
            return exact
        at_most = np.cumsum(counts)
        ranks = ranks_of(cls.tail, epsilon, int(at_most[-1]))
        return Tuples.at_ranks(keys[np.searchsorted(at_most, ranks)], ranks)

    @classmethod
    def _united(cls, lists: Sequence[Tuples], epsilon: float) -> Tuples:
        """Return the union of the tuples of several sketches, the largest epsilon of which is given."""
        return merged_tuples(lists, cls.tail, epsilon)

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        epsilon = header.numbers[0]
        tuples = read_tuples(r, header.domain, epsilon, widest_gap)
        if not tuples.is_exact and not cls.tail.are_valid(tuples, epsilon):
            raise corrupt("its error is above that of its tail")
        return cls(header, tuples)


class HighTailSketch(TailSketch):
    """A quantile sketch whose rank error falls towards the greatest value.

    Examples
    --------
    >>> from chronosketch.sketch.quantile.tail_sketch import HighTailSketch
    >>> s = HighTailSketch.build(range(100_000), epsilon=0.01)
    >>> abs(s.quantile(0.999) - 99_899) <= 1, len(s.to_bytes()) < 8_000
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
