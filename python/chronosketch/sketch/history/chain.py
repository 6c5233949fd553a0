"""The history of some of the elements, without a gap."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chronosketch.sketch.codec.rising import next_rising
from chronosketch.sketch.codec.wire import MOST_LONG, corrupt
from chronosketch.sketch.history import counted_wire, logged
from chronosketch.sketch.history.logged import LoggedSpan
from chronosketch.sketch.rank.profile import EMPTY

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.history.span import Span
    from chronosketch.sketch.rank.profile import RankProfile

# The bytes of a chain at least, and of a span.
SMALLEST_CHAIN = 42
_SMALLEST_SPAN = 3


@dataclass(frozen=True)
class Print:
    """A bag's print: how many elements, and two sums of their hashes. Equal bags have equal ones."""

    count: int
    one: int
    other: int

    def write(self, w: Writer) -> None:
        """Write it."""
        w.varint(self.count)
        for value in (self.one, self.other):
            w.raw((value & (1 << 64) - 1).to_bytes(8, "big"))

    @staticmethod
    def read(r: Reader) -> Print:
        """Read what `write` wrote."""
        count = r.varint()
        if count > MOST_LONG:
            raise corrupt("its count has more than 63 bits")
        one, other = (int.from_bytes(r.raw(8), "big", signed=True) for _ in range(2))
        return Print(count, one, other)


@dataclass(frozen=True)
class Chain:
    """Spans that follow one another.

    Attributes
    ----------
    first, last : int
        The first and the last version.
    start, end : Print
        What was alive after them.
    clamped : int
        Deletes beyond what was alive.
    peak : int
        The most elements that were alive.
    spans : tuple of Span
        In order.
    """

    first: int
    last: int
    start: Print
    end: Print
    clamped: int
    peak: int
    spans: tuple[Span, ...]

    def profile(self, version: int, domain: Domain) -> RankProfile:
        """Return what is certain at a version; before the first there is nothing."""
        if version < self.first:
            return EMPTY
        place = bisect_right(self.spans, version, key=lambda span: span.first)
        return self.spans[place - 1].profile(version, domain)

    def is_followed_by(self, that: Chain) -> bool:
        """Return whether another goes on where this one ends."""
        return self.last < that.first and self.end == that.start

    def followed_by(self, that: Chain) -> Chain:
        """Return both as one."""
        return Chain(
            self.first,
            that.last,
            self.start,
            that.end,
            min(MOST_LONG, self.clamped + that.clamped),
            max(self.peak, that.peak),
            self.spans + that.spans,
        )

    def write(self, w: Writer) -> None:
        """Write it."""
        w.zigzag(self.first)
        w.varint(self.last - self.first)
        self.start.write(w)
        self.end.write(w)
        w.varint(self.clamped)
        w.varint(self.peak)
        w.varint(len(self.spans))
        for i, span in enumerate(self.spans):
            if i > 0:
                w.varint(span.first - self.spans[i - 1].first)
            span.write(w)

    @staticmethod
    def read(r: Reader, domain: Domain) -> Chain:
        """Read what `write` wrote."""
        first = r.zigzag()
        last = first + r.varint()
        if last > MOST_LONG:
            raise corrupt(f"its versions go from {first} to {last - (1 << 64)}")
        start, end = Print.read(r), Print.read(r)
        clamped, peak = r.long(), r.long()
        if clamped < 0:
            raise corrupt(f"it left out {clamped} deletes")
        if peak < max(start.count, end.count):
            raise corrupt(f"its peak of {peak} elements is too low")
        n = r.size(_SMALLEST_SPAN)
        if n == 0:
            raise corrupt("it has versions, but no data about them")
        spans: list[Span] = []
        version = first
        for _ in range(n):
            if spans:
                version = next_rising(r, version)
            if version > last:
                raise corrupt(f"version {version} comes after the last, {last}")
            spans.append(_read_span(r, version, domain))
            if spans[-1].most > peak:
                raise corrupt(f"{spans[-1].most} elements were alive, but its peak is {peak}")
        return Chain(first, last, start, end, clamped, peak, tuple(spans))


def _read_span(r: Reader, version: int, domain: Domain) -> Span:
    form = r.byte()
    if form == logged.FORM:
        return LoggedSpan.read(r, version, domain)
    if form == counted_wire.FORM:
        return counted_wire.read(r, version, domain)
    raise corrupt(f"a part of it has the unknown form {form}")


def joined(chains: list[Chain]) -> list[Chain]:
    """Return chains of which none is followed by another, in an order that does not tell how they came."""
    done: list[Chain] = []
    for chain in sorted(
        chains, key=lambda c: (c.first, c.last, c.start.count, c.start.one, c.start.other, c.end.one)
    ):
        before = [i for i in range(len(done)) if done[i].is_followed_by(chain)]
        if before:
            # the one that ended last: what came between is known best
            place = max(before, key=lambda i: (done[i].last, -i))
            done[place] = done[place].followed_by(chain)
        else:
            done.append(chain)
    return done
