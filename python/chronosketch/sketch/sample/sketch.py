"""Samples of a fixed size, and the base class of all sampling methods."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from chronosketch.sketch.codec.hashes import mix, signed
from chronosketch.sketch.codec.wire import corrupt
from chronosketch.sketch.sample.sampled import (
    DELTA,
    NO_RANKS,
    SEED,
    SIZE,
    Population,
    Sampled,
    SampleRanks,
    ranks_from_sample,
)

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.base import Sketch
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.envelope import Header, Parameter


_GAMMA = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1


class Draws:
    """A stream of random numbers. After a row that differs, samples get different numbers.

    Notes
    -----
    Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, §4: the output
    function. Their state counts; this one absorbs each row.

    Examples
    --------
    >>> from chronosketch.sketch.sample.sketch import Draws
    >>> draws = Draws(seed=0)
    >>> [draws.below(10) for _ in range(5)] == [Draws(seed=0).below(10)] * 5
    False
    """

    def __init__(self, seed: int) -> None:
        self.mark = (mix(seed) ^ mix(_GAMMA)) & _WORD

    def take_in(self, key: int) -> None:
        """Mix a row, or any 64-bit number, into the state."""
        mixed = (self.mark ^ key) * _GAMMA & _WORD
        self.mark = (mixed ^ mixed >> 32) + _GAMMA & _WORD

    def below(self, bound: int) -> int:
        """Return the next number in [0, bound)."""
        drawn = (mix(self.mark) & _WORD) * bound >> 64
        self.take_in(0)
        return drawn


#: The key of a sampled row, and its priority, which is 0 if rows have none.
Row = tuple[int, int]


@dataclass(frozen=True)
class Seen:
    """The number of rows, and their least and greatest key."""

    n: int
    least: int
    greatest: int

    def plus(self, that: Seen) -> Seen:
        """Return the values for the rows of both."""
        if self.n == 0 or that.n == 0:
            return that if self.n == 0 else self
        return Seen(self.n + that.n, min(self.least, that.least), max(self.greatest, that.greatest))


class Sample(Sampled):
    """A random sample of the rows. All sets of this size were equally likely."""

    parameters: ClassVar[tuple[Parameter, ...]] = (SIZE, SEED, DELTA)

    def __init__(self, header: Header, seen: Seen, rows: list[Row]) -> None:
        super().__init__(header)
        self.seen = seen
        self.rows = sorted(rows)

    @classmethod
    def _kin(cls) -> type[Sketch]:
        """Return the class of all methods."""
        return Sample

    @property
    def size(self) -> int:
        """The most rows that it keeps."""
        return int(self.header.numbers[0])

    @property
    def seed(self) -> int:
        """The seed of the random numbers."""
        return int(self.header.numbers[1])

    @property
    def count(self) -> int:
        """The number of rows that the sample was drawn from."""
        return self.seen.n

    @property
    def _least_key(self) -> int | None:
        """The key of the least value, or None if there are no values."""
        return self.seen.least if self.count else None

    @property
    def _greatest_key(self) -> int | None:
        """The key of the greatest value, or None if there are no values."""
        return self.seen.greatest if self.count else None

    @property
    def sample_keys(self) -> list[int]:
        """The keys of the sample, ascending."""
        return [key for key, _ in self.rows]

    @cached_property
    def ranks(self) -> SampleRanks:
        """The bounds and estimates that the sample gives."""
        if self.count == 0:
            return NO_RANKS
        rows = Population(self.seen.n, self.seen.n, self.seen.least, self.seen.greatest)
        return ranks_from_sample(self.sample_keys, rows, self.delta)

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        # -0.0 becomes 0.0
        header = replace(header, numbers=tuple(number + 0.0 for number in header.numbers))
        n = r.long()
        if n < 0:
            raise corrupt("its count has more than 63 bits")
        if n == 0:
            return cls(header, Seen(0, 0, 0), [])
        least = r.zigzag()
        greatest = least + r.varint()
        if not (header.domain.holds(least) and header.domain.holds(greatest)) or (
            n == 1 and least != greatest
        ):
            raise corrupt(f"its values are from {least} to {signed(greatest)}")
        sample = cls._read_kept(header, Seen(n, least, greatest), r)
        keys = sample.sample_keys
        if len(keys) == n and (keys[0], keys[-1]) != (least, greatest):
            raise corrupt("it has all rows, but not the least and the greatest value")
        return sample

    @classmethod
    @abstractmethod
    def _read_kept(cls, header: Header, seen: Seen, r: Reader) -> Self:
        """Read the sampled rows."""

    def write(self, w: Writer) -> None:
        """Write the payload."""
        w.varint(self.seen.n)
        if self.seen.n > 0:
            w.zigzag(self.seen.least)
            w.varint(self.seen.greatest - self.seen.least)
            self._write_kept(w)

    def _write_kept(self, w: Writer) -> None:
        """Write the sampled rows: their number and their keys."""
        w.varint(len(self.rows))
        before = self.seen.least
        for key, _ in self.rows:
            w.varint(key - before)
            before = key

    def _cast_by(self, cast: Cast) -> Self:
        """Return the sample of the cast values."""
        header = replace(self.header, domain=cast.to)
        if self.count == 0:
            return self._with(header, self.seen, [])
        seen = Seen(self.seen.n, cast.key(self.seen.least), cast.key(self.seen.greatest))
        keys = cast.each(self.sample_keys)
        return self._with(header, seen, [(key, at) for key, (_, at) in zip(keys, self.rows, strict=True)])

    def _with(self, header: Header, seen: Seen, rows: list[Row]) -> Self:
        """Return a sample that was drawn like this one, with other rows."""
        return type(self)(header, seen, rows)

    def _united_header(self, that: Self, wider: Domain) -> Header:
        """Return the header of a union. The smaller size and the greater δ count."""
        size, delta = min(self.size, that.size), max(self.delta, that.delta)
        return replace(self.header, domain=wider, numbers=(float(size), self.header.numbers[1], delta))


def read_keys(header: Header, seen: Seen, r: Reader, bytes_each: int) -> list[int]:
    """Read ascending keys between the ends. Each row takes at least `bytes_each` bytes."""
    m, size = r.size(bytes_each), int(header.numbers[0])
    if m > size or m > seen.n:
        raise corrupt(f"it has {m} of {seen.n} values, with room for {size}")
    keys: list[int] = []
    before = seen.least
    for _ in range(m):
        before += r.varint()
        if before > seen.greatest:
            raise corrupt("its values are not in order, or lie outside its least and greatest value")
        keys.append(before)
    if not header.domain.holds_all(keys):
        raise corrupt(f"it has a value that {header.domain.sql} can't have")
    return keys


def require_full(header: Header, seen: Seen, m: int) -> None:
    """Refuse a sample that has room left although rows are missing."""
    size = int(header.numbers[0])
    if m != min(seen.n, size):
        raise corrupt(f"it has {m} of {seen.n} values, with room for {size}")


class ReservoirSample(Sample):
    """A reservoir sample: each new row replaces a random sampled row, or none.

    Merged samples must have been drawn independently. Samples of the same rows with one seed are not.

    Notes
    -----
    Vitter, "Random sampling with a reservoir", 1985, Algorithm R.

    Examples
    --------
    >>> from chronosketch.sketch.envelope import Header
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.sample.sketch import ReservoirSample, Seen
    >>> header = Header(domain_named("int"), (3.0, 0.0, 0.01))
    >>> odd = ReservoirSample(header, Seen(2, 1, 3), [(1, 0), (3, 0)])
    >>> even = ReservoirSample(header, Seen(3, 2, 6), [(2, 0), (4, 0), (6, 0)])
    >>> both = odd.merge(even)
    >>> both.count, len(both.sample()), both.min(), both.max()
    (5, 3, 1, 6)
    """

    number: ClassVar[int] = 11
    family: ClassVar[str] = "reservoir sample"
    aggregate: ClassVar[tuple[str, ...]] = ("sample_sketch_agg", "value", "method => 'reservoir'")

    @classmethod
    def _read_kept(cls, header: Header, seen: Seen, r: Reader) -> Self:
        """Read the sampled rows."""
        keys = read_keys(header, seen, r, 1)
        require_full(header, seen, len(keys))
        return cls(header, seen, [(key, 0) for key in keys])

    def _draws(self) -> Draws:
        """Return the random numbers that a stored sample continues with."""
        draws = Draws(self.seed)
        if self.count:
            for number in (self.count, *self.sample_keys):
                draws.take_in(number)
        return draws

    def _united_with(self, that: Self, wider: Domain) -> Self:
        """Return the union. The number of rows from each side is drawn as if all rows were sampled."""
        header = self._united_header(that, wider)
        draws = self._draws()
        draws.take_in(that._draws().mark)
        mine, others = list(self.rows), list(that.rows)
        wanted = min(int(header.numbers[0]), len(mine) + len(others))
        if wanted == len(mine) + len(others):
            return type(self)(header, self.seen.plus(that.seen), mine + others)
        own_rows, other_rows = self.seen.n, that.seen.n
        chosen = []
        for _ in range(wanted):
            if draws.below(own_rows + other_rows) < own_rows:
                chosen.append(_remove_random(mine, draws))
                own_rows -= 1
            else:
                chosen.append(_remove_random(others, draws))
                other_rows -= 1
        return type(self)(header, self.seen.plus(that.seen), chosen)


def _remove_random(rows: list[Row], draws: Draws) -> Row:
    """Remove and return a random row. The last row takes its place."""
    at = draws.below(len(rows))
    rows[at], rows[-1] = rows[-1], rows[at]
    return rows.pop()
