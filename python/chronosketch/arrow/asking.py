"""Ask every row one question: quantile sketches all at once, other families one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from chronosketch.arrow.column import batches, chunked
from chronosketch.arrow.decoding import decode
from chronosketch.arrow.row_error import with_row
from chronosketch.arrow.validity import domain_of
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.refusal import SketchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from chronosketch.arrow.column import Batch, Flags, Longs
    from chronosketch.arrow.profiles import Profiles
    from chronosketch.sketch.domain.domain import Domain

#: The treatment of a row that cannot answer.
Errors: TypeAlias = Literal["raise", "null"]


@dataclass(frozen=True)
class Question:
    """A question, for many quantile sketches at once and for one sketch of any family.

    Attributes
    ----------
    name : str
        The name of the function, for messages.
    width : int
        The number of numbers in an answer.
    answer_all : callable
        Takes profiles of one type and that type. Returns `width` numbers for each, and which are valid.
    answer_one : callable
        Takes a sketch. Returns `width` numbers, or None.
    """

    name: str
    width: int
    answer_all: Callable[[Profiles, Domain], tuple[Longs, Flags]]
    answer_one: Callable[[Sketch], list[int] | None]


def ask(column: Any, question: Question, errors: Errors) -> tuple[Longs, Flags]:
    """Return the numbers of every row, and which rows have an answer."""
    if errors not in ("raise", "null"):
        raise ValueError(f"errors is 'raise' or 'null', not {errors!r}.")
    rows = chunked(column)
    numbers = np.zeros((len(rows), question.width), np.int64)
    valid = np.zeros(len(rows), np.bool_)
    for batch in batches(rows):
        part = slice(batch.first, batch.first + len(batch))
        left = _answer_batch(batch, question, numbers[part], valid[part])
        for i in np.flatnonzero(left).tolist():
            answer = _answer_row(batch, i, question, errors)
            if answer is not None:
                numbers[batch.first + i] = answer
                valid[batch.first + i] = True
    return numbers, valid


def _answer_batch(batch: Batch, question: Question, numbers: Longs, valid: Flags) -> Flags:
    """Fill in the answers of quantile sketches. Return which rows are left."""
    for profiles in decode(batch):
        for code in np.unique(profiles.domains).tolist():
            domain = domain_of(code)
            if domain is None:
                continue
            alike = profiles.part(np.flatnonzero(profiles.domains == code))
            answers, answered = question.answer_all(alike, domain)
            rows = alike.rows[answered]
            numbers[rows] = answers[answered]
            valid[rows] = True
    return batch.valid & ~valid


def _answer_row(batch: Batch, i: int, question: Question, errors: Errors) -> list[int] | None:
    try:
        return question.answer_one(Sketch.from_bytes(batch.row(i)))
    except SketchError as error:
        if errors == "null":
            return None
        raise with_row(error, batch.first + i, question.name) from None
