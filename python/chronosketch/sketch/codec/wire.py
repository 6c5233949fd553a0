"""Numbers as bytes: big-endian with a fixed width, or varints with the least significant digits first."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec.hashes import signed
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    import numpy.typing as npt

MOST_LONG = (1 << 63) - 1
LEAST_LONG = -1 << 63
_WORD = (1 << 64) - 1

# The largest size of a Java array.
MOST_BYTES = (1 << 31) - 1 - 16


class Writer:
    r"""Appends numbers to a byte buffer.

    Examples
    --------
    >>> from chronosketch.sketch.codec.wire import Writer
    >>> w = Writer()
    >>> w.byte(7), w.varint(300), w.zigzag(-1)
    (None, None, None)
    >>> w.result()
    b'\x07\xac\x02\x01'
    """

    def __init__(self) -> None:
        self._bytes = bytearray()

    def __len__(self) -> int:
        return len(self._bytes)

    def byte(self, value: int) -> None:
        """Write the lowest 8 bits."""
        self._bytes.append(value & 0xFF)

    def int32(self, value: int) -> None:
        """Write the lowest 32 bits."""
        self._bytes += (value & 0xFFFFFFFF).to_bytes(4, "big")

    def put_int(self, position: int, value: int) -> None:
        """Overwrite 32 bits at a position."""
        self._bytes[position : position + 4] = (value & 0xFFFFFFFF).to_bytes(4, "big")

    def double(self, value: float) -> None:
        """Write 64 bits. All NaNs are written alike."""
        self._bytes += struct.pack(">d", value) if value == value else b"\x7f\xf8\0\0\0\0\0\0"

    def raw(self, value: bytes) -> None:
        """Write bytes as they are."""
        self._bytes += value

    def varint(self, value: int) -> None:
        """Write the lowest 64 bits as an unsigned number: 1 to 10 bytes."""
        value &= _WORD
        put = self._bytes.append
        while value > 0x7F:
            put(value & 0x7F | 0x80)
            value >>= 7
        put(value)

    def varints(self, values: list[int]) -> None:
        """Write numbers that are 0 or more."""
        if values and max(values) <= 0x7F:
            self._bytes += bytes(values)
        else:
            for value in values:
                self.varint(value)

    def zigzag(self, value: int) -> None:
        """Write a signed number, so that small magnitudes are short."""
        self.varint(value << 1 if value >= 0 else ~value << 1 | 1)

    def rising(self, values: list[int]) -> None:
        """Write non-decreasing numbers: the first, then the differences."""
        if values:
            self.zigzag(values[0])
            before = values[0]
            for value in values[1:]:
                self.varint(value - before)
                before = value

    def result(self) -> bytes:
        """Return the written bytes."""
        if len(self._bytes) > MOST_BYTES:
            raise Refusal("SKETCH_TOO_LARGE", limit=MOST_BYTES)
        return bytes(self._bytes)


class Reader:
    r"""Reads what a `Writer` wrote, from one position up to another and never beyond.

    Examples
    --------
    >>> from chronosketch.sketch.codec.wire import Reader
    >>> r = Reader(b"\x07\xac\x02\x01", 0, 4)
    >>> r.byte(), r.varint(), r.zigzag(), r.remaining
    (7, 300, -1, 0)
    """

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self._bytes = data
        self._at = start
        self._end = end

    @property
    def remaining(self) -> int:
        """The number of unread bytes."""
        return self._end - self._at

    @property
    def position(self) -> int:
        """The position of the next byte."""
        return self._at

    def fork(self) -> Reader:
        """Return another reader at the same position."""
        return Reader(self._bytes, self._at, self._end)

    def require_end(self) -> None:
        """Refuse unread bytes."""
        if self._at != self._end:
            raise corrupt(f"{self.remaining} bytes follow its payload")

    def byte(self) -> int:
        """Read 8 bits."""
        if self._at >= self._end:
            raise corrupt("its payload ends early")
        self._at += 1
        return self._bytes[self._at - 1]

    def raw(self, n: int) -> bytes:
        """Read n bytes unchanged."""
        if n > self.remaining:
            raise corrupt("its payload ends early")
        self._at += n
        return self._bytes[self._at - n : self._at]

    def int32(self) -> int:
        """Read 32 bits as a signed number."""
        return int.from_bytes(self.raw(4), "big", signed=True)

    def double(self) -> float:
        """Read 64 bits."""
        value: float = struct.unpack(">d", self.raw(8))[0]
        return value

    def varint(self) -> int:
        """Read an unsigned number of up to 64 bits."""
        return self.varints(1)[0]

    def long(self) -> int:
        """Read an unsigned number whose 64 bits stand for a signed one."""
        value = self.varint()
        return value if value <= MOST_LONG else value - (1 << 64)

    def zigzag(self) -> int:
        """Read a signed number."""
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def varints(self, n: int) -> list[int]:
        """Read n unsigned numbers. n must be trusted: read by `size`, or small."""
        values = []
        data, at, end = self._bytes, self._at, self._end
        for _ in range(n):
            value = shift = 0
            while True:
                if at >= end:
                    raise corrupt("its payload ends early")
                byte = data[at]
                at += 1
                if shift == 63 and byte > 1:
                    raise corrupt("a number has more than 64 bits")
                value |= (byte & 0x7F) << shift
                if byte < 0x80:
                    break
                shift += 7
            values.append(value)
        self._at = at
        return values

    def ahead(self, n: int) -> tuple[npt.NDArray[np.int64], int] | None:
        """Return the next n numbers without reading them, and how many bytes they have.

        The 64 bits of each stand for a signed number. None if there are not as many, or one has more bits.
        """
        data = np.frombuffer(self._bytes, np.uint8, self.remaining, self._at)
        ends = np.flatnonzero(data < 0x80)[:n]
        if len(ends) < n or n == 0:
            return None
        starts = np.append(0, ends[:-1] + 1)
        more = ends - starts
        longest = int(more.max())
        if longest > 9 or (longest == 9 and (data[ends[more == 9]] > 1).any()):
            return None
        numbers = np.zeros(n, np.int64)
        for digit in range(longest + 1):
            here = np.flatnonzero(more >= digit)
            numbers[here] |= (data[starts[here] + digit] & 0x7F).astype(np.int64) << 7 * digit
        return numbers, int(ends[-1]) + 1

    def skip(self, n: int) -> None:
        """Pass n bytes that were looked at."""
        self._at += n

    def size(self, bytes_each: int) -> int:
        """Read a number of items of at least `bytes_each` bytes. Refuse more than can follow."""
        value = self.long()
        if value < 0 or value > self.remaining // bytes_each:
            raise corrupt(f"it claims {value} items in {self.remaining} bytes")
        return value

    def positive(self) -> int:
        """Read a weight, which must be above 0."""
        value = self.varint()
        if not 1 <= value <= MOST_LONG:
            raise corrupt("it has a weight that is not positive")
        return value

    def rising(self, m: int, *, distinct: bool) -> list[int]:
        """Read m numbers that do not decrease, or strictly increase if `distinct`."""
        if m == 0:
            return []
        value = self.zigzag()
        values = [value]
        for more in self.varints(m - 1):
            value += more
            # a sum that overflowed is below the number before it
            if value > MOST_LONG or (distinct and more == 0):
                raise corrupt("its values are not in order")
            values.append(value)
        return values


def corrupt(why: str) -> Refusal:
    """Return the refusal of corrupt bytes."""
    return Refusal("CORRUPT_SKETCH", reason=why)


def next_rising(r: Reader, before: int) -> int:
    """Read a number that is stored as its difference to the one before. It must be greater."""
    number = before + r.varint()
    if number == before or number > MOST_LONG:
        raise corrupt(f"{signed(number)} follows {before}, but the numbers must increase")
    return number


def read_rising(r: Reader, n: int) -> list[int]:
    """Read n numbers."""
    numbers: list[int] = []
    for _ in range(n):
        numbers.append(next_rising(r, numbers[-1]) if numbers else r.zigzag())
    return numbers
