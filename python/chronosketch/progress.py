"""Show progress as a temporary line on a terminal, and nothing if the output is not a terminal."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from rich.console import Console
    from rich.status import Status

_EVERY_SECONDS = 0.5


@contextmanager
def showing(console: Console, what: str, spark: SparkSession | None = None) -> Iterator[None]:
    """Show the current task and, for a Spark session, how many of its Spark tasks are done."""
    if not console.is_terminal:
        yield
        return
    with console.status(what) as status:
        if spark is None:
            yield
            return
        finished = Event()
        watcher = Thread(target=_watch, args=(status, what, spark, finished), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            finished.set()
            watcher.join()


def _watch(status: Status, what: str, spark: SparkSession, finished: Event) -> None:
    tracker = spark.sparkContext.statusTracker()
    while not finished.wait(_EVERY_SECONDS):
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        tasks = sum(stage.numTasks for stage in stages if stage)
        done = sum(stage.numCompletedTasks for stage in stages if stage)
        status.update(f"{what}: {done} of {tasks} tasks" if tasks else what)
