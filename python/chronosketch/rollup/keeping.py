"""Refresh, rebuild, describe and read a roll-up by its name."""

from __future__ import annotations

import re
from datetime import date, datetime, timezone
from typing import TYPE_CHECKING, Any, NamedTuple

from chronosketch.errors import ChronosketchError
from chronosketch.following import check_table, of_type
from chronosketch.procedures import call
from chronosketch.rollup.plan import Step
from chronosketch.sql_text import plain, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Text begins with a year. SQL judges the rest.
_MOMENT = re.compile(r"\s*\d{4}[\w :.+/-]*")


class PastStep(NamedTuple):
    """A step that was made.

    `version` is the version of the source that it took, `ts` the time of its commit, and `rows` the number of
    rows that it wrote. `kind` is "begin", "refresh" or "rebuild".
    """

    step: int
    version: int
    ts: datetime
    rows: int
    kind: str


class Description(NamedTuple):
    """The settings, the freshness and the size of a roll-up.

    It is fresh up to `version` of the source, committed at `committed`. The source is at `source_version`,
    which is `lag_versions` versions later. The first version that the roll-up lacks was committed
    `lag_seconds` seconds ago. `rows`, `files` and `bytes` are those of the
    table's newest version. `steps` has the last ten steps, the newest first, and `retention` the levels that
    do not keep all rows.
    """

    rollup: str
    source: str
    time: str
    zone: str
    levels: list[str]
    by: list[str]
    values: dict[str, str]
    epsilon: float
    tail: str | None
    retention: dict[str, str]
    version: int | None
    committed: datetime | None
    source_version: int | None
    lag_versions: int | None
    lag_seconds: float
    rows: int
    files: int
    bytes: int
    steps: list[PastStep]


def refresh(spark: SparkSession, into: str) -> Step:
    """Make a step with the arguments that the roll-up was begun with.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog, classic or Connect.
    into : str
        The roll-up: the table that `follow` was given as `into`.

    Returns
    -------
    Step
        The number of the step, the source's version that the roll-up now has and its time, how many rows were
        written, and whether there was anything new.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `into` is not a roll-up, or changes of the source are missing. The message says what to do.
    ChronosketchError
        If `into` is not the name of a table.

    Examples
    --------
    >>> deleted = spark.sql("DELETE FROM requests WHERE latency_ms > 500")
    >>> cs.rollup.refresh(spark, "requests_hourly").is_new
    True
    >>> cs.rollup.refresh(spark, "requests_hourly").is_new
    False
    """
    check_table("into", into)
    (row,) = call(spark, "refresh", into=text(into))
    return Step(*row)


def rebuild(
    spark: SparkSession,
    into: str,
    since: datetime | date | str | None = None,
    until: datetime | date | str | None = None,
) -> Step:
    """Build rows of a roll-up anew from the source, in one commit.

    Use it if the source was replaced, its log is gone, or someone else wrote to the roll-up.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog, classic or Connect.
    into : str
        The roll-up: the table that `follow` was given as `into`.
    since, until : datetime, date or str, optional
        Build only the buckets of the longest level that have a moment from `since` on and before `until`, and
        what is in them. Without one of them there is no limit on its side; without both, all rows are built
        anew. Text begins with a year. SQL reads text and dates as a TIMESTAMP in the session's time zone. A
        datetime without a time zone is in Python's local time, as everywhere in PySpark.

    Returns
    -------
    Step
        The number of the step, the source's version that the roll-up now has and its time, how many rows were
        written, and whether there was anything new.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `into` is not a roll-up, or its source is not there. The message says what to do.
    ChronosketchError
        If `into` is not the name of a table, or `since` or `until` is not a moment.

    Examples
    --------
    >>> cs.rollup.rebuild(spark, "requests_hourly", since="2026-03-02", until="2026-03-03").is_new
    True
    """
    check_table("into", into)
    limits = {"from": _moment("since", since), "to": _moment("until", until)}
    (row,) = call(spark, "rebuild", into=text(into), **limits)
    return Step(*row)


def describe(spark: SparkSession, into: str) -> Description:
    """Say what a roll-up follows, up to which version and time it is fresh, and how large it is.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog, classic or Connect.
    into : str
        The roll-up: the table that `follow` was given as `into`.

    Returns
    -------
    Description
        A NamedTuple: what `follow` was given, the version and the lag, rows, files and bytes, and the last
        steps.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `into` is not a roll-up. The message says what to do.
    ChronosketchError
        If `into` is not the name of a table.

    Examples
    --------
    >>> described = cs.rollup.describe(spark, "requests_hourly")
    >>> described.levels, described.values, described.zone
    (['1 hour'], {'latency': 'latency_ms'}, 'UTC')
    """
    check_table("into", into)
    (row,) = call(spark, "describe_rollup", into=text(into))
    found = row.asDict()
    found["steps"] = [PastStep(*step) for step in found["steps"]]
    return Description(**found)


def now(spark: SparkSession, into: str) -> DataFrame:
    """Read a roll-up as it would be if it were refreshed now. Nothing is written.

    Parameters
    ----------
    spark : SparkSession
        A session with Delta's extension and catalog, classic or Connect.
    into : str
        The roll-up: the table that `follow` was given as `into`.

    Returns
    -------
    DataFrame
        The rows of the roll-up, with what its source has gained or lost since the last step.

    Raises
    ------
    pyspark.errors.AnalysisException
        If `into` is not a roll-up, or changes of the source are missing. The message says what to do.
    ChronosketchError
        If `into` is not the name of a table.

    Examples
    --------
    >>> fresh = cs.rollup.now(spark, "requests_hourly")
    >>> fresh.select("service", "rows", "latency_max").orderBy("service").show()
    +-------+----+-----------+
    |service|rows|latency_max|
    +-------+----+-----------+
    |    api|   1|         30|
    |    web|   2|         20|
    +-------+----+-----------+
    """
    check_table("into", into)
    return spark.sql(f"SELECT * FROM chronosketch_rollup_now({text(into)})")


def _moment(argument: str, value: Any) -> str | None:
    """Write a moment as SQL, the same in every session for those that have a time zone."""
    if value is None:
        return None
    given = value
    try:
        value = plain(value)
        if isinstance(value, datetime):
            return f"TIMESTAMP'{value.astimezone(timezone.utc).isoformat(' ')}'"
    except (TypeError, ValueError, OverflowError, OSError):
        raise ChronosketchError(
            f"{argument} is {given!r}, which is not a moment. Give another one."
        ) from None
    if isinstance(value, date):
        value = value.isoformat()
    # a literal, because a procedure takes no cast that depends on the session's time zone
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        return f"TIMESTAMP'{value.strip()}'"
    raise ChronosketchError(
        f"{argument} is {given!r}, {of_type(given)}, which is not a moment. "
        "Give a datetime, a date, or text such as '2026-03-03 12:00:00'."
    )
