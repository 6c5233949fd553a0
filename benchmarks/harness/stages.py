"""Reads stages from the store of the status page: costs, bytes read, and the last one, which is the reduce side of one shuffle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Stage:
    """A finished stage.

    Attributes
    ----------
    seconds : float
        From the launch of its first task to the end of its last.
    task_seconds : list of float
        The seconds of each task.
    task_rows : list of int
        The rows that each task read from the shuffle.
    """

    seconds: float
    task_seconds: list[float]
    task_rows: list[int]


@dataclass(frozen=True)
class Cost:
    """The CPU seconds of a stage, by task."""

    stage: int
    cpu: float


def newest_stage(spark: SparkSession) -> int:
    """Return the number of the newest stage; −1 if there is none."""
    return max((stage.stageId() for stage in _ended(spark)), default=-1)


def costs(spark: SparkSession, after: int) -> list[Cost]:
    """Return the costs of the stages after a given one, in order."""
    found = [stage for stage in _ended(spark) if stage.stageId() > after]
    return [
        Cost(stage.stageId(), stage.executorCpuTime() / 1e9)
        for stage in sorted(found, key=lambda stage: stage.stageId())
    ]


def bytes_read(spark: SparkSession, after: int) -> int:
    """Return the bytes that the stages after a given one read from files, whether from a disk or from the system's cache."""
    return sum(stage.inputBytes() for stage in _ended(spark) if stage.stageId() > after)


def _ended(spark: SparkSession) -> list[Any]:
    context = spark.sparkContext._jsc.sc()
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    # The store is updated through the listener bus, which may lag behind.
    context.listenerBus().waitUntilEmpty()
    none = spark.sparkContext._gateway.new_array(jvm.double, 0)
    stages = context.statusStore().stageList(None, False, False, none, jvm.java.util.ArrayList())
    listed = [stages.apply(i) for i in range(stages.size())]
    return [stage for stage in listed if stage.completionTime().isDefined()]


def last_stage(spark: SparkSession) -> Stage:
    """Return the newest stage, from the store of the status page."""
    store = spark.sparkContext._jsc.sc().statusStore()
    ended = _ended(spark)
    last = max(ended, key=lambda stage: stage.stageId())
    tasks = store.taskList(last.stageId(), last.attemptId(), 100_000)
    found = [tasks.apply(i) for i in range(tasks.size())]
    begun = min(task.launchTime().getTime() for task in found)
    seconds = [task.duration().get() / 1000 for task in found]
    over = max(task.launchTime().getTime() + task.duration().get() for task in found)
    rows = [task.taskMetrics().get().shuffleReadMetrics().recordsRead() for task in found]
    return Stage((over - begun) / 1000, seconds, rows)
