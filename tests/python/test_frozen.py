"""Bytes, settings, SQL and error conditions of a released version stay: see tests/golden/<version>."""

import importlib.util
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(name, TOP / "make" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


frozen = load("frozen")
SNAPSHOTS = sorted(file for file in frozen.GOLDEN.glob("*.*.*/*.txt"))


def check(snapshot, now):
    """Fail if something in the snapshot is gone or changed, or is new in a snapshot of this version."""
    kept = snapshot.read_text("utf-8").splitlines()
    is_same_version = snapshot.parent.name == frozen.version()
    found = frozen.differences(kept, now, is_same_version)
    remedy = (
        "If you mean the difference, .venv/bin/python make/frozen.py writes the snapshot again."
        if is_same_version
        else "Bring it back: the snapshot of a released version is never written again."
    )
    message = f"{snapshot.relative_to(TOP)} differs. To change what stands there breaks users. {remedy}"
    assert not found, "\n".join([message, *found])


@pytest.mark.classic
def test_a_snapshot_has_every_file():
    folders = {file.parent for file in SNAPSHOTS}
    assert frozen.GOLDEN / "0.1.0" in folders
    for folder in folders:
        assert {file.name for file in SNAPSHOTS if file.parent == folder} == {*frozen.READ, frozen.PROCEDURES}


@pytest.mark.classic
@pytest.mark.parametrize(
    "snapshot",
    [file for file in SNAPSHOTS if file.name in frozen.READ],
    ids=lambda file: f"{file.parent.name}/{file.name}",
)
def test_nothing_in_a_snapshot_is_gone_or_changed(snapshot):
    check(snapshot, frozen.READ[snapshot.name]())


@pytest.mark.classic
@pytest.mark.parametrize(
    "snapshot",
    [file for file in SNAPSHOTS if file.name == frozen.PROCEDURES],
    ids=lambda file: f"{file.parent.name}/{file.name}",
)
def test_no_procedure_in_a_snapshot_is_gone_or_changed(spark, snapshot):
    check(snapshot, frozen.procedures(spark))


@pytest.mark.classic
@pytest.mark.parametrize(
    ("now", "in_this_version", "in_a_later_version"),
    [
        (["function f", "f 1 x required"], [], []),
        (["function f"], ["f 1 x required is gone"], ["f 1 x required is gone"]),
        (
            ["function f", "f 1 x default 2"],
            ["f 1 x required is gone", "f 1 x default 2 is not in"],
            ["f 1 x required is gone"],
        ),
        (["function f", "f 1 x required", "f 2 y optional"], ["f 2 y optional is not in"], []),
        (
            ["function f", "f 1 x required", "f 2 y required"],
            ["f 2 y required is not in"],
            ["f 2 y required, which calls of f do not give"],
        ),
        (
            ["function f", "f 1 x required", "function g", "g 1 x required"],
            ["function g is not in", "g 1 x required is not in"],
            [],
        ),
    ],
)
def test_a_later_version_may_add_and_not_change(now, in_this_version, in_a_later_version):
    kept = ["function f", "f 1 x required"]
    for is_same_version, messages in ((True, in_this_version), (False, in_a_later_version)):
        found = frozen.differences(kept, now, is_same_version)
        assert len(found) == len(messages), found
        assert all(words in line for words, line in zip(messages, found, strict=True)), found


@pytest.mark.classic
def test_the_snapshots_name_what_users_write():
    settings, functions = frozen.settings(), frozen.functions()
    assert "spark.chronosketch.sliding.accelerate = empty" in settings
    assert "class chronosketch.spark.warehouse.call.WarehouseCatalog" in settings
    assert "approx_quantile 3 epsilon default 0.0001" in functions
    assert "approx_quantile 4 frequency optional" in functions
    assert "table function hopping_sketch" in functions
    assert "function chronosketch_version" in functions
    assert all(line == line.strip() for line in [*settings, *functions, *frozen.conditions()])
