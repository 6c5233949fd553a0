"""Sketch and merge the batches of one task in a Python worker. Nothing here imports pyspark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from chronosketch import arrow
from chronosketch.portable.forms import renamed
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.refusal import Refusal, SketchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# The rows that are sketched at once, and the sketches that are merged at once, by number and by bytes.
# Sketches of many rows are smaller than those of few, and such arrays fit into what Spark leaves to Python.
_ROWS = 1 << 22
_SKETCHES = 1 << 18
_BYTES = 1 << 26


def builder(
    names: list[str], epsilon: float, type_name: str, tail: str | None = None, keeps_sums: bool = False
) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return the function that sketches the rows of a task, by group. The last column has the values."""

    def build_sketches(batches: Iterable[Any]) -> Iterator[Any]:
        buffer = SketchBuffer(names)
        try:
            for rows in _tables(batches):
                buffer.add(_sketched(rows, epsilon, type_name, tail, keeps_sums))
                if buffer.is_full:
                    yield from buffer.flush()
            yield from buffer.flush()
        except (Refusal, SketchError) as error:
            raise renamed(error, "cs.portable.sketch") from None

    return build_sketches


def merger(names: list[str]) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return the function that merges the sketches of a task, by group."""

    def merge_sketches(batches: Iterable[Any]) -> Iterator[Any]:
        buffer = SketchBuffer(names)
        try:
            for batch in batches:
                buffer.add(pa.Table.from_batches([batch]))
            yield from buffer.flush()
        except (Refusal, SketchError) as error:
            raise renamed(error, "cs.portable.merge") from None

    return merge_sketches


def _tables(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the rows of small batches in larger tables."""
    waiting: list[Any] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _ROWS or size >= _BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, rows, size = [], 0, 0
    if rows:
        yield pa.Table.from_batches(waiting)


def _sketched(rows: Any, epsilon: float, type_name: str, tail: str | None, keeps_sums: bool) -> Any:
    """Return a sketch of the last column for each group of the others."""
    keys, values = list(range(rows.num_columns - 1)), rows.column(rows.num_columns - 1)
    if keys:
        return arrow.build_by(rows.select(keys), values, epsilon, type_name, tail, keeps_sums)
    built = Sketch.build(values, epsilon, type_name, tail=tail, sum=keeps_sums)
    return pa.table({"sketch": [built.to_bytes()]})


class SketchBuffer:
    """Buffers sketches of groups. Merges those of each group when there are many.

    Parameters
    ----------
    names : list of str
        The names of the columns: the keys, and last the sketches.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from chronosketch.portable.parts import SketchBuffer
    >>> buffer = SketchBuffer(["k", "s"])
    >>> buffer.add(pa.table({"k": [1, 1], "s": pa.array([None, None], pa.binary())}))
    >>> [batch.num_rows for batch in buffer.flush()]
    [1]
    """

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._tables: list[Any] = []
        self._rows = self._bytes = 0
        self._most_rows, self._most_bytes = _SKETCHES, _BYTES

    def add(self, table: Any) -> None:
        """Add sketches, and merge them if there are many."""
        self._tables.append(self._named(table))
        self._rows += len(table)
        self._bytes += table.nbytes
        if self._rows > self._most_rows or self._bytes > self._most_bytes:
            self._merge()
            # if merging makes them hardly fewer, it waits until there are twice as many
            self._most_rows = max(_SKETCHES, 2 * self._rows)
            self._most_bytes = max(_BYTES, 2 * self._bytes)

    @property
    def is_full(self) -> bool:
        """Whether there are many sketches, although they have been merged."""
        return self._rows > _SKETCHES or self._bytes > _BYTES

    def flush(self) -> Iterator[Any]:
        """Yield the merged sketches, and forget them."""
        if self._tables:
            self._merge()
            yield from self._tables[0].to_batches()
        self._tables, self._rows, self._bytes = [], 0, 0
        self._most_rows, self._most_bytes = _SKETCHES, _BYTES

    def _merge(self) -> None:
        whole = pa.concat_tables(self._tables)
        *keys, column = self._names
        # a shuffle delivers sketches in any order; merged in that of their bytes, they give the same sketch
        whole = whole.sort_by([(column, "ascending")])
        if len(whole) > 1 and keys:
            whole = self._named(arrow.merge_by(whole.select(keys), whole[column]))
        elif len(whole) > 1:
            whole = pa.table({column: pa.array([arrow.merge(whole[column])], pa.binary())})
        self._tables, self._rows, self._bytes = [whole], len(whole), whole.nbytes

    def _named(self, table: Any) -> Any:
        """Return a table with the names and the type of sketches that Spark expects."""
        table = table.rename_columns(self._names)
        last = len(self._names) - 1
        return table.set_column(last, self._names[last], table.column(last).cast(pa.binary()))
