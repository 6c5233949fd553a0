"""Read and write the stored rows of a sketch. The contents of buckets have their own format."""

from __future__ import annotations

from typing import Protocol

from chronosketch.sketch.codec.hashes import signed
from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG, Reader, Writer, corrupt
from chronosketch.sketch.domain.domain import Domain
from chronosketch.sketch.window.buckets import EVERYTHING, ONE_TIME, Bucket, StoredRows, tie_of, unsigned

_SMALLEST_BUCKET = 3
_MOST_FILTERS = 6


class ContentWire(Protocol):
    """The format of the content of a bucket with more than one position. `key` is the previous key."""

    def write(self, w: Writer, bucket: Bucket, key: int) -> int:
        """Write the content, and return the last key that was written."""

    def read(self, r: Reader, key: int) -> tuple[int, object, int]:
        """Return the number of rows, their content, and the last key that was read."""


def write(w: Writer, rows: StoredRows, contents: ContentWire) -> None:
    """Write the rows in their buckets."""
    rows.time_domain.write(w)
    w.varint(rows.retention)
    w.byte(len(rows.filters))
    for name in rows.filters:
        encoded = name.encode()
        w.varint(len(encoded))
        w.raw(encoded)
    w.zigzag(rows.newest)
    w.varint(rows.forgotten)
    w.byte(sum(map(bool, rows.classes)))
    for c, buckets in enumerate(rows.classes):
        if buckets:
            w.byte(c)
            _write_buckets(w, buckets, contents)


def _write_buckets(w: Writer, buckets: list[Bucket], contents: ContentWire) -> None:
    w.varint(len(buckets))
    time, key = LEAST_LONG, 0
    for bucket in buckets:
        level = bucket.level
        w.byte(level)
        w.varint(_cell(bucket.time, level) - _cell(time, level))
        time = bucket.time
        if level == 0:
            w.zigzag(signed(bucket.key - key))
            key = bucket.key
            w.varint(bucket.count)
        else:
            if level < ONE_TIME:
                w.varint(unsigned(bucket.tie) >> level)
            key = contents.write(w, bucket, key)


def _cell(time: int, level: int) -> int:
    return unsigned(time) >> max(0, level - ONE_TIME)


def read(r: Reader, domain: Domain, contents: ContentWire) -> StoredRows:
    """Read what `write` wrote, for values of a type. Refuse invalid bytes."""
    times = Domain.read_time(r, "times")
    retention = r.long()
    if retention < 1:
        raise corrupt(f"its retention is {retention}")
    filters = _filters(r)
    newest = r.zigzag()
    forgotten = r.varint()
    if forgotten > MOST_LONG:
        raise corrupt("its count has more than 63 bits")
    classes: list[list[Bucket]] = [[] for _ in range(1 << len(filters))]
    count, last, latest = 0, -1, LEAST_LONG
    for _ in range(r.byte()):
        c = r.byte()
        if c <= last or c >= len(classes):
            raise corrupt(f"it has rows of class {c}, which does not exist")
        buckets = _read_buckets(r, domain, contents)
        if not buckets:
            raise corrupt(f"class {c} of its rows is empty")
        count = _sum(count, sum(bucket.count for bucket in buckets))
        latest = max(latest, buckets[-1].time)
        classes[c] = buckets
        last = c
    if latest > newest:
        raise corrupt("it has a row that is newer than its newest")
    return StoredRows(times, retention, filters, newest, forgotten, classes)


def _filters(r: Reader) -> tuple[str, ...]:
    count = r.byte()
    if count > _MOST_FILTERS:
        raise corrupt(f"it has {count} filters")
    names = []
    for _ in range(count):
        try:
            names.append(r.raw(r.size(1)).decode())
        except UnicodeDecodeError:
            raise corrupt("the name of a filter is not text") from None
    if len(set(names)) != count:
        raise corrupt("two of its filters have the same name")
    return tuple(names)


def _sum(a: int, b: int) -> int:
    if a + b > MOST_LONG:
        raise corrupt("its count has more than 63 bits")
    return a + b


def _read_buckets(r: Reader, domain: Domain, contents: ContentWire) -> list[Bucket]:
    buckets: list[Bucket] = []
    # the buckets that contain the next one
    around: list[Bucket] = []
    total, time, key = 0, LEAST_LONG, 0
    for _ in range(r.size(_SMALLEST_BUCKET)):
        level = r.byte()
        if level > EVERYTHING:
            raise corrupt(f"it has a bucket of level {level}")
        time = _later(r, time, level)
        content: object = None
        if level == 0:
            key = signed(key + r.zigzag())
            if not domain.holds(key):
                raise corrupt(f"it has a value that {domain.sql} can't have")
            count, tie = r.long(), tie_of(key)
        else:
            tie = _first_tie(r, level) if level < ONE_TIME else LEAST_LONG
            count, content, key = contents.read(r, key)
        if count < 1:
            raise corrupt("it has an empty bucket")
        total = _sum(total, count)
        bucket = Bucket(time, tie, level, count, content)
        while around and around[-1].last < bucket.first:
            around.pop()
        is_in_order = not buckets or buckets[-1].first <= bucket.first
        if not is_in_order or (around and around[-1].level <= level):
            raise corrupt("its buckets are not in order")
        buckets.append(bucket)
        around.append(bucket)
    return buckets


def _later(r: Reader, before: int, level: int) -> int:
    bits = max(0, level - ONE_TIME)
    cell = _cell(before, level) + r.varint()
    if cell >> 64 - bits:
        raise corrupt("its buckets are not in order")
    return (cell << bits) + LEAST_LONG


def _first_tie(r: Reader, level: int) -> int:
    cell = r.varint()
    if cell >> 64 - level:
        raise corrupt("a bucket is not on the grid")
    return (cell << level) + LEAST_LONG
