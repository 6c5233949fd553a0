"""In which order the contestants of a figure run."""

from __future__ import annotations


def turns(contestants: int, nth: int) -> list[int]:
    """Return the order of a round: the numbers of the contestants, from 0 on.

    A query can leave garbage to the next one, so who follows whom matters. Over as many rounds as contestants, or twice as many if
    their number is odd, each follows each other equally often, and has each place equally often.

    Source: E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments, Australian Journal of
    Scientific Research A 2 (1949).
    """
    # 0, 1, n - 1, 2, n - 2, …: from one to the next each step is another one
    zigzag = [(i + 1) // 2 if i % 2 else -(i // 2) for i in range(contestants)]
    order = [(i + nth) % contestants for i in zigzag]
    return order[::-1] if contestants % 2 and nth % 2 else order
