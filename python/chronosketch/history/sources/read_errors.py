"""Classify the errors of Spark, Delta and Iceberg that mean that changes cannot be read."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


# Keyed by the error conditions of Delta and Spark, with or without the subclass after the dot.
_CASES = {
    "DELTA_MISSING_CHANGE_DATA": "CHANGE_FEED_OFF",
    "DELTA_LOG_FILE_NOT_FOUND": "SOURCE_LOG_GONE",
    "DELTA_TRUNCATED_TRANSACTION_LOG": "SOURCE_LOG_GONE",
    "DELTA_VERSIONS_NOT_CONTIGUOUS": "SOURCE_LOG_GONE",
    "DELTA_VERSION_NOT_FOUND": "SOURCE_LOG_GONE",
    "DELTA_NO_COMMITS_FOUND": "SOURCE_LOG_GONE",
    "DELTA_NO_RECREATABLE_HISTORY_FOUND": "SOURCE_LOG_GONE",
    "DELTA_CHANGELOG_REQUIRES_ROW_TRACKING": "CHANGE_FEED_OFF",
    "DELTA_CHANGELOG_ROW_TRACKING_DISABLED_IN_RANGE": "CHANGE_FEED_OFF",
    "UNSUPPORTED_FEATURE.CHANGE_DATA_CAPTURE": "CHANGE_FEED_OFF",
    "FAILED_READ_FILE.FILE_NOT_EXIST": "SOURCE_FILES_GONE",
    "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE": "SOURCE_SCHEMA_CHANGED",
    "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA": "SOURCE_SCHEMA_CHANGED",
    "DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION": "SOURCE_SCHEMA_CHANGED",
    "DELTA_CHANGELOG_SCHEMA_CHANGE_IN_RANGE": "SOURCE_SCHEMA_CHANGED",
    "DELTA_CONCURRENT_APPEND": "CONCURRENT_FOLLOWER",
    "DELTA_CONCURRENT_DELETE_DELETE": "CONCURRENT_FOLLOWER",
    "DELTA_CONCURRENT_DELETE_READ": "CONCURRENT_FOLLOWER",
    "DELTA_CONCURRENT_TRANSACTION": "CONCURRENT_FOLLOWER",
    "DELTA_CONCURRENT_WRITE": "CONCURRENT_FOLLOWER",
    "DELTA_METADATA_CHANGED": "CONCURRENT_FOLLOWER",
    "DELTA_PROTOCOL_CHANGED": "CONCURRENT_FOLLOWER",
    "TABLE_OR_VIEW_ALREADY_EXISTS": "CONCURRENT_FOLLOWER",
    "CHRONOSKETCH_CHANGES_DO_NOT_FIT": "CHANGES_DO_NOT_FIT",
    # Spark's CHANGES and Iceberg have no conditions for these cases. Their Java classes identify them.
    "NoRecreatableHistoryException": "SOURCE_LOG_GONE",
    "StartVersionNotFoundException": "SOURCE_LOG_GONE",
    "NotFoundException": "SOURCE_FILES_GONE",
    "FileNotFoundException": "SOURCE_FILES_GONE",
}

_REASONS = {
    "CHANGE_FEED_OFF": "{source} kept no change feed in some of the versions {first} to {last}, and Spark's "
    "CHANGES does not have them.",
    "SOURCE_LOG_GONE": "The log of {source} no longer has all of the versions {first} to {last}.",
    "SOURCE_FILES_GONE": "Files of {source} with changes of versions {first} to {last} were deleted, by "
    "VACUUM or with expired snapshots.",
    "SOURCE_SCHEMA_CHANGED": "Versions {first} to {last} of {source} renamed, dropped or retyped columns.",
    "CHANGES_DO_NOT_FIT": "Versions {first} to {last} of {source} delete values that were not there.",
}

# The conditions for a table, schema, catalog or path that does not exist.
_MISSING = {
    "CATALOG_NOT_FOUND",
    "DELTA_MISSING_DELTA_TABLE",
    "DELTA_PATH_DOES_NOT_EXIST",
    "DELTA_TABLE_NOT_FOUND",
    "PATH_NOT_FOUND",
    "REQUIRES_SINGLE_PART_NAMESPACE",
    "SCHEMA_NOT_FOUND",
    "TABLE_OR_VIEW_NOT_FOUND",
    "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY",
}

# Matches "[CONDITION] text". A Java class may come first, and the argument of raise_error after it.
_CONDITION = r"\[[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)?\] ?"
_OPENING = re.compile(rf"\s*(?:[\w.$]+: )?((?:{_CONDITION})+)")

# "(java.io.IOException) text", as Connect writes it, or "java.io.IOException: text".
_CLASS = re.compile(r"\s*\(?(?:\w+\.)+(\w+(?:Exception|Error))(?:: |\) )")


def condition_of(error: BaseException) -> str | None:
    """Return the case that an error belongs to, or None if this module does not explain it.

    Examples
    --------
    >>> condition_of(RuntimeError("[DELTA_MISSING_CHANGE_DATA] Error getting change data for range"))
    'CHANGE_FEED_OFF'
    >>> condition_of(RuntimeError("[DIVIDE_BY_ZERO] Division by zero in DELTA_MISSING_CHANGE_DATA")) is None
    True
    """
    for condition in conditions(error):
        case = _CASES.get(condition) or _CASES.get(condition.split(".")[0])
        if case is not None:
            return case
    return None


def is_missing_error(error: BaseException) -> bool:
    """Return whether an error says that a table, schema, catalog or path does not exist.

    Examples
    --------
    >>> is_missing_error(RuntimeError("[PATH_NOT_FOUND] Path does not exist: file:/orders."))
    True
    """
    return not _MISSING.isdisjoint(conditions(error))


def reason(case: str, source: str, first: int, last: int) -> str | None:
    """Describe a case in one sentence, or return None if the case has no sentence."""
    sentence = _REASONS.get(case)
    return None if sentence is None else sentence.format(source=source, first=first, last=last)


@contextmanager
def muted_error_log() -> Iterator[None]:
    """Keep PySpark from logging errors that are caught: it logs them when it creates them.

    PySpark passes fields to this logger that only its own class takes, so PySpark must create it.
    """
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # before 4.0 it logs none
        yield
        return
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    before = logger.disabled
    logger.disabled = True
    try:
        yield
    finally:
        logger.disabled = before


def conditions(error: BaseException) -> Iterator[str]:
    """Yield the conditions and Java class names of an error and its causes.

    Examples
    --------
    >>> list(conditions(RuntimeError("[TABLE_OR_VIEW_NOT_FOUND] The table `t` cannot be found.")))
    ['TABLE_OR_VIEW_NOT_FOUND']
    >>> list(conditions(RuntimeError("(java.io.FileNotFoundException) File orders/a.parquet does not exist")))
    ['FileNotFoundException']
    """
    cause: BaseException | None = error
    while cause is not None:
        java = getattr(cause, "java_exception", None)
        if java is not None:  # PySpark does not convert Delta's own classes and failed tasks
            yield from _of_java(java)
        else:
            yield from _of_python(cause)
        cause = getattr(cause, "_cause", None) or cause.__cause__


def _of_python(error: BaseException) -> Iterator[str]:
    ask = getattr(error, "getCondition", None)
    named = ask() if ask is not None else None
    if named:
        yield named
    # Connect lists causes as lines of text, as do errors made from the text of another error.
    for line in str(error).splitlines():
        sentence = line.removeprefix("Caused by: ")
        yield from _opening(sentence)
        if named_class := _CLASS.match(sentence):
            yield named_class[1]


def _of_java(java: Any) -> Iterator[str]:
    while java is not None:
        yield from _opening(java.getMessage() or "")
        yield java.getClass().getSimpleName()
        java = java.getCause()


def _opening(text: str) -> list[str]:
    opening = _OPENING.match(text)
    return opening[1].replace("[", "").replace("]", "").split() if opening else []
