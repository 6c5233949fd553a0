"""The jobs of a warehouse's writes, as the store of the status page has them: what each was for, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Job:
    """A job that ended: what it was for, and its begin and end in seconds."""

    number: int
    text: str
    begun: float
    ended: float


def jobs(spark: SparkSession, after: int) -> list[Job]:
    """Return the jobs that began after one, in their order."""
    context: Any = spark.sparkContext._jsc.sc()
    # The store hears of jobs through the bus, which may lag behind.
    context.listenerBus().waitUntilEmpty()
    listed = context.statusStore().jobsList(None)
    found = [listed.apply(i) for i in range(listed.size())]
    ended = [job for job in found if job.jobId() > after and job.completionTime().isDefined()]
    return sorted((_job(job) for job in ended), key=lambda job: job.number)


def newest(spark: SparkSession) -> int:
    """Return the number of the job that began last; −1 where none did."""
    return max((job.number for job in jobs(spark, -1)), default=-1)


def _job(job: Any) -> Job:
    text = job.description().get() if job.description().isDefined() else ""
    begun, ended = (time.get().getTime() / 1000 for time in (job.submissionTime(), job.completionTime()))
    return Job(job.jobId(), text, begun, ended)


def clock(found: list[Job]) -> float:
    """Return the seconds in which any of some jobs ran."""
    total, until = 0.0, 0.0
    for job in sorted(found, key=lambda job: job.begun):
        total += max(0.0, job.ended - max(until, job.begun))
        until = max(until, job.ended)
    return total
