"""One question asked of every row: of quantile sketches all at once, of the others one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from chronosketch.arrow.column import batches, chunked
from chronosketch.arrow.decoding import decoded
from chronosketch.arrow.row_error import in_row
from chronosketch.arrow.validity import domain_of
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.refusal import SketchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronosketch.arrow.column import Batch, Flags, Longs
    from chronosketch.arrow.profiles import Profiles
    from chronosketch.sketch.domain.domain import Domain

#: What is done with a row that cannot answer.
Errors: TypeAlias = Literal["raise", "null"]


@dataclass(frozen=True)
class Question:
    """How many quantile sketches answer, and how one sketch does.

    Attributes
    ----------
    name : str
        The function, for messages.
    width : int
        How many numbers an answer has.
    at_once : callable
        Takes profiles of one type and that type; returns as many rows of `width` numbers, and which of these
        rows have an answer.
    one : callable
        Takes a sketch; returns `width` numbers, or None.
    """

    name: str
    width: int
    at_once: Callable[[Profiles, Domain], tuple[Longs, Flags]]
    one: Callable[[Sketch], list[int] | None]


def asked(column: Any, question: Question, errors: Errors) -> tuple[Longs, Flags]:
    """Return the numbers of every row, and which rows have any."""
    if errors not in ("raise", "null"):
        raise ValueError(f"errors is 'raise' or 'null', not {errors!r}.")
    rows = chunked(column)
    numbers = np.zeros((len(rows), question.width), np.int64)
    known = np.zeros(len(rows), np.bool_)
    for batch in batches(rows):
        part = slice(batch.first, batch.first + len(batch))
        left = _at_once(batch, question, numbers[part], known[part])
        for i in np.flatnonzero(left).tolist():
            answer = _of_row(batch, i, question, errors)
            if answer is not None:
                numbers[batch.first + i] = answer
                known[batch.first + i] = True
    return numbers, known


def _at_once(batch: Batch, question: Question, numbers: Longs, known: Flags) -> Flags:
    """Fill in what quantile sketches answer; return which rows are left."""
    for profiles in decoded(batch):
        for code in np.unique(profiles.domains).tolist():
            domain = domain_of(code)
            if domain is None:
                continue
            alike = profiles.part(np.flatnonzero(profiles.domains == code))
            answers, there = question.at_once(alike, domain)
            rows = alike.rows[there]
            numbers[rows] = answers[there]
            known[rows] = True
    return batch.valid & ~known


def _of_row(batch: Batch, i: int, question: Question, errors: Errors) -> list[int] | None:
    try:
        return question.one(Sketch.from_bytes(batch.row(i)))
    except SketchError as error:
        if errors == "null":
            return None
        raise in_row(error, batch.first + i, question.name) from None
