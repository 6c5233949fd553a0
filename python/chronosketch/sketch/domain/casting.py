"""Cast the keys of one type to another, as ``sketch_cast`` does."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.domain.columns import doubles_of, keys_of_doubles
from chronosketch.sketch.domain.conversion import float_of
from chronosketch.sketch.domain.domain import DOUBLE_DIGITS, FLOAT_DIGITS, NANOS_A_DAY, Domain, Kind
from chronosketch.sketch.refusal import Refusal

if TYPE_CHECKING:
    import numpy.typing as npt

    Longs = npt.NDArray[np.int64]

_DAY_MICROS = NANOS_A_DAY // 1000
_BEYOND = 2.0**63
# Whole numbers up to this one, over powers of ten up to this one, are the nearest doubles when divided.
_WHOLE_DOUBLES = 1 << 53
_EXACT_POWERS = 22


class Cast:
    """The cast of one type to another. It keeps the order of values.

    Numbers become whole numbers by dropping their fraction, and decimals by rounding, a half away from zero.
    A double has the digits then that it is written with. Otherwise the nearest value is chosen.

    Attributes
    ----------
    given, to : Domain
        The types.
    keeps_keys : bool
        Whether each key stays as it is, if the type has it.
    is_exact : bool
        Whether the type has all values, so that none is rounded or refused.

    Examples
    --------
    >>> import numpy as np
    >>> from chronosketch.sketch.domain.casting import cast_of
    >>> from chronosketch.sketch.domain.type_names import domain_named
    >>> cast = cast_of(domain_named("decimal(4, 2)"), domain_named("decimal(4, 1)"))
    >>> cast.keys(np.array([-125, 124])).tolist(), cast.is_exact
    ([-13, 12], False)
    """

    def __init__(self, given: Domain, to: Domain) -> None:
        self.given = given
        self.to = to
        is_whole = given.is_numeric and not given.is_floating
        self.keeps_keys = (
            given.widen(to) == to
            or (given.is_integer and to.is_integer)
            or (is_whole and to.is_numeric and not to.is_floating and given.scale == to.scale)
        )
        self.is_exact = given.widen(to) == to or (is_whole and to.is_numeric and self._holds_wholes())

    def _holds_wholes(self) -> bool:
        """Return whether the type has all values of one that is not floating."""
        given, to = self.given, self.to
        if to.is_floating:
            most = DOUBLE_DIGITS if to.kind == Kind.DOUBLE else FLOAT_DIGITS
            return given.scale == 0 and given.digits <= most
        factor = 10 ** max(0, to.scale - given.scale)
        is_wide = given.greatest * factor <= to.greatest and given.least * factor >= to.least
        return bool(to.scale >= given.scale and is_wide)

    def key(self, key: int) -> int:
        """Return the key of one value."""
        return self.each([key])[0]

    def each(self, keys: list[int]) -> list[int]:
        """Return the keys of some values, in their order."""
        made: list[int] = self.keys(np.array(keys, np.int64)).tolist()
        return made

    def keys(self, keys: Longs) -> Longs:
        """Return the keys of some values, in their order. Refuse the first that the type does not have."""
        if self.keeps_keys:
            return keys if self.given.is_floating else self._within(keys, keys)
        if not self.given.is_numeric:
            return self._other(keys)
        if self.given.is_floating:
            return self._of_floating(keys)
        if self.to.is_floating:
            return keys_of_doubles(self._floating(keys))
        return self._rescaled(keys)

    def _of_floating(self, keys: Longs) -> Longs:
        values = doubles_of(keys)
        if self.to.is_floating:
            with np.errstate(over="ignore"):
                return keys_of_doubles(values.astype(np.float32))
        if self.to.kind == Kind.DECIMAL:
            made = [
                self._unscaled(value, key) for value, key in zip(values.tolist(), keys.tolist(), strict=True)
            ]
            return np.array(made, np.int64)
        self._refuse_first(~((values >= -_BEYOND) & (values < _BEYOND)), keys)
        return self._within(values.astype(np.int64), keys)

    def _unscaled(self, value: float, key: int) -> int:
        found = None
        if np.isfinite(value):
            # its text has at most 17 digits: nothing but this step rounds
            scaled = Decimal(repr(value)).scaleb(self.to.scale)
            found = int(scaled.to_integral_value(ROUND_HALF_UP))
        if found is None or not self.to.least <= found <= self.to.greatest:
            raise self._out_of_range(key)
        return found

    def _floating(self, keys: Longs) -> npt.NDArray[np.float64]:
        is_double, power = self.to.kind == Kind.DOUBLE, 10**self.given.scale
        if self.given.scale == 0:
            return keys.astype(np.float64 if is_double else np.float32).astype(np.float64)
        if is_double and self.given.scale <= _EXACT_POWERS and (np.abs(keys) < _WHOLE_DOUBLES).all():
            return keys / float(power)
        if is_double:
            return np.array([key / power for key in keys.tolist()], np.float64)
        return np.array([float_of(Fraction(key, power)) for key in keys.tolist()], np.float64)

    def _rescaled(self, keys: Longs) -> Longs:
        more = self.to.scale - self.given.scale
        factor = int(10 ** abs(more))
        if more > 0:
            self._refuse_first((keys > MOST_LONG // factor) | (keys < -(MOST_LONG // factor)), keys)
            return self._within(keys * factor, keys)
        whole, rest = np.abs(keys) // factor, np.abs(keys) % factor
        if self.to.kind == Kind.DECIMAL:
            whole += rest >= factor - rest
        return self._within(np.sign(keys) * whole, keys)

    def _other(self, keys: Longs) -> Longs:
        if self.given.kind == Kind.DATE and self.to.kind == Kind.TIMESTAMP_NTZ:
            self._refuse_first(np.abs(keys) > MOST_LONG // _DAY_MICROS, keys)
            return keys * _DAY_MICROS
        if self.given.kind == Kind.TIMESTAMP_NTZ and self.to.kind == Kind.DATE:
            return keys // _DAY_MICROS
        return keys - np.fmod(keys, self.to.unit)

    def _within(self, made: Longs, keys: Longs) -> Longs:
        self._refuse_first((made < self.to.least) | (made > self.to.greatest), keys)
        return made

    def _refuse_first(self, bad: npt.NDArray[np.bool_], keys: Longs) -> None:
        if bad.any():
            raise self._out_of_range(int(keys[np.flatnonzero(bad)[0]]))

    def _out_of_range(self, key: int) -> Refusal:
        if self.given.is_floating and key == doubles.NAN:
            fix = "Leave NaN out when you build the sketch, or keep its type."
        elif self.given.is_numeric and not self.given.is_floating:
            fix = "Cast to a wider type: sketch.cast('DOUBLE'), or sketch_cast(sketch, 'DOUBLE') in SQL."
        else:
            fix = "Keep the type of the sketch."
        return Refusal("VALUE_OUT_OF_RANGE", value=self._text(key), type=self.to.sql, fix=fix)

    def _text(self, key: int) -> str:
        if self.given.is_floating:
            return doubles.text(doubles.value(key))
        if self.given.is_numeric:
            return format(Decimal(f"{key}E-{self.given.scale}"), "f")
        return f"{self.given.sql} {key}"


_ZONELESS = {(Kind.DATE, Kind.TIMESTAMP_NTZ), (Kind.TIMESTAMP_NTZ, Kind.DATE)}
_TIMES = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMP_NTZ)


def cast_of(given: Domain, to: Domain) -> Cast | None:
    """Return the cast of one type to another, or None if none keeps the order of all values."""
    if given.is_numeric or to.is_numeric:
        return Cast(given, to) if given.is_numeric and to.is_numeric else None
    return Cast(given, to) if given.kind == to.kind or (given.kind, to.kind) in _ZONELESS else None


def spark_casts(given: Domain, to: Domain) -> bool:
    """Return whether Spark casts values of one type to the other, in the order or not."""
    return (given.is_numeric and to.is_numeric) or (given.kind in _TIMES and to.kind in _TIMES)


def no_cast(given: Domain, to: Domain) -> str:
    """Return why `cast_of` has no cast of two types."""
    if given.kind in _TIMES and to.kind in _TIMES:
        return "that depends on the time zone of a session"
    return "no cast between them keeps the order of the values"
