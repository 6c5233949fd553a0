"""The README's SQL and Python run as they stand, and its figures are those of benchmarks/results."""

import re
from pathlib import Path

import pytest
from chronosketch import functions as cf
from chronosketch.statements import split_statements

TOP = Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text("utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.classic
def test_the_sql_runs(spark):
    try:
        frames = [spark.sql(s) for text in blocks("sql") for s in split_statements(text)]
        by_host, merged, rolling, stored, at_once, opened, hopping, panes, tails = (
            f for f in frames if f.columns
        )
        by_host, merged, stored = by_host.collect(), merged.collect(), stored.collect()
        assert hopping.selectExpr("sum(n)").first()[0] == 60 * 300_000
        check_history(spark, opened.collect())
        check_telemetry(spark, panes.orderBy("host", "minute").collect(), tails.collect())
    finally:
        spark.sql("DROP TABLE IF EXISTS daily")
        spark.sql("DROP TABLE IF EXISTS windows")
        spark.sql("DROP TABLE IF EXISTS histories")
    check_windows(spark, stored, at_once.collect())
    rolling.select("host", "day", "p50_p99").distinct().createOrReplaceTempView("of_days")
    answers = spark.sql(
        """
        SELECT p50_p99, percentile_disc(0.5) WITHIN GROUP (ORDER BY latency_ms) AS p50,
          percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS p99
        FROM of_days d JOIN requests r ON d.host = r.host AND r.day BETWEEN d.day - 6 AND d.day
        GROUP BY d.host, d.day, p50_p99
        """
    ).collect()
    assert len(answers) == 30
    assert all(p50_p99 == [p50, p99] for p50_p99, p50, p99 in answers)
    assert len(by_host) == 3
    for _, quantiles, bounds in by_host:
        assert quantiles[0] < bounds.low <= quantiles[1] <= bounds.high
    ((p99, error, (share,)),) = merged
    assert p99 > 100
    assert error <= 1e-3
    assert 0.9 < share < 1


def check_windows(spark, stored, at_once):
    exact = spark.sql(
        """
        SELECT host, percentile_disc(0.99) WITHIN GROUP (ORDER BY IF(nth <= 10000, latency_ms, NULL)) AS rows,
          count_if(failed AND age < 3600 OR nth <= 1000) AS n,
          sort_array(collect_list(latency_ms) FILTER (WHERE failed AND age < 3600 OR nth <= 1000)) AS mixed,
          sort_array(collect_list(latency_ms) FILTER (WHERE age < 300)) AS minutes
        FROM (SELECT *, unix_seconds(max(ts) OVER (PARTITION BY host)) - unix_seconds(ts) AS age,
              row_number() OVER (PARTITION BY host ORDER BY ts DESC) AS nth FROM hits)
        GROUP BY host ORDER BY host
        """
    ).collect()
    assert len(exact) == 3
    for truth, of_stored, of_rows in zip(exact, sorted(stored), sorted(at_once), strict=True):
        host, minutes, bounds, mixed = of_stored
        assert host == of_rows[0] == truth.host
        assert bounds.low <= truth.rows <= bounds.high
        for answer, values in ((minutes, truth.minutes), (mixed, truth.mixed), (of_rows[1], truth.mixed)):
            allowed, rank = 0.01 * len(values), 0.99 * len(values)
            assert sum(v <= answer for v in values) >= rank - allowed
            assert sum(v < answer for v in values) <= rank + allowed


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


def check_telemetry(spark, panes, tails):
    quantile = "percentile_disc({}) WITHIN GROUP (ORDER BY latency_ms)"
    early = "unix_seconds(ts) < 1767225600 + 600"
    exact = spark.sql(
        f"SELECT host, {quantile.format(0.999)} AS p999, max(IF({early}, latency_ms, NULL)) AS greatest "
        "FROM hits GROUP BY host ORDER BY host"
    ).collect()
    medians = spark.sql(
        f"SELECT host, avg(p50) FROM (SELECT host, {quantile.format(0.5)} AS p50 FROM hits WHERE {early} "
        "GROUP BY host, date_trunc('minute', ts)) GROUP BY host ORDER BY host"
    ).collect()
    assert len(panes) == 3 * 5000
    for i, (truth, (_, p50)) in enumerate(zip(exact, medians, strict=True)):
        # of the first ten minutes, 200 rows a host: the mean of the medians, and the greatest row of all
        answers = panes[5000 * i + 9].p50_p999
        assert abs(answers[0] - p50) <= 1e-12 * p50
        assert answers[1] == truth.greatest
    for truth, (host, p999, bounds) in zip(exact, sorted(tails), strict=True):
        assert host == truth.host
        assert bounds.low <= truth.p999 <= bounds.high
        assert abs(p999 - truth.p999) <= 0.01 * truth.p999


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
