"""Builds one-pass sketches of all rows that take about as many bytes as a memory: GK, KLL and the q-digest."""

from __future__ import annotations

from functools import partial
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from histstream.data import PHIS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

    Built = tuple[list[int], int]
    from collections.abc import Sequence


_MOST_K = 65_535
_CLOSE, _GREATEST = 0.03, 1e6
# Bytes per unit of 1/ε and of k, as the start of the search.
GK_BYTES, _KLL = 20, 24
_PHIS = ", ".join(f"{phi!r}D" for phi in PHIS)


def gk(rows: DataFrame, memory: int) -> Built:
    """Return the answers of our Greenwald–Khanna sketch, and its bytes."""
    return _at_memory(memory, memory / GK_BYTES, partial(_gk, rows))


def kll(rows: DataFrame, memory: int) -> Built:
    """Return the answers of Spark's KLL sketch, and its bytes."""
    return _at_memory(memory, memory / _KLL, partial(_kll, rows))


def _gk(rows: DataFrame, size: float) -> Built:
    sketch = rows.selectExpr(f"quantile_sketch_agg(v, {max(1e-6, 1 / size)!r}D) AS s")
    asked = sketch.selectExpr(f"sketch_quantile(s, array({_PHIS}), 'bigint')", "length(s)").first()
    return list(asked[0]), int(asked[1])


def _kll(rows: DataFrame, size: float) -> Built:
    k = min(_MOST_K, max(8, int(size)))
    sketch = rows.selectExpr(f"kll_sketch_agg_bigint(v, {k}) AS s")
    asked = sketch.selectExpr(f"kll_sketch_get_quantile_bigint(s, array({_PHIS}))", "length(s)").first()
    return list(asked[0]), int(asked[1])


def _at_memory(memory: int, size: float, build: Callable[[float], Built]) -> Built:
    """Find the size whose sketch takes about as many bytes. Bytes grow with the size, in jumps for KLL."""
    found: list[Built] = []
    for _ in range(5):
        found.append(build(size))
        taken = found[-1][1]
        if abs(taken / memory - 1) <= _CLOSE or size > _GREATEST:
            break
        size *= memory / taken
    return min(found, key=lambda built: abs(built[1] / memory - 1))


# A node is a number of eight bytes and a count of four.
NODE_BYTES = 12
_FULL = 0.98


class QDigest:
    """Counts of nodes of the binary tree over 0 … 2^height − 1.

    Two siblings are merged into their parent if their counts and that of the parent sum to at most n/k (the paper's COMPRESS, §2.2).
    It is built from all rows at once, bottom-up, so it has at most as many nodes as one built row by row.

    Parameters
    ----------
    values, counts : numpy.ndarray
        The distinct values, increasing and not negative, and their frequencies.
    k : float
        The compression parameter: there are at most 3k nodes.
    """

    def __init__(self, values: np.ndarray, counts: np.ndarray, height: int, k: float) -> None:
        self._n = int(counts.sum())
        most = int(self._n / k)
        nodes, sizes = values.astype(np.uint64), counts.astype(np.int64)
        ends, heights, kept = [], [], []

        def keep(chosen: np.ndarray, at: int) -> None:
            ends.append(((nodes[chosen] + np.uint64(1)) << np.uint64(at)) - np.uint64(1))
            heights.append(np.full(len(ends[-1]), at))
            kept.append(sizes[chosen])

        at, leap = 0, 1
        while at < height and len(nodes):
            parents = nodes >> np.uint64(leap)
            first = np.flatnonzero(np.concatenate(([True], parents[1:] != parents[:-1])))
            sums = np.add.reduceat(sizes, first)
            rises = sums <= most
            # climb several levels at once if no node is kept on the way: sums only grow
            if leap > 1 and not rises.all():
                leap = 1
                continue
            keep(~np.repeat(rises, np.diff(np.append(first, len(nodes)))), at)
            nodes, sizes = parents[first][rises], sums[rises]
            at += leap
            leap = min(2 * leap, height - at) if rises.all() else 1
        keep(np.ones(len(nodes), bool), height)
        end, size = np.concatenate(ends), np.concatenate(kept)
        # post-order: by the greatest value, children before parents
        order = np.lexsort((np.concatenate(heights), end))
        self._ends, self._upto = end[order], np.cumsum(size[order])

    @property
    def bytes(self) -> int:
        """The bytes of all nodes."""
        return len(self._ends) * NODE_BYTES

    def quantiles(self, phis: Sequence[float]) -> list[int]:
        """Return the greatest value of the first node in post-order with which the counts reach each rank (§3.2)."""
        ranks = [max(1, ceil(round(phi * self._n, 6))) for phi in phis]
        return [int(end) for end in self._ends[np.searchsorted(self._upto, ranks)]]


def qdigest(values: np.ndarray, memory: int) -> QDigest:
    """Return approximately the largest q-digest of sorted values that fits into the memory."""
    first = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    different, counts = values[first], np.diff(np.append(first, len(values)))
    # the universe is the least power of two that contains all values
    height = max(1, int(values[-1]).bit_length())
    best = None
    least, greatest = 1.0, float(len(values))
    k = memory / NODE_BYTES
    for turn in range(14):
        digest = QDigest(different, counts, height, k)
        if digest.bytes <= memory:
            best, least = digest, k
            if digest.bytes >= _FULL * memory or k >= greatest:
                break
        else:
            greatest = k
        # adjust k in proportion at first, then bisect: bytes grow in jumps if n/k is small
        k = k * _FULL * memory / digest.bytes if turn < 5 or best is None else (least + greatest) / 2
        k = min(k, greatest)
    assert best is not None
    return best
