"""Writes results as tables: of ratios with their targets, of seconds, and of stages."""

from __future__ import annotations

import statistics
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from harness.spread import Spread, number, spaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.figures import Pair
    from harness.rounds import Measured, Outcome
    from harness.stages import Stage


PUBLISHED = "published"


def ratio(outcome: Outcome, pair: Pair) -> Spread | None:
    """Return how many times as fast ours is, from ratios within rounds; None if one of them did not run."""
    ours, peer = (outcome.measured[name].seconds for name in pair.names)
    if not ours or not peer:
        return None
    return Spread.of([theirs / mine for mine, theirs in zip(ours, peer, strict=True)])


def pairs_as_json(outcome: Outcome) -> list[dict[str, Any]]:
    """Return each pair as shown in tables."""
    return [
        {**asdict(pair), "times_as_fast": asdict(times) if (times := ratio(outcome, pair)) else None}
        for pair in outcome.figure.pairs
    ]


def as_json(outcome: Outcome) -> dict[str, Any]:
    """Return each round of each contestant, and each pair as shown in tables."""
    return {
        "name": outcome.figure.name,
        "pairs": pairs_as_json(outcome),
        "contestants": [
            {**asdict(outcome.measured[contestant.name]), "query": contestant.sql}
            for contestant in outcome.figure.contestants
        ],
    }


def ratios(outcomes: Sequence[Outcome]) -> list[str]:
    """Write the table of pairs."""
    return [
        "| figure | ours | beside | times as fast | target |",
        "|---|---|---|---|---|",
        *[_pair(outcome, pair) for outcome in outcomes for pair in outcome.figure.pairs],
    ]


def seconds(outcomes: Sequence[Outcome]) -> list[str]:
    """Write the table of contestants."""
    return [
        "| figure | aggregate | seconds | M rows/s | peak memory | operator |",
        "|---|---|---|---|---|---|",
        *[_contestant(outcome, result) for outcome in outcomes for result in outcome.measured.values()],
    ]


def rate(outcome: Outcome, contestant: str) -> float | None:
    """Return the throughput of the median round, in million rows per second."""
    measured = outcome.measured.get(contestant)
    if measured is None or not measured.seconds:
        return None
    return outcome.figure.rows / Spread.of(measured.seconds).median / 1e6


def _pair(outcome: Outcome, pair: Pair) -> str:
    notes = [note for name in pair.names if (note := outcome.measured[name].note)]
    times = ratio(outcome, pair)
    cells = [
        outcome.figure.title,
        f"`{pair.ours}`",
        f"`{pair.peer}`",
        str(times) if times else notes[0],
        f"≥ {pair.target:g}" if pair.target else PUBLISHED,
    ]
    return f"| {' | '.join(cells)} |"


def _contestant(outcome: Outcome, result: Measured) -> str:
    throughput = rate(outcome, result.contestant)
    cells = [
        outcome.figure.title,
        f"`{result.contestant}`",
        str(Spread.of(result.seconds)) if result.seconds else result.note,
        number(throughput) if throughput else "",
        result.peak_memory or "n/a",
        ", ".join(result.operators) or "n/a",
    ]
    return f"| {' | '.join(cells)} |"


def reduce_sides(outcomes: Sequence[Outcome]) -> list[str]:
    """Write the table of last stages; empty if none was measured."""
    looked = [
        (outcome, result)
        for outcome in outcomes
        for result in outcome.measured.values()
        if result.stages and not result.note
    ]
    if not looked:
        return []
    return [
        "Reduce sides: the stage that sorts and slides, alone.",
        "",
        "| figure | windows | seconds | tasks | rows a task | seconds of a task |",
        "|---|---|---|---|---|---|",
        *[_stage_row(outcome.figure.title, result.contestant, result.stages) for outcome, result in looked],
        "",
    ]


def _stage_row(title: str, contestant: str, stages: Sequence[Stage]) -> str:
    last = stages[-1]
    rows = [spaced(round(f(last.task_rows))) for f in (statistics.median, min, max)]
    cells = [
        title,
        f"`{contestant}`",
        str(Spread.of([stage.seconds for stage in stages])),
        str(len(last.task_rows)),
        f"{rows[0]} ({rows[1]}–{rows[2]})",
        f"{number(statistics.median(last.task_seconds))} ({number(min(last.task_seconds))}–"
        f"{number(max(last.task_seconds))})",
    ]
    return f"| {' | '.join(cells)} |"
