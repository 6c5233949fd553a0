"""The interface of a source: its versions, their times, and the changes in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from chronosketch.errors import HistoryError
from chronosketch.history.sources.read_errors import condition_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

# Columns that a source adds to the table's own: the version of a change, and +1 or -1.
VERSION = "_commit_version"
COPIES = "_chronosketch_copies"


class LastVersion(NamedTuple):
    """The last version of a history: its number, the table's identity, and its commit time."""

    version: int
    identity: str
    micros: int


class ChangeSource(Protocol):
    """A table with versions and the changes in each."""

    @property
    def name(self) -> str:
        """Return the table's full name."""

    def rows(self) -> DataFrame:
        """Return the table's current rows."""

    @property
    def latest(self) -> int:
        """Return the newest version when the source was opened, or -1 if there was none."""

    def identity(self) -> str:
        """Return an id of the table at its newest version."""

    def replaced(self, last: LastVersion) -> str | None:
        """Return how the table was replaced since a version, or None if it was not."""

    def has_changes_since(self, last: LastVersion) -> bool:
        """Return whether all changes since a version are known, although the table was replaced."""

    def first(self, latest: int, fits: Callable[[DataFrame], bool]) -> int:
        """Return the first version whose snapshot fits, with all changes from there to `latest` known."""

    def start_number(self, version: int) -> int:
        """Return the number that a version has in a new history."""

    def times(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return each version with its commit time, in microseconds since 1970."""

    def images(self, first: int, last: int) -> int | None:
        """Return about how many row images `changes` has, or None if that is unknown."""

    def changes(self, first: int, last: int) -> DataFrame:
        """Return the row images that each `_commit_version` added (`COPIES` is 1) and removed (-1).

        A row that a version only copied may be both. A step adds both up to zero.
        """

    def snapshot(self, version: int) -> DataFrame:
        """Return the table as of a version."""


def first_complete(low: int, high: int, complete: Callable[[int], bool]) -> int:
    """Return the first version from which everything is known. `high` is known to be one.

    Examples
    --------
    >>> first_complete(0, 9, lambda version: version >= 4)
    4
    """
    if low < high and complete(low):
        return low
    # A version is complete if an earlier one is, so a binary search finds the first.
    while low < high:
        middle = (low + high) // 2
        if complete(middle):
            high = middle
        else:
            low = middle + 1
    return low


def is_complete(
    snapshot: Callable[[], DataFrame], fits: Callable[[DataFrame], bool], changes: Callable[[], DataFrame]
) -> bool:
    """Return whether a snapshot fits, and it and the changes since can be read."""
    try:
        rows = snapshot()
        if not fits(rows):
            return False
        rows.limit(1).collect()
        changes().select(VERSION, COPIES).limit(1).collect()
    except HistoryError:
        return False
    except Exception as error:
        if condition_of(error) is None:
            raise
        return False
    return True
