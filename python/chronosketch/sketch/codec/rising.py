"""Increasing numbers, stored as differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chronosketch.sketch.codec.split_mix import signed
from chronosketch.sketch.codec.wire import MOST_LONG, corrupt

if TYPE_CHECKING:
    from chronosketch.sketch.codec.wire import Reader


def next_rising(r: Reader, before: int) -> int:
    """Read a number that is stored as its difference to the one before. It must be greater."""
    number = before + r.varint()
    if number == before or number > MOST_LONG:
        raise corrupt(f"{signed(number)} follows {before}, but the numbers must increase")
    return number


def read_rising(r: Reader, n: int) -> list[int]:
    """Read n numbers."""
    numbers: list[int] = []
    for _ in range(n):
        numbers.append(next_rising(r, numbers[-1]) if numbers else r.zigzag())
    return numbers
