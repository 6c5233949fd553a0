"""The numbers that a family is tuned with."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from chronosketch.sketch.codec import java_text
from chronosketch.sketch.refusal import Refusal


@dataclass(frozen=True)
class Parameter:
    """A tuning parameter and the closed range it can have, of which it may have the whole numbers alone.

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
        """Return whether the parameter can have a value."""
        return self.least <= value <= self.greatest and (not self.is_whole or value == int(value))

    def require(self, value: float) -> float:
        """Return the value; refuse one out of range."""
        if not self.allows(value):
            raise Refusal(
                "PARAMETER_OUT_OF_RANGE",
                parameter=self.name,
                value=java_text.double(float(value)),
                range=self.range,
            )
        # a sketch of -0.0 is one of 0.0
        return float(value) + 0.0

    @property
    def range(self) -> str:
        """The values that it can have, for a message."""
        ends = f"[{self.text(self.least)}, {self.text(self.greatest)}]"
        return f"the whole numbers of {ends}" if self.is_whole else ends

    @staticmethod
    def text(value: float) -> str:
        """Write a value without needless zeros."""
        return format(Decimal(repr(value)).normalize(), "f")
