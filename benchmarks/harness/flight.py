"""Samples of what the tasks of a session are at, by the JVM's flight recorder."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.places import OUTSIDE, place_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

# Without these options a sample names the next safepoint's method, often the caller of the one that runs.
JAVA_OPTIONS = "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints"
_JAVA, _NATIVE, _COLLECTION = "jdk.ExecutionSample", "jdk.NativeMethodSample", "jdk.GarbageCollection"
_MILLIS = 10
_DEPTH = 64
# The recorder keeps the name that a thread of the pool began with.
_TASK = "Executor task "


@dataclass(frozen=True)
class Samples:
    """What was recorded.

    Attributes
    ----------
    places : Counter
        Samples of each place.
    methods : dict
        For each place, samples of each of the methods that put them there.
    pauses : float
        The share of the time that the garbage collector stopped all of them.
    """

    places: Counter[str]
    methods: dict[str, Counter[str]]
    pauses: float


def record(spark: SparkSession, folder: Path, run: Callable[[], float]) -> Samples:
    """Record a function, which returns its seconds."""
    assert spark.sparkContext._jvm is not None
    jvm = spark.sparkContext._jvm
    settings = jvm.java.util.HashMap()
    for event, period in ((_JAVA, f"{_MILLIS} ms"), (_NATIVE, f"{_MILLIS} ms"), (_COLLECTION, "")):
        settings.put(f"{event}#enabled", "true")
        if period:
            settings.put(f"{event}#period", period)
    recording = jvm.jdk.jfr.Recording(settings)
    recording.start()
    try:
        seconds = run()
        recording.stop()
        file = folder / "flight.jfr"
        recording.dump(
            jvm.java.nio.file.Path.of(str(file), spark.sparkContext._gateway.new_array(jvm.String, 0))
        )
    finally:
        recording.close()
    tool = Path(jvm.java.lang.System.getProperty("java.home")) / "bin" / "jfr"
    events = _events(tool, file)
    file.unlink()
    return _count(events, seconds)


def _events(tool: Path, file: Path) -> list[dict[str, Any]]:
    names = ",".join((_JAVA, _NATIVE, _COLLECTION))
    command = [str(tool), "print", "--json", "--events", names, "--stack-depth", str(_DEPTH), str(file)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return json.loads(printed)["recording"]["events"]  # type: ignore[no-any-return]


def _count(events: list[dict[str, Any]], seconds: float) -> Samples:
    places: Counter[str] = Counter()
    methods: dict[str, Counter[str]] = {}
    paused = 0.0
    for event in events:
        values = event["values"]
        if event["type"] == _COLLECTION:
            paused += float(values["sumOfPauses"].removeprefix("PT").removesuffix("S"))
            continue
        thread = values["sampledThread"]
        is_task = bool(thread) and str(thread["javaName"]).startswith(_TASK)
        frames = [_method(frame) for frame in (values["stackTrace"] or {"frames": []})["frames"]]
        is_native = event["type"] == _NATIVE
        if is_native and not (is_task and _is_work(frames)):
            # a thread that waits, for a socket say, is in native code too
            continue
        place, method = place_of(frames) if is_task else (OUTSIDE, frames[0] if frames else "")
        places[place] += 1
        methods.setdefault(place, Counter())[method] += 1
    return Samples(places, methods, paused / seconds)


def _method(frame: dict[str, Any]) -> str:
    method = frame["method"]
    return f"{method['type']['name']}.{method['name']}".replace("/", ".")


def _is_work(frames: list[str]) -> bool:
    return bool(frames) and frames[0].startswith(
        ("org.xerial.snappy.", "com.github.luben.zstd.", "net.jpountz.", "java.io.", "sun.nio.ch.")
    )
