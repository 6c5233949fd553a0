"""Calibrate large frames on Spark, predict with that model, and compare with the event log of a query."""

import json
import subprocess
import sys

from chronosketch.advisor import drift
from chronosketch.advisor.calibration.fitting import calibrate
from chronosketch.advisor.calibration.measurements import read_measurements
from chronosketch.advisor.cost_model import CostModel

MEASURE = """
import sys
from pathlib import Path
from chronosketch.advisor.calibration import on_spark

on_spark._ROWS["small"] = (1_000, 4_000)
on_spark._FEWEST = 6_000
on_spark._SAMPLES = ("priority",)
steps = []
on_spark.measure_frames(Path(sys.argv[1]), "small", 900, 3, lambda *step: steps.append(step))
assert steps[-1] == (16, 16, "done"), steps[-1]
"""

QUERY = """
import sys
import chronosketch as cs

model, logs = sys.argv[1:]
builder = cs.session("drift").master("local[1]").config("spark.log.level", "ERROR")
builder = builder.config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", logs)
spark = builder.config("spark.chronosketch.sliding.exactFrameRows", "100").getOrCreate()
spark.conf.set("spark.chronosketch.advice.model", model)
frame = "ORDER BY id ROWS BETWEEN 1999 PRECEDING AND CURRENT ROW"
query = f"SELECT approx_quantile(id, 0.5, 0.05) OVER ({frame}) AS q FROM range(10000)"
spark.sql(query).write.format("noop").mode("overwrite").save()
spark.stop()
"""


def run(program, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, timeout=1200
    )
    assert done.returncode == 0, done.stderr


def test_frames_are_measured_predicted_and_compared(tmp_path):
    measured, file, logs = tmp_path / "measured.jsonl", tmp_path / "cost-model.json", tmp_path / "logs"
    logs.mkdir()
    run(MEASURE, measured)
    cells = [json.loads(line) for line in measured.read_text("utf-8").splitlines()]
    assert {cell["approach"] for cell in cells} >= {"arasu_manku", "arasu_manku_variable", "cmqs", "priority"}
    assert all(cell["update_ns"] > 0 and cell["bytes"] > 0 for cell in cells)
    calibrated = calibrate(read_measurements(measured.read_text("utf-8").splitlines(), "measured"), 1)
    models = [group.measured for group in calibrated.groups]
    file.write_text(CostModel({}, {}, {}, models).text(), encoding="utf-8")
    run(QUERY, file, logs.as_uri())
    (one,) = drift(logs)
    assert one.rows == 10_000 - 100
    # measured on this machine a minute ago: only a wrong unit or metric exceeds this factor
    assert 1 / 50 < one.time_ratio < 50
    assert 1 / 10 < one.bytes_ratio < 10
