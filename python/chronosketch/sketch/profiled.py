"""The base class of sketches that consist of rank bounds only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.answering import Ranked
from chronosketch.sketch.codec.wire import MOST_LONG, corrupt, read_rising
from chronosketch.sketch.rank import EMPTY, RankProfile

if TYPE_CHECKING:
    from typing_extensions import Self

    from chronosketch.sketch.codec.wire import Reader, Writer
    from chronosketch.sketch.domain.casting import Cast
    from chronosketch.sketch.envelope import Header


class Profiled(Ranked):
    """Keys, with a lower and an upper bound of the number of elements at or below each."""

    def __init__(self, header: Header, profile: RankProfile) -> None:
        super().__init__(header)
        self._profile = profile

    @property
    def profile(self) -> RankProfile:
        """The rank bounds."""
        return self._profile

    @property
    def count(self) -> int:
        """The number of values: the middle of its bounds."""
        low, high = self.count_bounds
        return low + (high - low) // 2

    @property
    def count_bounds(self) -> tuple[int, int]:
        """The least and the greatest possible number of values."""
        return self._profile.count_low, self._profile.count_high

    @property
    def _held(self) -> int:
        """The number of elements, which must fit into 63 bits."""
        return self._profile.count_high

    @classmethod
    def read(cls, header: Header, r: Reader) -> Self:
        """Read the payload that `write` wrote."""
        n = r.size(1)
        if n == 0:
            return cls(header, EMPTY)
        least = r.varint()
        most = least + r.varint()
        if not 0 < most <= MOST_LONG:
            raise corrupt(f"it has from {least} to {most} elements")
        keys = read_rising(r, n)
        if not header.domain.holds_all(keys):
            raise corrupt(f"one of its values is not of type {header.domain.sql}")
        low: list[int] = []
        for more in r.varints(n - 1):
            low.append((low[-1] if low else 0) + more)
            if low[-1] > least:
                raise corrupt(f"a rank is at least {low[-1]} of {least}")
        high: list[int] = []
        for at_least, more in zip(low, r.varints(n - 1), strict=True):
            at_most = at_least + more
            if at_most > most or (high and at_most < high[-1]):
                raise corrupt(f"a rank is at most {at_most} of {most}")
            high.append(at_most)
        return cls(header, RankProfile.between(keys, [*low, least], [*high, most], least, most))

    def _cast_profile(self, cast: Cast) -> tuple[RankProfile, list[int]]:
        """Return the bounds of the cast keys, and the place of each among the keys before.

        Where keys become equal, the bounds of the last of them hold: they are those of all elements below the
        next key.
        """
        before = self._profile
        keys = cast.each(before.keys)
        last = [i for i, key in enumerate(keys) if i + 1 == len(keys) or key != keys[i + 1]]
        low, high = ([bounds[i] for i in last] for bounds in (before.at_most_low, before.at_most_high))
        made = RankProfile.between([keys[i] for i in last], low, high, before.count_low, before.count_high)
        return made, last

    def write(self, w: Writer) -> None:
        """Write the payload."""
        profile = self._profile
        w.varint(len(profile.keys))
        if profile.is_empty:
            return
        w.varint(profile.count_low)
        w.varint(profile.count_high - profile.count_low)
        w.rising(profile.keys)
        before = 0
        for low in profile.at_most_low[:-1]:
            w.varint(low - before)
            before = low
        for low, high in zip(profile.at_most_low[:-1], profile.at_most_high[:-1], strict=True):
            w.varint(high - low)
