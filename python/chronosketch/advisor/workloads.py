"""What a window asks for: how many rows it holds, how far it moves, and how exact its answers are."""

from __future__ import annotations

from dataclasses import dataclass

FACTORS = ("retention", "slide", "epsilon", "delta")


@dataclass(frozen=True, order=True)
class Workload:
    """A window of `retention` rows that moves by `slide` rows; an `epsilon` of 0 is exact.

    Examples
    --------
    >>> Workload(19_200, 320, 0.01, 1e-4).factor("slide")
    320.0
    """

    retention: float
    slide: float
    epsilon: float = 0.0
    delta: float = 0.0

    def factor(self, name: str) -> float:
        """Return one of the four factors by its name."""
        return float(
            {"retention": self.retention, "slide": self.slide, "epsilon": self.epsilon}.get(name, self.delta)
        )
