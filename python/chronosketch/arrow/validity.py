"""Validate the stored tuples of many sketches at once, like `chronosketch.sketch.quantile.tuples`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from chronosketch.arrow.profiles import Profiles
from chronosketch.sketch.codec import doubles
from chronosketch.sketch.domain.columns import doubles_of
from chronosketch.sketch.domain.domain import Domain, Kind
from chronosketch.sketch.quantile.summaries import shares

if TYPE_CHECKING:
    import numpy.typing as npt

    from chronosketch.arrow.column import Flags, Longs

Doubles: TypeAlias = "npt.NDArray[np.float64]"


def code_of(domain: Domain) -> int:
    """Return a type as a number: its kind and its two parameters, one byte each."""
    return domain.kind << 16 | domain.first << 8 | domain.second


def domain_of(code: int) -> Domain | None:
    """Return the type of a number that `code_of` gives, or None if it does not exist."""
    return Domain.of(code >> 16, code >> 8 & 0xFF, code & 0xFF)


class DecodedTuples:
    """The tuples of many sketches, one sketch after the other, and which sketches were found invalid."""

    def __init__(self, rows: Longs, domains: Longs, epsilons: Doubles, sizes: Longs) -> None:
        self._rows = rows
        self._domains = domains
        self._epsilons = epsilons
        self._sizes = sizes
        past = np.cumsum(sizes)
        self.total = int(past[-1])
        self.first: Longs = past - sizes
        self._last: Longs = past - 1
        self.bad = np.zeros(len(rows), np.bool_)

    def spread(self, values: Longs) -> Longs:
        """Repeat one value for each sketch over its tuples."""
        return np.repeat(values, self._sizes)

    def reject(self, bad: Flags) -> None:
        """Reject the sketches that have an invalid tuple."""
        self._reject_at(np.flatnonzero(bad))

    def sums(self, values: Longs) -> Longs:
        """Return the running sums within each sketch, modulo 2⁶⁴. Does not change `values`."""
        whole = np.add.reduceat(values, self.first)
        values = values.copy()
        values[self.first[1:]] -= whole[:-1]
        return np.cumsum(values)

    def require_rising(self, values: Longs, *, distinct: bool) -> None:
        """Reject sketches whose values decrease. Sums that overflow do, as each term is below 2⁶⁴."""
        falls = values[1:] <= values[:-1] if distinct else values[1:] < values[:-1]
        falls[self.first[1:] - 1] = False
        self._reject_at(np.flatnonzero(falls) + 1)

    def require_valid_keys(self, keys: Longs) -> None:
        """Reject sketches with keys that encode no value of their type."""
        for code in np.unique(self._domains):
            which = np.flatnonzero(self._domains == code)
            domain = domain_of(int(code))
            if domain is None:
                self.bad[which] = True
            elif domain.is_floating and not self._are_positive(keys, which, domain.kind):
                held = _are_doubles(keys, single=domain.kind == Kind.FLOAT)
                if not held.all():
                    bad = np.flatnonzero(~held)
                    self._reject_at(bad[self._domains[self._sketch_of(bad)] == code])
            elif not domain.is_floating:
                least, greatest = keys[self.first[which]], keys[self._last[which]]
                self.bad[which] |= (least < domain.least) | (greatest > domain.greatest)

    def bag_profiles(self, keys: Longs, ranks: Longs) -> Profiles:
        """Return the profiles of valid exact bags, from their keys and ranks."""
        all_of_them = Profiles(
            self._rows, self._domains, self._epsilons, self.first, self._last, keys, ranks, ranks
        )
        return all_of_them.part(np.flatnonzero(~self.bad))

    def tuple_profiles(self, keys: Longs, gs: Longs, ranks: Longs, deltas: Longs) -> Profiles:
        """Return the profiles of valid sketches of tuples (v, g, Δ)."""
        n = ranks[self._last]
        second = np.zeros(self.total, np.bool_)
        second[1:] = keys[1:] == keys[:-1]
        second[self.first] = False
        most = self.spread(np.maximum(1, shares(2 * self._epsilons, n)))
        reach = ranks
        if deltas.any():
            self.reject((deltas < 0) | (second & (deltas != 0)) | (deltas > self.spread(n) - ranks))
            most -= deltas
            reach = ranks + deltas
        self.reject((gs > most) & ~second)
        self.bad |= (gs[self.first] != 1) | (deltas[self.first] != 0) | (deltas[self._last] != 0)
        first, last = self.first, self._last
        # at or below a key: at least the elements up to its last tuple, at most those before the next reach
        low, high = ranks, np.empty_like(ranks)
        if second.any():
            self._reject_at(np.flatnonzero(second[1:] & second[:-1]) + 1)
            head = np.flatnonzero(~second)
            first = np.searchsorted(head, first)
            last = np.append(first[1:], len(head)) - 1
            low = ranks[np.append(head[1:], self.total) - 1]
            keys, reach, high = keys[head], reach[head], high[head]
        high[:-1] = reach[1:] - 1
        high[last] = n
        whole = Profiles(self._rows, self._domains, self._epsilons, first, last, keys, low, high)
        falls = high[:-1] < reach[:-1] - 1
        falls[last[:-1]] = False
        fallen = np.flatnonzero(falls)
        self.bad[np.searchsorted(first, fallen, "right") - 1] = True
        return whole.part(np.flatnonzero(~self.bad))

    def _are_positive(self, keys: Longs, which: Longs, kind: Kind) -> bool:
        """Return whether all keys of some sketches are those of finite doubles of 0 and more."""
        if kind == Kind.FLOAT:
            return False
        least, greatest = keys[self.first[which]].min(), keys[self._last[which]].max()
        return bool(least >= 0 and greatest < doubles.POSITIVE_INFINITY)

    def _sketch_of(self, tuples: Longs) -> Longs:
        return np.searchsorted(self.first, tuples, "right") - 1

    def _reject_at(self, tuples: Longs) -> None:
        if len(tuples):
            self.bad[self._sketch_of(tuples)] = True


def _are_doubles(keys: Longs, *, single: bool) -> Flags:
    held: Flags = (keys >= doubles.NEGATIVE_INFINITY) & (keys <= doubles.POSITIVE_INFINITY)
    held &= keys != doubles.NEGATIVE_ZERO
    if single:
        values = doubles_of(keys)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            held &= values.astype(np.float32).astype(np.float64) == values
    held |= keys == doubles.NAN
    return held
