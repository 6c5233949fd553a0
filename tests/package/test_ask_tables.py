"""`chronosketch ask` reads Delta and Iceberg tables through their own logs."""

import json
import shlex
import shutil
import sys

import pyarrow
import pytest
from chronosketch.errors import ChronosketchError
from chronosketch.sketch import Sketch
from chronosketch.sketch_tables import stored_sketches
from chronosketch.storage.iceberg import newest_metadata
from deltalake import DeltaTable, write_deltalake
from pyarrow import parquet
from pyiceberg.catalog.memory import InMemoryCatalog
from test_ask import rows_of


def sketches(**hosts):
    """Return a table with one sketch for each host."""
    built = [Sketch.build(values).to_bytes() for values in hosts.values()]
    return pyarrow.table({"host": pyarrow.array(list(hosts)), "s": pyarrow.array(built, "binary")})


@pytest.fixture
def delta(tmp_path):
    """Write a partitioned Delta table whose first rows were overwritten."""
    folder = tmp_path / "delta table"
    write_deltalake(folder, sketches(a=range(1000), b=range(1000)), partition_by=["host"])
    write_deltalake(folder, sketches(a=range(1_000_000, 1_001_000)), mode="overwrite")
    return folder


@pytest.fixture
def iceberg(tmp_path):
    """Return a function that creates an Iceberg table with an in-memory catalogue."""
    catalogue = InMemoryCatalog("test", warehouse=str(tmp_path))
    catalogue.create_namespace("ice")

    def _iceberg(name, **options):
        return catalogue.create_table(f"ice.{name}", schema=sketches(a=[1]).schema, **options)

    return _iceberg


def one_row(answer):
    _, row = rows_of(answer)
    return row


def test_delta_counts_only_files_of_the_newest_version(ask, delta):
    asked = (delta, "-c", "s", "-q", "0.5", "--by", "host")
    ((overwritten, message),) = ask(asked)
    assert message == ""
    assert one_row(overwritten) == ["a", "1000", *["1000499"] * 3]
    write_deltalake(delta, sketches(b=[7], c=[8, 9]), mode="append")
    DeltaTable(delta).delete("host = 'b'")
    DeltaTable(delta).create_checkpoint()
    write_deltalake(delta, sketches(a=[1]), mode="append")
    DeltaTable(delta).optimize.compact()
    many, total = ask(asked, (delta, "-c", "s"))
    assert [row[:2] for row in rows_of(many[0])[1:]] == [["a", "1001"], ["c", "2"]]
    assert one_row(total[0]) == ["1003"]
    DeltaTable(delta).vacuum(0, dry_run=False, enforce_retention_duration=False)
    ((after_vacuum, _),) = ask((delta, "-c", "s"))
    assert one_row(after_vacuum) == ["1003"]


def test_delta_answers_do_not_depend_on_the_order_of_files(tmp_path):
    for i in range(1, 21):
        write_deltalake(tmp_path / "t", sketches(**{f"h{i}": range(i, 3000 * i, 7)}), mode="append")
    answers = {stored_sketches(tmp_path / "t", "s")[()].to_bytes() for _ in range(5)}
    assert len(answers) == 1
    assert list(stored_sketches(tmp_path / "t", "s", ["host"])) == sorted((f"h{i}",) for i in range(1, 21))


def test_added_columns_are_null_in_older_files(ask, tmp_path):
    write_deltalake(tmp_path / "t", sketches(a=[1]))
    later = sketches(a=[2, 3]).append_column('da"y', pyarrow.array([5]))
    write_deltalake(tmp_path / "t", later, mode="append", schema_mode="merge")
    ((answer, message),) = ask((tmp_path / "t", "-c", "s", "--by", 'da"y'))
    assert message == ""
    assert sorted(rows_of(answer)[1:]) == [["5", "2"], ["NULL", "1"]]


def test_a_part_of_a_table_is_refused_with_the_command_for_the_table(ask, delta, iceberg, tmp_path):
    table = iceberg("parts")
    table.append(sketches(a=[1, 2]))
    ice = tmp_path / "ice" / "parts"
    data = next((ice / "data").glob("*.parquet"))
    (link := tmp_path / "linked").symlink_to(delta / "host=a")
    (links := tmp_path / "links").mkdir()
    (links / "day=1").symlink_to(delta / "host=a")
    (hudi := tmp_path / "hudi" / ".hoodie").mkdir(parents=True)
    (tmp_path / "w" / "runs" / "one").mkdir(parents=True)
    (tmp_path / "w" / "manifest").mkdir()
    (tmp_path / "w" / "manifest" / f"{1:020d}.json").write_text("{}")
    inner = sketches(a=[1])
    parquet.write_table(inner, hudi.parent / "a.parquet")
    calls = {
        (delta / "host=a",): f"is inside of a Delta table, {delta}.",
        (next((delta / "host=a").glob("*.parquet")),): f"is inside of a Delta table, {delta}.",
        (delta / "_delta_log",): f"is inside of a Delta table, {delta}.",
        (link,): f"is inside of a Delta table, {delta}.",
        (ice / "data",): f"is inside of an Iceberg table, {ice}.",
        (data,): f"is inside of an Iceberg table, {ice}.",
        (links,): f"has a Delta table in it, {delta}.",
        (tmp_path / "ice",): f"has an Iceberg table in it, {ice}.",
    }
    results = ask(*((*call, "-c", "s", "-q", "0.99") for call in calls))
    commands = [shlex.split(message.partition("Run: ")[2]) for _, message in results]
    whole = ask(*(command[2:] for command in commands))
    for (call, wanted), (answer, message), command in zip(calls.items(), results, commands, strict=True):
        assert answer == ""
        assert wanted in message, call
        assert message.count("\n") == 1, message
        assert command[:2] == ["chronosketch", "ask"]
        assert ("--by" in command) == ("host=a" in str(call[0].resolve()) and call != (links,)), command
    assert [rows_of(answer)[1][-4:-3] for answer, _ in whole] == [["1000"]] * 4 + [["2"]] * 2 + [
        ["1000"],
        ["2"],
    ]
    spark_only = ask(
        *((path, "-c", "s") for path in (hudi.parent, hudi.parent / "a.parquet", tmp_path / "w"))
    )
    for (_, message), word in zip(
        spark_only, ("format('hudi')", "format('hudi')", "warehouse_quantile('"), strict=True
    ):
        assert word in message
        assert message.count("\n") == 1, message


def test_a_delta_table_that_cannot_be_read_is_refused_in_one_line(ask, tmp_path):
    tables = [tmp_path / name for name in ("empty", "text", "feature", "gap", "missing", "reader")]
    for table in tables[2:]:
        write_deltalake(table, sketches(a=[1]))
        write_deltalake(table, sketches(a=[2]), mode="append")
    (tables[0] / "_delta_log").mkdir(parents=True)
    (tables[1] / "_delta_log").mkdir(parents=True)
    (tables[1] / "_delta_log" / f"{0:020d}.json").write_text("no JSON")
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["new"],
        "writerFeatures": ["new"],
    }
    (tables[2] / "_delta_log" / f"{2:020d}.json").write_text(json.dumps({"protocol": protocol}))
    (tables[3] / "_delta_log" / f"{0:020d}.json").unlink()
    next(tables[4].glob("*.parquet")).unlink()
    protocol = {"minReaderVersion": 9, "minWriterVersion": 9}
    (tables[5] / "_delta_log" / f"{2:020d}.json").write_text(json.dumps({"protocol": protocol}))
    calls = [(table, "-c", "s") for table in tables]
    for table, (answer, message) in zip(tables, ask(*calls), strict=True):
        assert answer == "", table
        assert f"{table} is a Delta table that deltalake cannot read; ask it in Spark. It said: " in message
        assert message.count("\n") == 1, message


def test_a_path_that_deltalake_would_decode_is_refused(tmp_path):
    for name in ("per cent", "per%20cent"):
        (tmp_path / name).mkdir()
    write_deltalake(tmp_path / "per cent", sketches(a=[1]))
    (tmp_path / "per%20cent" / "_delta_log").mkdir()
    with pytest.raises(ChronosketchError, match=r"per%20cent is a Delta table, .*: rename it\."):
        stored_sketches(tmp_path / "per%20cent", "s")


def test_a_missing_library_is_named(delta, iceberg, tmp_path, monkeypatch):
    iceberg("missing").append(sketches(a=[1]))
    monkeypatch.setattr("deltalake.__version__", "1.5.9")
    with pytest.raises(
        ChronosketchError, match=r"deltalake 1\.5\.9 is too old for it: pip install 'deltalake>=1.6'"
    ):
        stored_sketches(delta, "s")
    monkeypatch.setitem(sys.modules, "deltalake", None)
    monkeypatch.setitem(sys.modules, "pyiceberg.table", None)
    with pytest.raises(ChronosketchError, match=r"needs deltalake: pip install 'deltalake>=1\.6'\.$"):
        stored_sketches(delta, "s")
    with pytest.raises(ChronosketchError, match=r"needs pyiceberg.*: pip install 'pyiceberg>=0\.12'\.$"):
        stored_sketches(tmp_path / "ice" / "missing", "s")


def test_iceberg_counts_only_files_of_the_newest_snapshot(ask, iceberg, tmp_path):
    table = iceberg("whole")
    with table.update_spec() as spec:
        spec.add_identity("host")
    table.append(sketches(a=range(1000)))
    table.overwrite(sketches(a=range(1_000_000, 1_001_000)))
    table.append(sketches(b=[7], c=[8, 9]))
    table.delete("host = 'b'")
    folder = tmp_path / "ice" / "whole"
    files = sorted((folder / "metadata").glob("*.metadata.json"))
    by_host, older = ask((folder, "-c", "s", "-q", "0.5", "--by", "host"), (files[2], "-c", "s", "-q", "0.5"))
    assert by_host[1] == f"Read by {files[-1].name}, the newest metadata in the folder.\n"
    assert rows_of(by_host[0])[1:] == [["a", "1000", *["1000499"] * 3], ["c", "2", "8", "8", "8"]]
    assert older[1] == ""
    assert one_row(older[0]) == ["1000", *["499"] * 3]


def test_the_newest_metadata_is_hinted_or_has_the_highest_number(tmp_path):
    metadata = tmp_path / "metadata"
    metadata.mkdir()

    def newest(*names, hint=None):
        shutil.rmtree(metadata)
        metadata.mkdir()
        for name in names:
            (metadata / name).touch()
        if hint is not None:
            (metadata / "version-hint.text").write_text(hint)
        return newest_metadata(tmp_path).name

    assert newest("00009-x.metadata.json", "00010-a.metadata.json") == "00010-a.metadata.json"
    assert newest("v9.metadata.json", "v10.gz.metadata.json") == "v10.gz.metadata.json"
    assert (
        newest("v1.metadata.json", "v2.metadata.json", "v9.metadata.json", hint="1\n") == "v2.metadata.json"
    )
    assert newest("00001-b.metadata.json", "00002-c.metadata.json", hint="00001-b") == "00001-b.metadata.json"
    assert newest("table.metadata.json") == "table.metadata.json"
    for names, hint, wanted in [
        (
            ["00002-a.metadata.json", "00002-b.metadata.json"],
            None,
            "any of 00002-a.metadata.json and 00002-b",
        ),
        (["a.metadata.json", "b.metadata.json"], None, "any of a.metadata.json and b.metadata.json could be"),
        (["v1.metadata.json"], "7", "names version '7', whose file is missing"),
    ]:
        with pytest.raises(ChronosketchError, match=wanted):
            newest(*names, hint=hint)


def test_an_iceberg_table_that_cannot_be_read_is_refused_in_one_line(ask, iceberg, tmp_path):
    for name in ("remote", "text", "version", "missing"):
        iceberg(name).append(sketches(a=[1]))
    folders = [tmp_path / "ice" / name for name in ("remote", "text", "version", "missing")]
    files = [newest_metadata(folder) for folder in folders]
    remote = json.loads(files[0].read_text())
    files[0].write_text(json.dumps(remote | {"location": "s3://bucket/remote"}))
    files[1].write_text("no JSON")
    files[2].write_text(json.dumps(json.loads(files[2].read_text()) | {"format-version": 9}))
    next((folders[3] / "data").glob("*.parquet")).unlink()
    words = [
        "at s3://bucket/remote, not on this machine",
        "cannot be read by",
        "cannot be read by",
        "cannot read",
    ]
    for word, (answer, message) in zip(words, ask(*((folder, "-c", "s") for folder in folders)), strict=True):
        assert answer == ""
        assert word in message
        assert message.count("\n") == 1, message
