"""Format the answers of the demo as terminal tables."""

from __future__ import annotations

from itertools import groupby
from math import ceil, floor
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chronosketch.demo.chapters import StoredAnswers
    from chronosketch.demo.checking import CheckedAnswer


def answers_table(answers: Sequence[CheckedAnswer], group_name: str, unit: str) -> Table:
    """Return a table with a row for each group: approximate and exact values, and bounds that differ."""
    phis = list(dict.fromkeys(answer.phi for answer in answers))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(group_name, no_wrap=True)
    table.add_column("values", justify="right")
    for phi in phis:
        table.add_column(f"{percentile(phi)}, {unit}\n[dim]≈ | exact\nbounds[/dim]", justify="right")
    table.add_column("rank error, %\n[dim]true\n≤ certified[/dim]", justify="right")
    for group, of_group in groupby(answers, key=lambda answer: answer.group):
        row = list(of_group)
        worst = max(answer.rank_error for answer in row)
        table.add_row(
            group,
            f"{row[0].count:,}",
            *[_cell(answer) for answer in row],
            f"{_share(worst)} ≤ {_share(row[0].certified)}",
        )
    return table


def reading_table(stored: StoredAnswers) -> Table:
    """Return a table that compares reading the stored sketches with reading the raw column."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("read to answer")
    table.add_column("rows", justify="right")
    table.add_column("bytes of the columns", justify="right")
    for name, reading in (("stored sketches", stored.sketches), ("the raw column", stored.raw)):
        table.add_row(name, f"{reading.rows:,}", f"{reading.size_bytes:,}")
    rows, size = stored.raw.rows / stored.sketches.rows, stored.raw.size_bytes / stored.sketches.size_bytes
    table.add_row("[dim]raw ÷ sketches[/dim]", f"[dim]{rows:,.0f}×[/dim]", f"[dim]{size:,.1f}×[/dim]")
    return table


def percentile(phi: str) -> str:
    """Write φ as a percentile: 0.99 is p99."""
    return f"p{float(phi) * 100:g}"


def summary(answers: Sequence[CheckedAnswer]) -> str:
    """Describe how many answers were checked, and how many kept their guarantees."""
    exact = sum(answer.answer == answer.exact for answer in answers)
    certain = sum(answer.low == answer.high for answer in answers)
    inside = sum(answer.low <= answer.exact <= answer.high for answer in answers)
    kept = sum(answer.rank_error <= answer.certified for answer in answers)
    return (
        f"{len(answers)} answers were checked against the sorted values. For {inside} of them the exact "
        f"answer is within the bounds. For {kept} the rank error is within the certified one. {exact} "
        f"answers are exact, and {certain} of these are known to be exact (low = high)."
    )


def _cell(answer: CheckedAnswer) -> str:
    digits = 0 if answer.exact.is_integer() and answer.answer.is_integer() else 1
    text = f"{answer.answer:,.{digits}f} | {answer.exact:,.{digits}f}"
    if answer.low == answer.high:
        return text
    # Round outward, so that the shown bounds hold too.
    low, high = floor(answer.low * 10**digits) / 10**digits, ceil(answer.high * 10**digits) / 10**digits
    return f"{text}\n[dim]{low:,.{digits}f} … {high:,.{digits}f}[/dim]"


def _share(share: float) -> str:
    return "0" if share == 0 else f"{share * 100:.3f}"
