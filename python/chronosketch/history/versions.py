"""Read one version of a history."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from chronosketch.columns import bigint
from chronosketch.errors import ChronosketchError, HistoryError
from chronosketch.following import check_table, whole_number
from chronosketch.history.building import OpenRows
from chronosketch.history.ledger import CHANGE, OPEN, SEALED, STEP, Ledger
from chronosketch.sql_text import plain, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from chronosketch.history.ledger import Progress


_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

# Text must begin with a year. SQL would also parse a time of day, or words such as "yesterday" whose meaning
# changes from day to day.
_BEGINS_WITH_YEAR = re.compile(r"\s*[+-]?\d{4,7}(?:-.*)?", re.DOTALL)


def at(
    spark: SparkSession,
    into: str,
    *,
    version: int | None = None,
    timestamp: datetime | date | str | None = None,
) -> DataFrame:
    """Read the sketches of one version of a table that a history follows.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog.
    into : str
        The history: the table that `follow` was given as `into`.
    version : int, optional
        A version of the source.
    timestamp : datetime, date or str, optional
        A moment, in place of `version`: you get the last version that was committed by then. Text begins with
        a year, and SQL reads it as a TIMESTAMP in the session's time zone. A date means its midnight there. A
        datetime without a time zone is in Python's local time, as everywhere in PySpark.

    Returns
    -------
    DataFrame
        One row for each group that has values at that version: the columns of `by`, and a BINARY ``sketch``.
        The sketch answers quantiles and ranks, for example with `sketch_quantile`. A history without groups
        always gives one row.

    Raises
    ------
    HistoryError
        If the history does not have the version, or has no version for the moment. The message names the
        first and the last that you can ask for.
    ChronosketchError
        If you give both `version` and `timestamp`, or neither. Give one of them. Also if one is of a wrong
        type, or `timestamp` is not a moment.

    Examples
    --------
    >>> then = cs.history.at(spark, "orders_history", version=2)
    >>> then.select("region", cf.sketch_quantile("sketch", 0.5, "int").alias("p50")).orderBy("region").show()
    +------+---+
    |region|p50|
    +------+---+
    | north| 10|
    | south| 30|
    +------+---+
    """
    if (version is None) == (timestamp is None):
        raise ChronosketchError(
            f"version is {version!r} and timestamp is {timestamp!r}: give either version or timestamp."
        )
    check_table("into", into)
    if version is not None:
        version = whole_number("version", version)
    micros = None if timestamp is None else _micros(spark, timestamp)
    ledger = Ledger(spark, into)
    progress = ledger.progress()
    if progress is None:
        raise HistoryError("NO_HISTORY", f"{into} has no versions yet. Make its first step with follow.")
    target = version if version is not None else _version_at(ledger, into, micros, timestamp)
    if not progress.first <= target <= progress.last:
        raise HistoryError(
            "VERSION_OUT_OF_RANGE",
            f"{into} has versions {progress.first} to {progress.last}, not version {target}. Ask for one of "
            "these, or follow the table up to a newer one.",
        )
    rows = _histories(ledger, progress, target)
    # If a group has no late changes, its sketch ends before the requested version.
    then = F.expr(f"sketch_at_version(sketch, least(CAST({target} AS BIGINT), sketch_versions(sketch).last))")
    answers = rows.select(*progress.definition.groups, then.alias("sketch"))
    return answers.where("sketch_count_bounds(sketch).high > 0") if progress.definition.groups else answers


def _histories(ledger: Ledger, progress: Progress, target: int) -> DataFrame:
    segment, definition = progress.segment, progress.definition
    if target < segment.since:
        at_version = bigint(target)
        return ledger.rows(SEALED).where(at_version.between(F.col("from_version"), F.col("to_version")))
    opened = ledger.rows(OPEN)
    if target <= segment.built or not segment.waiting:
        return opened
    changes = ledger.rows(CHANGE).where(F.col("version") <= target)
    changes = changes.select(*definition.groups, "version", "value", "copies")
    return OpenRows(definition, segment, opened, changes).up_to(target)


def _micros(spark: SparkSession, timestamp: Any) -> int:
    """Return a moment in microseconds since 1970."""
    try:
        timestamp = plain(timestamp)
    except TypeError as reason:
        raise ChronosketchError(f"timestamp is {timestamp!r}: {reason}") from None
    if isinstance(timestamp, datetime):
        try:
            since: timedelta = timestamp.astimezone(timezone.utc) - _EPOCH
            return since // timedelta(microseconds=1)
        except (ValueError, OverflowError, OSError):
            raise ChronosketchError(
                f"timestamp is {timestamp!r}, which is not a moment. Give another one."
            ) from None
    if isinstance(timestamp, date):
        timestamp = timestamp.isoformat()
    if not isinstance(timestamp, str):
        raise ChronosketchError(
            f"timestamp is {timestamp!r}, of type {type(timestamp).__name__}. "
            "Give a datetime, a date, or text such as '2026-03-03 12:00:00'."
        )
    micros = None
    if _BEGINS_WITH_YEAR.fullmatch(timestamp):
        parsed = f"SELECT unix_micros(try_cast({text(timestamp)} AS TIMESTAMP)) AS micros"
        (row,) = spark.sql(parsed).collect()
        micros = row.micros
    if micros is None:
        raise ChronosketchError(
            f"timestamp is {timestamp!r}, which SQL does not read as a TIMESTAMP with a date. "
            "Write it as '2026-03-03 12:00:00', or with a time zone as '2026-03-03T12:00:00Z'."
        )
    return int(micros)


def _version_at(
    ledger: Ledger, into: str, micros: int | None, timestamp: datetime | date | str | None
) -> int:
    moment = F.timestamp_micros(bigint(micros))
    versions = ledger.rows(STEP).select(F.explode("step.versions").alias("v")).select("v.*")
    found = versions.agg(
        F.max(F.when(F.col("ts") <= moment, F.col("version"))).alias("version"),
        F.min("ts").cast("string").alias("first"),
        F.max("ts").cast("string").alias("last"),
        (moment <= F.max("ts")).alias("seen"),
    ).first()
    assert found is not None
    if found.version is None or not found.seen:
        raise HistoryError(
            "TIMESTAMP_OUT_OF_RANGE",
            f"{into} has versions committed from {found.first} to {found.last}, and none for {timestamp}. "
            "Ask for a time between these, or follow the table up to a newer version.",
        )
    return int(found.version)
