"""The progress of a history, stored in a row of its table and in the note on its commit."""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict, dataclass

from chronosketch.history.definition import Definition
from chronosketch.history.sources.source import LastVersion


@dataclass(frozen=True)
class Segment:
    """The versions that the open rows cover: they start from the values at `base` and answer from `since` on.

    The table has `began` rows of kind `CHANGE` at version `base` (None if not counted yet), and `taken` rows
    after it. Open rows were built from the changes up to version `built`; `waiting` counts later changes.
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
        """The number of stored rows of kind `CHANGE`. Rows that are not counted yet are left out."""
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
    def last_version(self) -> LastVersion:
        """Return what identifies the last version in the source."""
        return LastVersion(self.last, self.table, self.last_micros)

    def to_json(self) -> str:
        """Write the progress as JSON."""
        return json.dumps({**asdict(self), "definition": self.definition.fields()}, ensure_ascii=False)

    @staticmethod
    def from_json(text: str | None) -> Progress | None:
        """Read progress from JSON. Returns None for any other text, and for a newer format.

        Examples
        --------
        >>> [Progress.from_json(text) for text in ("by hand", '{"number": 1}', None)]
        [None, None, None]
        """
        try:
            fields = json.loads(text or "")
            definition, segment = Definition.from_fields(fields["definition"]), Segment(**fields["segment"])
            return Progress(**{**fields, "definition": definition, "segment": segment})
        except (ValueError, TypeError, KeyError):
            return None


def new_id() -> str:
    """Create a unique id for a step."""
    return uuid.uuid4().hex
