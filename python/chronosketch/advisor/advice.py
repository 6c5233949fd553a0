"""Rank the approaches for a window: filter them by guidelines, predict their costs, and sort."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, overload

from chronosketch.advisor.approaches import title_of
from chronosketch.advisor.guidelines import EXACT_ASKED, LEAST_TIME, deciding, not_serving, too_large
from chronosketch.advisor.units import spell_bytes, spell_nanoseconds
from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from chronosketch.advisor.cost_model import CostModel, Measured
    from chronosketch.advisor.guidelines import Guideline, Question
    from chronosketch.advisor.responses import Prediction

# Times count as equal if they differ by less than this share, which is far below any model's error.
_TIE = 0.02


@dataclass(frozen=True)
class Choice:
    """An approach for a window, and its predicted cost.

    Attributes
    ----------
    rank : int or None
        The place among the approaches: 1 is the best. None if the approach is excluded.
    approach, title : str
        The name of the approach, and its name in words.
    promise : str
        The guarantee of its answers: "exact", "certified" or "probable".
    time : Prediction or None
        CPU nanoseconds for each slide. None if no prediction can be made.
    bytes : Prediction or None
        How many bytes it keeps. None if no prediction can be made.
    load : float or None
        The share of one core that it needs. None if no rate is given.
    within_memory : bool or None
        Whether the predicted bytes fit into the memory. None if there is no limit or no prediction.
    extrapolated : tuple of str
        The factors of the workload that lie outside what was measured.
    guideline : Guideline
        The rule that decided: why the best approach is best, or why an excluded one is excluded.
    excluded : str or None
        Why the approach is excluded. None if it is ranked.
    """

    rank: int | None
    approach: str
    title: str
    promise: str
    time: Prediction | None
    bytes: Prediction | None
    load: float | None
    within_memory: bool | None
    extrapolated: tuple[str, ...]
    guideline: Guideline
    excluded: str | None = None


@dataclass(frozen=True)
class Advice(Sequence[Choice]):
    """The approaches for a window: the best first, excluded ones last. ``print`` shows them as a table."""

    question: Question
    choices: tuple[Choice, ...]

    @overload
    def __getitem__(self, index: int) -> Choice: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Choice]: ...
    def __getitem__(self, index: int | slice) -> Choice | Sequence[Choice]:
        return self.choices[index]

    def __len__(self) -> int:
        return len(self.choices)

    @property
    def best(self) -> Choice:
        """Return the best choice.

        Raises
        ------
        ChronosketchError
            If every approach is excluded. Allow more memory or an error, or give a delta.
        """
        if self.choices and self.choices[0].rank == 1:
            return self.choices[0]
        reasons = "; ".join(f"{choice.title}: {choice.excluded}" for choice in self.choices)
        raise ChronosketchError(
            f"No approach serves this question ({reasons}). Either allow more memory or an error, or give a "
            "delta."
        )

    def header(self) -> str:
        """Describe the question in one line."""
        workload = self.question.workload
        delta = "" if self.question.delta is None else f", δ = {self.question.delta:g}"
        limit = "" if self.question.memory is None else f", memory {spell_bytes(self.question.memory)}"
        return (
            f"{self.question.aggregate.name} of {workload.retention:,.0f} rows, "
            f"every {workload.slide:,.0f} rows, ε = {workload.epsilon:g}{delta}{limit}"
        )

    def rows(self) -> list[tuple[str, ...]]:
        """Return the choices as table rows with the columns `COLUMNS`."""
        return [_row(choice) for choice in self.choices]

    def __str__(self) -> str:
        rows = [COLUMNS, *self.rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        ]
        return "\n".join([self.header(), *(line.rstrip() for line in lines)])


COLUMNS = ("", "approach", "promise", "time a slide", "95 %", "memory", "95 %", "load", "because")


def _row(choice: Choice) -> tuple[str, ...]:
    because = str(choice.guideline)
    if choice.excluded:
        because = f"excluded: {choice.excluded}; {because}"
    if choice.extrapolated:
        because += f"; beyond the measured {' and '.join(choice.extrapolated)}"
    return (
        "-" if choice.rank is None else str(choice.rank),
        choice.title,
        choice.promise,
        *_predicted(choice.time, spell_nanoseconds),
        *_predicted(choice.bytes, spell_bytes),
        "" if choice.load is None else f"{choice.load:.2%}",
        because,
    )


def _predicted(prediction: Prediction | None, spell: Callable[[float], str]) -> tuple[str, str]:
    if prediction is None:
        return "", ""
    least = "at least " if prediction.clipped else ""
    return f"{least}{spell(prediction.value)}", f"{spell(prediction.low)} to {spell(prediction.high)}"


def decide(question: Question, model: CostModel) -> Advice:
    """Answer a question with a cost model."""
    found = _measured(question, model)
    choices = [(measured, _choice(question, measured)) for measured in found]
    ranked, tie = _ranked([pair for pair in choices if pair[1].excluded is None])
    excluded = [pair for pair in choices if pair[1].excluded is not None]
    answer = [replace(choice, rank=rank) for rank, (_, choice) in enumerate(ranked, 1)]
    if ranked:
        beyond = [measured for measured, choice in excluded if choice.within_memory is False]
        because = deciding(ranked[0][0], [measured for measured, _ in ranked[1:]], beyond, tie)
        answer[0] = replace(answer[0], guideline=because)
    return Advice(question, (*answer, *(choice for _, choice in excluded)))


def _measured(question: Question, model: CostModel) -> list[Measured]:
    found: dict[str, Measured] = {}
    for name in question.aggregate.model:
        for approach, measured in model.models_of(name).items():
            found.setdefault(approach, measured)
    if not found:
        known = sorted({measured.aggregate for measured in model.models})
        raise ChronosketchError(
            f"{model.source or 'The cost model'} has no measurements for the aggregate "
            f"{question.aggregate.name!r}. It has {', '.join(known) or 'none at all'}. Calibrate again."
        )
    return [found[name] for name in sorted(found)]


def _choice(question: Question, measured: Measured) -> Choice:
    out = not_serving(question, measured)
    time = _prediction(question, measured, "time")
    size = _prediction(question, measured, "bytes")
    if out is None and (time is None or size is None):
        # It was measured with an error, but no error is allowed.
        out = EXACT_ASKED, "its cost depends on epsilon and delta, and both are not given"
    if out is None and size is not None:
        out = too_large(question, size)
    rate, slide = question.rate, question.workload.slide
    return Choice(
        None,
        measured.approach,
        title_of(measured.approach),
        measured.promise,
        time,
        size,
        None if rate is None or time is None else time.value / 1e9 * rate / slide,
        None if question.memory is None or size is None else size.value <= question.memory,
        _beyond(question, measured),
        out[0] if out else LEAST_TIME,
        out[1] if out else None,
    )


def _prediction(question: Question, measured: Measured, response: str) -> Prediction | None:
    fitted = measured.responses[response]
    return fitted.predict(question.workload) if fitted.defined(question.workload) else None


def _beyond(question: Question, measured: Measured) -> tuple[str, ...]:
    factors = ["retention", "slide"]
    if measured.promise != "exact":
        factors.append("epsilon")
    if measured.promise == "probable" and question.delta is not None:
        factors.append("delta")
    outside = []
    for name in factors:
        low, high = measured.ranges[name]
        value = question.workload.factor(name)
        if not low * (1 - 1e-9) <= value <= high * (1 + 1e-9):
            outside.append(name)
    return tuple(outside)


def _ranked(pairs: list[tuple[Measured, Choice]]) -> tuple[list[tuple[Measured, Choice]], bool]:
    """Sort by predicted time, and nearly equal times by bytes. Also return whether bytes decided."""
    waiting = sorted(pairs, key=lambda pair: _value(pair[1].time))
    ranked: list[tuple[Measured, Choice]] = []
    tie = False
    while waiting:
        limit = _value(waiting[0][1].time) * (1 + _TIE)
        near = [pair for pair in waiting if _value(pair[1].time) <= limit]
        first = min(near, key=lambda pair: _value(pair[1].bytes))
        tie = tie or (not ranked and first is not waiting[0])
        waiting.remove(first)
        ranked.append(first)
    return ranked, tie


def _value(prediction: Prediction | None) -> float:
    return float("inf") if prediction is None else prediction.value
