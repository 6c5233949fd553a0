"""Runs the contestants of a figure in turns, round by round, so that drift of the machine affects all."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Protocol, TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from harness.results import load
from harness.sessions import OWN_OPERATOR, aggregates, last_plan, peak_memory
from harness.stages import Stage, last_stage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import SparkSession

    from harness.figures import Contestant, Figure


# Errors of Spark, of the gateway to it, and of chdb.
FAILURES = (Py4JError, PySparkException, OSError, RuntimeError)


class Engine(Protocol):
    """An engine other than Spark."""

    @property
    def installed(self) -> bool:
        """Whether the engine is installed."""

    def run(self, query: str, folder: str) -> None:
        """Run a query over the Parquet files of a folder to its end."""


class Data(Protocol):
    """The data that contestants read."""

    def folder(self, name: str) -> str:
        """Return the folder of a data set; Spark gets it as the view `v`."""


@dataclass
class Measured:
    """The measurements of one contestant of a figure.

    Attributes
    ----------
    seconds : list of float
        The seconds of each round, in order; empty if it could not run.
    note : str
        Why it could not run, or empty.
    operators : list of str
        The aggregating operators of Spark's plan.
    peak_memory : str
        The peak memory of the node with the largest, or None if no node reports it.
    stages : list of Stage
        The last stage of each round, if the figure measures it.
    """

    contestant: str
    seconds: list[float] = field(default_factory=list)
    note: str = ""
    operators: list[str] = field(default_factory=list)
    peak_memory: str | None = None
    stages: list[Stage] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """A figure with its measurements."""

    figure: Figure
    measured: dict[str, Measured]
    load: float


class Rounds:
    """Measures figures in one session.

    Parameters
    ----------
    spark : SparkSession
        A classic session.
    engines : mapping of str to Engine
        The other engines, installed or not.
    data : Data
        The data that contestants read.
    warm_up, rounds : int
        Numbers of rounds that do not count, and that do.
    warm_seconds : float
        Before all rounds each contestant runs once, and again until it has run for this long. Otherwise, if one takes a second
        and another a minute, a round would only warm up the slow one. At 0 none of them runs.
    """

    def __init__(
        self,
        spark: SparkSession,
        engines: Mapping[str, Engine],
        data: Data,
        warm_up: int,
        rounds: int,
        warm_seconds: float = 0.0,
    ) -> None:
        self._spark, self._engines, self._data = spark, engines, data
        self._warm_up, self._rounds, self._warm_seconds = warm_up, rounds, warm_seconds

    def measure(self, figure: Figure) -> Outcome:
        """Run all rounds of a figure."""
        log_progress(f"{figure.name}: data")
        folder = self._data.folder(figure.data)
        measured = {contestant.name: Measured(contestant.name) for contestant in figure.contestants}
        running = [contestant for contestant in figure.contestants if self._can_run(contestant, measured)]
        load_before = load()
        for contestant in running:
            self._warm(figure, contestant, folder, measured[contestant.name])
        for round_ in range(self._warm_up + self._rounds):
            for contestant in turns(running, round_):
                result = measured[contestant.name]
                seconds = None if result.note else self.run(figure, contestant, folder, result)
                if seconds is not None and round_ >= self._warm_up:
                    result.seconds.append(seconds)
                    if figure.last_stages:
                        result.stages.append(last_stage(self._spark))
                last = round_ == self._warm_up + self._rounds - 1
                if last and not contestant.engine and not result.note:
                    self._look(result)
            log_progress(f"{figure.name}: round {round_ + 1} of {self._warm_up + self._rounds}")
        for result in measured.values():
            # If a contestant failed in one round, its other rounds are not compared.
            result.seconds = [] if result.note else result.seconds
        return Outcome(figure, measured, load_before)

    def _can_run(self, contestant: Contestant, measured: dict[str, Measured]) -> bool:
        if contestant.engine and not self._engines[contestant.engine].installed:
            measured[contestant.name].note = "not installed"
            return False
        return True

    def _warm(self, figure: Figure, contestant: Contestant, folder: str, result: Measured) -> None:
        began = perf_counter()
        while not result.note and perf_counter() - began < self._warm_seconds:
            self.run(figure, contestant, folder, result)

    def run(self, figure: Figure, contestant: Contestant, folder: str, result: Measured) -> float | None:
        """Run a contestant once, on the current view `v`, and return its seconds; None if it failed."""
        query = figure.query.format(contestant.sql)
        self._spark.conf.set(OWN_OPERATOR, str(contestant.own_operator).lower())
        for key, value in contestant.settings:
            self._spark.conf.set(key, value)
        started = perf_counter()
        try:
            if contestant.engine:
                self._engines[contestant.engine].run(query, folder)
            else:
                # Discard the rows in Spark: otherwise transferring them to Python would be measured, too.
                self._spark.sql(query).write.format("noop").mode("overwrite").save()
        except FAILURES as error:
            # A failure, such as too little memory, is a result, and must not discard hours of other measurements.
            result.note = "failed"
            log_progress(f"{figure.name}: {contestant.name} failed: {first_line(error)}")
            return None
        finally:
            for key, _ in contestant.settings:
                self._spark.conf.unset(key)
        return perf_counter() - started

    def _look(self, result: Measured) -> None:
        nodes = last_plan(self._spark)
        result.operators, result.peak_memory = aggregates(nodes), peak_memory(nodes)


def first_line(error: BaseException) -> str:
    """Return the error's first line, without the JVM's stack trace."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:200]


def log_progress(text: str) -> None:
    """Print a line of progress."""
    print(text, file=sys.stderr, flush=True)


T = TypeVar("T")


def turns(contestants: Sequence[T], nth: int) -> list[T]:
    """Return the contestants in the order of a round.

    A query can leave garbage to the next one, so the order matters. Over as many rounds as contestants, or twice as many if their
    number is odd, each contestant follows every other one equally often, and has each position equally often.

    Source: E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments, Australian Journal of
    Scientific Research A 2 (1949).
    """
    # 0, 1, n - 1, 2, n - 2, …: all steps from one to the next are different
    n = len(contestants)
    zigzag = [(i + 1) // 2 if i % 2 else -(i // 2) for i in range(n)]
    order = [contestants[(i + nth) % n] for i in zigzag]
    return order[::-1] if n % 2 and nth % 2 else order
