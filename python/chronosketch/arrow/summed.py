"""Decode the quantile sketches with sums of a batch: their tuples all at once, their sums one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from chronosketch.arrow.decoding import CHECKSUM, Opened, profiles_of
from chronosketch.arrow.validity import domain_of
from chronosketch.sketch.codec.wire import Reader
from chronosketch.sketch.envelope import Header
from chronosketch.sketch.moments.sketch import MomentsSketch
from chronosketch.sketch.quantile.sketch import EPSILON
from chronosketch.sketch.refusal import Refusal
from chronosketch.sketch.summed import SummedQuantileSketch

if TYPE_CHECKING:
    from chronosketch.arrow.column import Batch, Longs
    from chronosketch.arrow.profiles import Profiles


def decode_summed(batch: Batch) -> list[tuple[Profiles, list[MomentsSketch]]]:
    """Return the intact, non-empty quantile sketches with sums of a batch, and the moments of each.

    Sketches of a tail are not among them.

    Examples
    --------
    >>> from chronosketch.arrow.column import batches, chunked
    >>> from chronosketch.arrow.summed import decode_summed
    >>> from chronosketch.sketch import Sketch
    >>> (batch,) = batches(chunked([Sketch.build([1, 2, 6], sum=True).to_bytes(), None]))
    >>> [(profiles.rows.tolist(), moments[0].mean()) for profiles, moments in decode_summed(batch)]
    [([0], 3.0)]
    """
    opened = Opened.of(batch, SummedQuantileSketch.number, EPSILON)
    ends = np.zeros(len(batch), np.int64)
    found = []
    for profiles in profiles_of(opened, ends):
        moments = _moments(batch, profiles, ends - opened.start)
        intact = [i for i, one in enumerate(moments) if one is not None]
        if intact:
            found.append((profiles.part(np.array(intact)), [one for one in moments if one is not None]))
    return found


def moments_by_row(batch: Batch) -> dict[int, MomentsSketch]:
    """Return the moments of the quantile sketches with sums of a batch, by their rows."""
    return {
        row: one
        for profiles, moments in decode_summed(batch)
        for row, one in zip(profiles.rows.tolist(), moments, strict=True)
    }


def _moments(batch: Batch, profiles: Profiles, at: Longs) -> list[MomentsSketch | None]:
    """Return the moments of each profile, whose sums begin there in its row, or None if they are damaged."""
    domains = {code: domain_of(code) for code in np.unique(profiles.domains).tolist()}
    headers = {code: Header(domain, ()) for code, domain in domains.items() if domain and domain.is_numeric}
    found: list[MomentsSketch | None] = []
    for row, code, n, least, greatest in zip(
        profiles.rows.tolist(),
        profiles.domains.tolist(),
        profiles.counts.tolist(),
        profiles.keys[profiles.first].tolist(),
        profiles.keys[profiles.last].tolist(),
        strict=True,
    ):
        data = batch.row(row)
        sums = Reader(data, int(at[row]), len(data) - CHECKSUM)
        one = None
        if code in headers:
            try:
                one = MomentsSketch.read_sums(headers[code], sums, n, least, greatest)
                sums.require_end()
            except Refusal:
                one = None
        found.append(one)
    return found
