"""Ask every row one question: quantile sketches all at once, other families one by one."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

import numpy as np
import pyarrow as pa

from chronosketch.arrow.column import batches, chunked
from chronosketch.arrow.decoding import decode
from chronosketch.arrow.summed import decode_summed
from chronosketch.arrow.validity import domain_of
from chronosketch.sketch.answering import each_phi
from chronosketch.sketch.base import Sketch
from chronosketch.sketch.domain.values import key_of
from chronosketch.sketch.rank import is_several
from chronosketch.sketch.refusal import SketchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from chronosketch.arrow.column import Batch, Flags, Longs
    from chronosketch.arrow.profiles import Profiles
    from chronosketch.sketch.domain.domain import Domain
    from chronosketch.sketch.rank import Phi, Share

A = TypeVar("A")


class RowError(SketchError):
    """An error of a sketch, with the row of the column that it is in.

    Attributes
    ----------
    row : int
        The row, counted from 0.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> try:
    ...     arrow.count([None, b"CSV,with,commas"])
    ... except arrow.RowError as error:
    ...     print(error.row, error.condition)
    1 CHRONOSKETCH_NOT_A_SKETCH
    """

    def __init__(self, condition: str, parameters: dict[str, str], row: int) -> None:
        super().__init__(condition, parameters)
        self.row = row
        self.args = (f"[{condition}] Row {row}: {self.sentences}",)

    def __reduce__(self) -> tuple[type[RowError], tuple[str, dict[str, str], int]]:  # type: ignore[override]
        return type(self), (self.condition, self.parameters, self.row)


def with_row(error: SketchError, row: int, function: str) -> RowError:
    """Add the row and the function to an error."""
    parameters = {**error.parameters, "function": f"arrow.{function}"}
    if "call" in parameters:
        # the message is about one sketch; show the call for the column
        _, _, arguments = parameters["call"].partition("(")
        first, _, others = arguments.partition(", ")
        # a comparison names its two columns
        named = arguments if first == "a" else f"column, {others if first == 'sketch' else arguments}"
        parameters["call"] = f"arrow.{function}({named}"
    return RowError(error.condition, parameters, row)


#: The treatment of a row that cannot answer.
Errors: TypeAlias = Literal["raise", "null"]


class RowErrors:
    """Says which row an error of a sketch is in, or lets the row have no answer.

    Examples
    --------
    >>> from chronosketch.arrow.row_answers import RowErrors
    >>> from chronosketch.sketch import Sketch
    >>> with RowErrors("count", "null").at(7):
    ...     Sketch.from_bytes(b"CSV,with,commas")
    """

    def __init__(self, function: str, errors: str) -> None:
        if errors not in ("raise", "null"):
            raise ValueError(f"errors is 'raise' or 'null', not {errors!r}.")
        self._function = function
        self._is_raised = errors == "raise"

    @contextmanager
    def at(self, row: int) -> Iterator[None]:
        """Run what answers for a row."""
        try:
            yield
        except SketchError as error:
            if self._is_raised:
                raise with_row(error, row, self._function) from None


def shares_of(phi: Share | Iterable[Share]) -> Share | list[Share]:
    """Return one φ, or a list of several."""
    if not is_several(phi):
        return cast("Share", phi)
    return list(phi)


def asked_of(shares: Share | list[Share]) -> Share | list[Share]:
    """Return what to ask: for no φ at all one, whose answers say which rows have any."""
    return [0.5] if isinstance(shares, list) and not shares else shares


def phis_of(shares: Share | list[Share]) -> list[Phi]:
    """Return the φs as a list. Refuse values that are not a φ."""
    phis = each_phi(shares, lambda phi: phi)
    return phis if isinstance(phis, list) else [phis]


def keys_or_none(values: Any, to: Domain) -> list[int] | None:
    """Return the keys of one answer or several, or None if any is missing."""
    several = values if isinstance(values, list) else [values]
    return None if None in several else [key_of(value, to) for value in several]


def stack(answers: list[tuple[Longs, Flags]]) -> tuple[Longs, Flags]:
    """Stack several answers into one row of numbers each. A row is valid if all its answers are."""
    valid = np.logical_and.reduce([valid for _, valid in answers])
    return np.stack([numbers for numbers, _ in answers], axis=1), valid


def for_all_rows(numbers: Longs) -> tuple[Longs, Flags]:
    """Return one number for each row, all of them valid."""
    return numbers[:, None], np.ones(len(numbers), np.bool_)


def for_no_rows(profiles: Profiles) -> tuple[Longs, Flags]:
    """Return one number for each row, none of them valid."""
    rows = len(profiles.rows)
    return np.zeros((rows, 1), np.int64), np.zeros(rows, np.bool_)


def as_lists(values: Any, valid: Flags, shares: Share | list[Share]) -> Any:
    """Return the values themselves for one φ, or lists of them for several."""
    if not isinstance(shares, list):
        return values
    if not shares:
        return pa.array([[] if has else None for has in valid], pa.list_(values.type, 0))
    return pa.FixedSizeListArray.from_arrays(values, len(shares), mask=pa.array(~valid))


@dataclass(frozen=True)
class RowQuestion:
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


def ask(column: Any, question: RowQuestion, errors: Errors) -> tuple[Longs, Flags]:
    """Return the numbers of every row, and which rows have an answer."""
    unanswered = RowErrors(question.name, errors)
    rows = chunked(column)
    numbers = np.zeros((len(rows), question.width), np.int64)
    valid = np.zeros(len(rows), np.bool_)
    for batch in batches(rows):
        part = slice(batch.first, batch.first + len(batch))
        left = _answer_batch(batch, question, numbers[part], valid[part])
        for i in np.flatnonzero(left).tolist():
            row, answer = batch.first + i, None
            with unanswered.at(row):
                answer = question.answer_one(Sketch.from_bytes(batch.row(i)))
            if answer is not None:
                numbers[row] = answer
                valid[row] = True
    return numbers, valid


def _answer_batch(batch: Batch, question: RowQuestion, numbers: Longs, valid: Flags) -> Flags:
    """Fill in the answers of quantile sketches. Return which rows are left."""
    summed = (profiles for profiles, _ in decode_summed(batch))
    for profiles in (*decode(batch), *summed):
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


def answer_each(
    column: Any,
    name: str,
    errors: Errors,
    answer: Callable[[Sketch], A | None],
    decoded: Callable[[Batch], Mapping[int, Sketch]] = lambda _: {},
) -> list[A | None]:
    """Return the answer of the sketch of every row, which is None for a NULL row.

    `decoded` returns the rows of a batch whose sketches it has decoded together. The others are read one by
    one.
    """
    unanswered = RowErrors(name, errors)
    rows = chunked(column)
    found: list[A | None] = [None] * len(rows)
    for batch in batches(rows):
        together = decoded(batch)
        for i in np.flatnonzero(batch.valid).tolist():
            row = batch.first + i
            with unanswered.at(row):
                found[row] = answer(together[i] if i in together else Sketch.from_bytes(batch.row(i)))
    return found
