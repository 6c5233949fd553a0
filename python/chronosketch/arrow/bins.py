"""Decode, unite and write the ddsketches of many rows at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from chronosketch.arrow.decoding import CHECKSUM, Opened, parameters_of
from chronosketch.arrow.validity import DecodedTuples, domain_of
from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.ddsketch.bin_keys import BinKeys
from chronosketch.sketch.ddsketch.bins import bins_of
from chronosketch.sketch.ddsketch.sketch import ALPHA, DDSketch
from chronosketch.sketch.quantile.encoding import differences, rows_with, unzigzag, zigzag
from chronosketch.sketch.quantile.segments import order_within, picked, starts_of

if TYPE_CHECKING:
    from chronosketch.arrow.column import Batch, Bytes, Flags, Longs
    from chronosketch.arrow.validity import Doubles

_PAYLOAD_AT = 22


@dataclass(frozen=True)
class Bins:
    """The ddsketches of some rows, one after the other. None of them is empty.

    Attributes
    ----------
    rows, domains, alphas : arrays
        The row of each, its type (the kind and its two parameters, one byte each) and its parameter.
    least, greatest : array of int64
        The ends of each.
    sizes : array of int64
        How many bins each has.
    numbers, counts : array of int64
        The bins, ascending within each, and how many values they have.
    """

    rows: Longs
    domains: Longs
    alphas: Doubles
    least: Longs
    greatest: Longs
    sizes: Longs
    numbers: Longs
    counts: Longs

    @staticmethod
    def of(batch: Batch) -> Bins | None:
        """Return the intact ddsketches of a batch that are not empty, or None without any."""
        opened = Opened.of(batch, DDSketch.number, ALPHA)
        if not len(opened.rows):
            return None
        data, rows = opened.data, opened.rows
        alphas = parameters_of(data, opened.start[rows])
        # a byte below 0x80 ends a varint: the last byte of the parameter must not begin one
        data[opened.start[rows] + _PAYLOAD_AT - 1] = 0
        numbers = opened.numbers
        first, past = opened.numbers_from(_PAYLOAD_AT)
        sizes, bad = numbers.single(first)
        fits = ~bad & (data[opened.end[rows] - CHECKSUM - 1] < 0x80) & (sizes > 0) & (sizes <= past - first)
        fits &= np.where(fits, 3 + 2 * sizes, 0) == past - first
        rows, alphas, first, sizes = rows[fits], alphas[fits], first[fits], sizes[fits]
        if not len(rows):
            return None
        at = opened.start[rows]
        tuples = DecodedTuples(rows, opened.domains(at), alphas, sizes)
        least, bad_least = numbers.single(first + 1)
        least = unzigzag(least)
        span, bad_span = numbers.single(first + 2)
        # as numbers without a sign
        above = span.view(np.uint64) > (MOST_LONG - least).view(np.uint64)
        bins, bad = numbers.values(first + 3, sizes)
        tuples.reject(bad)
        bins[tuples.first] = unzigzag(bins[tuples.first])
        bins = tuples.sums(bins)
        tuples.require_rising(bins, distinct=True)
        counts, bad = numbers.values(first + 3 + sizes, sizes)
        tuples.reject(bad | (counts < 1))
        ranks = tuples.sums(counts)
        tuples.require_rising(ranks, distinct=True)
        found = Bins(rows, opened.domains(at), alphas, least, least + span, sizes, bins, counts)
        good = ~(bad_least | bad_span | above | tuples.bad)
        return found.part(np.flatnonzero(good)).valid()

    def valid(self) -> Bins | None:
        """Return those whose bins and ends can be of their types."""
        good = np.ones(len(self.rows), np.bool_)
        kinds = np.stack([self.domains, self.alphas.view(np.int64)], axis=1)
        for code, alpha in np.unique(kinds, axis=0):
            which = np.flatnonzero((kinds == (code, alpha)).all(axis=1))
            good[which] = self.part(which)._are_valid(int(code), float(np.int64(alpha).view(np.float64)))
        found = self.part(np.flatnonzero(good))
        return found if len(found.rows) else None

    def _are_valid(self, code: int, alpha: float) -> Flags:
        """Return which of some sketches of one type and alpha are valid."""
        domain, bins = domain_of(code), bins_of(alpha)
        starts = starts_of(self.sizes)
        last = starts + self.sizes - 1
        good: Flags = (self.numbers[starts] >= -bins.infinity) & (self.numbers[last] <= bins.nan)
        if domain is None or not domain.is_numeric:
            return np.zeros(len(good), np.bool_)
        good &= np.array([domain.holds(key) for key in self.least.tolist()])
        good &= np.array([domain.holds(key) for key in self.greatest.tolist()])
        keys = BinKeys(bins, domain)
        distinct, place = np.unique(self.numbers.clip(-bins.infinity, bins.nan), return_inverse=True)
        low, high = (
            np.array([end(n) for n in distinct.tolist()])[place] for end in (keys.least, keys.greatest)
        )
        filled = np.array([keys.is_filled(n) for n in distinct.tolist()])[place]
        filled[starts] = filled[last] = False
        least, greatest = (np.repeat(ends, self.sizes) for ends in (self.least, self.greatest))
        empty = ~filled & (np.maximum(least, low) > np.minimum(greatest, high))
        good &= ~np.logical_or.reduceat(empty, starts)
        good &= (low[starts] <= self.least) & (high[last] >= self.greatest)
        one = np.add.reduceat(self.counts, starts) == 1
        good &= ~(one & (self.least != self.greatest))
        return good

    def part(self, which: Longs) -> Bins:
        """Return the selected sketches, in this order."""
        if len(which) == len(self.rows) and bool((which == np.arange(len(which))).all()):
            return self
        starts = starts_of(self.sizes)[which]
        sizes = self.sizes[which]
        ends = (self.least[which], self.greatest[which])
        return Bins(
            self.rows[which],
            self.domains[which],
            self.alphas[which],
            *ends,
            sizes,
            picked(self.numbers, starts, sizes),
            picked(self.counts, starts, sizes),
        )

    @staticmethod
    def joined(parts: list[Bins]) -> Bins:
        """Return all of some sketches."""
        names = Bins.__dataclass_fields__
        return Bins(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def united(self, groups: Longs) -> tuple[Bins, Flags]:
        """Return the union of each group, whose rows are the groups, and whether its sketches fit together.

        The groups of the sketches do not fall.
        """
        first = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
        fit = np.minimum.reduceat(self.domains, first) == np.maximum.reduceat(self.domains, first)
        fit &= np.minimum.reduceat(self.alphas, first) == np.maximum.reduceat(self.alphas, first)
        most = np.add.reduceat(np.add.reduceat(self.counts.astype(np.float64), starts_of(self.sizes)), first)
        fit &= most <= MOST_LONG // 2
        sizes = np.add.reduceat(self.sizes, first)
        order, numbers = order_within(self.numbers, sizes)
        head = np.append(True, numbers[1:] != numbers[:-1])
        head[starts_of(sizes)] = True
        heads = np.flatnonzero(head)
        union = Bins(
            groups[first],
            self.domains[first],
            self.alphas[first],
            np.minimum.reduceat(self.least, first),
            np.maximum.reduceat(self.greatest, first),
            np.add.reduceat(head, starts_of(sizes), dtype=np.int64),
            numbers[heads],
            np.add.reduceat(self.counts[order], heads),
        )
        return union, fit

    def encoded(self) -> tuple[Bytes, Longs]:
        """Return the stored bytes of all, and where each begins, with the end of the last."""
        one = np.ones_like(self.sizes)
        sections = [
            (self.sizes, one),
            (zigzag(self.least), one),
            (self.greatest - self.least, one),
            (differences(self.numbers, self.sizes), self.sizes),
            (self.counts, self.sizes),
        ]
        return rows_with(DDSketch.number, None, sections, self.domains, self.alphas)
