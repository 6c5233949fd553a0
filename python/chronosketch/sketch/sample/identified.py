"""Samples of the rows with the least priorities, which are random 63-bit numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.sample.sketch import Row, Sample, Seen, read_keys, require_full

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.envelope import Header

# After this many halvings only rows of priority 0 are left.
_MOST_HALVINGS = 62


def read_priorities(r: Reader, m: int) -> list[int]:
    """Read 63-bit numbers."""
    priorities = r.varints(m)
    if any(priority > MOST_LONG for priority in priorities):
        raise corrupt("a priority has more than 63 bits")
    return priorities


class PrioritySample(Sample):
    """A sample of a fixed size: the rows with the least priorities.

    Equal rows with equal ids give the same sample, whatever their order and partitions.

    Notes
    -----
    Fan, Muller and Rezucha 1962, sampling by random numbers.

    Examples
    --------
    >>> from chronosketch.sketch.envelope import Header
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.sample.identified import PrioritySample
    >>> from chronosketch.sketch.sample.sketch import Seen
    >>> header = Header(domain_named("int"), (2.0, 0.0, 0.01))
    >>> one, other = (PrioritySample(header, Seen(2, 1, 9), [(1, p), (9, p + 1)]) for p in (10, 5))
    >>> one.merge(other).rows, one.merge(other).sample("double")
    ([(1, 5), (9, 6)], [1.0, 9.0])
    """

    number: ClassVar[int] = 12
    family: ClassVar[str] = "priority sample"
    aggregate: ClassVar[tuple[str, ...]] = ("sample_sketch_agg", "value", "method => 'priority'")

    @classmethod
    def _read_kept(cls, header: Header, seen: Seen, r: Reader) -> Self:
        """Read the sampled rows."""
        keys = read_keys(header, seen, r, 2)
        priorities = read_priorities(r, len(keys))
        require_full(header, seen, len(keys))
        return cls(header, seen, list(zip(keys, priorities, strict=True)))

    def _write_kept(self, w: Writer) -> None:
        """Write the sampled rows."""
        super()._write_kept(w)
        for _, priority in self.rows:
            w.varint(priority)

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union: the least priorities of both."""
        header = self._united_header(that, wider)
        least = sorted(self.rows + that.rows, key=_by_priority)[: int(header.numbers[0])]
        return type(self)(header, self.seen.plus(that.seen), least)


class BernoulliSample(Sample):
    """A sample that contains each row with the same probability, which is halved when the sample is full.

    Equal rows with equal ids give the same sample, whatever their order and partitions.

    Notes
    -----
    Gemulla and Haas, "Sampling algorithms for evolving datasets", 2008, §4.

    Examples
    --------
    >>> from chronosketch.sketch.envelope import Header
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.sample.identified import BernoulliSample
    >>> from chronosketch.sketch.sample.sketch import Seen
    >>> header = Header(domain_named("int"), (2.0, 0.0, 0.01))
    >>> one = BernoulliSample(header, Seen(2, 1, 9), [(1, 0), (9, 2**62)])
    >>> one.merge(one).halvings, one.merge(one).rows
    (1, [(1, 0), (1, 0)])
    """

    number: ClassVar[int] = 13
    family: ClassVar[str] = "bernoulli sample"
    aggregate: ClassVar[tuple[str, ...]] = ("sample_sketch_agg", "value", "method => 'bernoulli'")

    def __init__(self, header: Header, seen: Seen, rows: list[Row], halvings: int = 0) -> None:
        super().__init__(header, seen, rows)
        self.halvings = halvings

    @classmethod
    def _read_kept(cls, header: Header, seen: Seen, r: Reader) -> Self:
        """Read the sampled rows."""
        halvings = r.byte()
        if halvings > _MOST_HALVINGS:
            raise corrupt(f"its probability was halved {halvings} times")
        keys = read_keys(header, seen, r, 2)
        priorities = read_priorities(r, len(keys))
        if halvings == 0 and len(keys) != seen.n:
            raise corrupt(f"it has {len(keys)} of {seen.n} values")
        if any(priority > MOST_LONG >> halvings for priority in priorities):
            raise corrupt("it has a row that does not belong to it")
        return cls(header, seen, list(zip(keys, priorities, strict=True)), halvings)

    def _write_kept(self, w: Writer) -> None:
        """Write the sampled rows."""
        w.byte(self.halvings)
        super()._write_kept(w)
        for _, priority in self.rows:
            w.varint(priority)

    def _with(self, header: Header, seen: Seen, rows: list[Row]) -> Self:
        """Return a sample that was drawn like this one, with other rows."""
        return type(self)(header, seen, rows, self.halvings)

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union: the rows of both that the smaller probability still selects."""
        header = self._united_header(that, wider)
        size, halvings = int(header.numbers[0]), max(self.halvings, that.halvings)
        rows = _belonging(self.rows + that.rows, halvings)
        while len(rows) > size and halvings < _MOST_HALVINGS:
            halvings += 1
            rows = _belonging(rows, halvings)
        if len(rows) > size:
            # forged bytes may have only equal priorities; the result must not depend on the order even then
            rows = sorted(rows, key=_by_priority)[:size]
        return type(self)(header, self.seen.plus(that.seen), rows, halvings)


def _belonging(rows: list[Row], halvings: int) -> list[Row]:
    return [row for row in rows if row[1] <= MOST_LONG >> halvings]


def _by_priority(row: Row) -> tuple[int, int]:
    key, priority = row
    return priority, key
