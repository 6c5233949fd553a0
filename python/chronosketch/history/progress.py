"""The progress of a history, as it is stored in a row of its table and in the note on a commit."""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict, dataclass

from chronosketch.history.definition import Definition
from chronosketch.history.sources.source import Taken


@dataclass(frozen=True)
class Segment:
    """Versions that open rows are of: they begin with the values of `base`, and answer from `since` on.

    The table has `began` rows of kind `CHANGE` at `base` (None: not counted yet), and `taken` since. Open
    rows were built from those up to version `built`; `waiting` are later ones.
    """

    base: int
    since: int
    since_micros: int | None
    built: int
    began: int | None
    taken: int
    waiting: int

    @property
    def kept(self) -> int:
        """The number of rows of kind `CHANGE`, as far as they are counted."""
        return (self.began or 0) + self.taken


@dataclass(frozen=True)
class Progress:
    """The progress of a history: its last step and its last version."""

    number: int
    id: str
    table: str
    definition: Definition
    first: int
    last: int
    last_micros: int
    segment: Segment

    @property
    def taken(self) -> Taken:
        """Return what the source has to know of the last version."""
        return Taken(self.last, self.table, self.last_micros)

    def text(self) -> str:
        """Write it as JSON."""
        return json.dumps({**asdict(self), "definition": self.definition.fields()}, ensure_ascii=False)

    @staticmethod
    def read(text: str | None) -> Progress | None:
        """Read what `text` wrote. Returns None for another text, and for one of a newer format.

        Examples
        --------
        >>> Progress.read("by hand") is Progress.read('{"number": 1}') is Progress.read(None) is None
        True
        """
        try:
            fields = json.loads(text or "")
            definition, segment = Definition.of(fields["definition"]), Segment(**fields["segment"])
            return Progress(**{**fields, "definition": definition, "segment": segment})
        except (ValueError, TypeError, KeyError):
            return None


def new_id() -> str:
    """Make up what a step is known by."""
    return uuid.uuid4().hex
