"""`advise --drift` compares predictions in Spark's event logs with the real costs of queries."""

import gzip
import json

import pytest
from chronosketch.advisor import drift
from chronosketch.commands import app
from chronosketch.errors import ChronosketchError
from typer.testing import CliRunner

pytestmark = pytest.mark.classic

NAMES = ["number of certified answers", "time in large frames", "memory of large frames", "sort time"]


def node(first, *texts, name="SketchWindow", children=()):
    metrics = [
        {"name": metric, "accumulatorId": first + i, "metricType": "sum"} for i, metric in enumerate(NAMES)
    ]
    message = ", ".join(
        f"block sort, {structure} beyond 1000 rows "
        f"[predicted {nanos} ns a row and {kib} KiB; next: X, 9 ns a row]"
        for structure, nanos, kib in texts
    )
    text = f"{name}(functions=[a, b], structure={message}, sort=own radix sort)"
    return {"nodeName": name, "simpleString": text, "children": list(children), "metrics": metrics}


def plan(query, *nodes):
    root = {"nodeName": "Project", "simpleString": "Project [a]", "children": list(nodes), "metrics": []}
    event = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
    return {"Event": event, "executionId": query, "sparkPlanInfo": root}


def task(first, *values):
    found = [{"ID": first + i, "Update": str(value), "Internal": True} for i, value in enumerate(values)]
    return {"Event": "SparkListenerTaskEnd", "Task Info": {"Accumulables": [*found, {"ID": 9999}]}}


def write(file, *events):
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(event) + "\n" for event in events)
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file


def test_rows_of_all_tasks_and_the_most_memory_of_one(tmp_path):
    log = write(
        tmp_path / "local-1",
        {"Event": "SparkListenerLogStart"},
        plan(4, node(10, ("CMQS", 200, 50))),
        task(10, 1000, 500_000, 51_200, 7),
        task(10, 3000, 1_500_000, 102_400, 7),
        task(70, 3000, 1, 1, 1),
    )
    (one,) = drift(log)
    assert (one.query, one.structure, one.rows) == (4, "CMQS", 4000)
    assert (one.nanos, one.predicted_nanos, one.time_ratio) == (500.0, 200.0, 2.5)
    assert (one.bytes, one.predicted_bytes, one.bytes_ratio) == (102_400, 51_200.0, 2.0)


def test_two_structures_and_a_plan_that_was_changed(tmp_path):
    below = node(30, ("Arasu–Manku, fixed", 100, 10), ("CMQS", 300, 20))
    log = write(
        tmp_path / "app-1",
        plan(0, node(10, ("Arasu–Manku, fixed", 100, 10))),
        # the plan after adaptive execution: only this one ran
        plan(0, node(20, name="AdaptiveSparkPlan", children=[below])),
        task(30, 100, 40_000, 30_720, 0),
    )
    (one,) = drift(log)
    assert one.structure == "Arasu–Manku, fixed, CMQS"
    assert (one.predicted_nanos, one.nanos, one.bytes_ratio) == (200.0, 400.0, 1.0)


def test_parts_in_their_order_and_other_files(tmp_path):
    folder = tmp_path / "eventlog_v2_local-5"
    write(folder / "events_2_local-5.gz", plan(1, node(10, ("CMQS", 10, 1))))
    write(folder / "events_10_local-5.gz", task(10, 10, 1000, 1024, 0))
    (folder / "appstatus_local-5").touch()
    (folder / ".events_2_local-5.gz.crc").write_bytes(b"\0")
    (tmp_path / "part-0.snappy.parquet").write_bytes(b"PAR1\xff")
    assert [one.time_ratio for one in drift(tmp_path)] == [10.0]


def test_a_truncated_log_is_read(tmp_path):
    log = write(tmp_path / "local-1", plan(0, node(10, ("CMQS", 10, 1))), task(10, 10, 1000, 1024, 0))
    log.write_text(log.read_text() + '{"Event": "Spark')
    assert len(drift(log)) == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("gone", None, "There is no event log"),
        ("local-1", b"a,b,c\n", "is no event log of Spark: line 1 is not an event"),
        ("local-1", b"[1]\n", "is no event log of Spark: line 1 is not an event"),
        ("local-1.lz4", b"\xff\xfe\x00", "set spark.eventLog.compress to false"),
        ("local-1.zstd", b"no zstd", "cannot be read"),
    ],
)
def test_an_invalid_log_is_rejected(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ChronosketchError, match=message):
        drift(tmp_path / name)
    done = CliRunner().invoke(app, ["advise", "--drift", str(tmp_path / name)])
    assert done.exit_code == 1
    assert "Traceback" not in done.output


def test_a_folder_without_a_log(tmp_path):
    with pytest.raises(ChronosketchError, match=r"spark\.eventLog\.enabled"):
        drift(tmp_path)


def test_the_command_says_when_a_model_is_far_off(tmp_path):
    asked = plan(0, node(10, ("CMQS", 10, 1)))
    near = write(tmp_path / "near" / "local-1", asked, task(10, 10, 110, 1024, 0))
    done = CliRunner().invoke(app, ["advise", "--drift", str(near)])
    assert done.exit_code == 0, done.output
    assert "CMQS" in done.stdout
    assert "1.10 times the predicted time" in done.stdout
    assert "calibrate" not in done.stdout
    far = write(tmp_path / "far" / "local-1", asked, task(10, 10, 900, 1024, 0))
    assert "run `chronosketch calibrate` here" in " ".join(
        CliRunner().invoke(app, ["advise", "--drift", str(far)]).stdout.split()
    )
    none = write(tmp_path / "none" / "local-1", plan(0))
    assert "No query of" in CliRunner().invoke(app, ["advise", "--drift", str(none)]).stdout


def test_advise_needs_an_aggregate_or_a_log():
    done = CliRunner().invoke(app, ["advise"])
    assert done.exit_code == 1
    assert "Name an aggregate" in done.stderr
