"""Convert between Python values and keys."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import LEAST_LONG, MOST_LONG
from chronosketch.sketch.domain.domain import MOST_DIGITS, NANOS_A_DAY, TYPES_IN_WORDS, Domain, Kind
from chronosketch.sketch.domain.type_names import domain_named
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Longs = npt.NDArray[np.int64]


#: The Python types of answers; `value_of` lists the SQL types that they belong to.
Value: TypeAlias = int | float | Decimal | date | datetime | time | timedelta

_EPOCH_DAY = date(1970, 1, 1).toordinal()
_EPOCH = datetime(1970, 1, 1)
_EPOCH_UTC = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICRO = timedelta(microseconds=1)
_WIDER = "Give smaller values, or name a wider type."


def value_of(key: int, domain: Domain) -> Value:
    """Return the Python value of a key.

    Whole numbers and intervals of months become int, FLOAT and DOUBLE float, DECIMAL Decimal, DATE date,
    TIMESTAMP a datetime in UTC, TIMESTAMP_NTZ a datetime without a time zone, day-time intervals timedelta,
    and TIME time.

    Raises
    ------
    Refusal
        For a date or timestamp outside of the years 1 to 9999, and for a TIME with nanoseconds: Python cannot
        represent these, and another value would be wrong.

    Examples
    --------
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.domain.values import value_of
    >>> value_of(1050, domain_named("decimal(9, 2)")), value_of(1, domain_named("date"))
    (Decimal('10.50'), datetime.date(1970, 1, 2))
    """
    kind = domain.kind
    try:
        if domain.is_floating:
            return doubles.value(key)
        if kind == Kind.DECIMAL:
            return Decimal(f"{key}E-{domain.second}")
        if kind == Kind.DATE:
            return date.fromordinal(_EPOCH_DAY + key)
        if kind == Kind.TIMESTAMP:
            return _EPOCH_UTC + timedelta(microseconds=key)
        if kind == Kind.TIMESTAMP_NTZ:
            return _EPOCH + timedelta(microseconds=key)
        if kind == Kind.DAY_TIME_INTERVAL:
            return timedelta(microseconds=key)
        if kind == Kind.TIME:
            return _time(key)
    except (OverflowError, ValueError):
        raise Refusal(
            "VALUE_OUT_OF_RANGE",
            value=f"{domain.sql} {key}",
            type=_PYTHON[kind],
            fix="Ask for it in SQL, which has such values.",
        ) from None
    return key


_PYTHON = {
    Kind.DATE: "datetime.date",
    Kind.TIMESTAMP: "datetime.datetime",
    Kind.TIMESTAMP_NTZ: "datetime.datetime",
    Kind.TIME: "datetime.time",
}


def _time(nanos: int) -> time:
    micros, rest = divmod(nanos, 1000)
    if rest:
        raise ValueError("datetime.time has no nanoseconds")
    return (_EPOCH + timedelta(microseconds=micros)).time()


def domain_of(value: object) -> Domain:
    """Return the SQL type of a Python value.

    Raises
    ------
    Refusal
        If SQL has no type for it that sketches support, for example for text.

    Examples
    --------
    >>> from chronosketch.sketch.domain.values import domain_of
    >>> domain_of(3).sql, domain_of(0.5).sql, domain_of(timedelta(days=1)).sql
    ('BIGINT', 'DOUBLE', 'INTERVAL DAY TO SECOND')
    """
    if isinstance(value, bool | np.bool_):
        raise _unsupported(value, "BOOLEAN", "Count it as 0 and 1: int(value).")
    if isinstance(value, np.timedelta64):
        raise _unsupported(value, "timedelta64", "Give values of one of these types.")
    if isinstance(value, Integral):
        return Domain(Kind.BIGINT)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, Real):
        return Domain(Kind.DOUBLE)
    if isinstance(value, datetime):
        return Domain(Kind.TIMESTAMP_NTZ if value.tzinfo is None else Kind.TIMESTAMP)
    if isinstance(value, date):
        return Domain(Kind.DATE)
    if isinstance(value, timedelta):
        return Domain(Kind.DAY_TIME_INTERVAL, 0, 3)
    if isinstance(value, time) and value.tzinfo is None:
        return Domain(Kind.TIME, 6)
    raise _unsupported(value, type(value).__name__, "Give values of one of these types.")


_EXAMPLES = {
    Kind.DATE: "date(2026, 1, 1)",
    Kind.TIMESTAMP: "datetime(2026, 1, 1, tzinfo=timezone.utc)",
    Kind.TIMESTAMP_NTZ: "datetime(2026, 1, 1)",
    Kind.DAY_TIME_INTERVAL: "timedelta(days=1)",
    Kind.TIME: "time(12, 0)",
}


def comparable_key(value: object, stored: Domain) -> tuple[int, Domain]:
    """Return the key and type of a value. Refuse a type that cannot be compared with the sketch's."""
    if isinstance(value, np.datetime64 | np.timedelta64) and not np.isnat(value):
        from chronosketch.sketch.domain.columns import keys_of_times

        asked, keys = keys_of_times([value])
        if asked.kind != stored.kind:
            raise not_comparable(asked, stored)
        return int(keys[0]), asked
    asked = domain_of(value)
    if stored.kind == Kind.YEAR_MONTH_INTERVAL and asked.is_integer:
        # intervals of months are represented as integers
        return key_of(value, stored), stored
    if asked.kind != stored.kind and not (asked.is_numeric and stored.is_numeric):
        raise not_comparable(asked, stored)
    return key_of(value, asked), asked


def not_comparable(point: Domain, held: Domain) -> Refusal:
    """Return the refusal of a value that has no place among values of another type."""
    return Refusal("VALUE_NOT_COMPARABLE", point=point.sql, held=held.sql, example=example_of(held))


def example_of(domain: Domain) -> str:
    """Return a value of a type as Python code.

    Examples
    --------
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.domain.values import example_of
    >>> example_of(domain_named("date")), example_of(domain_named("bigint"))
    ('date(2026, 1, 1)', '100')
    """
    return _EXAMPLES.get(domain.kind, "100")


def _decimal(value: Decimal) -> Domain:
    _, digits, exponent = value.as_tuple()
    if isinstance(exponent, str):
        raise _unsupported(value, "Decimal", "A Decimal here is finite; NaN and infinities are floats.")
    scale = max(0, -exponent)
    precision = max(1, scale, len(digits) + max(0, exponent))
    if precision > MOST_DIGITS:
        raise _unsupported(
            value, f"DECIMAL({precision},{scale})", f"Decimals have up to {MOST_DIGITS} digits here."
        )
    return Domain(Kind.DECIMAL, precision, scale)


def key_of(value: object, domain: Domain) -> int:
    """Return the key of a Python value in a type.

    Raises
    ------
    Refusal
        If the type cannot hold the value exactly.

    Examples
    --------
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> from chronosketch.sketch.domain.values import key_of
    >>> key_of(date(1970, 1, 2), domain_named("date")), key_of(Decimal("1.5"), domain_named("decimal(9, 2)"))
    (1, 150)
    """
    given = domain_of(value)
    key = _key(value, domain) if _is_fit(given, domain) else None
    if key is None or key % domain.unit:
        raise _unsupported(value, given.sql, f"Give values that {domain.sql} holds.", domain.sql)
    if not domain.holds(key):
        raise Refusal("VALUE_OUT_OF_RANGE", value=value, type=domain.sql, fix=_WIDER)
    return key


def _is_fit(given: Domain, to: Domain) -> bool:
    if to.is_floating or to.kind == Kind.DECIMAL:
        return given.is_numeric and (to.is_floating or not given.is_floating)
    if to.is_integer or to.kind == Kind.YEAR_MONTH_INTERVAL:
        return given.is_integer
    return given.kind == to.kind


def _key(value: object, domain: Domain) -> int | None:
    if domain.kind == Kind.FLOAT:
        return doubles.key(doubles.nearest_float(_float(value)))
    if domain.kind == Kind.DOUBLE:
        return doubles.key(_float(value))
    if isinstance(value, Integral):
        return int(value) * 10**domain.second if domain.kind == Kind.DECIMAL else int(value)
    if isinstance(value, Decimal):
        return _unscaled(value, domain.second)
    if isinstance(value, datetime):
        return (value - (_EPOCH if value.tzinfo is None else _EPOCH_UTC)) // _MICRO
    if isinstance(value, date):
        return value.toordinal() - _EPOCH_DAY
    if isinstance(value, timedelta):
        return value // _MICRO
    if isinstance(value, time):
        return (datetime.combine(_EPOCH, value) - _EPOCH) // _MICRO * 1000 % NANOS_A_DAY
    return None


def _float(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        raise Refusal("VALUE_OUT_OF_RANGE", value=value, type="DOUBLE", fix=_WIDER) from None


def _unscaled(value: Decimal, scale: int) -> int | None:
    numerator, denominator = value.as_integer_ratio()
    whole, rest = divmod(numerator * 10**scale, denominator)
    return whole if rest == 0 and LEAST_LONG <= whole <= MOST_LONG else None


def _unsupported(value: object, sql: str, hint: str, types: str = TYPES_IN_WORDS) -> Refusal:
    return Refusal("UNSUPPORTED_TYPE", types=types, argument="value", sql=repr(value), type=sql, hint=hint)


def keys_of(values: Iterable[object], type_name: str | None) -> tuple[Domain, Longs]:
    """Return the type of some values, and the keys of those that are not NULL.

    Without a name, an array or series has the type of its own type; see `chronosketch.sketch.domain.columns`.
    Of a list it is the type that holds all elements: whole numbers are BIGINT, floating-point numbers DOUBLE,
    and whole numbers take the type of the others. Without any value it is DOUBLE.

    Examples
    --------
    >>> from decimal import Decimal
    >>> from chronosketch.sketch.domain.values import keys_of
    >>> keys_of([Decimal("1.5"), Decimal("0.25"), None, 3], None)
    (Domain(kind=<Kind.DECIMAL: 7>, first=18, second=2), array([150,  25, 300]))
    """
    from chronosketch.sketch.domain import columns

    named = None if type_name is None else domain_named(type_name)
    values = columns.as_column(values)
    found = columns.typed_keys(values)
    if isinstance(found, tuple):
        return _in_type(*found, named)
    given = list(values) if found is None else found
    kinds = set(map(type, given))
    if not kinds <= _PLAIN_TYPES:
        given = columns.without_missing(given)
        if any(isinstance(value, np.datetime64 | np.timedelta64) for value in given):
            return _in_type(*columns.keys_of_times(given), named)
    elif type(None) in kinds:
        given = [value for value in given if value is not None]
    plain = _plain_keys(given, kinds - {type(None)}, named)
    if plain is not None:
        return plain
    domain = named or _common(given)
    return domain, np.array([key_of(value, domain) for value in given], np.int64)


_PLAIN_TYPES = {int, float, type(None)}
_INTEGER, _DOUBLE = Domain(Kind.BIGINT), Domain(Kind.DOUBLE)


def _plain_keys(values: list[object], kinds: set[type], named: Domain | None) -> tuple[Domain, Longs] | None:
    """Return what `keys_of` does for many Python numbers, or None if they need a closer look."""
    from chronosketch.sketch.domain.columns import keys_of_doubles

    try:
        if kinds == {int} and named in (None, _INTEGER):
            return _INTEGER, np.array(values, np.int64)
        if kinds in ({float}, {float, int}) and named in (None, _DOUBLE):
            return _DOUBLE, keys_of_doubles(np.array(values, np.float64))
    except OverflowError:
        pass
    return None


def _in_type(domain: Domain, keys: Longs, named: Domain | None) -> tuple[Domain, Longs]:
    return (domain, keys) if named is None or named == domain else (named, _cast(keys, domain, named))


def _cast(keys: Longs, given: Domain, to: Domain) -> Longs:
    """Return the keys of a column in another type. Refuse values that it does not hold."""
    from chronosketch.sketch.domain.columns import keys_of_doubles

    if given.is_integer and (to.is_integer or to.kind == Kind.YEAR_MONTH_INTERVAL):
        return _required(keys, (keys < to.least) | (keys > to.greatest) | (keys % to.unit != 0), given, to)
    if given.is_integer and to.kind == Kind.DOUBLE:
        return keys_of_doubles(keys.astype(np.float64))
    if given.is_floating and to.kind == Kind.DOUBLE:
        return keys
    if given.kind == to.kind and not given.is_numeric:
        # intervals and times with other fields
        return _required(keys, keys % to.unit != 0, given, to)
    distinct, places = np.unique(keys, return_inverse=True)
    made = [key_of(value_of(key, given), to) for key in distinct.tolist()]
    return np.array(made, np.int64)[places]


def _required(keys: Longs, bad: npt.NDArray[np.bool_], given: Domain, to: Domain) -> Longs:
    """Return keys. Refuse the first of those that a type does not hold."""
    if bad.any():
        key_of(value_of(int(keys[bad][0]), given), to)
    return keys


def _common(values: list[object]) -> Domain:
    domains = {domain_of(value) for value in values}
    if not domains:
        return Domain(Kind.DOUBLE)
    kinds = {domain.kind for domain in domains}
    if len(kinds) == 1 and kinds != {Kind.DECIMAL}:
        return domains.pop()
    if all(domain.is_numeric for domain in domains):
        if any(domain.is_floating for domain in domains):
            return Domain(Kind.DOUBLE)
        # with the most digits, because sketches of decimals with one scale can be merged
        return Domain(Kind.DECIMAL, MOST_DIGITS, max(domain.second for domain in domains))
    left, right, *_ = sorted(domain.sql for domain in domains)
    raise Refusal("VALUE_TYPES_DIFFER", left=left, right=right, fix="Give values of one type.")
