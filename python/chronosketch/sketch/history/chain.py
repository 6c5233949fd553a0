"""Consecutive spans: a part of a history without gaps."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from chronosketch.sketch.codec.wire import MOST_LONG, corrupt, next_rising
from chronosketch.sketch.history import counted, logged
from chronosketch.sketch.history.counted import CountedSpan
from chronosketch.sketch.history.logged import LoggedSpan
from chronosketch.sketch.rank import EMPTY

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.rank import RankProfile

#: The values alive at each of some consecutive versions, up to the first version of the next span.
Span: TypeAlias = LoggedSpan | CountedSpan

# The smallest sizes of a chain and of a span, in bytes.
SMALLEST_CHAIN = 42
_SMALLEST_SPAN = 3


@dataclass(frozen=True)
class Fingerprint:
    """The fingerprint of a bag: its size and two sums of hashes. Equal bags have equal fingerprints."""

    count: int
    one: int
    other: int

    def write(self, w: Writer) -> None:
        """Write it to the payload."""
        w.varint(self.count)
        for value in (self.one, self.other):
            w.raw((value & (1 << 64) - 1).to_bytes(8, "big"))

    @staticmethod
    def read(r: Reader) -> Fingerprint:
        """Read what `write` wrote."""
        count = r.varint()
        if count > MOST_LONG:
            raise corrupt("its count has more than 63 bits")
        one, other = (int.from_bytes(r.raw(8), "big", signed=True) for _ in range(2))
        return Fingerprint(count, one, other)


@dataclass(frozen=True)
class Chain:
    """Consecutive spans.

    Attributes
    ----------
    first, last : int
        The first and the last version.
    start, end : Fingerprint
        The fingerprints of what was alive before the first and after the last version.
    clamped : int
        The number of ignored deletes of values that were not alive.
    peak : int
        The greatest number of elements alive at once.
    spans : tuple of Span
        The spans, in order.
    """

    first: int
    last: int
    start: Fingerprint
    end: Fingerprint
    clamped: int
    peak: int
    spans: tuple[Span, ...]

    def profile(self, version: int, domain: Domain) -> RankProfile:
        """Return the rank bounds at a version. Before the first version nothing is alive."""
        if version < self.first:
            return EMPTY
        place = bisect_right(self.spans, version, key=lambda span: span.first)
        return self.spans[place - 1].profile(version, domain)

    def is_followed_by(self, that: Chain) -> bool:
        """Return whether another chain starts where this one ends."""
        return self.last < that.first and self.end == that.start

    def followed_by(self, that: Chain) -> Chain:
        """Return this chain and the following one as a single chain."""
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
        """Write it to the payload."""
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
        start, end = Fingerprint.read(r), Fingerprint.read(r)
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
    if form == counted.FORM:
        return counted.read(r, version, domain)
    raise corrupt(f"a part of it has the unknown form {form}")


def joined(chains: list[Chain]) -> list[Chain]:
    """Join chains that follow one another, in an order that does not depend on the input order."""
    done: list[Chain] = []
    for chain in sorted(
        chains, key=lambda c: (c.first, c.last, c.start.count, c.start.one, c.start.other, c.end.one)
    ):
        before = [i for i in range(len(done)) if done[i].is_followed_by(chain)]
        if before:
            # prefer the one that ended last: the gap is smallest
            place = max(before, key=lambda i: (done[i].last, -i))
            done[place] = done[place].followed_by(chain)
        else:
            done.append(chain)
    return done
