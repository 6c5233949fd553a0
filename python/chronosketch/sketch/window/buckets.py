"""Buckets of rows that are close in time, and the rows of a sketch as buckets.

A position is (time, tie): a row's time, and its key under a bijection of 64 bits. A cell of level l contains
the positions that differ only in their last l bits, and is identified by its first position.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from chronosketch.sketch.codec.hashes import mix, unmix
from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain

EVERYTHING = 128
ONE_TIME = 64


@dataclass
class Bucket:
    """The rows of a cell.

    Attributes
    ----------
    time, tie : int
        The cell's first position.
    level : int
        The cell's level; 0 is one position.
    count : int
        The number of rows.
    content : object
        What is stored of the rows, at levels from 1 on.
    """

    time: int
    tie: int
    level: int
    count: int
    content: object = None

    @property
    def first(self) -> tuple[int, int]:
        """The cell's first position."""
        return self.time, self.tie

    @property
    def last(self) -> tuple[int, int]:
        """The cell's last position."""
        return self.last_time, _ceiling(self.tie, self.level)

    @property
    def last_time(self) -> int:
        """The time of the cell's last position."""
        return _ceiling(self.time, self.level - ONE_TIME)

    @property
    def key(self) -> int:
        """The key of the rows, at level 0."""
        return unmix(self.tie)


class Cell(NamedTuple):
    """A cell: its first position, and its level.

    Examples
    --------
    >>> from chronosketch.sketch.window.buckets import Bucket, Cell
    >>> cell = Cell.around(Bucket(5, 0, 0, 1), Bucket(6, 0, 0, 1))
    >>> cell.time, cell.level, cell.middle[0]
    (4, 66, 6)
    """

    time: int
    tie: int
    level: int

    @staticmethod
    def around(first: Bucket, last: Bucket) -> Cell:
        """Return the smallest cell with the first of some ordered buckets and the start of the last."""
        if first.time == last.time:
            apart = (first.tie - LEAST_LONG ^ last.tie - LEAST_LONG).bit_length()
        else:
            apart = ONE_TIME + (first.time - LEAST_LONG ^ last.time - LEAST_LONG).bit_length()
        level = max(apart, first.level)
        return Cell(_floor(first.time, level - ONE_TIME), _floor(first.tie, level), level)

    @property
    def middle(self) -> tuple[int, int]:
        """The position where its second half begins, if it has more than one position."""
        half = 1 << (self.level - 1) % ONE_TIME
        return (self.time + half, self.tie) if self.level > ONE_TIME else (self.time, self.tie + half)


def first_from(buckets: Sequence[Bucket], start: int, end: int, position: tuple[int, int]) -> int:
    """Return the index of the first bucket in a range that begins at a position or after it."""
    return bisect_left(buckets, position, start, end, key=lambda bucket: bucket.first)


def tie_of(key: int) -> int:
    """Return the order of a key's rows among the rows of one time."""
    return mix(key)


def _floor(number: int, bits: int) -> int:
    if bits <= 0:
        return number
    return LEAST_LONG if bits >= 64 else number >> bits << bits


def _ceiling(number: int, bits: int) -> int:
    if bits <= 0:
        return number
    return MOST_LONG if bits >= 64 else number | (1 << bits) - 1


def unsigned(number: int) -> int:
    """Flip the sign bit of a signed 64-bit number, so that the least one becomes 0."""
    return number - LEAST_LONG


def _cast_buckets(buckets: list[Bucket], cast: Cast, content: Callable[[object], object]) -> list[Bucket]:
    moved: list[Bucket] = []
    for bucket in buckets:
        if bucket.level == 0:
            moved.append(replace(bucket, tie=tie_of(cast.key(bucket.key))))
        else:
            moved.append(replace(bucket, content=content(bucket.content)))
    moved.sort(key=lambda bucket: (bucket.time, bucket.tie, -bucket.level))
    made: list[Bucket] = []
    for bucket in moved:
        if bucket.level == 0 and made and made[-1].level == 0 and made[-1].first == bucket.first:
            made[-1] = replace(made[-1], count=made[-1].count + bucket.count)
        else:
            made.append(bucket)
    return made


@dataclass(frozen=True)
class StoredRows:
    """The rows that a sketch stores in buckets, whatever it keeps of their values.

    Attributes
    ----------
    time_domain : Domain
        The type of the times.
    retention : int
        How far back windows may reach, in units of the times; 2**63 - 1 without a limit.
    filters : tuple of str
        The names of the filters.
    newest : int
        The latest time.
    forgotten : int
        The number of forgotten rows.
    classes : list of lists of Bucket
        The buckets of each class of rows, in order. Classes whose number has bit i set pass filter i.
    """

    time_domain: Domain
    retention: int
    filters: tuple[str, ...]
    newest: int
    forgotten: int
    classes: list[list[Bucket]]

    @property
    def held(self) -> int:
        """The number of rows in the buckets."""
        return sum(bucket.count for buckets in self.classes for bucket in buckets)

    def cast_by(self, cast: Cast, content: Callable[[object], object]) -> StoredRows:
        """Return the rows with their keys cast. `content` casts what buckets of several positions store.

        A bucket of one position has another tie then, so its place among those of its time changes. That is
        any order as well as before: ties have nothing to do with the values.
        """
        return replace(self, classes=[_cast_buckets(buckets, cast, content) for buckets in self.classes])

    @property
    def keeps_all(self) -> bool:
        """Whether no row is ever forgotten."""
        return self.retention == MOST_LONG

    @property
    def horizon(self) -> int | None:
        """The time of the last rows that are forgotten, or None if it lies before all times."""
        if self.keeps_all or self.newest < LEAST_LONG + self.retention:
            return None
        return self.newest - self.retention

    def within_retention(self) -> StoredRows:
        """Return the rows without the buckets that have only rows up to the horizon."""
        until = self.horizon
        if until is None:
            return self
        classes = [[bucket for bucket in buckets if bucket.last_time > until] for buckets in self.classes]
        left = replace(self, classes=classes)
        return replace(left, forgotten=min(self.forgotten + self.held - left.held, MOST_LONG))
