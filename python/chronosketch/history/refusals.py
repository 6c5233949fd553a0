"""Raise the refusals of the jar about histories as HistoryError, in Python's words."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from chronosketch.error_log import muted_error_log
from chronosketch.errors import HistoryError

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONDITIONS = {
    "CHANGES_COULD_BE_SKIPPED",
    "CHANGES_DO_NOT_FIT",
    "CHANGE_FEED_OFF",
    "CONCURRENT_FOLLOWER",
    "HISTORY_DIFFERS",
    "HISTORY_SET_BACK",
    "HISTORY_TOO_NEW",
    "INTO_NOT_FOUND",
    "NAME_TAKEN",
    "NOT_A_HISTORY",
    "NO_HISTORY",
    "NO_SUCH_VERSION",
    "SOURCE_FILES_GONE",
    "SOURCE_LOG_GONE",
    "SOURCE_NOT_FOUND",
    "SOURCE_NOT_VERSIONED",
    "SOURCE_REPLACED",
    "SOURCE_SCHEMA_CHANGED",
    "TIMESTAMP_OUT_OF_RANGE",
}

# The condition has another name here: the jar's VERSION_OUT_OF_RANGE is about a sketch.
_RENAMED = {"NO_SUCH_VERSION": "VERSION_OUT_OF_RANGE"}

_REFUSAL = re.compile(r"\[CHRONOSKETCH_(\w+)\] (.*?) SQLSTATE: \w{5}", re.DOTALL)

# An argument as SQL writes it, with its value and perhaps another one: start => 0, not 1.
_TEXT = r"'(?:[^'\\]|\\.)*'"
_LITERAL = rf"{_TEXT}|array\((?:{_TEXT}(?:, )?)*\)|NULL|-?\d+(?:\.\d+)?(?:E-?\d+)?"
_ARGUMENT = re.compile(
    rf"\b(source|value|by|where|epsilon|start|on_replace) => ({_LITERAL})(?:, not ({_LITERAL}))?"
)

_SETTING = re.compile(r"\bSET (spark\.[\w.]+) = (\w+)")
_CALL = re.compile(r"CALL chronosketch\.follow\([^)]*\)")


@contextmanager
def history_errors() -> Iterator[None]:
    """Raise refusals about histories as HistoryError. Other errors stay as they are."""
    try:
        with muted_error_log():
            yield
    except PySparkException as error:
        found = _REFUSAL.match(str(error))
        if found is None or found[1] not in _CONDITIONS:
            raise
        raise HistoryError(_RENAMED.get(found[1], found[1]), in_python(found[2])) from error


def in_python(sentences: str) -> str:
    """Write the arguments, settings and calls that a message shows as Python does.

    Examples
    --------
    >>> in_python("It began with by => array('a'), not array(). Give start => 0.")
    "It began with by=['a'], not []. Give start=0."
    >>> in_python("Switch it off: SET spark.sql.files.ignoreMissingFiles = false")
    "Switch it off: spark.conf.set('spark.sql.files.ignoreMissingFiles', 'false')"
    """
    sentences = _ARGUMENT.sub(_argument, sentences)
    sentences = _SETTING.sub(r"spark.conf.set('\1', '\2')", sentences)
    return _CALL.sub("cs.history.follow", sentences)


def _argument(found: re.Match[str]) -> str:
    name, value, other = found.groups()
    return f"{name}={_value(value)}" + ("" if other is None else f", not {_value(other)}")


def _value(literal: str) -> str:
    if literal == "NULL":
        return "None"
    texts = [re.sub(r"\\(.)", r"\1", text[1:-1]) for text in re.findall(_TEXT, literal)]
    if literal.startswith("array("):
        return repr(texts)
    return repr(texts[0]) if texts else literal
