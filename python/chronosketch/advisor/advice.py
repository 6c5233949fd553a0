"""Advice on how to compute an aggregate over a sliding window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, overload

from chronosketch.advisor.approaches import title_of
from chronosketch.advisor.cost_model import CostModel, cost_model
from chronosketch.advisor.guidelines import (
    EXACT_ASKED,
    LEAST_TIME,
    deciding,
    not_serving,
    too_large,
)
from chronosketch.advisor.statements import statements
from chronosketch.advisor.units import memory_bytes, seconds, spell_bytes, spell_nanoseconds
from chronosketch.advisor.workloads import WindowQuestion, Workload, aggregate_named
from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from datetime import timedelta
    from pathlib import Path

    from chronosketch.advisor.cost_model import Measured
    from chronosketch.advisor.guidelines import Guideline
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
    sql : str or None
        The settings and the query to write in Spark, each with ``;`` at its end, for a table ``events`` with
        the columns ``time`` and ``value``, and ``other`` for a covariance. A quantile has φ = 0.99. None if
        the approach is excluded.
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
    sql: str | None = None


@dataclass(frozen=True)
class Advice(Sequence[Choice]):
    """The approaches for a window: the best first, excluded ones last. ``print`` shows them as a table."""

    question: WindowQuestion
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
        """Return the ranked choices as table rows with the columns `COLUMNS`."""
        return [_row(choice) for choice in self.choices if choice.excluded is None]

    def notes(self) -> list[str]:
        """Return lines to print below the table: why, what was left out, and what to write."""
        best = [choice for choice in self.choices if choice.rank == 1]
        excluded = [choice for choice in self.choices if choice.excluded]
        return [
            *(f"Best because: {choice.guideline}." for choice in best),
            *(
                f"{choice.title}: beyond the measured {' and '.join(choice.extrapolated)}."
                for choice in self.choices
                if choice.rank is not None and choice.extrapolated
            ),
            *(f"Not {choice.title}: {choice.excluded} ({choice.guideline})." for choice in excluded),
            *(f"Write in Spark:\n{choice.sql}" for choice in best),
        ]

    def __str__(self) -> str:
        rows = [COLUMNS, *self.rows()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        ]
        return "\n".join([self.header(), *(line.rstrip() for line in lines), *self.notes()])


#: The columns of the table. They fit into 80 characters; `Choice` has the intervals and the reasons too.
COLUMNS = ("", "approach", "promise", "time a slide", "memory", "load")


def _row(choice: Choice) -> tuple[str, ...]:
    return (
        str(choice.rank),
        choice.title,
        choice.promise,
        _predicted(choice.time, spell_nanoseconds),
        _predicted(choice.bytes, spell_bytes),
        "" if choice.load is None else f"{choice.load:.2%}",
    )


def _predicted(prediction: Prediction | None, spell: Callable[[float], str]) -> str:
    if prediction is None:
        return ""
    return f"{'at least ' if prediction.clipped else ''}{spell(prediction.value)}"


def decide(question: WindowQuestion, model: CostModel) -> Advice:
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


def _measured(question: WindowQuestion, model: CostModel) -> list[Measured]:
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


def _choice(question: WindowQuestion, measured: Measured) -> Choice:
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
        None if out else statements(question, measured.approach, measured.promise),
    )


def _prediction(question: WindowQuestion, measured: Measured, response: str) -> Prediction | None:
    fitted = measured.responses[response]
    return fitted.predict(question.workload) if fitted.defined(question.workload) else None


def _beyond(question: WindowQuestion, measured: Measured) -> tuple[str, ...]:
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


def advise(
    *,
    aggregate: str,
    retention: str | timedelta | None = None,
    slide: str | timedelta | None = None,
    rate: float | None = None,
    epsilon: float = 0.0,
    delta: float | None = None,
    memory: str | int | None = None,
    retention_rows: int | None = None,
    slide_rows: int | None = None,
    model: CostModel | str | Path | None = None,
) -> Advice:
    """Say how to compute an aggregate over a window that slides: recompute, keep a summary, or sample.

    It needs only Python, no Spark. Costs come from a cost model, a file that ``chronosketch calibrate``
    writes.

    Parameters
    ----------
    aggregate : str
        "quantile", "median", "variance", "stddev", "count", "sum", "average", "skewness", "kurtosis" or
        "covariance".
    retention, slide : str or timedelta, optional
        The length of the window, and how far it moves each time, for example ``"1 hour"``. Give `rate` too.
    rate : float, optional
        How many rows come each second.
    epsilon : float, default 0.0
        The error that you allow, as a share: of the number of values for quantiles, of the exact answer for
        others. 0 asks for exact answers.
    delta : float, optional
        The chance of a larger error that you allow, above 0 and below 1. Without it answers must be certain.
    memory : str or int, optional
        The most memory that a window may take: a number of bytes, or text such as ``"64m"``. Without it there
        is no limit.
    retention_rows, slide_rows : int, optional
        The window and its step as numbers of rows, in place of `retention` and `slide`.
    model : CostModel, str or Path, optional
        A cost model, or the path of its file. Without it the model that comes with the package is used.

    Returns
    -------
    Advice
        The approaches, the best first. Those that are excluded come last, each with the reason. ``print``
        shows them as a table.

    Raises
    ------
    ChronosketchError
        If an argument is out of its range, or there is no cost model. The message says what to give.

    Examples
    --------
    >>> advice = cs.advise(
    ...     aggregate="quantile", retention="1 hour", slide="1 minute", rate=320, epsilon=0.01
    ... )  # doctest: +SKIP
    >>> advice.best.approach  # doctest: +SKIP
    'arasu_manku'
    """
    named = aggregate_named(aggregate)
    if rate is not None and not _real(rate, 0):
        raise ChronosketchError(f"rate is {rate!r}: give a number of rows a second, above 0.")
    rows = _rows("retention", retention, retention_rows, rate)
    step = _rows("slide", slide, slide_rows, rate)
    if step > rows:
        raise ChronosketchError(
            f"The slide of {step:g} rows is longer than the retention of {rows:g}. Such windows share no "
            "rows, so there is nothing to choose. Give a slide that is not longer than the retention."
        )
    if not _share(epsilon) and epsilon != 0:
        raise ChronosketchError(f"epsilon is {epsilon!r}: give a share below 1, or 0 for exact answers.")
    if delta is not None and not _share(delta):
        raise ChronosketchError(
            f"delta is {delta!r}: give a chance above 0 and below 1, or leave it out for certain answers."
        )
    limit = memory_bytes(memory)
    workload = Workload(rows, step, float(epsilon), float(delta or 0))
    return decide(WindowQuestion(named, workload, delta, limit, rate), cost_model(model))


def _rows(argument: str, length: str | timedelta | None, rows: int | None, rate: float | None) -> float:
    if (length is None) == (rows is None):
        what = "both are" if rows is not None else "neither is"
        raise ChronosketchError(
            f"{argument} and {argument}_rows: {what} given. Give {argument} as a length of time with a rate, "
            f"or {argument}_rows as a number of rows."
        )
    if length is None:
        if rows is None or not _real(rows, 0) or rows < 1:
            raise ChronosketchError(f"{argument}_rows is {rows!r}: give a number of rows, 1 or more.")
        return float(rows)
    lasting = seconds(argument, length)
    if rate is None:
        raise ChronosketchError(
            f"{argument} is {length!r} without a rate: give the rows a second as rate, or give "
            f"{argument}_rows."
        )
    return max(1.0, lasting * rate)


def _real(value: object, above: float) -> bool:
    return (
        isinstance(value, Real) and not isinstance(value, bool) and isfinite(value) and float(value) > above
    )


def _share(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < 1
