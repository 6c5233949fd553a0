"""Formats numbers, and the spread of rounds."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Spread:
    """The median, minimum and maximum of the rounds."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Summarize rounds."""
        return cls(statistics.median(values), min(values), max(values))

    def __str__(self) -> str:
        return f"{number(self.median)} ({number(self.least)}–{number(self.greatest)})"


def number(value: float) -> str:
    """Write two decimals, or two significant digits if that is more, as for queries of milliseconds."""
    return f"{value:.2f}" if value >= 0.1 else f"{value:#.2g}"


def spaced(count: int) -> str:
    """Write a count with its digits in groups of three."""
    return f"{count:,}".replace(",", " ")
