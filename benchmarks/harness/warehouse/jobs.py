"""Reads the jobs of a warehouse's writes, their purposes and times, from the store of the status page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Job:
    """A finished job: its purpose, and its begin and end in seconds."""

    number: int
    text: str
    begun: float
    ended: float


def jobs(spark: SparkSession, after: int) -> list[Job]:
    """Return the jobs after a given one, in order."""
    context: Any = spark.sparkContext._jsc.sc()
    # The store is updated through the listener bus, which may lag behind.
    context.listenerBus().waitUntilEmpty()
    listed = context.statusStore().jobsList(None)
    found = [listed.apply(i) for i in range(listed.size())]
    ended = [job for job in found if job.jobId() > after and job.completionTime().isDefined()]
    return sorted((_job(job) for job in ended), key=lambda job: job.number)


def newest(spark: SparkSession) -> int:
    """Return the number of the newest job; −1 if there is none."""
    return max((job.number for job in jobs(spark, -1)), default=-1)


def _job(job: Any) -> Job:
    text = job.description().get() if job.description().isDefined() else ""
    begun, ended = (time.get().getTime() / 1000 for time in (job.submissionTime(), job.completionTime()))
    return Job(job.jobId(), text, begun, ended)


def clock(found: list[Job]) -> float:
    """Return the seconds during which at least one of the jobs ran."""
    total, until = 0.0, 0.0
    for job in sorted(found, key=lambda job: job.begun):
        total += max(0.0, job.ended - max(until, job.begun))
        until = max(until, job.ended)
    return total
