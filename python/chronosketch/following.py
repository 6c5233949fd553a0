"""Check the arguments of what follows a table, and repeat its steps."""

from __future__ import annotations

import math
import operator
import re
import time
from datetime import timedelta
from numbers import Real
from threading import TIMEOUT_MAX, Event
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from chronosketch.errors import ChronosketchError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

# Names that both SQL and DataFrameReader.table accept: parts of letters, digits and "_", or in backticks.
_PART = r"(?:`(?:[^`]|``)+`|\w+)"
_TABLE = re.compile(rf"\s*{_PART}(?:\s*\.\s*{_PART})*\s*")

_MOST_EPSILON = 0.5

#: Seconds. A Connect server that is interrupted while it plans a query may run its job all the same, so
#: interrupts are few.
_BETWEEN_INTERRUPTS = 0.3
_LAST_INTERRUPTS = 4

#: Seconds. The system may give Ctrl-C to any thread. Python acts in its main thread, which it does not wake.
_BETWEEN_LOOKS = 0.1


def check_table(argument: str, name: Any) -> None:
    """Refuse a value that is not a table name in SQL.

    Raises
    ------
    ChronosketchError
        If `name` is not a str, or a part of it needs backticks.

    Examples
    --------
    >>> from chronosketch.following import check_table
    >>> check_table("source", "lake.sales.`my orders`")
    >>> check_table("source", 7)
    Traceback (most recent call last):
    chronosketch.errors.ChronosketchError: source is 7, of type int. Give the name of a table as text.
    """
    if not isinstance(name, str):
        raise ChronosketchError(f"{argument} is {name!r}, {of_type(name)}. Give the name of a table as text.")
    if not _TABLE.fullmatch(name):
        raise ChronosketchError(
            f"{argument} is {name!r}, which is not the name of a table. Put a part that has other characters "
            "than letters, digits and _ in backticks, as in sales.`my orders` or delta.`/path`."
        )


def whole_number(argument: str, value: Any) -> int:
    """Return an integer as an int. Accepts numpy integers, but not True and False.

    Raises
    ------
    ChronosketchError
        If `value` is not a whole number.
    """
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise ChronosketchError(
        f"{argument} is {value!r}, {of_type(value)}. Give an int, the number of a version."
    )


def check_expression(argument: str, text: Any, example: str = "amount") -> None:
    """Refuse a value that is not text with something in it. SQL judges the rest."""
    if not isinstance(text, str):
        raise ChronosketchError(
            f"{argument} is {text!r}, {of_type(text)}. Give an expression of SQL as text, "
            f"such as {example!r}."
        )
    if not text.strip():
        raise ChronosketchError(f"{argument} is {text!r}. Give an expression of SQL, such as {example!r}.")


def group_expressions(by: Any, example: str = "amount") -> tuple[str, ...]:
    """Return the expressions that rows are grouped by. One by itself counts as a list of it."""
    try:
        expressions = (by,) if isinstance(by, str) else tuple(by)
    except TypeError:
        raise ChronosketchError(
            f"by is {by!r}, {of_type(by)}. Give a list of expressions; an empty one is a single group."
        ) from None
    for expression in expressions:
        check_expression("by", expression, example)
    return expressions


def rank_error(epsilon: Any) -> float:
    """Return a rank error as a float from 0 to 0.5."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, Real):
        raise ChronosketchError(
            f"epsilon is {epsilon!r}, {of_type(epsilon)}. Give a number from 0 to {_MOST_EPSILON}."
        )
    error = float(epsilon)
    if math.isnan(error) or not 0 <= error <= _MOST_EPSILON:
        raise ChronosketchError(f"epsilon is {epsilon!r}. Give a number from 0 to {_MOST_EPSILON}.")
    return error + 0.0  # -0.0 is 0.0


def of_type(value: Any) -> str:
    """Return the words that name a value's type in a message."""
    return f"of type {type(value).__name__}"


def repeat(
    spark: SparkSession, step: Callable[[], Any], every: float | timedelta, until: Event | None
) -> None:
    """Make a step, wait, and repeat, until a step fails or an event is set. Ctrl-C ends the step, too."""
    seconds = _seconds(every)
    if until is not None and not (hasattr(until, "is_set") and hasattr(until, "wait")):
        raise ChronosketchError(f"until is {until!r}, {of_type(until)}. Give a threading.Event.")
    until = until or Event()
    while not until.is_set():
        _interruptible(spark, step)
        _wait(until, seconds)


def _wait(event: Event, seconds: float = math.inf) -> None:
    """Wait until an event is set, and let Ctrl-C end that."""
    end = time.monotonic() + seconds
    while not event.is_set() and (left := end - time.monotonic()) > 0:
        event.wait(min(left, _BETWEEN_LOOKS))


def _interruptible(spark: SparkSession, step: Callable[[], Any]) -> None:
    """Make a step in a thread of its own: at Ctrl-C, one that waits for a JVM can't end its jobs."""
    from pyspark import InheritableThread

    from chronosketch.sessions import is_classic

    tag = f"chronosketch-{uuid4()}"
    add: Callable[[str], Any]
    interrupt: Callable[[str], Any]
    if is_classic(spark):
        # a classic session finds only the tags of the thread that asks it
        context = spark.sparkContext
        add, interrupt, last_interrupts = context.addJobTag, context.cancelJobsWithTag, _LAST_INTERRUPTS
    else:
        add, interrupt, last_interrupts = spark.addTag, spark.interruptTag, 0
    threads_of_jvm: list[Any] = []
    failure: list[BaseException] = []
    ended = Event()

    def work() -> None:
        try:
            add(tag)
            threads_of_jvm.extend(_threads_of_jvm(spark))
            step()
        except BaseException as error:
            failure.append(error)
        finally:
            ended.set()

    thread = InheritableThread(target=work, session=spark, daemon=True)
    try:
        thread.start()
        _wait(ended)
    except KeyboardInterrupt:
        # again until it ends: between two jobs of the step a tag finds nothing
        while thread.ident is not None and not ended.is_set():
            interrupt(tag)
            for of_jvm in threads_of_jvm:
                of_jvm.interrupt()  # what plans sees it when it next waits
            ended.wait(_BETWEEN_INTERRUPTS)
        # a query that was interrupted while it was planned may begin its job a moment later
        for _ in range(last_interrupts):
            interrupt(tag)
            time.sleep(_BETWEEN_LOOKS)
        raise
    if failure:
        raise failure[0]


def _threads_of_jvm(spark: SparkSession) -> list[Any]:
    """Return the JVM's thread that works for this thread alone, if there is one."""
    from chronosketch.sessions import is_classic

    if not is_classic(spark):
        return []
    # without pinned threads, the JVM's thread may go on with the query of another thread
    from py4j.clientserver import ClientServer

    gateway = spark.sparkContext._gateway
    return [gateway.jvm.java.lang.Thread.currentThread()] if isinstance(gateway, ClientServer) else []


def _seconds(every: float | timedelta) -> float:
    """Return a length of time in seconds, as Event.wait takes it."""
    seconds = every.total_seconds() if isinstance(every, timedelta) else every
    if isinstance(seconds, bool) or not isinstance(seconds, Real):
        raise ChronosketchError(
            f"every is {every!r}, {of_type(every)}. Give a number of seconds, or a timedelta."
        )
    if not 0 <= seconds <= TIMEOUT_MAX:  # also refuses NaN
        raise ChronosketchError(f"every is {every!r}. Give 0 seconds or more, such as every=60.")
    return float(seconds)
