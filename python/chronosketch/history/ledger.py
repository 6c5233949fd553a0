"""The table of a history: the kinds of its rows, its progress, and the one commit of a step."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from chronosketch.errors import HistoryError
from chronosketch.history.definition import FORMAT, Definition, NewerFormatError
from chronosketch.history.progress import Progress, Segment
from chronosketch.history.refusals import says_missing
from chronosketch.history.sources.choice import place_of, schema_of
from chronosketch.history.sources.delta import table_as_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, Row, SparkSession

# The kinds of rows. Each is a partition, so that replacing the open rows reads and rewrites no others.
SEALED = "sealed"  # a group's history of some versions, never to change
OPEN = "open"  # a group's history of the versions since
CHANGE = "change"  # what the open rows were built from: all values at their beginning, and changes since
STEP = "step"  # how far a step came, and when its versions were committed

# The columns of every history's table, and the fields of a step, with their types.
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

# Commits among which a step is looked for first, in case others have written since.
_RECENT = 5

# The setting is the session's: threads that change it and put it back take turns.
_TURN = Lock()
_SKIP_CHECK = "spark.databricks.delta.replaceWhere.constraintCheck.enabled"


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
        """Take the table as it is now."""
        self._rows, self._notes = None, []
        if self._exists():
            try:
                recent = self._recent()
            except AnalysisException as error:  # a view, or a table that is not Delta's
                raise self.not_a_history() from error
            self._notes = [commit.userMetadata for commit in recent]
            self._rows = table_as_of(self._spark, self._into, recent[0].version)
            if not _has_columns(self._rows.schema):
                raise self.not_a_history()

    def _recent(self) -> list[Row]:
        # As it comes: to select some columns would be a job more.
        return self._spark.sql(f"DESCRIBE HISTORY {self._into} LIMIT {_RECENT}").collect()

    def _exists(self) -> bool:
        try:
            self._spark.table(self._into).schema  # noqa: B018
        except AnalysisException as error:
            if not says_missing(error):
                raise
            return False
        return True

    def not_a_history(self, why: str = "") -> HistoryError:
        """Return the error that says that the table is something else."""
        return HistoryError(
            "NOT_A_HISTORY",
            f"{self._into} is a table, but not a history that follow has written{why}. "
            "Name another table as into, or drop this one.",
        )

    def require_place(self) -> None:
        """Refuse a table that could not be created, because its schema does not exist.

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
        """Return the rows of some kinds."""
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
        # A step's own commit has it too. If others wrote after it, as OPTIMIZE does, its row is read.
        progress = Progress.read(self._notes[0]) or self._read_progress()
        if progress is None:
            if self._rows.limit(1).collect():  # which the first step would overwrite
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
            definition = Definition.read(row.definition)
        except NewerFormatError as error:
            raise HistoryError(
                "HISTORY_TOO_NEW",
                f"{self._into} has format {error}, and this chronosketch reads format {FORMAT}. A newer one "
                "has written it. Install that: pip install --upgrade chronosketch",
            ) from error
        except (ValueError, TypeError, KeyError) as error:
            raise self.not_a_history(f": its definition is {row.definition!r}") from error
        since = (row.base, row.since, row.since_micros)
        segment = Segment(*since, row.built, row.began, row.taken, row.waiting)
        versions = (found["first"], row.to_version, row.last_micros)
        return Progress(row.number, row.id, row.table, definition, *versions, segment)

    def create(self, definition: Definition) -> None:
        """Create the table without rows, unless it is there."""
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
        """Replace the rows of some kinds, and append the rest, in one commit; None replaces everything.

        Returns whether this step is now the table's last; if not, another follower has made one.

        Raises
        ------
        HistoryError
            If Delta has recorded a step of this number, but its rows are gone.
        """
        # By its place: saveAsTable would replace the table, and its partitions with it.
        place = place_of(self._spark, self._into)
        writer = frame.write.format("delta").mode("append" if replacing == () else "overwrite")
        # Delta skips a number that it has recorded, so of two followers at the same step one writes.
        writer = writer.option("txnAppId", "chronosketch.history").option("txnVersion", str(made.number))
        writer = writer.option("userMetadata", made.text())
        if replacing is None:
            writer = writer.option("overwriteSchema", "true").partitionBy("kind")
        elif replacing:
            kinds = ", ".join(f"'{kind}'" for kind in replacing)
            writer = writer.option("replaceWhere", f"kind IN ({kinds})")
        with self._appending_beside():
            writer.save(place)
        if made.text() in [commit.userMetadata for commit in self._recent()]:
            return True
        self.refresh()
        now = self.progress()
        if now is None or now.number < made.number:
            raise HistoryError(
                "HISTORY_SET_BACK",
                f"RESTORE or DELETE has set {self._into} back to before step {made.number}, and a step "
                f"cannot be made twice. Go on in a copy: CREATE TABLE {self._another()} USING delta "
                f"PARTITIONED BY (kind) AS SELECT * FROM {self._into}",
            )
        return now.id == made.id

    def _another(self) -> str:
        name = self._into
        return f"{name[:-1]}_again`" if name.endswith("`") else f"{name}_again"

    @contextmanager
    def _appending_beside(self) -> Iterator[None]:
        """Let a commit that replaces some kinds append others: a setting is the only way to say so."""
        with _TURN:
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
    """Return whether a table has the columns of a history, beside those of its groups and its value."""
    types = {field.name: field.dataType for field in schema.fields}
    step = types.get("step")
    return (
        all(name in types and types[name].simpleString() == kind for name, kind in _COLUMNS.items())
        and isinstance(step, StructType)
        and set(step.names) >= _STEP_FIELDS
    )
