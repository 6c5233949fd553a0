"""One attempt at a step: read the history's progress and the changes since, then commit both."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

from chronosketch.columns import bigint
from chronosketch.errors import HistoryError
from chronosketch.history.building import coalesce_small
from chronosketch.history.definition import Definition
from chronosketch.history.ledger import CHANGE, OPEN, Ledger, Progress, Segment, new_id
from chronosketch.history.sources.choice import source_of
from chronosketch.history.sources.read_errors import condition_of, muted_error_log, reason
from chronosketch.history.sources.source import COPIES, VERSION
from chronosketch.history.writing import StepRows, is_full, must_rebuild, step_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

    from chronosketch.history.plan import Plan
    from chronosketch.history.sources.source import ChangeSource


class Step(NamedTuple):
    """The result of one step.

    The step added the versions `first` to `last`. `changes` counts their changes after changes of the same
    value were added up. `sealed` is True if the step also sealed the open rows.
    """

    first: int
    last: int
    changes: int
    sealed: bool


class Overtaken(Exception):  # noqa: N818
    """Another follower has already made this step."""


def make_step(spark: SparkSession, plan: Plan) -> Step | None:
    """Make one step, or write nothing. Returns None if the source has no version beyond the last.

    Raises
    ------
    HistoryError
        If changes are missing or do not fit. `condition` names the case, and the message says what to do.
    Overtaken
        If another follower has written in the meantime. Nothing was written.
    """
    ledger = Ledger(spark, plan.into)
    _refuse_to_skip_files(spark)
    before = ledger.progress()
    if before is None:
        ledger.require_schema()
    return _Attempt(spark, plan, ledger, before, _opened_source(spark, plan, before)).make()


def _refuse_to_skip_files(spark: SparkSession) -> None:
    for setting in ("spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"):
        if spark.conf.get(setting, "false") == "true":
            raise HistoryError(
                "CHANGES_COULD_BE_SKIPPED",
                f"{setting} is true, so Spark could leave out changes and not tell. "
                f"Switch it off for this session: spark.conf.set('{setting}', 'false')",
            )


def _opened_source(spark: SparkSession, plan: Plan, before: Progress | None) -> ChangeSource:
    try:
        return source_of(spark, plan.source, before.last_version if before else None)
    except HistoryError as error:
        name = error.condition.removeprefix("CHRONOSKETCH_")
        raise HistoryError(name, f"{error.sentences}{_available_versions(plan, before)}") from error
    except Exception as error:
        if condition_of(error) != "SOURCE_LOG_GONE":
            raise
        raise HistoryError(
            "SOURCE_LOG_GONE",
            f"Delta cannot read {plan.source}, because versions are missing inside its log. Repair "
            f"the table, and follow it again.{_available_versions(plan, before)}",
        ) from error


def _available_versions(plan: Plan, before: Progress | None) -> str:
    """Return a sentence with the versions that can still be read, or nothing if there is no history."""
    if before is None:
        return ""
    return f" Until then you can still ask {plan.into} for versions {before.first} to {before.last}."


class _Attempt:
    """An attempt at one step, from the progress `before` it and a source that was opened after that."""

    def __init__(
        self, spark: SparkSession, plan: Plan, ledger: Ledger, before: Progress | None, source: ChangeSource
    ) -> None:
        self._spark = spark
        self._plan = plan
        self._ledger = ledger
        self._before = before
        self._source = source

    def make(self) -> Step | None:
        """Make the step. Returns None if there is nothing new."""
        before, latest = self._before, self._source.latest
        resumed = None if before is None or self._must_restart(before) else before
        # Check the arguments in every step, even if there is nothing new, so that a mistake shows at once.
        if resumed is not None:
            self._refuse_other_arguments(resumed)
            if latest == resumed.last:  # its columns and types were checked when it was added
                return None
        elif latest == -1:
            self._definition_over(self._source.rows())
            return None
        number = 1 if before is None else before.number + 1
        table = self._source.identity()
        try:
            if resumed is None:
                return self._begin(number, table, latest)
            return self._continue(resumed, number, table, latest)
        except Exception as error:
            if condition_of(error) == "CONCURRENT_FOLLOWER":
                raise Overtaken from error
            raise

    def _begin(self, number: int, table: str, latest: int) -> Step:
        plan = self._plan
        # Fail on a mistake in an expression before searching through the versions.
        definition = self._definition(latest)
        first = self._first(latest) if plan.start is None else plan.start
        if first > latest:
            raise HistoryError(
                "VERSION_OUT_OF_RANGE",
                f"start is {first}, but the latest version of {plan.source} is {latest}. Give a start of at "
                "most that.",
            )
        with self._explaining(first, latest):
            snapshot = self._source.snapshot(first).withColumns({VERSION: bigint(first), COPIES: bigint(1)})
            images = definition.images(snapshot)
            if first < latest:
                images = images.unionByName(definition.images(self._source.changes(first + 1, latest)))
            times = _increasing(self._source.times(first, latest))
            segment = Segment(first, first, times[0][1], first - 1, None, 0, 0)
            rows = StepRows(definition, segment, None, None, definition.net_changes(images), times)
            return self._commit(rows, number, table, None)

    def _continue(self, before: Progress, number: int, table: str, latest: int) -> Step:
        first = before.last + 1
        with self._explaining(first, latest):
            definition = self._unchanged(before, first, latest)
            times = _increasing(self._source.times(first, latest), before.last_micros)
            images = definition.images(self._source.changes(first, latest))
            images = coalesce_small(images, self._source.images(first, latest))
            opened = self._ledger.rows(OPEN)
            changes = self._ledger.rows(CHANGE).select(*definition.groups, "version", "value", "copies")
            segment = before.segment
            if segment.began is None:  # the previous step sealed
                segment = replace(segment, since_micros=times[0][1], began=changes.count())
            rows = StepRows(definition, segment, opened, changes, definition.net_changes(images), times)
            return self._commit(rows, number, table, before)

    def _commit(self, rows: StepRows, number: int, table: str, before: Progress | None) -> Step:
        begins = before is None
        netted = rows.netted.persist()
        try:
            began, changes = _counted(netted, rows.segment.base)
            was, last, times = rows.segment, rows.times[-1][0], rows.times
            taken, waiting = was.taken + changes, was.waiting + changes
            began_with = began if was.began is None else was.began
            segment = replace(was, began=began_with, taken=taken, waiting=waiting)
            rows = replace(rows, segment=segment, netted=coalesce_small(netted, began + changes))
            replacing: tuple[str, ...] | None
            if sealed := is_full(segment):
                segment = Segment(last, last + 1, None, last, None, 0, 0)
                frame, replacing = rows.sealed(), (OPEN, CHANGE)
                count = rows.segment.kept
            elif begins or must_rebuild(segment):
                segment = replace(segment, built=last, waiting=0)
                frame, replacing = rows.rebuilt(), (OPEN,)
                count = rows.segment.kept
            else:
                frame, replacing = rows.changes(), ()
                count = changes
            first = times[0][0] if before is None else before.first
            made = Progress(number, new_id(), table, rows.definition, first, last, times[-1][1], segment)
            frame = frame.unionByName(step_row(self._spark, made, times), allowMissingColumns=True)
            frame = coalesce_small(frame.select(*rows.definition.columns), count)
            if begins:  # the frame has been analysed, so a mistake leaves no table behind
                self._ledger.create(rows.definition)
            if not self._ledger.commit(frame, None if begins else replacing, made):
                raise Overtaken
        finally:
            netted.unpersist()
        return Step(times[0][0], last, began + changes, sealed)

    def _definition(self, version: int) -> Definition:
        return self._definition_over(self._source.snapshot(version))

    def _definition_over(self, rows: DataFrame) -> Definition:
        plan = self._plan
        definition = Definition.resolve(rows, plan.value, tuple(plan.by), plan.where, plan.epsilon)
        return replace(definition, source=self._source.name)

    def _first(self, latest: int) -> int:
        """Return the first version that a new history can begin with.

        The definition must resolve there to the same types as in the newest version.
        """
        newest = self._source.snapshot(latest)
        try:
            with muted_error_log():
                definition = self._definition_over(newest)
        except AnalysisException:  # a column was renamed; the user will have to adapt the arguments
            return self._source.first(latest, lambda rows: rows.dtypes == newest.dtypes)

        def fits(rows: DataFrame) -> bool:
            try:
                with muted_error_log():
                    return self._definition_over(rows) == definition
            except AnalysisException:
                return False

        return self._source.first(latest, fits)

    def _refuse_other_arguments(self, before: Progress) -> None:
        """Refuse arguments that differ from those that the history began with."""
        plan, was = self._plan, before.definition
        pairs = {
            "value": (was.value, plan.value),
            "by": (list(was.by), list(plan.by)),
            "where": (was.where, plan.where),
            "epsilon": (was.epsilon, plan.epsilon),
            "start": (before.first, before.first if plan.start is None else plan.start),
        }
        self._refuse_different({name: pair for name, pair in pairs.items() if pair[0] != pair[1]})

    def _refuse_different(self, pairs: dict[str, tuple[object, object]]) -> None:
        """Refuse arguments. `pairs` maps each name to its value when the history began, and its value now."""
        if not pairs:
            return
        both = ", and with ".join(f"{name}={then!r}, not {now!r}" for name, (then, now) in pairs.items())
        then = ", ".join(f"{name}={then!r}" for name, (then, _) in pairs.items())
        raise HistoryError(
            "HISTORY_DIFFERS",
            f"{self._plan.into} was begun with {both}. Give {then}, or begin another history: name another "
            "table as into.",
        )

    def _unchanged(self, before: Progress, first: int, latest: int) -> Definition:
        was = before.definition
        try:
            now = self._definition(latest)
        except AnalysisException as error:
            raise self._schema_changed(first, latest, str(error).splitlines()[0]) from error
        if now != was:
            then_types, now_types = (was.value_type, *was.by_types), (now.value_type, *now.by_types)
            raise self._schema_changed(
                first,
                latest,
                f"Types were {', '.join(then_types)} and are {', '.join(now_types)}.",
            )
        return now

    def _must_restart(self, before: Progress) -> bool:
        """Return whether to drop the history and start again, because another table has the source's name.

        Raises
        ------
        HistoryError
            If the source is another table, and `on_replace` does not say what to do. Also if the source has
            another name now: then it is a mistake of the caller, and the history is kept.
        """
        plan = self._plan
        replaced = self._source.replaced(before.last_version)
        if replaced is None:
            return False
        if before.definition.source not in ("", self._source.name):
            self._refuse_different({"source": (before.definition.source, self._source.name)})
        if plan.on_replace == "rebuild":
            return True
        can_continue = self._source.has_changes_since(before.last_version)
        if plan.on_replace == "continue" and can_continue:
            return False
        go_on = "on_replace='continue' goes on with its change feed, and " if can_continue else ""
        why = "" if can_continue else " Its versions begin anew, so no changes lead to them."
        raise HistoryError(
            "SOURCE_REPLACED",
            f"{plan.source} was replaced by another table: {replaced}{why} {go_on}on_replace='rebuild' "
            "drops the history and begins with the new table.",
        )

    @contextmanager
    def _explaining(self, first: int, latest: int) -> Iterator[None]:
        """Turn errors from reading changes into a HistoryError that says what to do."""
        try:
            yield
        except HistoryError as error:
            name = error.condition.removeprefix("CHRONOSKETCH_")
            if name not in ("SOURCE_LOG_GONE", "SOURCE_SCHEMA_CHANGED"):
                raise
            raise HistoryError(name, self._with_remedy(error.sentences, latest)) from error
        except Exception as error:
            condition = condition_of(error)
            sentence = reason(condition, self._plan.source, first, latest) if condition else None
            if condition is None or sentence is None:
                raise
            files_gone = condition == "SOURCE_FILES_GONE"
            raise HistoryError(condition, self._with_remedy(sentence, latest, files_gone)) from error

    def _schema_changed(self, first: int, latest: int, details: str) -> HistoryError:
        sentence = reason("SOURCE_SCHEMA_CHANGED", self._plan.source, first, latest)
        return HistoryError("SOURCE_SCHEMA_CHANGED", f"{sentence} {details}")

    def _with_remedy(self, sentence: str, latest: int, files_gone: bool = False) -> str:
        """Add the first version that a new history can begin with.

        If files are gone, that is `latest`: finding an earlier one would mean reading all remaining files.
        """
        try:
            first = latest if files_gone else self._first(latest)
        except HistoryError as error:
            return f"{sentence} {error.sentences}"
        except Exception:  # too much is gone to find out
            first = latest
        drop = "" if self._before is None else f"{_dropping(self._plan.into)}, then "
        return (
            f"{sentence} All changes are known from version {first} on. To begin there: {drop}follow with "
            f"start={self._source.start_number(first)}.{_available_versions(self._plan, self._before)}"
        )


def _dropping(into: str) -> str:
    """Say how to drop a history. DROP TABLE does not delete a table that is named by its path."""
    path = re.fullmatch(r"delta\.`(.*)`", into, re.IGNORECASE)
    return f"DROP TABLE IF EXISTS {into}" if path is None else f"delete the folder {path[1]}"


def _counted(netted: DataFrame, base: int) -> tuple[int, int]:
    """Count the rows at the base version of the open rows, and the rows after it."""
    began = F.count_if(F.col("version") == base).alias("began")
    row = netted.agg(began, F.count("*").alias("all")).first()
    assert row is not None
    return row["began"], row["all"] - row["began"]


def _increasing(times: list[tuple[int, int]], after: int | None = None) -> list[tuple[int, int]]:
    """Make each time at least a millisecond later than the one before, as Delta does: clocks can go back."""
    increasing: list[tuple[int, int]] = []
    for version, micros in times:
        increasing.append((version, micros if after is None else max(micros, after + 1000)))
        after = increasing[-1][1]
    return increasing
