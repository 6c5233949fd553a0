"""Determines the order in which the contestants of a figure run."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Contestant = TypeVar("Contestant")


def turns(contestants: Sequence[Contestant], nth: int) -> list[Contestant]:
    """Return the contestants in the order of a round.

    A query can leave garbage to the next one, so the order matters. Over as many rounds as contestants, or twice as many if their
    number is odd, each contestant follows every other one equally often, and has each position equally often.

    Source: E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments, Australian Journal of
    Scientific Research A 2 (1949).
    """
    # 0, 1, n - 1, 2, n - 2, …: all steps from one to the next are different
    n = len(contestants)
    zigzag = [(i + 1) // 2 if i % 2 else -(i // 2) for i in range(n)]
    order = [contestants[(i + nth) % n] for i in zigzag]
    return order[::-1] if n % 2 and nth % 2 else order
