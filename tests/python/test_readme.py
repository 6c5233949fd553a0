"""The README's SQL and Python run as they stand, and its figures are those of benchmarks/results."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from chronosketch import functions as cf
from chronosketch.statements import split_statements
from pyspark.sql import functions as F

TOP = Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text("utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.classic
def test_the_sql_runs(spark, tmp_path):
    texts = [text.replace("/data/latencies", str(tmp_path / "latencies")) for text in blocks("sql")]
    try:
        frames = [spark.sql(s) for text in texts for s in split_statements(text)]
        # of four statements about a warehouse the last one asks
        by_host, merged, rolling, stored, at_once, opened, _, _, _, asked, hopping, panes, tails = (
            f for f in frames if f.columns
        )
        check_warehouse(asked)
        by_host, merged, stored = by_host.collect(), merged.collect(), stored.collect()
        assert hopping.selectExpr("sum(n)").first()[0] == 60 * 300_000
        check_history(spark, opened.collect())
        hits = columns_of(spark.table("hits").withColumn("ts", F.unix_seconds("ts")))
        check_telemetry(hits, panes.orderBy("host", "minute").collect(), tails.collect())
        check_windows(hits, stored, at_once.collect())
    finally:
        spark.sql("DROP TABLE IF EXISTS daily")
        spark.sql("DROP TABLE IF EXISTS windows")
        spark.sql("DROP TABLE IF EXISTS histories")
    check_rolling(columns_of(rolling.withColumn("p50_p99", F.to_json("p50_p99"))))
    assert len(by_host) == 3
    for _, quantiles, bounds in by_host:
        assert quantiles[0] < bounds.low <= quantiles[1] <= bounds.high
    ((p99, error, (share,)),) = merged
    assert p99 > 100
    assert error <= 1e-3
    assert 0.9 < share < 1


def columns_of(frame):
    """Collect a frame of many rows, a NumPy array a column."""
    table = frame.toArrow()
    return {name: table[name].to_numpy() for name in table.column_names}


def nearest_rank(values, *phis):
    ordered = np.sort(values)
    return [float(ordered[math.ceil(phi * len(ordered)) - 1]) for phi in phis]


def check_rolling(rows):
    checked = 0
    for host in set(rows["host"]):
        for day in range(30):
            of_host = rows["host"] == host
            answers = set(rows["p50_p99"][of_host & (rows["day"] == day)])
            if answers:
                frame = of_host & (rows["day"] <= day) & (rows["day"] >= day - 6)
                (answer,) = answers
                assert json.loads(answer) == nearest_rank(rows["latency_ms"][frame], 0.5, 0.99)
                checked += 1
    assert checked == 30


def check_windows(hits, stored, at_once):
    assert len(stored) == 3
    for of_stored, of_rows in zip(sorted(stored), sorted(at_once), strict=True):
        host, minutes, bounds, mixed = of_stored
        assert host == of_rows[0]
        of_host = hits["host"] == host
        newest_first = np.argsort(-hits["ts"][of_host])
        latency, failed, ts = (hits[name][of_host][newest_first] for name in ("latency_ms", "failed", "ts"))
        age, nth = ts[0] - ts, np.arange(len(ts))
        assert bounds.low <= nearest_rank(latency[:10_000], 0.99)[0] <= bounds.high
        in_minutes, in_mixed = age < 300, (failed.astype(bool) & (age < 3600)) | (nth < 1000)
        for answer, window in ((minutes, in_minutes), (mixed, in_mixed), (of_rows[1], in_mixed)):
            values = latency[window]
            allowed, rank = 0.01 * len(values), 0.99 * len(values)
            assert np.count_nonzero(values <= answer) >= rank - allowed
            assert np.count_nonzero(values < answer) <= rank + allowed


def check_history(spark, opened):
    exact = spark.sql(
        """
        SELECT region, count(*) AS n, percentile_disc(0.99) WITHIN GROUP (ORDER BY amount) AS p99 FROM orders
        WHERE opened <= DATE'2026-07-01' AND (closed IS NULL OR closed > DATE'2026-07-01')
        GROUP BY region ORDER BY region
        """
    ).collect()
    assert len(exact) == 3
    for truth, (region, p99, bounds, n) in zip(exact, sorted(opened), strict=True):
        assert region == truth.region
        assert bounds.low <= truth.p99 <= bounds.high
        assert bounds.low <= p99 <= bounds.high
        assert n.low <= truth.n <= n.high


def check_warehouse(asked):
    """What is exact is as shown; what quick answers leave in doubt depends on the machine's cores."""
    (shown,) = (text for text in blocks("text") if "rank_error" in text)
    names, *rows = (
        [cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines() if "|" in line
    )
    assert names == asked.columns
    came = [[str(value) for value in row] for row in asked.collect()]
    for some in (rows, came):
        assert [(row[0], row[1]) for row in some] == [(row[0], row[1]) for row in rows]
        for quick, accurate in zip(some[::2], some[1::2], strict=True):
            assert float(quick[3]) <= float(accurate[2]) <= float(quick[4])
            assert quick[6] == "0" == accurate[5]
    assert [row[:6] for row in came[1::2]] == [row[:6] for row in rows[1::2]]
    assert len(rows) == 6


def check_telemetry(hits, panes, tails):
    assert len(panes) == 3 * 5000
    assert len(tails) == 3
    for i, (host, p999, bounds) in enumerate(sorted(tails)):
        of_host = hits["host"] == host
        latency, since = hits["latency_ms"][of_host], hits["ts"][of_host] - 1767225600
        medians = [nearest_rank(latency[since // 60 == minute], 0.5)[0] for minute in range(10)]
        # of the first ten minutes, 200 rows a host: the mean of the medians, and the greatest row of all
        answers = panes[5000 * i + 9].p50_p999
        assert abs(answers[0] - np.mean(medians)) <= 1e-12 * answers[0]
        assert answers[1] == latency[since < 600].max()
        (truth,) = nearest_rank(latency, 0.999)
        assert bounds.low <= truth <= bounds.high
        assert abs(p999 - truth) <= 0.01 * truth


# a process that has a Connect session starts no classic one
@pytest.mark.classic
@pytest.mark.usefixtures("spark")
def test_the_python_runs(capsys):
    (text,) = blocks("python")
    exec(compile(text, "README.md", "exec"), {})
    shown = capsys.readouterr().out
    assert "p99 of all" in shown
    assert shown.count("|") == 4 * 4 + 2 * 2  # three hosts and a header, one answer and a header


def test_every_function_is_named():
    table = README.split("## Functions")[1].split("##")[0]
    assert [name for name in cf.__all__ if f"`{name}" not in table] == []


@pytest.mark.parametrize("file", re.findall(r'(?:src|srcset)="([^"]+)"|\]\(([^):]+)\)', README))
def test_what_it_refers_to_is_there(file):
    name, _, section = "".join(file).partition("#")
    assert (TOP / name).exists()
    if section:
        headings = re.findall(r"^#+ (.+)$", (TOP / name).read_text("utf-8"), re.MULTILINE)
        assert section in [heading.lower().replace(" ", "-") for heading in headings]


@pytest.mark.parametrize("table", re.findall(r"<!-- (\w+): rows of", README))
def test_its_figures_are_the_measured_ones(table):
    measured = (TOP / "benchmarks" / "results" / f"{table}.md").read_text("utf-8")
    rows = [line for line in measured.splitlines() if line.startswith("|")]
    section = README.split(f"<!-- {table}:")[1].split(f"<!-- /{table} -->")[0]
    shown = [line for line in section.splitlines() if line.startswith("|")]
    assert len(shown) > 5
    assert set(shown) <= set(rows)
