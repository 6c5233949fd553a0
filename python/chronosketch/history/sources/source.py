"""What a follower needs of a table: its versions, their times, and what changed in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from chronosketch.errors import HistoryError
from chronosketch.history.refusals import condition_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

# The columns that a source puts beside the table's own: the version of a change, and +1 or -1.
VERSION = "_commit_version"
COPIES = "_chronosketch_copies"


class Taken(NamedTuple):
    """The last version that a history has: its number, what the table was known by, and its time."""

    version: int
    identity: str
    micros: int


class ChangeSource(Protocol):
    """A table that knows its versions and what changed in each. `latest` is asked first."""

    @property
    def name(self) -> str:
        """Return the table's full name."""

    def rows(self) -> DataFrame:
        """Return the table as it is now."""

    def latest(self) -> int:
        """Return the newest version; -1 where there is none."""

    def identity(self) -> str:
        """Return what the table is known by at its newest version."""

    def replaced(self, taken: Taken) -> str | None:
        """Say what has become of the table that a version was taken of; None where its versions go on."""

    def carries_on(self, taken: Taken) -> bool:
        """Say whether all changes since a version are known, though the table was replaced."""

    def first(self, latest: int, fits: Callable[[DataFrame], bool]) -> int:
        """Return the first version with a snapshot that fits, and every change since known up to `latest`."""

    def anew(self, version: int) -> int:
        """Return the number that a version has in a history that begins now."""

    def times(self, first: int, last: int) -> list[tuple[int, int]]:
        """Return when the versions were committed, in microseconds since 1970, by version."""

    def images(self, first: int, last: int) -> int | None:
        """Return how many images `changes` has, about; None where that is not known beforehand."""

    def changes(self, first: int, last: int) -> DataFrame:
        """Return the images that came (`COPIES` is 1) and went (-1) in each `_commit_version`.

        A row that a version only copied may come and go in it: a step adds both up to nothing.
        """

    def snapshot(self, version: int) -> DataFrame:
        """Return the table as of a version."""


def first_complete(low: int, high: int, complete: Callable[[int], bool]) -> int:
    """Return the first version from which all is known; `high` is one, and is not asked.

    Examples
    --------
    >>> first_complete(0, 9, lambda version: version >= 4)
    4
    """
    if low < high and complete(low):
        return low
    # Whatever is missing is missing from every earlier beginning too, so halving finds the first.
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
    """Say whether a snapshot fits, and it and the changes since can be read."""
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
