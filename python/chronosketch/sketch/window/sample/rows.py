"""The rows that are kept to sample any window that ends at the newest row."""

from __future__ import annotations

from bisect import bisect_right
from heapq import heappush, heapreplace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from chronosketch.sketch.codec.hashes import signed
from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG, corrupt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.domain.domain import Domain


class Row(NamedTuple):
    """A sampled row. Rows are ordered by time, then priority, then key."""

    time: int
    priority: int
    key: int


class Ends(NamedTuple):
    """The least and greatest key of all rows."""

    floor: int
    ceiling: int

    def write(self, w: Writer) -> None:
        """Write them."""
        w.zigzag(self.floor)
        w.varint(self.ceiling - self.floor)

    @staticmethod
    def read(r: Reader, domain: Domain) -> Ends:
        """Read what `write` wrote."""
        floor = r.zigzag()
        ceiling = floor + r.varint()
        if not (domain.holds(floor) and domain.holds(ceiling)):
            raise corrupt(f"its values are from {floor} to {signed(ceiling)}")
        return Ends(floor, ceiling)

    def key(self, r: Reader, domain: Domain, before: int) -> int:
        """Read a key that is not below another one."""
        key = before + r.varint()
        if key > self.ceiling or not domain.holds(key):
            raise corrupt(
                f"a value is not from {self.floor} to {self.ceiling}, or is not of type {domain.sql}"
            )
        return key


#: The ends without any rows.
NO_ENDS = Ends(MOST_LONG, LEAST_LONG)


def least_priorities(rows: Sequence[Row], most: int) -> list[Row]:
    """Return those of some ordered rows that are among the `most` least priorities from their own time on.

    Examples
    --------
    >>> from chronosketch.sketch.window.sample.rows import Row, least_priorities
    >>> [row.time for row in least_priorities([Row(1, 7, 0), Row(2, 9, 0), Row(3, 8, 0)], 1)]
    [1, 3]
    """
    kept: list[Row] = []
    # a heap with the greatest of the least priorities on top, so priorities are negated
    least: list[int] = []
    for _, group in groupby(reversed(rows), key=lambda row: row.time):
        of_time = []
        for row in reversed(list(group)):
            if len(least) < most:
                heappush(least, -row.priority)
            elif -row.priority > least[0]:
                heapreplace(least, -row.priority)
            else:
                break
            of_time.append(row)
        kept += reversed(of_time)
    return kept[::-1]


def write_rows(w: Writer, rows: Sequence[Row], ends: Ends) -> None:
    """Write ordered rows."""
    ends.write(w)
    w.varint(len(rows))
    before = 0
    for i, row in enumerate(rows):
        if i == 0:
            w.zigzag(row.time)
        else:
            w.varint(row.time - before)
        before = row.time
        w.varint(row.key - ends.floor)
        w.varint(row.priority)


def read_rows(r: Reader, domain: Domain, ends: Ends) -> list[Row]:
    """Read what `write_rows` wrote, after the ends."""
    rows: list[Row] = []
    for i in range(r.size(3)):
        time = rows[-1].time + r.varint() if i else r.zigzag()
        if time > MOST_LONG:
            raise corrupt("its rows are not in order of time")
        key = ends.key(r, domain, ends.floor)
        rows.append(Row(time, _priority(r), key))
    if any(after < before for before, after in pairwise(rows)):
        raise corrupt("rows of one time are not in order")
    return rows


def _priority(r: Reader) -> int:
    priority = r.varint()
    if priority > MOST_LONG:
        raise corrupt("a priority has more than 63 bits")
    return priority


class Suffix(NamedTuple):
    """The rows with the least priorities, of all rows from some time on.

    Attributes
    ----------
    rows : list of (int, int)
        The keys of the window's rows, ascending, with their priorities.
    others : list of int
        The priorities of rows after the window's end, ascending.
    """

    rows: list[tuple[int, int]]
    others: list[int]

    @property
    def keys(self) -> list[int]:
        """The keys of the window's rows, ascending."""
        return [key for key, _ in self.rows]

    @staticmethod
    def least(rows: list[tuple[int, int]], others: list[int], most: int) -> Suffix:
        """Return the `most` rows with the least priorities.

        Examples
        --------
        >>> from chronosketch.sketch.window.sample.rows import Suffix
        >>> Suffix.least([(5, 30), (4, 10)], [20, 40], 3)
        Suffix(rows=[(4, 10), (5, 30)], others=[20])
        """
        rows, others = sorted(rows), sorted(others)
        if len(rows) + len(others) <= most:
            return Suffix(rows, others)
        every = sorted([priority for _, priority in rows] + others)
        limit = every[most - 1]
        # the number of rows with exactly this priority that are kept
        room = most - every.index(limit)
        kept = []
        for row in rows:
            if row[1] == limit and room > 0:
                room -= 1
                kept.append(row)
            elif row[1] < limit:
                kept.append(row)
        return Suffix(kept, others[: most - len(kept)])

    @staticmethod
    def of(rows: Sequence[Row], start: int, end: int, most: int, *, is_whole: bool) -> Suffix:
        """Return the suffix of retained rows from `start` on. Rows up to time `end` are in the window.

        If these are all rows, the priorities after the end are not needed.
        """
        until = max(start, first_after(rows, end))
        others = [] if is_whole else [row.priority for row in rows[until:]]
        return Suffix.least([(row.key, row.priority) for row in rows[start:until]], others, most)

    def union(self, that: Suffix, most: int) -> Suffix:
        """Return the rows with the least priorities of both."""
        return Suffix.least(self.rows + that.rows, self.others + that.others, most)

    def cast_by(self, cast: Cast) -> Suffix:
        """Return the same rows with their keys cast."""
        made = zip(cast.each(self.keys), (priority for _, priority in self.rows), strict=True)
        return Suffix(sorted(made), self.others)

    def write(self, w: Writer, floor: int) -> None:
        """Write it to the payload."""
        w.varint(len(self.rows))
        w.varint(len(self.others))
        before = floor
        for key, _ in self.rows:
            w.varint(key - before)
            before = key
        for _, priority in self.rows:
            w.varint(priority)
        before = 0
        for priority in self.others:
            w.varint(priority - before)
            before = priority

    @staticmethod
    def read(r: Reader, domain: Domain, size: int, ends: Ends, is_all: Callable[[int], bool]) -> Suffix:
        """Read what `write` wrote. `is_all` returns whether a number of rows is all rows."""
        m, late = r.size(2), r.size(1)
        if m + late > size:
            raise corrupt(f"it has {m} and {late} rows, with room for {size}")
        keys: list[int] = []
        for _ in range(m):
            keys.append(ends.key(r, domain, keys[-1] if keys else ends.floor))
        rows: list[tuple[int, int]] = []
        for key in keys:
            rows.append((key, _priority(r)))
            if rows[-1] < rows[max(0, len(rows) - 2)]:
                raise corrupt("rows of one value are not in order")
        others: list[int] = []
        for _ in range(late):
            others.append((others[-1] if others else 0) + r.varint())
            if others[-1] > MOST_LONG:
                raise corrupt("its priorities are not in increasing order")
        if m + late != size and (late > 0 or not is_all(m)):
            raise corrupt(f"it has {m} and {late} rows, but should have {size}")
        return Suffix(rows, others)


NOTHING = Suffix([], [])


def first_after(rows: Sequence[Row], time: int) -> int:
    """Return the index of the first row after a time."""
    return bisect_right(rows, time, key=lambda row: row.time)
