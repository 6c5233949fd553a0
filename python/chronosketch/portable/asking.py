"""Ask the sketches of a column: those with equal arguments together, others one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from chronosketch.sketch.base import Sketch

if TYPE_CHECKING:
    from collections.abc import Callable


def each_row(kind: Any, ask: Callable[..., Any], sketch: Any, *given: Any) -> Any:
    """Ask the sketches one by one. NULL gives NULL."""
    lists = [column.to_pylist() for column in (sketch, *given)]
    answers = [
        None if any(value is None for value in row) else ask(Sketch.from_bytes(row[0]), *row[1:])
        for row in zip(*lists, strict=True)
    ]
    return pa.array(answers, kind)


def by_value(sketch: Any, given: Any, answer: Callable[[Any, Any], Any], kind: Callable[[], Any]) -> Any:
    """Ask all sketches that are given the same value at once. NULL gives NULL."""
    places_of: dict[Any, list[int]] = {}
    values: dict[Any, Any] = {}
    for i, value in enumerate(_repeated(given)):
        if value is not None:
            key = (type(value), str(value))
            values[key] = value
            places_of.setdefault(key, []).append(i)
    if len(places_of) == 1 and len(next(iter(places_of.values()))) == len(sketch):
        return answer(sketch, next(iter(values.values())))
    places = np.full(len(sketch), -1)
    parts = [pa.array([], kind())]
    found = 0
    for key, these in places_of.items():
        parts.append(answer(sketch.take(pa.array(these)), values[key]))
        places[these] = np.arange(found, found + len(these))
        found += len(these)
    return pa.concat_arrays(parts).take(pa.array(places, mask=places < 0))


def _repeated(given: Any) -> list[Any]:
    """Return the elements of an array, made once if all are the same."""
    if not pa.types.is_nested(given.type) and not pa.types.is_null(given.type) and len(given):
        distinct = pc.unique(given)
        if len(distinct) == 1:
            return [distinct[0].as_py()] * len(given)
    values: list[Any] = given.to_pylist()
    return values


def nulls(rows: int) -> Any:
    """Return a column of sketches that are all NULL."""
    return pa.nulls(rows, pa.binary())


def as_list(array: Any) -> Any:
    """Return lists of one length as lists of any length, which is what Spark has."""
    return array.cast(pa.list_(array.type.value_type))
