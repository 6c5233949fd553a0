"""The README's SQL and Python run as they stand, and its figures are those of benchmarks/results."""

import re
from pathlib import Path

import pytest
from chronosketch import functions as cf
from chronosketch.statements import split_statements

TOP = Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text("utf-8")


def block(language):
    (text,) = re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    return text


def test_the_sql_runs(spark):
    try:
        frames = [spark.sql(statement) for statement in split_statements(block("sql"))]
        by_host, merged = (frame.collect() for frame in frames if frame.columns)
    finally:
        spark.sql("DROP TABLE IF EXISTS daily")
    assert len(by_host) == 3
    for _, quantiles, bounds in by_host:
        assert quantiles[0] < bounds.low <= quantiles[1] <= bounds.high
    ((p99, error, (share,)),) = merged
    assert p99 > 100
    assert error <= 1e-3
    assert 0.9 < share < 1


def test_the_python_runs(spark, mode, capsys):
    if mode == "connect":
        pytest.skip("a process that has a Connect session starts no classic one")
    exec(compile(block("python"), "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "p99 of all" in shown
    assert shown.count("|") == 4 * 4 + 2 * 2  # three hosts and a header, one answer and a header


def test_every_function_is_named():
    table = README.split("## Functions")[1].split("##")[0]
    assert [name for name in cf.__all__ if f"`{name}" not in table] == []


@pytest.mark.parametrize("file", re.findall(r'(?:src|srcset)="([^"]+)"|\]\(([^):]+)\)', README))
def test_what_it_refers_to_is_there(file):
    assert (TOP / "".join(file)).exists()


@pytest.mark.parametrize("table", ["spark_aggregate", "core"])
def test_its_figures_are_the_measured_ones(table):
    measured = (TOP / "benchmarks" / "results" / f"{table}.md").read_text("utf-8")
    rows = [line for line in measured.splitlines() if line.startswith("|")]
    section = README.split(f"<!-- {table}:")[1].split(f"<!-- /{table} -->")[0]
    shown = [line for line in section.splitlines() if line.startswith("|")]
    assert len(shown) > 5
    assert set(shown) <= set(rows)
