"""The SQL types that sketches support."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG, Reader, Writer, corrupt
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable


class Kind(enum.IntEnum):
    """A kind of type, with its number in stored bytes."""

    TINYINT = 1
    SMALLINT = 2
    INT = 3
    BIGINT = 4
    FLOAT = 5
    DOUBLE = 6
    DECIMAL = 7
    DATE = 8
    TIMESTAMP = 9
    TIMESTAMP_NTZ = 10
    YEAR_MONTH_INTERVAL = 11
    DAY_TIME_INTERVAL = 12
    TIME = 13


MOST_DIGITS = 18
#: All types of values, as messages name them.
TYPES_IN_WORDS = "a number, DATE, TIMESTAMP, TIMESTAMP_NTZ, TIME or an INTERVAL"
NANOS_A_DAY = 86_400_000_000_000
# The microseconds of the last field of a day-time interval, and the digits of a TIME that are nanoseconds.
_FIELD_MICROS = (NANOS_A_DAY // 1000, 3_600_000_000, 60_000_000, 1)
_NANO_DIGITS = 9
YEAR_MONTH_FIELDS = ("YEAR", "MONTH")
DAY_TIME_FIELDS = ("DAY", "HOUR", "MINUTE", "SECOND")

_WIDTHS = {
    Kind.TINYINT: 8,
    Kind.SMALLINT: 16,
    Kind.INT: 32,
    Kind.DATE: 32,
    Kind.YEAR_MONTH_INTERVAL: 32,
}
_TIMES = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ)
# Whole numbers of up to this many digits are FLOATs, or DOUBLEs.
FLOAT_DIGITS = 7
DOUBLE_DIGITS = 15


@dataclass(frozen=True)
class Domain:
    """A SQL type whose values are represented by keys.

    Attributes
    ----------
    kind : Kind
        The kind of the type.
    first, second : int
        Precision and scale of a DECIMAL, first and last field of an interval, precision of a TIME; else 0.

    Examples
    --------
    >>> from chronosketch.sketch.domain.domain import Domain, Kind
    >>> Domain(Kind.DECIMAL, 10, 2).sql, Domain(Kind.DAY_TIME_INTERVAL, 0, 3).sql
    ('DECIMAL(10,2)', 'INTERVAL DAY TO SECOND')
    """

    kind: Kind
    first: int = 0
    second: int = 0

    @property
    def sql(self) -> str:
        """The type as SQL spells it."""
        if self.kind == Kind.DECIMAL:
            return f"DECIMAL({self.first},{self.second})"
        if self.kind == Kind.TIME:
            return f"TIME({self.first})"
        if self.kind in (Kind.YEAR_MONTH_INTERVAL, Kind.DAY_TIME_INTERVAL):
            fields = YEAR_MONTH_FIELDS if self.kind == Kind.YEAR_MONTH_INTERVAL else DAY_TIME_FIELDS
            last = "" if self.first == self.second else f" TO {fields[self.second]}"
            return f"INTERVAL {fields[self.first]}{last}"
        return self.kind.name

    @property
    def is_integer(self) -> bool:
        """Whether values are whole numbers."""
        return self.kind <= Kind.BIGINT

    @property
    def is_floating(self) -> bool:
        """Whether values are floating-point numbers."""
        return self.kind in (Kind.FLOAT, Kind.DOUBLE)

    @property
    def is_numeric(self) -> bool:
        """Whether values are numbers."""
        return self.kind <= Kind.DECIMAL

    @property
    def is_time(self) -> bool:
        """Whether times and versions can have this type."""
        return self.is_integer or self.kind in _TIMES

    @property
    def least(self) -> int:
        """The least key that a value can have."""
        if self.is_floating:
            return doubles.NEGATIVE_INFINITY
        if self.kind == Kind.DECIMAL:
            return 1 - int(10**self.first)
        if self.kind == Kind.TIME:
            return 0
        return -1 << _WIDTHS[self.kind] - 1 if self.kind in _WIDTHS else LEAST_LONG

    @property
    def greatest(self) -> int:
        """The greatest key that a value can have."""
        if self.is_floating:
            return doubles.NAN
        if self.kind == Kind.DECIMAL:
            return int(10**self.first) - 1
        if self.kind == Kind.TIME:
            return NANOS_A_DAY - 1
        return (1 << _WIDTHS[self.kind] - 1) - 1 if self.kind in _WIDTHS else MOST_LONG

    @property
    def unit(self) -> int:
        """All keys are multiples of this: more than 1 for intervals and times without digits."""
        if self.kind == Kind.YEAR_MONTH_INTERVAL:
            return 12 if self.second == 0 else 1
        if self.kind == Kind.DAY_TIME_INTERVAL:
            return _FIELD_MICROS[self.second]
        return int(10 ** (_NANO_DIGITS - self.first)) if self.kind == Kind.TIME else 1

    def holds(self, key: int) -> bool:
        """Return whether a value has this key."""
        if self.kind == Kind.DOUBLE:
            return doubles.is_key(key)
        if self.kind == Kind.FLOAT:
            return doubles.is_float_key(key)
        return self.least <= key <= self.greatest

    def holds_all(self, keys: list[int]) -> bool:
        """Return whether values have all of these keys, which are in ascending order."""
        if self.is_floating:
            return all(map(self.holds, keys))
        return not keys or (self.least <= keys[0] and keys[-1] <= self.greatest)

    def require(self, keys: list[int]) -> list[int]:
        """Return keys read from stored bytes, in ascending order. Refuse keys that no value has."""
        if not self.holds_all(keys):
            raise corrupt(f"it has a value that {self.sql} can't have")
        return keys

    def widen(self, that: Domain) -> Domain | None:
        """Return the type that holds the values of both with the same keys, or None if there is none."""
        if self == that:
            return self
        if self.is_integer and that.is_integer:
            return self if self.kind >= that.kind else that
        if self.is_floating and that.is_floating:
            return Domain(Kind.DOUBLE)
        if self.kind != that.kind:
            return None
        if self.kind == Kind.DECIMAL and self.second != that.second:
            return None
        if self.kind in (Kind.YEAR_MONTH_INTERVAL, Kind.DAY_TIME_INTERVAL):
            return Domain(self.kind, min(self.first, that.first), max(self.second, that.second))
        return replace(self, first=max(self.first, that.first))

    def coerced(self, that: Domain) -> Domain | None:
        """Return the type that a merge gives to values of both, if it holds all of them exactly; else None.

        It is that of Spark's own coercion. Beside FLOAT or DOUBLE, whole numbers of at most 32 bits become
        DOUBLE. Beside DECIMAL, whole numbers and other decimals become DECIMAL if 18 digits are enough.

        Examples
        --------
        >>> from chronosketch.sketch.domain.type_names import domain_named
        >>> domain_named("int").coerced(domain_named("double")).sql
        'DOUBLE'
        >>> domain_named("decimal(6, 2)").coerced(domain_named("int")).sql
        'DECIMAL(12,2)'
        """
        wider = self.widen(that)
        if wider is not None or not (self.is_numeric and that.is_numeric):
            return wider
        if self.is_floating or that.is_floating:
            whole = that if self.is_floating else self
            return Domain(Kind.DOUBLE) if whole.is_integer and whole.digits <= DOUBLE_DIGITS else None
        return self.exact_decimal(that)

    def common(self, that: Domain) -> Domain | None:
        """Return the type that both can be cast to without losing a digit, or None."""
        wider = self.widen(that)
        if wider is not None:
            return wider
        if self.is_numeric and that.is_numeric:
            if self.is_floating or that.is_floating:
                return _floating(that, self) if self.is_floating else _floating(self, that)
            wide = self.exact_decimal(that)
            return wide or (Domain(Kind.BIGINT) if self.second == that.second == 0 else None)
        instants = (Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ)
        if self.kind == Kind.DATE and that.kind in instants:
            return that
        return self if that.kind == Kind.DATE and self.kind in instants else None

    def exact_decimal(self, that: Domain) -> Domain | None:
        """Return the decimal that holds the values of both, or None if it has too many digits.

        Both are types of numbers that are not floating.
        """
        scale = max(self.second, that.second)
        precision = max(self.digits - self.second, that.digits - that.second) + scale
        return Domain(Kind.DECIMAL, precision, scale) if precision <= MOST_DIGITS else None

    @property
    def scale(self) -> int:
        """The number of digits after the decimal point; 0 if the type is not DECIMAL."""
        return self.second if self.kind == Kind.DECIMAL else 0

    @property
    def digits(self) -> int:
        """The most digits of a number that is not floating."""
        return self.first if self.kind == Kind.DECIMAL else len(str(self.greatest))

    def widen_or_refuse(
        self,
        that: Domain,
        build: Callable[[str], str],
        condition: str = "VALUE_TYPES_DIFFER",
        can_cast: Callable[[Domain, Domain], bool] | None = None,
    ) -> Domain:
        """Return what `widen` does, or refuse with the names of both and what to do.

        `build` shows how SQL builds a sketch of values that are cast to a type. `can_cast` tells whether
        `Sketch.cast` casts a sketch of the first type to the second.
        """
        wider = self.widen(that)
        if wider is not None:
            return wider
        common = self.common(that)
        if common is None:
            fix = (
                "No type of a sketch holds all of them as they are. "
                f"Build both from values of one type, {self.sql} or {that.sql}."
            )
            if can_cast and (can_cast(self, that) or can_cast(that, self)):
                fix += (
                    " Or choose a type: sketch.cast(type), or sketch_cast(sketch, type) in SQL, converts a "
                    "sketch, and rounds what the type does not hold."
                )
        else:
            call = build(common.sql)
            shown = f": {call}" if call else ""
            fix = f"Build both with the type {common.sql}, which holds all of them{shown}."
            if can_cast and can_cast(self, common) and can_cast(that, common):
                name = f"'{common.sql}'"
                fix += f" Or cast them: sketch.cast({name}), or sketch_cast(sketch, {name}) in SQL."
        raise Refusal(condition, left=self.sql, right=that.sql, fix=fix)

    def write(self, w: Writer) -> None:
        """Write the kind and its two parameters, one byte each."""
        for value in (self.kind, self.first, self.second):
            w.byte(value)

    @staticmethod
    def of(kind: int, first: int, second: int) -> Domain | None:
        """Return the type of a stored kind and its parameters, or None if it does not exist."""
        if not 1 <= kind <= len(Kind):
            return None
        domain = Domain(Kind(kind), first, second)
        return domain if _is_allowed(domain) else None

    @staticmethod
    def read_time(r: Reader, owner: str) -> Domain:
        """Read a type of times. `owner` says what has this type, for messages."""
        kind = r.byte()
        domain = Domain.of(kind, r.byte(), r.byte())
        if domain is None or not domain.is_time:
            raise corrupt(f"its {owner} have a type that times can't have ({kind})")
        return domain


def _floating(whole: Domain, floating: Domain) -> Domain | None:
    """Return the floating type that holds a floating type and another number type."""
    if whole.second > 0 or whole.digits > DOUBLE_DIGITS:
        return None
    return Domain(Kind.DOUBLE) if whole.digits > FLOAT_DIGITS else floating


def _is_allowed(domain: Domain) -> bool:
    first, second = domain.first, domain.second
    if domain.kind == Kind.DECIMAL:
        return 1 <= first <= MOST_DIGITS and 0 <= second <= first
    if domain.kind == Kind.YEAR_MONTH_INTERVAL:
        return 0 <= first <= second < len(YEAR_MONTH_FIELDS)
    if domain.kind == Kind.DAY_TIME_INTERVAL:
        return 0 <= first <= second < len(DAY_TIME_FIELDS)
    if domain.kind == Kind.TIME:
        return 0 <= first <= 9 and second == 0
    return first == 0 and second == 0
