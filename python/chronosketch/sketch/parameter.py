"""The parameters of families."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from chronosketch.sketch.codec import java_text
from chronosketch.sketch.refusal import Refusal


@dataclass(frozen=True)
class Parameter:
    """A tuning parameter with its closed range. `is_whole` limits it to whole numbers.

    Examples
    --------
    >>> from chronosketch.sketch.parameter import Parameter
    >>> Parameter("epsilon", 0.0, 0.5).allows(0.6)
    False
    """

    name: str
    least: float
    greatest: float
    is_whole: bool = False

    def allows(self, value: float) -> bool:
        """Return whether the parameter can have this value."""
        return self.least <= value <= self.greatest and (not self.is_whole or value == int(value))

    def require(self, value: float) -> float:
        """Return the value. Refuse one that is out of range."""
        if not self.allows(value):
            raise Refusal(
                "PARAMETER_OUT_OF_RANGE",
                parameter=self.name,
                value=java_text.double(float(value)),
                range=self.range,
            )
        # -0.0 becomes 0.0
        return float(value) + 0.0

    @property
    def range(self) -> str:
        """The allowed values, for messages."""
        ends = f"[{self.text(self.least)}, {self.text(self.greatest)}]"
        return f"the whole numbers of {ends}" if self.is_whole else ends

    @staticmethod
    def text(value: float) -> str:
        """Write a value without trailing zeros."""
        return format(Decimal(repr(value)).normalize(), "f")
