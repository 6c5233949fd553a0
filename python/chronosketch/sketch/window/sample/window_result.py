"""A window of a window sample."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.codec.envelope import Header
from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.sample import band
from chronosketch.sketch.sample.band import Known, Population
from chronosketch.sketch.sample.sampled import DELTA, SIZE, Sampled
from chronosketch.sketch.window.sample.kept import NO_ENDS, NOTHING, Ends, Suffix

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.parameter import Parameter

_NO_ROWS = Population(0, 0, *NO_ENDS, is_reached=False)


class SampledWindow(Sampled):
    """A random sample of one window's rows, with bounds of the number of its rows.

    Samples that are merged must have been drawn independently: overlapping windows of one sketch are not.
    """

    number: ClassVar[int] = 17
    family: ClassVar[str] = "sampled window"
    aggregate: ClassVar[tuple[str, ...]] = ("window_sample_agg", "value", "event_time")
    settled: ClassVar[tuple[Parameter, ...]] = (DELTA,)
    parameters: ClassVar[tuple[Parameter, ...]] = (SIZE, DELTA)

    def __init__(self, header: Header, population: Population, suffix: Suffix) -> None:
        super().__init__(header)
        self._population = population if population.most else _NO_ROWS
        self._suffix = suffix if population.most else NOTHING

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        least = r.varint()
        most = least + r.varint()
        if most > MOST_LONG:
            raise corrupt("its count has more than 63 bits")
        if most == 0:
            return cls(header, _NO_ROWS, NOTHING)
        ends = Ends.read(r, header.domain)
        size = int(header.numbers[0])
        suffix = Suffix.read(r, header.domain, size, ends, lambda m: m == least == most)
        if len(suffix.rows) > least:
            raise corrupt(f"it has {len(suffix.rows)} of {least} values")
        return cls(header, Population(least, most, *ends, is_reached=False), suffix)

    def write(self, w: Writer) -> None:
        """Write the payload."""
        rows = self._population
        w.varint(rows.least)
        w.varint(rows.most - rows.least)
        if rows.most > 0:
            Ends(rows.floor, rows.ceiling).write(w)
            self._suffix.write(w, rows.floor)

    @property
    def count(self) -> int:
        """The number of rows in the window: the middle of its bounds."""
        return self._population.middle

    @property
    def count_bounds(self) -> tuple[int, int]:
        """The least and the greatest number of rows that the window can have."""
        return self._population.least, self._population.most

    @property
    def held(self) -> int:
        """The number of elements, which must fit into 63 bits."""
        return self._population.most

    @property
    def sample_keys(self) -> list[int]:
        """The keys of the sample, ascending."""
        return self._suffix.keys

    @property
    def least_key(self) -> int | None:
        """The least key of the sample, if that of the rows is not known."""
        if self._population.is_reached and self.count > 0:
            return self._population.floor
        return self.sample_keys[0] if self._suffix.rows else None

    @property
    def greatest_key(self) -> int | None:
        """The greatest key of the sample, if that of the rows is not known."""
        if self._population.is_reached and self.count > 0:
            return self._population.ceiling
        return self.sample_keys[-1] if self._suffix.rows else None

    @cached_property
    def known(self) -> Known:
        """The bounds and estimates that the sample gives."""
        if self._population.most == 0:
            return band.NOTHING
        return band.known(self.sample_keys, self._population, self.delta)

    def unite(self, that: Self, wider: Domain) -> Self:
        """Return the union. The smaller size and the greater δ count."""
        size = min(self.header.numbers[0], that.header.numbers[0])
        mine, others = self._population, that._population
        rows = Population(
            mine.least + others.least,
            mine.most + others.most,
            min(mine.floor, others.floor),
            max(mine.ceiling, others.ceiling),
            is_reached=False,
        )
        suffix = self._suffix.union(that._suffix, int(size))
        return type(self)(Header(wider, (size, max(self.delta, that.delta))), rows, suffix)
