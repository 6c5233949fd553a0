"""The values that calls to a warehouse return."""

from __future__ import annotations

from typing import NamedTuple


class Appended(NamedTuple):
    """The outcome of an append.

    `step` is the step that it wrote and `rows` the number of rows in it. `nulls` rows had a NULL value and
    were left out. `version` is the warehouse's version since then. `is_new` is False if the batch had been
    appended before: then nothing was written.
    """

    step: int
    rows: int
    nulls: int
    version: int
    is_new: bool


class Window(NamedTuple):
    """The last `steps` steps, `first_step` to `last_step`. They have `rows` rows; `live_rows` are live."""

    steps: int
    first_step: int
    last_step: int
    rows: int
    live_rows: int


class Ended(NamedTuple):
    """The step that ended, with its number of rows.

    `nulls` rows had a NULL value and were left out. `version` is the warehouse's version since then.
    """

    step: int
    rows: int
    nulls: int
    version: int
