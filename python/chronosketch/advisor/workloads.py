"""A window as the cost models see it: its rows, its slide and its allowed error."""

from __future__ import annotations

from dataclasses import dataclass

FACTORS = ("retention", "slide", "epsilon", "delta")


@dataclass(frozen=True, order=True)
class Workload:
    """A window of `retention` rows that moves by `slide` rows. An `epsilon` of 0 is exact.

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
        """Return one of the four factors by name."""
        return float(
            {"retention": self.retention, "slide": self.slide, "epsilon": self.epsilon}.get(name, self.delta)
        )
