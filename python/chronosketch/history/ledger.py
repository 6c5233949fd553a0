"""A history's table: its kinds of rows, the progress that it stores, and the commit of a step."""

from __future__ import annotations

import json
import uuid
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from threading import Lock
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from chronosketch.errors import HistoryError
from chronosketch.history.definition import FORMAT, Definition, NewerFormatError
from chronosketch.history.sources.choice import location_of, schema_of
from chronosketch.history.sources.delta import table_as_of
from chronosketch.history.sources.read_errors import is_missing_error
from chronosketch.history.sources.source import LastVersion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, Row, SparkSession


# The kinds of rows. Each is a partition, so that replacing the open rows does not read or rewrite the others.
SEALED = "sealed"  # a group's history of a range of versions; never changes
OPEN = "open"  # a group's history of the versions since the last sealing
CHANGE = "change"  # the input of the open rows: all values at the base version, and the changes since
STEP = "step"  # the progress after a step, and the commit times of its versions

# The columns that every history's table has, with their types, and the fields of a step.
_COLUMNS = {
    "kind": "string",
    "from_version": "bigint",
    "to_version": "bigint",
    "first_ts": "timestamp",
    "last_ts": "timestamp",
    "sketch": "binary",
    "version": "bigint",
    "copies": "bigint",
}
_STEP_FIELDS = {"number", "id", "table", "definition", "base", "since", "since_ts", "built", "versions"}

# The number of latest commits that are searched for a step, in case others have written since.
_RECENT = 5

# The setting belongs to the session, so threads that change and restore it must take turns.
_SETTING_LOCK = Lock()
_SKIP_CHECK = "spark.databricks.delta.replaceWhere.constraintCheck.enabled"


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


class Ledger:
    """A history's table at one of its own versions.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog.
    into : str
        The table, as SQL names it.
    """

    def __init__(self, spark: SparkSession, into: str) -> None:
        self._spark = spark
        self._into = into
        self._rows: DataFrame | None = None
        self._notes: list[str | None] = []
        self.refresh()

    def refresh(self) -> None:
        """Read the current version of the table."""
        self._rows, self._notes = None, []
        if self._exists():
            try:
                recent = self._recent()
            except AnalysisException as error:  # a view, or a table of another format
                raise self.not_a_history() from error
            self._notes = [commit.userMetadata for commit in recent]
            self._rows = table_as_of(self._spark, self._into, recent[0].version)
            if not _has_columns(self._rows.schema):
                raise self.not_a_history()

    def _recent(self) -> list[Row]:
        # Selecting columns here would run another job.
        return self._spark.sql(f"DESCRIBE HISTORY {self._into} LIMIT {_RECENT}").collect()

    def _exists(self) -> bool:
        try:
            self._spark.table(self._into).schema  # noqa: B018
        except AnalysisException as error:
            if not is_missing_error(error):
                raise
            return False
        return True

    def not_a_history(self, why: str = "") -> HistoryError:
        """Return the error that says that the table is not a history."""
        return HistoryError(
            "NOT_A_HISTORY",
            f"{self._into} is a table, but not a history that follow has written{why}. "
            "Name another table as into, or drop this one.",
        )

    def require_schema(self) -> None:
        """Refuse a table that cannot be created because its schema does not exist.

        Raises
        ------
        HistoryError
            If the schema does not exist.
        """
        schema = schema_of(self._into)
        if self._rows is None and schema and not self._spark.catalog.databaseExists(schema):
            create = f" Create it: CREATE SCHEMA {schema}" if "." not in schema else ""
            raise HistoryError(
                "INTO_NOT_FOUND",
                f"There is no schema {schema}, so {self._into} cannot be created. "
                f"Name a table of another schema as into.{create}",
            )

    def rows(self, *kinds: str) -> DataFrame:
        """Return the rows of the given kinds."""
        if self._rows is None:
            raise HistoryError(
                "NO_HISTORY", f"There is no history {self._into}. Make one with cs.history.follow."
            )
        return self._rows.where(F.col("kind").isin(*kinds))

    def progress(self) -> Progress | None:
        """Return the progress of the history, or None if no step has been made.

        Raises
        ------
        HistoryError
            If the table is not a history, or a newer package has written it.
        """
        if self._rows is None:
            return None
        # The newest commit has it as a note. If that is not a step's, as after OPTIMIZE, read the step's row.
        progress = Progress.from_json(self._notes[0]) or self._read_progress()
        if progress is None:
            if self._rows.limit(1).collect():  # the first step would overwrite these rows
                raise self.not_a_history(": it has rows, but none of a step")
            return None
        expected = [*progress.definition.by_names, "value"]
        if missing := [name for name in expected if name not in self._rows.columns]:
            raise self.not_a_history(f": it has no column {', '.join(missing)}, as its steps say")
        return progress

    def _read_progress(self) -> Progress | None:
        since_micros = F.unix_micros("step.since_ts").alias("since_micros")
        last_micros = F.unix_micros("last_ts").alias("last_micros")
        columns = F.struct("step.*", since_micros, "to_version", last_micros)
        newest = F.max_by(columns, "step.number").alias("newest")
        found = self.rows(STEP).agg(newest, F.min("from_version").alias("first")).first()
        if found is None or found.newest is None:
            return None
        row = found.newest
        try:
            definition = Definition.from_json(row.definition)
        except NewerFormatError as error:
            raise HistoryError(
                "HISTORY_TOO_NEW",
                f"{self._into} has format {error}, and this chronosketch reads format {FORMAT}. A newer one "
                "has written it. Install that version.",
            ) from error
        except (ValueError, TypeError, KeyError) as error:
            raise self.not_a_history(f": its definition is {row.definition!r}") from error
        since = (row.base, row.since, row.since_micros)
        segment = Segment(*since, row.built, row.began, row.taken, row.waiting)
        versions = (found["first"], row.to_version, row.last_micros)
        return Progress(row.number, row.id, row.table, definition, *versions, segment)

    def create(self, definition: Definition) -> None:
        """Create the table without rows if it does not exist."""
        names = zip(definition.groups, definition.by_types, strict=True)
        by = "".join(f"{name} {kind}, " for name, kind in names)
        self._spark.sql(
            f"CREATE TABLE IF NOT EXISTS {self._into} (kind STRING, from_version BIGINT, to_version BIGINT, "
            f"first_ts TIMESTAMP, last_ts TIMESTAMP, {by}sketch BINARY, "
            f"version BIGINT, value {definition.kept_type}, copies BIGINT, "
            "step STRUCT<number: BIGINT, id: STRING, table: STRING, definition: STRING, base: BIGINT, "
            "since: BIGINT, since_ts: TIMESTAMP, built: BIGINT, began: BIGINT, taken: BIGINT, "
            "waiting: BIGINT, versions: ARRAY<STRUCT<version: BIGINT, ts: TIMESTAMP>>>) "
            "USING delta PARTITIONED BY (kind)"
        )

    def commit(self, frame: DataFrame, replacing: tuple[str, ...] | None, made: Progress) -> bool:
        """Replace the rows of some kinds and append the rest, in one commit. `None` replaces all rows.

        Returns False if another follower has made this step.

        Raises
        ------
        HistoryError
            If Delta has recorded a step of this number, but its rows are gone.
        """
        # Written by path: saveAsTable would replace the table and lose its partitioning.
        place = location_of(self._spark, self._into)
        writer = frame.write.format("delta").mode("append" if replacing == () else "overwrite")
        # Delta skips a transaction number that it has recorded, so only one of two followers writes a step.
        writer = writer.option("txnAppId", "chronosketch.history").option("txnVersion", str(made.number))
        writer = writer.option("userMetadata", made.to_json())
        if replacing is None:
            writer = writer.option("overwriteSchema", "true").partitionBy("kind")
        elif replacing:
            kinds = ", ".join(f"'{kind}'" for kind in replacing)
            writer = writer.option("replaceWhere", f"kind IN ({kinds})")
        with self._allow_appends():
            writer.save(place)
        if made.to_json() in [commit.userMetadata for commit in self._recent()]:
            return True
        self.refresh()
        now = self.progress()
        if now is None or now.number < made.number:
            raise HistoryError(
                "HISTORY_SET_BACK",
                f"RESTORE or DELETE has set {self._into} back to before step {made.number}, and a step "
                f"cannot be made twice. Go on in a copy: CREATE TABLE {self._copy_name()} USING delta "
                f"PARTITIONED BY (kind) AS SELECT * FROM {self._into}",
            )
        return now.id == made.id

    def _copy_name(self) -> str:
        name = self._into
        return f"{name[:-1]}_again`" if name.endswith("`") else f"{name}_again"

    @contextmanager
    def _allow_appends(self) -> Iterator[None]:
        """Let one commit replace some kinds and append others, which only a setting of Delta allows."""
        with _SETTING_LOCK:
            before = self._spark.conf.get(_SKIP_CHECK, None)
            self._spark.conf.set(_SKIP_CHECK, "false")
            try:
                yield
            finally:
                if before is None:
                    self._spark.conf.unset(_SKIP_CHECK)
                else:
                    self._spark.conf.set(_SKIP_CHECK, before)


def _has_columns(schema: StructType) -> bool:
    """Return whether a table has the columns of a history, apart from the groups and the value."""
    types = {field.name: field.dataType for field in schema.fields}
    step = types.get("step")
    return (
        all(name in types and types[name].simpleString() == kind for name, kind in _COLUMNS.items())
        and isinstance(step, StructType)
        and set(step.names) >= _STEP_FIELDS
    )
