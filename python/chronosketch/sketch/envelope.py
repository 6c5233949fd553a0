"""The envelope around a payload: version, length, family, value type, parameters and checksum."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from chronosketch.installed import version
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.hashes import crc32c
from chronosketch.sketch.codec.wire import Reader, Writer, corrupt
from chronosketch.sketch.domain.domain import Domain
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Parameter:
    """A tuning parameter with its closed range. `is_whole` limits it to whole numbers.

    Examples
    --------
    >>> from chronosketch.sketch.envelope import Parameter
    >>> Parameter("epsilon", 0.0, 0.5).allows(0.6)
    False
    """

    name: str
    least: float
    greatest: float
    is_whole: bool = False

    def allows(self, value: float) -> bool:
        """Return whether the parameter can have this value."""
        return self.least <= value <= self.greatest and (not self.is_whole or value == int(value))

    def require(self, value: float) -> float:
        """Return the value. Refuse what is not a number, or out of range."""
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if isinstance(value, bool) or not isinstance(value, Real | Decimal):
            raise TypeError(f"{self.name} is {value!r}: give a number in {self.range}.")
        number = float(value)
        if not self.allows(number):
            raise Refusal(
                "PARAMETER_OUT_OF_RANGE",
                parameter=self.name,
                value=doubles.text(number),
                range=self.range,
            )
        # -0.0 becomes 0.0
        return number + 0.0

    @property
    def range(self) -> str:
        """The allowed values, for messages."""
        ends = f"[{self.text(self.least)}, {self.text(self.greatest)}]"
        return f"the whole numbers of {ends}" if self.is_whole else ends

    @staticmethod
    def text(value: float) -> str:
        """Write a value without trailing zeros."""
        return format(Decimal(repr(value)).normalize(), "f")


FORMAT_VERSION = 1

_MAGIC = b"CHRS"
_LENGTH_AT = 5
_HEADER_AT = _LENGTH_AT + 4
_CHECKSUM_BYTES = 4
_SMALLEST = 4 + 1 + 4 + 1 + 3 + 1 + _CHECKSUM_BYTES


@dataclass(frozen=True)
class Header:
    """The header of a stored sketch, before its payload.

    Attributes
    ----------
    domain : Domain
        The type of the values.
    numbers : tuple of float
        The family's parameters, in the family's order.
    """

    domain: Domain
    numbers: tuple[float, ...]


@dataclass(frozen=True)
class Stored:
    """The properties of a family's stored sketches: number, name, parameters and supported types."""

    number: int
    name: str
    parameters: tuple[Parameter, ...]
    takes: Callable[[Domain], bool]


def seal(family: Stored, header: Header, payload: Callable[[Writer], None]) -> bytes:
    """Return the stored bytes of a sketch."""
    w = Writer()
    w.raw(_MAGIC)
    w.byte(FORMAT_VERSION)
    w.int32(0)
    w.byte(family.number)
    header.domain.write(w)
    w.byte(len(header.numbers))
    for number in header.numbers:
        w.double(number)
    payload(w)
    w.put_int(_LENGTH_AT, len(w) + _CHECKSUM_BYTES)
    w.int32(crc32c(w.result()))
    return w.result()


def checked(data: Any) -> bytes:
    """Return the bytes of an object that has some. Refuse others, and what `check` refuses."""
    try:
        given = bytes(data) if hasattr(data, "__bytes__") else bytes(memoryview(data))
    except TypeError:
        raise TypeError(f"data is {data!r:.60}, where the bytes of a sketch belong.") from None
    check(given)
    return given


def check(data: bytes) -> None:
    """Refuse bytes that are not an intact sketch. Checks magic, length, checksum, version, in this order."""
    n = len(data)
    if n < _LENGTH_AT or data[:4] != _MAGIC:
        start = f"X'{data[:8].hex().upper()}'" if data else "nothing"
        raise Refusal("NOT_A_SKETCH", bytes=n, start=start)
    length = int.from_bytes(data[_LENGTH_AT:_HEADER_AT], "big", signed=True)
    if n < _SMALLEST or length > n:
        raise Refusal("TRUNCATED_SKETCH", bytes=n, length="more" if n < _HEADER_AT else length)
    if length != n:
        raise corrupt(f"it has {n} bytes, but its header says {length}")
    if int.from_bytes(data[-_CHECKSUM_BYTES:], "big") != crc32c(data[:-_CHECKSUM_BYTES]):
        raise corrupt("its checksum does not match")
    written = format_of(data)
    if written > FORMAT_VERSION:
        raise Refusal("NEWER_FORMAT", format=written, known=FORMAT_VERSION, version=version())
    if written == 0:
        raise corrupt("its format version is 0")


def format_of(data: bytes) -> int:
    """Return the format version of an intact sketch."""
    return data[4]


def family_of(data: bytes) -> int:
    """Return the family number of bytes that passed `check`."""
    return data[_HEADER_AT]


def payload_of(data: bytes, family: Stored) -> tuple[Header, Reader]:
    """Return the header, and a reader of the payload, of bytes that passed `check`."""
    r = Reader(data, _HEADER_AT + 1, len(data) - _CHECKSUM_BYTES)
    kind = r.byte()
    domain = Domain.of(kind, r.byte(), r.byte())
    if domain is None:
        raise corrupt(f"it has an unknown value type ({kind})")
    if not family.takes(domain):
        raise corrupt(f"its values have the type {domain.sql}, but its family is {family.name}")
    count = r.byte()
    if count != len(family.parameters):
        raise corrupt(f"it has {count} parameters where {len(family.parameters)} belong")
    # -0.0 becomes 0.0
    numbers = tuple(r.double() + 0.0 for _ in range(count))
    for parameter, value in zip(family.parameters, numbers, strict=True):
        if not parameter.allows(value):
            raise corrupt(f"its {parameter.name} is {doubles.text(value)}")
    return Header(domain, numbers), r
