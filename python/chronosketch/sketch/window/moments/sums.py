"""Sums of some elements, each with a certain lower and upper bound."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chronosketch.sketch.codec import doubles
from chronosketch.sketch.codec.wire import corrupt
from chronosketch.sketch.moments import ieee
from chronosketch.sketch.window.moments.directed import (
    add_down,
    add_up,
    div_down,
    div_up,
    mul_down,
    mul_up,
    square_down,
    square_up,
    times_down,
    times_up,
    whole_down,
    whole_up,
)

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.window.buckets import Bucket

# Flags of elements that are not finite.
NAN, ABOVE, BELOW = 1, 2, 4

# Flags in stored bytes: which sums are not 0, and above them which elements are not finite.
_POSITIVE, _NEGATIVE, _SPREAD = 1, 2, 4
_SPECIALS = 3
_LAST_FORM = 63


@dataclass
class Sums:
    """Bounds of sums of some elements. For whole numbers and decimals the elements are keys.

    Attributes
    ----------
    count : int
        The number of elements.
    specials : int
        Flags of NaN, +∞ and −∞ among the elements. If there are any, the sums have no meaning.
    positive_low, positive_high, negative_low, negative_high : float
        Bounds of the sum of the positive elements, and of the sum of the magnitudes of the others.
    anchor : float
        A number near the mean.
    distance_low, distance_high, square_low, square_high : float
        Bounds of the sum of the distances from the anchor, and of the sum of squared distances.

    Examples
    --------
    >>> from chronosketch.sketch.window.moments.sums import Sums
    >>> sums = Sums()
    >>> sums.add_copies(3, 2, is_floating=False)
    >>> sums.add_copies(-1, 1, is_floating=False)
    >>> sums.sum_low, sums.sum_high, round(sums.anchor, 3), round(sums.square_low, 3)
    (5.0, 5.0, 1.667, 10.667)
    """

    count: int = 0
    specials: int = 0
    positive_low: float = 0.0
    positive_high: float = 0.0
    negative_low: float = 0.0
    negative_high: float = 0.0
    anchor: float = 0.0
    distance_low: float = 0.0
    distance_high: float = 0.0
    square_low: float = 0.0
    square_high: float = 0.0

    def copy(self) -> Sums:
        """Return a copy."""
        return replace(self)

    def _mark(self, kinds: int) -> None:
        if self.specials | kinds != self.specials:
            self.__init__(self.count, self.specials | kinds)  # type: ignore[misc]

    def add_copies(self, key: int, copies: int, *, is_floating: bool) -> None:
        """Add copies of an element. It becomes the anchor if it outnumbers the others."""
        if copies == 0:
            return
        high = doubles.value(key) if is_floating else float(key)
        if copies > self.count and self.specials == 0 and math.isfinite(high):
            self.move_to(high)
        self.add_copies_near(key, copies, is_floating=is_floating)
        if math.isfinite(high):
            self.recenter()

    def add_copies_near(self, key: int, copies: int, *, is_floating: bool) -> None:
        """Add copies of an element, without changing the anchor."""
        high = doubles.value(key) if is_floating else float(key)
        self.count += copies
        if not math.isfinite(high):
            self._mark(NAN if high != high else ABOVE if high > 0 else BELOW)
        elif self.specials == 0:
            self._add_copies(high, 0.0 if is_floating else float(key - int(high)), copies)

    def _add_copies(self, high: float, low: float, copies: int) -> None:
        """Add copies of high + low, without changing the anchor. `low` must not change the sign of `high`."""
        least, most = whole_down(copies), whole_up(copies)
        sign = 1.0 if high > 0 else -1.0
        from_size, to_size = add_down(sign * high, sign * low), add_up(sign * high, sign * low)
        start = add_down(add_down(high, -self.anchor), low)
        end = add_up(add_up(high, -self.anchor), low)
        square_from, square_to = square_down(start, end), square_up(start, end)
        if copies > 1:
            from_size, to_size = mul_down(from_size, least), mul_up(to_size, most)
            square_from, square_to = mul_down(square_from, least), mul_up(square_to, most)
            start, end = times_down(start, end, least, most), times_up(start, end, least, most)
        if high > 0:
            self.positive_low = add_down(self.positive_low, from_size)
            self.positive_high = add_up(self.positive_high, to_size)
        else:
            self.negative_low = add_down(self.negative_low, from_size)
            self.negative_high = add_up(self.negative_high, to_size)
        self.distance_low = add_down(self.distance_low, start)
        self.distance_high = add_up(self.distance_high, end)
        self.square_low = add_down(self.square_low, square_from)
        self.square_high = add_up(self.square_high, square_to)

    def add(self, that: Sums) -> None:
        """Add another's elements. The anchor becomes that of the larger count."""
        if self.count == 0 and self.specials == 0:
            self.__dict__.update(that.__dict__)
            return
        if that.count > self.count and self.specials == 0 and that.specials == 0:
            self.move_to(that.anchor)
        self.add_near(that)
        self.recenter()

    def add_near(self, that: Sums) -> None:
        """Add another's elements, without changing the anchor."""
        self.count += that.count
        if that.specials:
            self._mark(that.specials)
        if self.specials == 0:
            self.positive_low = add_down(self.positive_low, that.positive_low)
            self.positive_high = add_up(self.positive_high, that.positive_high)
            self.negative_low = add_down(self.negative_low, that.negative_low)
            self.negative_high = add_up(self.negative_high, that.negative_high)
            moved = that.copy()
            moved.move_to(self.anchor)
            self.distance_low = add_down(self.distance_low, moved.distance_low)
            self.distance_high = add_up(self.distance_high, moved.distance_high)
            self.square_low = add_down(self.square_low, moved.square_low)
            self.square_high = add_up(self.square_high, moved.square_high)

    def add_bucket(self, bucket: Bucket, copies: int, *, is_floating: bool) -> None:
        """Add the elements of a bucket. A bucket with one position has `copies` elements."""
        if bucket.level == 0:
            self.add_copies(bucket.key, copies, is_floating=is_floating)
        else:
            assert isinstance(bucket.content, Sums)
            self.add(bucket.content)

    def move_to(self, other: float) -> None:
        """Change the anchor: Σ(x − b)² = Σ(x − a)² + 2(a − b)Σ(x − a) + n(a − b)²."""
        if other == self.anchor:
            return
        start, end = add_down(self.anchor, -other), add_up(self.anchor, -other)
        least, most = whole_down(self.count), whole_up(self.count)
        cross_low = times_down(2 * start, 2 * end, self.distance_low, self.distance_high)
        cross_high = times_up(2 * start, 2 * end, self.distance_low, self.distance_high)
        low = add_down(self.square_low, mul_down(square_down(start, end), least))
        high = add_up(self.square_high, mul_up(square_up(start, end), most))
        self.square_low = max(0.0, add_down(low, cross_low))
        self.square_high = max(0.0, add_up(high, cross_high))
        self.distance_low = add_down(self.distance_low, times_down(start, end, least, most))
        self.distance_high = add_up(self.distance_high, times_up(start, end, least, most))
        self.anchor = other

    def recenter(self) -> None:
        """Move the anchor to the mean if it is so far away that digits would be lost."""
        if self.specials:
            return
        distance = self.distance_low / 2 + self.distance_high / 2
        square = distance * distance
        if square > float(self.count) * self.square_high / 4:
            mean = self.anchor + distance / float(self.count)
            if math.isfinite(mean) and math.isfinite(square):
                self.move_to(mean)

    @property
    def sum_low(self) -> float:
        """The lower bound of the sum."""
        return add_down(self.positive_low, -self.negative_high)

    @property
    def sum_high(self) -> float:
        """The upper bound of the sum."""
        return add_up(self.positive_high, -self.negative_low)

    @property
    def magnitude_low(self) -> float:
        """The lower bound of the sum of the magnitudes."""
        return add_down(self.positive_low, self.negative_low)

    @property
    def magnitude_high(self) -> float:
        """The upper bound of the sum of the magnitudes."""
        return add_up(self.positive_high, self.negative_high)

    @property
    def mean(self) -> float:
        """An approximate mean; without elements, the anchor."""
        if self.count == 0:
            return self.anchor
        return self.anchor + (self.distance_low / 2 + self.distance_high / 2) / float(self.count)

    @property
    def has_spread(self) -> bool:
        """Whether the sum of squares is within the range of doubles."""
        is_finite = self.distance_low >= -ieee.MOST and self.distance_high <= ieee.MOST
        return is_finite and self.square_high <= ieee.MOST

    @property
    def spread_low(self) -> float:
        """The lower bound of the sum of squared distances from the mean."""
        if self.count <= 1:
            return 0.0
        off = div_up(square_up(self.distance_low, self.distance_high), whole_down(self.count))
        return max(0.0, add_down(self.square_low, -off))

    @property
    def spread_high(self) -> float:
        """The upper bound of the sum of squared distances from the mean."""
        if self.count <= 1:
            return 0.0
        off = div_down(square_down(self.distance_low, self.distance_high), whole_up(self.count))
        return max(0.0, add_up(self.square_high, -off))

    def write(self, w: Writer) -> None:
        """Write the sums."""
        w.varint(self.count)
        has_positive, has_negative = self.positive_high != 0, self.negative_high != 0
        has_spread = self.square_high != 0 or self.distance_low != 0 or self.distance_high != 0
        sums = _POSITIVE * has_positive | _NEGATIVE * has_negative | _SPREAD * has_spread
        w.byte(sums | self.specials << _SPECIALS)
        if self.specials:
            return
        w.double(self.anchor + 0.0)
        if has_positive:
            _write_interval(w, self.positive_low, self.positive_high)
        if has_negative:
            _write_interval(w, self.negative_low, self.negative_high)
        if has_spread:
            _write_interval(w, self.distance_low, self.distance_high)
            _write_interval(w, self.square_low, self.square_high)

    @staticmethod
    def read(r: Reader) -> Sums:
        """Read what `write` wrote."""
        s = Sums(r.long())
        if s.count < 0:
            raise corrupt("its count has more than 63 bits")
        form = r.byte()
        if form > _LAST_FORM:
            raise corrupt(f"its sums have an unknown form ({form})")
        s.specials = form >> _SPECIALS
        if s.specials:
            if s.count == 0 or form & (1 << _SPECIALS) - 1:
                raise corrupt("it has sums of values that are not finite")
            return s
        s.anchor = r.double() + 0.0
        if not math.isfinite(s.anchor):
            raise corrupt("the anchor of its sums is not a number")
        if form & _POSITIVE:
            s.positive_low, s.positive_high = _read_interval(r)
        if form & _NEGATIVE:
            s.negative_low, s.negative_high = _read_interval(r)
        if form & _SPREAD:
            s.distance_low, s.distance_high = _read_interval(r, is_signed=True)
            s.square_low, s.square_high = _read_interval(r)
        if s.count == 0 and (form or s.anchor):
            raise corrupt("it has sums, but no values")
        return s


def _write_interval(w: Writer, low: float, high: float) -> None:
    """Write one end, and the other as the number of doubles in between."""
    w.double(low + 0.0)
    w.varint(doubles.key(high) - doubles.key(low))


def _read_interval(r: Reader, *, is_signed: bool = False) -> tuple[float, float]:
    low = r.double() + 0.0
    if not low < math.inf or (low < 0 and not is_signed):
        raise corrupt(f"one of its sums begins at {doubles.text(low)}")
    to = doubles.key(low) + r.varint()
    # −0 and 0 are one double with two keys
    if to > doubles.POSITIVE_INFINITY or not doubles.is_key(to):
        raise corrupt("one of its sums ends before it begins")
    return low, doubles.value(to)


class SumsWire:
    """The wire format of sums as the content of a bucket."""

    def write(self, w: Writer, bucket: Bucket, key: int) -> int:
        """Write a bucket's content, and return the last key that was written."""
        assert isinstance(bucket.content, Sums)
        bucket.content.write(w)
        return key

    def read(self, r: Reader, key: int) -> tuple[int, object, int]:
        """Return the number of rows, their content, and the last key that was read."""
        sums = Sums.read(r)
        return sums.count, sums, key


def sums_obstacle(cast: Cast) -> str | None:
    """Return why sums of values can't stay as they are when the values are cast, or None if they can."""
    if cast.is_exact and cast.given.scale == cast.to.scale:
        return None
    return "it has sums, which don't tell what the cast changes in each value"


def sum_of(specials: int) -> float:
    """Return the sum of elements that are not all finite."""
    return {ABOVE: math.inf, BELOW: -math.inf}.get(specials, math.nan)
