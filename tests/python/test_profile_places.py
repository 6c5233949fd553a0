"""Profiles: places refer to existing classes, and stacks of async-profiler are parsed correctly."""

import re
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.classic

TOP = Path(__file__).resolve().parents[2]
SOURCES = [TOP / "jvm" / module / "src" / "main" / "scala" for module in ("core", "spark")]


@pytest.fixture(scope="module")
def harness():
    """Import the modules of the benchmarks, which are not in the package."""
    sys.path.insert(0, str(TOP / "benchmarks"))
    try:
        import profiles
        from harness import places, sampler

        yield places, sampler, profiles
    finally:
        sys.path.remove(str(TOP / "benchmarks"))


def is_there(prefix):
    """Return whether one of our packages has this name, or a class begins with it."""
    package, _, name = prefix.rpartition(".")
    folders = [folder for top in SOURCES if (folder := top / package.replace(".", "/")).is_dir()]
    if not name:
        return bool(folders)
    defined = re.compile(rf"\b(?:class|object|trait) {name}")
    return any(
        defined.search(file.read_text("utf-8"))
        for folder in folders
        for file in folder.iterdir()
        if file.is_file()
    )


def test_places_exist(harness):
    places, _, _ = harness
    ours = [
        prefix for _, prefixes in places.PLACES for prefix in prefixes if prefix.startswith("chronosketch.")
    ]
    assert len(ours) > 50
    # shaded classes get their names when the jar is built
    assert [prefix for prefix in ours if prefix != "chronosketch.shaded." and not is_there(prefix)] == []


def test_stacks_are_counted(harness):
    places, sampler, _ = harness
    task = "[Executor task launch worker for task 0.0 in stage 1.0 (TID 3) tid=7]"
    outer = "java/lang/Thread.run_[0];org/apache/spark/executor/Executor$TaskRunner.run_[1]"
    sort, keep = "chronosketch/sort/KeySort.sort_[j]", "chronosketch/quantile/GreenwaldKhanna.insert_[j]"
    counted = sampler.count(
        [
            # native code, the kernel and the JDK count for their callers
            f"{task};{outer};{keep};{sort};java/util/Arrays.copyOf_[i];jlong_disjoint_arraycopy 3",
            f"{task};{outer};{keep};asm_exc_page_fault_[k];clear_page_[k] 2",
            # setting a field is too short to be sampled
            f"{task};{outer};{keep};chronosketch/memory/Metered.meter_$eq_[i] 1",
            f"{task};{outer};a/B$$Lambda$3045.0x00007fb928fc3a38.apply_[j] 5",
            f"{task};[not_walkable_Java];Interpreter 1",
            "[C2 CompilerThre tid=8];start_thread;C2Compiler::compile_method 7",
            "[GC Thread#1 tid=9];start_thread 4",
            "[Thread-4 tid=10];java/lang/Thread.run_[0] 6",
            "[dispatcher-event-loop-1 tid=11];java/lang/Thread.run_[0] 1",
        ]
    )
    assert counted.places == {
        places.SORTED: 3,
        places.KEPT: 3,
        places.OTHER: 5,
        places.UNREAD: 1,
        places.COMPILATION: 7,
        places.COLLECTION: 4,
        places.OUTSIDE: 7,
    }
    assert counted.in_tasks == 12
    assert counted.methods[places.KEPT] == {"chronosketch.quantile.GreenwaldKhanna.insert": 3}
    assert counted.methods[places.OTHER] == {"a.B$$Lambda.apply": 5}
    assert counted.methods[places.COMPILATION] == {"C2": 7}
    assert counted.methods[places.OUTSIDE] == {"py4j": 6, "dispatcher-event-loop": 1}


@pytest.mark.parametrize(
    ("method", "shown"),
    [
        ("chronosketch.sort.KeySort$.ofThread", "KeySort.ofThread"),
        ("chronosketch.quantile.CellCounts.chronosketch$quantile$CellCounts$$clear", "CellCounts.clear"),
        ("org.apache.spark.executor.Executor$TaskRunner.$anonfun$run$4", "Executor$TaskRunner.run"),
        ("a.B$.$anonfun$prepare$7$adapted", "B.prepare"),
        ("a.B.$anonfun$new$2", "B.new"),
        ("a.B$$Lambda.apply", "B$$Lambda.apply"),
        ("GC Thread", "GC Thread"),
    ],
)
def test_methods_are_short(harness, method, shown):
    _, _, profiles = harness
    assert profiles.short(method) == shown
