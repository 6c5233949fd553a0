"""What calls to a warehouse return."""

from __future__ import annotations

from typing import NamedTuple


class Appended(NamedTuple):
    """What an append did; rows with a NULL value were counted and left out."""

    step: int
    rows: int
    nulls: int
    version: int
    is_new: bool


class Window(NamedTuple):
    """The last `steps` steps, the first of them and the last, their rows, and how many of these are live."""

    steps: int
    first_step: int
    last_step: int
    rows: int
    live_rows: int


class Ended(NamedTuple):
    """The step that ended; its rows; those with a NULL value, which were left out; the version."""

    step: int
    rows: int
    nulls: int
    version: int
