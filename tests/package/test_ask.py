"""`chronosketch ask` reads sketches in Parquet files without Spark."""

import csv
import io
import json
import math
import os
from datetime import date, datetime, timedelta
from decimal import Decimal

import pyarrow
import pytest
from chronosketch.errors import ChronosketchError
from chronosketch.sketch import Sketch
from chronosketch.sketch_tables import stored_sketches
from pyarrow import parquet


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """Write sketches of two hosts, one of them in two rows, and a row without a sketch."""
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
    """Return the words of each line of a printed table."""
    return [line.split() for line in text.splitlines() if line.strip() and "─" not in line]


def test_rows_of_a_group_are_merged_and_answers_have_bounds(ask, stored):
    (by_host, all_of_them, counted) = ask(
        (stored, "--column", "s", "--by", "host", "-q", "0.5", "--quantile", "1"),
        (stored / "a.parquet", "-c", "s", "-q", "0.5"),
        (stored, "-c", "s"),
    )
    assert [message[1] for message in (by_host, all_of_them, counted)] == ["", "", ""]
    head, web, db, nothing = rows_of(by_host[0])
    assert nothing == ["NULL"] * 8
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


def test_answers_are_written_as_csv_and_json(ask, stored):
    asked = (stored, "-c", "s", "--by", "host", "-q", "1")
    as_csv, as_json, bare, empty = ask(
        (*asked, "--format", "csv"),
        (*asked, "--format", "json"),
        (stored, "-c", "s", "--format", "json"),
        (stored, "-c", "s", "--format", "xml"),
    )
    assert as_csv == ("host,count,1,1 from,1 to\nweb[1],200,200,200,200\ndb,1,7,7,7\n,,,,\n", "")
    (web, db, nothing) = json.loads(as_json[0])
    assert web == {
        "group": {"host": "web[1]"},
        "count": 200,
        "quantiles": [{"phi": 1.0, "value": 200, "low": 200, "high": 200}],
    }
    assert db["quantiles"] == [{"phi": 1.0, "value": 7, "low": 7, "high": 7}]
    assert nothing == {
        "group": {"host": None},
        "count": None,
        "quantiles": [{"phi": 1.0, "value": None, "low": None, "high": None}],
    }
    assert json.loads(bare[0]) == [{"group": {}, "count": 201, "quantiles": []}]
    assert empty[0] == ""
    assert "'xml' is not one of 'table', 'csv', 'json'" in " ".join(empty[1].replace("│", " ").split())


def test_a_title_has_all_digits_of_phi(ask, stored):
    asked = [part for phi in ("0.9999999", "0.99999", "1", "0.000001") for part in ("-q", phi)]
    (as_csv,) = ask((stored, "-c", "s", *asked, "--format", "csv"))
    titles = as_csv[0].partition("\n")[0].split(",")
    assert titles[1::3] == ["0.9999999", "0.99999", "1", "1e-06"]


def test_values_of_every_type_are_written(ask, tmp_path):
    values = {
        "day": [date(2026, 1, 2)],
        "at": [datetime(2026, 1, 2, 3, 4, 5)],
        "share": [Decimal("1.50")],
        "nan": [math.nan],
        "bytes": [b"\x0a\xff"],
        "flag": [True],
        "text": ['a, "b"\nü'],
        "length": [timedelta(minutes=90)],
    }
    built = Sketch.build([math.inf, -math.inf, 1.5]).to_bytes()
    put(pyarrow.table({"s": pyarrow.array([built], "binary"), **values}), tmp_path / "all.parquet")
    by = [part for name in values for part in ("--by", name)]
    as_csv, as_json = ask(
        *((tmp_path / "all.parquet", "-c", "s", *by, "-q", "0", "--format", form) for form in ("csv", "json"))
    )
    (row,) = json.loads(as_json[0])
    assert list(row["group"].values()) == [
        *("2026-01-02", "2026-01-02T03:04:05", "1.50", "NaN", "0aff", True, 'a, "b"\nü', "1:30:00")
    ]
    assert row["quantiles"][0]["value"] == "-Infinity"
    _, line = csv.reader(io.StringIO(as_csv[0]))
    assert line == [
        *("2026-01-02", "2026-01-02T03:04:05", "1.50", "NaN", "0aff", "true", 'a, "b"\nü', "1:30:00"),
        *("3", "-Infinity", "-Infinity", "-Infinity"),
    ]


def test_several_files_are_one_set_of_rows(ask, stored, tmp_path):
    one, two = stored / "a.parquet", stored / "b.parquet"
    put(sketches(host=7), number := tmp_path / "number.parquet")
    put(
        sketches().cast(pyarrow.schema({"host": pyarrow.large_string(), "s": pyarrow.large_binary()})),
        large := tmp_path / "large.parquet",
    )
    link = tmp_path / "link.parquet"
    link.symlink_to(one)
    both, types, differ, twice, linked, inside = ask(
        (one, two, "-c", "s", "--by", "host", "--format", "csv"),
        (one, large, "-c", "s", "--by", "host", "--format", "csv"),
        (one, number, "-c", "s", "--by", "host"),
        (one, one, "-c", "s"),
        (one, link, "-c", "s"),
        (stored, two, "-c", "s"),
    )
    assert both == ("host,count\nweb[1],200\ndb,1\n,\n", "")
    assert types == ("host,count\nweb[1],100\ndb,1\na,100\n", "")
    assert f"Column 'host' is large_string in {one} and int64 in {number}." in differ[1]
    for message, words in ((twice, "named twice"), (linked, "named twice"), (inside, f"inside of {stored}")):
        assert f"is {words}, so its rows would count twice. Name it once." in message[1]
    assert [message[0] for message in (differ, twice, linked, inside)] == [""] * 4


def test_rows_without_a_sketch_are_null_as_in_sql(ask, tmp_path):
    nothing = pyarrow.table({"host": ["a", "b", "b"], "s": pyarrow.array([None] * 3, "binary")})
    put(nothing, tmp_path / "nothing.parquet")
    put(nothing.slice(0, 0), tmp_path / "empty.parquet")
    by_host, all_of_them, empty, empty_by = ask(
        (tmp_path / "nothing.parquet", "-c", "s", "--by", "host", "-q", "0.5"),
        (tmp_path / "nothing.parquet", "-c", "s"),
        (tmp_path / "empty.parquet", "-c", "s"),
        (tmp_path / "empty.parquet", "-c", "s", "--by", "host"),
    )
    assert rows_of(by_host[0])[1:] == [["a", *["NULL"] * 4], ["b", *["NULL"] * 4]]
    assert rows_of(all_of_them[0]) == rows_of(empty[0]) == [["count"], ["NULL"]]
    assert rows_of(empty_by[0]) == [["host", "count"]]


def test_a_mistake_is_one_message(ask, stored, tmp_path):
    (tmp_path / "text").write_text("no Parquet")
    broken = tmp_path / "broken.parquet"
    parquet.write_table(pyarrow.table({"s": [b"x"], "n": [1], "parts": [[1, 2]]}), broken)
    results = ask(
        ("nowhere.parquet", "-c", "s"),
        (stored, "-c", "t"),
        (stored, "-c", "host"),
        (stored, "-c", "s", "--by", "day"),
        (tmp_path / "text", "-c", "s"),
        (broken, "-c", "s"),
        (broken, "-c", "n"),
        (broken, "-c", "s", "--by", "parts"),
        (stored, "-c", "s", "-q", "1.5"),
        ("nowhere.parquet", "-c", "s", "-q", "0.5", "-q", "99"),
        (stored, "-c", "s", "-q", "nan"),
    )
    words = [
        "nowhere.parquet does not exist: name a Parquet file, or a folder of them, on this machine.",
        "has no column 't': it has host, s.",
        "is string: name one of binary sketches.",
        "has no column 'day': it has host, s.",
        "is no Parquet that can be read: ",
        "CHRONOSKETCH_NOT_A_SKETCH",
        "is int64: name one of binary sketches.",
        "makes no groups: its values have parts.",
        "--quantile is 1.5, and must be a share between 0 and 1. For p99 write --quantile 0.99.",
        "--quantile is 99, and must be a share between 0 and 1.",
        "--quantile is nan, and must be a share between 0 and 1.",
    ]
    for (answer, message), wanted in zip(results, words, strict=True):
        assert answer == ""
        assert wanted in message
        assert "Traceback" not in message
        assert message.count("\n") == 1, message


def sketches(host="a", values=range(1, 101), **columns):
    """Return a table with one sketch of a host."""
    return pyarrow.table(
        {"host": [host], "s": pyarrow.array([Sketch.build(values).to_bytes()], "binary")}
        | {name: [value] for name, value in columns.items()}
    )


def put(table, *path):
    """Write a table as a file, create its folders, and return the top folder."""
    file = path[0].joinpath(*path[1:])
    file.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, file)
    return path[0]


def test_folders_of_keys_and_values_are_columns(ask, tmp_path):
    days = tmp_path / "env=test" / "days"
    put(sketches(), days, "day=1", "zone=a b", "one.parquet")
    put(sketches(), days, "day=2", "zone=a%2Fb", "one.parquet")
    put(sketches(day=7), days, "day=2", "zone=a%2Fb", "two.parquet")
    put(sketches(), days, "day=__HIVE_DEFAULT_PARTITION__", "zone=c", "one.parquet")
    put(sketches(), days, "day=1", "zone=c", "_temporary", "one.parquet")
    put(sketches(), days, "_staging", "one.parquet")
    (days / "day=1" / "zone=a b" / ".one.parquet.crc").write_text("no Parquet")
    (days / "day=1" / "zone=a b" / "_SUCCESS").touch()
    put(sketches(), hidden := tmp_path / "hidden", "_day=x", "one.parquet")
    put(sketches(), hidden, "_day=2", "one.parquet")
    by_day, by_both, outside, underscore, inside = ask(
        (days, "-c", "s", "--by", "day", "--by", "day"),
        (days, "-c", "s", "--by", "zone", "--by", "host"),
        (days, "-c", "s", "--by", "env"),
        (hidden, "-c", "s", "--by", "_day"),
        (days / "day=2", "-c", "s", "--by", "zone"),
    )
    assert rows_of(by_day[0]) == [["day", "count"], ["1", "100"], ["2", "200"], ["NULL", "100"]]
    assert rows_of(by_both[0])[1:] == [["a", "b", "a", "100"], ["a/b", "a", "200"], ["c", "a", "100"]]
    assert "has no column 'env': it has host, s, day, zone." in outside[1]
    assert rows_of(underscore[0])[1:] == [["2", "100"], ["x", "100"]]
    assert rows_of(inside[0])[1:] == [["a/b", "200"]]


def test_compatible_types_are_one_column(ask, tmp_path):
    wide = pyarrow.large_binary()
    small = pyarrow.schema({"host": pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), "s": wide})
    put(sketches().cast(small), tmp_path, "types", "a.parquet")
    put(sketches(), tmp_path, "types", "b.parquet")
    put(sketches(host=None), tmp_path, "types", "c.parquet")
    put(sketches(n=1), tmp_path, "numbers", "a.parquet")
    put(sketches(n=2.5), tmp_path, "numbers", "b.parquet")
    texts, numbers = ask(
        (tmp_path / "types", "-c", "s", "--by", "host"), (tmp_path / "numbers", "-c", "s", "--by", "n")
    )
    assert texts == (texts[0], "")
    assert rows_of(texts[0])[1:] == [["a", "200"], ["NULL", "100"]]
    assert rows_of(numbers[0])[1:] == [["1.0", "100"], ["2.5", "100"]]


def test_a_stream_of_spark_is_read_by_its_log(ask, tmp_path):
    folder = tmp_path / "a sink"
    for name, day in (("a", 1), ("b", 1), ("c", 2), ("failed", 2), ("d", 2)):
        put(sketches(), folder, f"day={day}", f"{name}.parquet")
    (log := folder / "_spark_metadata").mkdir()

    def write(name, *files, version="v1"):
        entries = [json.dumps({"path": (folder / file).as_uri(), "action": "add"}) for file in files]
        (log / name).write_text("\n".join([version, *entries]))

    write("0", "day=1/gone.parquet")
    write("1.compact", "day=1/a.parquet", "day=1/b.parquet")
    write("2", "day=2/c.parquet")
    write("3")
    (log / ".3.crc").write_text("no text")
    asked = (folder, "-c", "s", "--by", "day")
    (whole, part) = ask(asked, (folder / "day=2" / "failed.parquet", "-c", "s"))
    assert rows_of(whole[0])[1:] == [["1", "200"], ["2", "100"]]
    assert f"is inside of an output of a Spark stream, {folder}." in part[1]
    write("5", "day=2/d.parquet")
    ((_, gap),) = ask(asked)
    assert gap == f"{log} has no batch 4: without it, files would be missed.\n"
    write("4", "day=2/never.parquet")
    ((_, missing),) = ask(asked)
    assert "never.parquet does not exist" in missing
    write("4", version="v2")
    ((_, newer),) = ask(asked)
    assert "has version 'v2': only v1 can be read." in newer


def test_files_that_are_not_a_table_are_refused_in_one_line(ask, tmp_path):
    (empty := tmp_path / "empty").mkdir()
    (empty / "_SUCCESS").touch()
    put(sketches(), mixed := tmp_path / "mixed", "a.parquet")
    put(sketches().select(["host"]), mixed, "b.parquet")
    put(sketches(host=1), types := tmp_path / "types", "a.parquet")
    put(sketches(), types, "b.parquet")
    put(sketches(), levels := tmp_path / "levels", "a.parquet")
    put(sketches(), levels, "old", "b.parquet")
    put(sketches(), keys := tmp_path / "keys", "day=1", "a.parquet")
    put(sketches(), keys, "month=1", "b.parquet")
    put(sketches(), broken := tmp_path / "broken", "a.parquet")
    (broken / "b.parquet").write_bytes((broken / "a.parquet").read_bytes()[:-40])
    put(sketches(), damaged := tmp_path / "damaged.parquet")
    data = bytearray(damaged.read_bytes())
    data[4:200] = bytes(196)
    damaged.write_bytes(data)
    twice = pyarrow.table([[b"x"], [b"y"]], ["s", "s"])
    put(twice, tmp_path / "twice.parquet")
    text = pyarrow.array([b"\xff\xfe"]).view(pyarrow.string())
    put(sketches().set_column(0, "host", text), tmp_path / "no_utf8.parquet")
    late = pyarrow.array([2**40], pyarrow.timestamp("s"))
    put(sketches().set_column(0, "host", late), tmp_path / "late.parquet")
    (loop := tmp_path / "loop").mkdir()
    put(sketches(), loop, "a", "a.parquet")
    (loop / "a" / "again").symlink_to(loop)
    (dead := tmp_path / "dead").mkdir()
    (dead / "a.parquet").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe")
    (csv := tmp_path / "csv").mkdir()
    (csv / "a.csv").write_text("a,b\n1,2\n")
    (csv / "b.parquet").touch()
    put(sketches(), tmp_path / "[red]x.parquet")
    calls = {
        (empty, "-c", "s"): "has no Parquet file in it",
        (mixed, "-c", "s"): "b.parquet has no column 's', and",
        (types, "-c", "s", "--by", "host"): "column 'host' is int64 in",
        (levels, "-c", "s"): "has files in folders of different kinds, as a.parquet and old/b.parquet",
        (keys, "-c", "s"): "as day=1/a.parquet and month=1/b.parquet",
        (broken, "-c", "s"): "b.parquet is no Parquet that can be read: ",
        (damaged, "-c", "s"): "damaged.parquet is no Parquet that can be read: ",
        (tmp_path / "twice.parquet", "-c", "s"): "has several columns 's': rename all but one.",
        (tmp_path / "no_utf8.parquet", "-c", "s", "--by", "host"): "values of host that Python cannot hold",
        (tmp_path / "late.parquet", "-c", "s", "--by", "host"): "values of host that Python cannot hold",
        (loop, "-c", "s"): "is a link to a folder around it: remove the link.",
        (dead, "-c", "s"): "a.parquet does not exist",
        (tmp_path / "pipe", "-c", "s"): "pipe is neither a file nor a folder",
        (csv, "-c", "s"): "a.csv is no Parquet that can be read: ",
        (tmp_path / "x" / ("y" * 300), "-c", "s"): "does not exist",
        (tmp_path / "[red]x.parquet", "-c", "[bold]"): "[red]x.parquet has no column '[bold]'",
        (damaged / "below", "-c", "s"): "below does not exist",
        ("s3://bucket/daily", "-c", "s"): "on this machine",
    }
    for (call, wanted), (answer, message) in zip(calls.items(), ask(*calls), strict=True):
        assert wanted in message, (call, message)
        assert answer == "", call
        assert message.count("\n") == 1, message


def test_an_unreadable_folder_is_named(tmp_path):
    put(sketches(), folder := tmp_path / "daily", "closed", "a.parquet")
    closed = folder / "closed"
    user = os.geteuid()
    for one in (tmp_path, *tmp_path.parents[:1]):
        one.chmod(0o755)
    closed.chmod(0)
    try:
        if user == 0:
            os.seteuid(65534)  # root may read everything
        with pytest.raises(ChronosketchError, match=r"cannot be read: Permission denied\.$"):
            stored_sketches(folder, "s")
    finally:
        os.seteuid(user)
        closed.chmod(0o755)
