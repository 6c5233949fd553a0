"""Convert keys to Arrow values, and keys of one type to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from chronosketch.sketch.domain import conversion
from chronosketch.sketch.domain.columns import doubles_of
from chronosketch.sketch.domain.conversion import Rounding
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    from chronosketch.arrow.column import Flags, Longs

# Up to these limits integers and powers of ten are exact doubles, so one division is rounded correctly.
_WHOLE_DOUBLES = 1 << 53
_EXACT_TENS = 22

_TYPES = {
    Kind.TINYINT: pa.int8(),
    Kind.SMALLINT: pa.int16(),
    Kind.INT: pa.int32(),
    Kind.BIGINT: pa.int64(),
    Kind.FLOAT: pa.float32(),
    Kind.DOUBLE: pa.float64(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us", "UTC"),
    Kind.TIMESTAMP_NTZ: pa.timestamp("us"),
    Kind.YEAR_MONTH_INTERVAL: pa.int32(),
    Kind.DAY_TIME_INTERVAL: pa.duration("us"),
    Kind.TIME: pa.time64("ns"),
}


def type_of(domain: Domain) -> Any:
    """Return the Arrow type of a SQL type.

    Examples
    --------
    >>> from chronosketch.arrow.typed import type_of
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> type_of(domain_named("decimal(9, 2)")), type_of(domain_named("timestamp"))
    (Decimal128Type(decimal128(9, 2)), TimestampType(timestamp[us, tz=UTC]))
    """
    if domain.kind == Kind.DECIMAL:
        return pa.decimal128(domain.first, domain.second)
    return _TYPES[domain.kind]


def array_of(keys: Longs, valid: Flags, domain: Domain) -> Any:
    """Return the values of keys; NULL where a key is not valid.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.arrow.typed import array_of
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> array_of(np.array([150, 0]), np.array([True, False]), domain_named("decimal(9, 2)")).to_pylist()
    [Decimal('1.50'), None]
    """
    keys = np.where(valid, keys, 0)
    kind = _TYPES.get(domain.kind)
    if kind is None:
        return _decimals(keys, valid, domain)
    if domain.is_floating:
        values = doubles_of(keys).astype(np.float32 if domain.kind == Kind.FLOAT else np.float64)
        return pa.array(values, kind, mask=~valid)
    narrow = keys.astype(np.int32 if kind.bit_width == 32 else np.int64)
    stored = pa.array(narrow, pa.int32() if kind.bit_width == 32 else pa.int64(), mask=~valid)
    return stored.cast(kind) if pa.types.is_integer(kind) else stored.view(kind)


def _decimals(keys: Longs, valid: Flags, domain: Domain) -> Any:
    # decimals have 128 bits, the lower half first
    halves = np.stack([keys, keys >> 63], axis=1)
    bits = pa.array(valid).buffers()[1]
    return pa.Array.from_buffers(type_of(domain), len(keys), [bits, pa.py_buffer(halves.tobytes())])


def convert_keys(keys: Longs, stored: Domain, to: Domain, rounding: Rounding) -> tuple[Longs, Flags]:
    """Convert keys from one type to another. Also return which of them the target type can hold.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.arrow.typed import convert_keys
    >>> from chronosketch.sketch.domain.conversion import Rounding
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> convert_keys(np.array([7, 999]), domain_named("int"), domain_named("tinyint"), Rounding.NEAREST)
    (array([7, 0]), array([ True, False]))
    """
    if not conversion.is_allowed(stored, to):
        return np.zeros_like(keys), np.zeros(len(keys), np.bool_)
    if stored.widen(to) == to:
        return keys, np.ones(len(keys), np.bool_)
    if to.kind == Kind.DOUBLE and (rounding is Rounding.NEAREST or stored.second == 0):
        small = (keys >= -_WHOLE_DOUBLES) & (keys <= _WHOLE_DOUBLES)
        if small.all() and stored.second <= _EXACT_TENS:
            values = (keys / 10.0**stored.second) + 0.0
            bits = values.view(np.int64)
            return np.where(bits >= 0, bits, bits ^ np.int64((1 << 63) - 1)), small
    return _one_by_one(keys, stored, to, rounding)


def _one_by_one(keys: Longs, stored: Domain, to: Domain, rounding: Rounding) -> tuple[Longs, Flags]:
    different, place = np.unique(keys, return_inverse=True)
    made = np.zeros(len(different), np.int64)
    valid = np.ones(len(different), np.bool_)
    for i, key in enumerate(different.tolist()):
        try:
            made[i] = conversion.convert(key, stored, to, rounding)
        except Refusal:
            valid[i] = False
    return made[place], valid[place]
