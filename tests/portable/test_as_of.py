"""Windows that end at a column, by the functions of Python. It needs no Spark."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pyarrow as pa
import pytest
from chronosketch.portable import answers
from chronosketch.sketch import Sketch

STORED = (Path(__file__).resolve().parents[1] / "golden" / "v1" / "window_small.bin").read_bytes()
LATER = datetime(2100, 1, 1, tzinfo=timezone.utc)
TIMES = pa.timestamp("us", tz="UTC")


def windows(as_of):
    n = 1 if as_of is None else len(as_of)
    sketches = pa.array([STORED] * n, pa.binary())
    return answers.sketch_window(sketches, pa.array(["36500 days"] * n), as_of).to_pylist()


def test_each_row_has_a_window_of_its_own():
    times = [LATER - timedelta(days=20000), LATER - timedelta(days=40000), None, LATER]
    found = windows(pa.array(times, TIMES))
    assert found[2] is None
    one = Sketch.from_bytes(STORED)
    for time, window in zip(times, found, strict=True):
        if time is not None:
            assert window == one.window("36500 days", time).to_bytes()
    assert Sketch.from_bytes(found[0]).count > 0
    assert Sketch.from_bytes(found[1]).count == 0


def test_a_bare_null_means_that_it_is_absent():
    newest = Sketch.from_bytes(STORED).window("36500 days").to_bytes()
    assert windows(None) == [newest]
    assert windows(pa.nulls(2)) == [newest, newest]


def test_a_column_of_nulls_gives_nulls():
    assert windows(pa.nulls(2, TIMES)) == [None, None]


@pytest.mark.parametrize("n", [0, 1])
def test_few_rows(n):
    assert len(windows(pa.array([LATER] * n, TIMES))) == n
