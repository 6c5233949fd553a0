"""Sketches in Parquet files, asked on the command line without Spark."""

import json
import sys

import pyarrow
import pytest
from chronosketch.sketch import Sketch
from pyarrow import parquet
from test_command_line import ONE_AFTER_ANOTHER


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Two hosts, one of which has two rows, and a row without a sketch."""
    folder = tmp_path_factory.mktemp("stored") / "daily"
    folder.mkdir()
    for name, rows in {
        "a.parquet": [("web[1]", range(1, 101)), ("db", [7])],
        "b.parquet": [("web[1]", range(101, 201)), (None, None)],
    }.items():
        hosts, values = zip(*rows, strict=True)
        sketches = [None if v is None else Sketch.build(v, epsilon=0.1).to_bytes() for v in values]
        table = pyarrow.table(
            {"host": pyarrow.array(hosts, "string"), "s": pyarrow.array(sketches, "binary")}
        )
        parquet.write_table(table, folder / name)
    (folder / "_SUCCESS").touch()
    return folder


def rows_of(text):
    return [line.split() for line in text.splitlines() if line.strip() and "─" not in line]


# Nothing of Spark can be imported: no pyspark, no Java.
WITHOUT_SPARK = "import sys\nsys.modules['pyspark'] = None\n" + ONE_AFTER_ANOTHER


@pytest.fixture
def ask(run):
    def _ask(*calls):
        text = json.dumps([["ask", *map(str, arguments)] for arguments in calls])
        done = run(sys.executable, "-c", WITHOUT_SPARK, text, JAVA_HOME="/nowhere")
        said = [part.rpartition("ended with ")[0] for part in done.stdout.split("\0")[1:]]
        return list(zip(said, done.stderr.split("\0")[1:], strict=True))

    return _ask


def test_rows_of_a_group_are_merged_and_answers_have_bounds(ask, stored):
    (by_host, all_of_them, counted) = ask(
        (stored, "--column", "s", "--by", "host", "-q", "0.5", "--quantile", "1"),
        (stored / "a.parquet", "-c", "s", "-q", "0.5"),
        (stored, "-c", "s"),
    )
    assert [said[1] for said in (by_host, all_of_them, counted)] == ["", "", ""]
    head, web, db = rows_of(by_host[0])
    assert head == ["host", "count", "0.5", "0.5", "from", "0.5", "to", "1", "1", "from", "1", "to"]
    assert web[:2] == ["web[1]", "200"]
    low, high = int(web[3]), int(web[4])
    assert low <= 100 <= high
    assert high - low <= 0.2 * 200
    assert abs(int(web[2]) - 100) <= 20
    assert web[5:] == ["200", "200", "200"]
    assert db == ["db", "1", *["7"] * 6]
    assert rows_of(all_of_them[0])[1][0] == "101"
    assert rows_of(counted[0]) == [["count"], ["201"]]


def test_a_mistake_is_one_message(ask, stored, tmp_path):
    (tmp_path / "text").write_text("no Parquet")
    broken = tmp_path / "broken.parquet"
    parquet.write_table(pyarrow.table({"s": [b"x"], "n": [1], "parts": [[1, 2]]}), broken)
    said = ask(
        ("nowhere.parquet", "-c", "s"),
        (stored, "-c", "t"),
        (stored, "-c", "host"),
        (stored, "-c", "s", "--by", "day"),
        (tmp_path / "text", "-c", "s"),
        (broken, "-c", "s"),
        (broken, "-c", "n"),
        (broken, "-c", "s", "--by", "parts"),
        (stored, "-c", "s", "-q", "1.5"),
    )
    words = [
        "nowhere.parquet does not exist: name a Parquet file, or a folder of them.",
        "has no column 't': it has host, s.",
        "is string: name one of binary sketches.",
        "has no column 'day': it has host, s.",
        "is no Parquet that can be read: ",
        "CHRONOSKETCH_NOT_A_SKETCH",
        "is int64: name one of binary sketches.",
        "makes no groups: its values have parts.",
        "1.5",
    ]
    for (answer, message), wanted in zip(said, words, strict=True):
        assert answer == ""
        assert wanted in message
        assert "Traceback" not in message
        assert message.count("\n") == 1, message
