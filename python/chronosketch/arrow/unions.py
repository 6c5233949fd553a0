"""Merge groups of sketches: quantile sketches and ddsketches many at once, other families one by one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from chronosketch.arrow.bins import Bins
from chronosketch.arrow.column import batches, binary_of
from chronosketch.arrow.decoding import decode
from chronosketch.arrow.parts import Parts
from chronosketch.arrow.row_answers import with_row
from chronosketch.arrow.validity import code_of, domain_of
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.codec.wire import MOST_LONG
from chronosketch.sketch.domain.casting import Cast
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.quantile.encoding import encode
from chronosketch.sketch.quantile.segments import starts_of
from chronosketch.sketch.quantile.sketch import QuantileSketch
from chronosketch.sketch.quantile.summaries import Steps
from chronosketch.sketch.quantile.tuples import NO_TUPLES
from chronosketch.sketch.refusal import Refusal, SketchError, to_error
from chronosketch.sketch.union import Union, common_type

if TYPE_CHECKING:
    from chronosketch.arrow.column import Batch, Flags, Longs
    from chronosketch.arrow.groups import Groups
    from chronosketch.arrow.row_answers import Errors
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.quantile.summaries import Doubles

# The rows that are put in order at once, and the keys that are united at once: about what a cache holds.
_ROWS = 8192
_KEYS = 1 << 18

# A group with more keys is thinned before more of its sketches are read.
_MOST_KEYS = 1 << 22


class Unions:
    """Merges the sketches of each group of a column. One object is for one call of `of`.

    Parameters
    ----------
    function : str
        The function that was called, for messages.
    errors : {"raise", "null"}
        Whether a row that is not a sketch, or does not fit to those before it, is an error or is skipped.
    """

    def __init__(self, function: str, errors: Errors) -> None:
        if errors not in ("raise", "null"):
            raise ValueError(f"errors is 'raise' or 'null', not {errors!r}.")
        self._function = function
        self._errors = errors
        # unions of quantile sketches, and their groups
        self._united: list[tuple[Longs, Any]] = []
        # the thinned sketches of a group that has more rows
        self._thin: list[Parts] = []
        # sketches of other families, and empty ones, by group and row
        self._single: dict[int, dict[int, Sketch]] = {}
        # ddsketches, whose rows are their groups; and the groups whose sketches do not all fit together
        self._bins: list[Bins] = []
        self._most_bins = _KEYS
        self._unlike: set[int] = set()

    def of(self, column: Any, groups: Groups) -> Any:
        """Return the union of each group as an Arrow array, which is NULL for a group without a sketch."""
        group_of = np.repeat(np.arange(len(groups.sizes)), groups.sizes)
        is_ordered = bool((groups.order[1:] > groups.order[:-1]).all())
        if not is_ordered and column.num_chunks > 1:
            column = pa.chunked_array([pa.concat_arrays(column.chunks)])
        waiting: list[Parts] = []
        for at in range(0, len(group_of), _ROWS):
            there = groups.order[at : at + _ROWS]
            for batch in batches(column.slice(at, _ROWS) if is_ordered else column.take(there)):
                here = slice(at + batch.first, at + batch.first + len(batch))
                waiting += self._read(batch, group_of[here], groups.order[here])
                if sum(len(parts.steps.keys) for parts in waiting) >= _KEYS:
                    complete, going_on = Parts.joined(waiting).split_last_group()
                    if len(complete) or any(thin.groups[0] != going_on.groups[0] for thin in self._thin):
                        self._unite([complete])
                    waiting = self._shortened(going_on)
        if waiting or self._thin:
            self._unite(waiting)
        rows = _Rows(len(groups.sizes))
        for some, united in self._united:
            rows.add(some, united)
        self._add_bins(rows)
        ends = np.cumsum(groups.sizes)
        merged = {}
        for group, single in self._single.items():
            members = groups.order[ends[group] - groups.sizes[group] : ends[group]]
            if group not in self._unlike and all(isinstance(s, QuantileSketch) for s in single.values()):
                # all are empty: they count only if the group has no other sketch
                if not rows.has[group]:
                    merged[group] = Union.of(single.values())._sealed()
            else:
                merged[group] = self._merge_rows(column, single, members)
        rows.add(np.array(list(merged), np.int64), pa.array(list(merged.values()), pa.large_binary()))
        return rows.column()

    def _read(self, batch: Batch, groups: Longs, rows: Longs) -> list[Parts]:
        """Return the quantile sketches of a batch, and remember the others."""
        left = batch.valid.copy()
        found, there = [], []
        for profiles in decode(batch):
            found.append(Parts.of(profiles, groups, rows))
            there.append(profiles.rows)
            left[profiles.rows] = False
        bins = Bins.of(batch) if left.any() else None
        if bins is not None:
            left[bins.rows] = False
            self._bins.append(replace(bins, rows=groups[bins.rows]))
            self._unite_bins()
        for i in np.flatnonzero(left).tolist():
            row = int(rows[i])
            try:
                self._single.setdefault(int(groups[i]), {})[row] = Sketch.from_bytes(batch.row(i))
            except SketchError as error:
                self._refuse(error, row)
        if len(found) > 1:
            return [Parts.joined(found).part(np.argsort(np.concatenate(there)))]
        return found

    def _unite_bins(self) -> None:
        """Unite ddsketches by group when there are many of them."""
        if sum(len(bins.numbers) for bins in self._bins) >= self._most_bins:
            union = self._united_bins()
            self._bins = [union]
            self._most_bins = max(_KEYS, 2 * len(union.numbers))

    def _united_bins(self) -> Bins:
        """Return the unions of all ddsketches so far. Those that do not fit together are left for later."""
        bins = Bins.joined(self._bins)
        union, fit = bins.united(bins.rows)
        self._unlike.update(union.rows[~fit].tolist())
        return union

    def _add_bins(self, rows: _Rows) -> None:
        """Add the unions of ddsketches, but for those of groups that have anything else."""
        if self._bins:
            union = self._united_bins()
            there = union.rows.tolist()
            self._unlike.update(group for group in there if rows.has[group] or group in self._single)
            pure = np.flatnonzero([group not in self._unlike for group in there])
            rows.add(union.rows[pure], binary_of(*union.part(pure).encoded()))
        for group in self._unlike:
            self._single.setdefault(group, {})

    def _refuse(self, error: SketchError, row: int) -> None:
        if self._errors == "raise":
            raise with_row(error, row, self._function) from None

    def _unite(self, waiting: list[Parts]) -> None:
        """Unite the sketches of complete groups, the first of which may have been thinned before."""
        parts, first = self._fitting(Parts.joined([*self._thin, *waiting]))
        several = np.diff(first, append=len(parts)) > 1
        several[0] |= bool(self._thin)
        self._thin = []
        union, epsilons = _united(parts, first)
        thin = union.thinned(epsilons, unions=several)
        rows = binary_of(*encode(thin, parts.domains[first], epsilons))
        self._united.append((parts.groups[first], rows))

    def _shortened(self, parts: Parts) -> list[Parts]:
        """Return the sketches of one group. If they have too many keys, thin and keep them in `_thin`."""
        if len(parts.steps.keys) <= _MOST_KEYS:
            return [parts]
        # unions of unions lose more, so they are left for later
        self._thin.append(self._thinned(parts))
        if sum(len(part.steps.keys) for part in self._thin) > _MOST_KEYS:
            self._thin = [self._thinned(Parts.joined(self._thin))]
        return []

    def _thinned(self, parts: Parts) -> Parts:
        """Return the union of one group as one sketch."""
        parts, first = self._fitting(parts)
        union, epsilons = _united(parts, first)
        keys, low, high = union.thinned(epsilons, is_last=False).tuples(0).steps()
        steps = Steps(np.array([len(keys)]), keys, low, high)
        return Parts(parts.groups[first], parts.rows[first], parts.domains[first], epsilons, steps)

    def _fitting(self, parts: Parts) -> tuple[Parts, Longs]:
        """Return the sketches with the keys of their group's type, and where each group begins."""
        first = _beginnings(parts.groups)
        differ = np.minimum.reduceat(parts.domains, first) != np.maximum.reduceat(parts.domains, first)
        most = np.add.reduceat(parts.steps.counts.astype(np.float64), first)
        closer = np.flatnonzero(differ | (most > MOST_LONG // 2))
        if not len(closer):
            return parts, first
        keys, domains = parts.steps.keys.copy(), parts.domains.copy()
        kept = np.ones(len(parts), np.bool_)
        past = np.append(first[1:], len(parts))
        starts = starts_of(parts.steps.sizes)
        for group in closer.tolist():
            members = range(int(first[group]), int(past[group]))
            wider = self._common_type(parts, members, kept)
            for i in members:
                if not kept[i]:
                    continue
                at = slice(int(starts[i]), int(starts[i] + parts.steps.sizes[i]))
                keys[at] = Cast(_domain(parts.domains[i]), wider).keys(keys[at])
                domains[i] = code_of(wider)
        steps = Steps(parts.steps.sizes, keys, parts.steps.low, parts.steps.high)
        parts = Parts(parts.groups, parts.rows, domains, parts.epsilons, steps)
        parts = parts.part(np.flatnonzero(kept))
        return parts, _beginnings(parts.groups)

    def _common_type(self, parts: Parts, members: range, kept: Flags) -> Domain:
        """Return the type of a group, and drop the sketches that do not fit to those before them."""
        wider = _domain(parts.domains[members[0]])
        like = QuantileSketch(Header(wider, (float(parts.epsilons[members[0]]),)), NO_TUPLES)
        counts = parts.steps.counts
        total = 0
        for i in members:
            try:
                common = common_type(like, wider, _domain(parts.domains[i]))
                if total + int(counts[i]) > MOST_LONG:
                    raise Refusal("COUNT_OVERFLOW", limit=MOST_LONG)
            except Refusal as refusal:
                self._refuse(to_error(refusal, "Sketch.merge"), int(parts.rows[i]))
                kept[i] = False
                continue
            wider = common
            total += int(counts[i])
        return wider

    def _merge_rows(self, column: Any, single: dict[int, Sketch], members: Longs) -> bytes:
        """Merge the sketches of a group one by one. `single` has those that were read before, by row."""
        found = []
        for row in members.tolist():
            if row in single:
                found.append((row, single[row]))
            elif (data := column[row].as_py()) is not None:
                with suppress(SketchError):
                    found.append((row, Sketch.from_bytes(data)))
        union = Union()
        fitting = []
        for row, sketch in found:
            try:
                union.add(sketch)
            except Refusal as refusal:
                self._refuse(to_error(refusal, "Sketch.merge"), row)
            else:
                fitting.append((row, sketch))
        try:
            return Union.of(sketch for _, sketch in fitting)._sealed()
        except Refusal:
            # some families only find out here: which row is it?
            whole = fitting[0][1]
            for row, sketch in fitting[1:]:
                try:
                    whole = Union.of([whole, sketch])
                except Refusal as refusal:
                    self._refuse(to_error(refusal, "Sketch.merge"), row)
            return whole._sealed()


class _Rows:
    """Rows that are found in any order, one for each group at most."""

    def __init__(self, groups: int) -> None:
        self._place = np.full(groups, -1)
        self._found: list[Any] = []
        self._rows = 0

    @property
    def has(self) -> Flags:
        """Which groups have a row."""
        return self._place >= 0

    def add(self, groups: Longs, rows: Any) -> None:
        """Add the rows of some groups, in place of others."""
        self._place[groups] = self._rows + np.arange(len(rows))
        self._found.append(rows)
        self._rows += len(rows)

    def column(self) -> Any:
        """Return the row of each group, or NULL."""
        column = pa.chunked_array(self._found, pa.large_binary())
        if np.array_equal(self._place, np.arange(self._rows)):
            return column
        return column.take(pa.array(self._place, mask=~self.has))


def _united(parts: Parts, first: Longs) -> tuple[Steps, Doubles]:
    """Return the union of each group, and the largest epsilon in it."""
    sizes = np.add.reduceat(parts.steps.sizes, first)
    union = Steps.united(sizes, parts.steps.keys, *parts.steps.increments())
    return union, np.maximum.reduceat(parts.epsilons, first)


def _beginnings(groups: Longs) -> Longs:
    return np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))


def _domain(code: int) -> Domain:
    domain = domain_of(int(code))
    assert domain is not None
    return domain
