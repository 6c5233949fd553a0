"""The error of one row of a column."""

from __future__ import annotations

from chronosketch.sketch.refusal import SketchError


class RowError(SketchError):
    """An error of a sketch, with the row of the column that it is in.

    Attributes
    ----------
    row : int
        The row, counted from 0.

    Examples
    --------
    >>> from chronosketch import arrow
    >>> try:
    ...     arrow.count([None, b"CSV,with,commas"])
    ... except arrow.RowError as error:
    ...     print(error.row, error.condition)
    1 CHRONOSKETCH_NOT_A_SKETCH
    """

    def __init__(self, condition: str, parameters: dict[str, str], row: int) -> None:
        super().__init__(condition, parameters)
        self.row = row
        self.args = (f"[{condition}] Row {row}: {self.sentences}",)

    def __reduce__(self) -> tuple[type[RowError], tuple[str, dict[str, str], int]]:  # type: ignore[override]
        return type(self), (self.condition, self.parameters, self.row)


def with_row(error: SketchError, row: int, function: str) -> RowError:
    """Add the row and the function to an error."""
    parameters = {**error.parameters, "function": f"arrow.{function}"}
    if "call" in parameters:
        # the message is about one sketch; show the call for the column
        _, _, arguments = parameters["call"].partition("(")
        parameters["call"] = f"arrow.{function}(column, {arguments}"
    return RowError(error.condition, parameters, row)
