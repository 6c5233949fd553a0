"""Read one version of a history."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from chronosketch.errors import ChronosketchError
from chronosketch.following import check_table, whole_number
from chronosketch.history.refusals import history_errors
from chronosketch.sql_text import plain, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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
    then = f"version => {version}" if version is not None else f"timestamp => timestamp_micros({micros})"
    with history_errors():
        rows = spark.sql(f"SELECT * FROM chronosketch_history_at({text(into)}, {then})")
        rows.schema  # noqa: B018  # refuses now, also on Connect
    return rows


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
