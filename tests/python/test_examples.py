"""Every file in examples/ runs and does what its first line says.

On Connect only two of them run: one aggregates, one stores. Connect gets SQL statements as text anyway, and
test_hopping_stream covers streams there.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from chronosketch.sql_text import split_statements

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answers(spark, name):
    """Run a SQL file, and return the rows of every statement that returns some."""
    frames = [spark.sql(statement) for statement in split_statements((EXAMPLES / name).read_text("utf-8"))]
    return [frame.collect() for frame in frames if frame.columns]


@pytest.mark.classic
def test_each_file_has_a_test():
    here = Path(__file__).read_text("utf-8")
    for name in ("test_rollup_example", "test_tour"):  # they need Delta Lake
        here += (EXAMPLES.parent / f"tests/delta/{name}.py").read_text("utf-8")
    files = [file for file in EXAMPLES.iterdir() if file.suffix in (".py", ".sql", ".ipynb")]
    assert files
    for file in files:
        assert f'"{file.stem}"' in here or f'"{file.name}"' in here, file.name


def test_p99_by_group(spark):
    example = load("p99_by_group")
    requests = example.made_up_requests(spark)
    exact = requests.groupBy("host").agg({"latency_ms": "max"}).count()
    rows = example.p99_by_host(requests).collect()
    assert len(rows) == exact == 3
    assert sum(row.n for row in rows) == 200_000
    for row in rows:
        assert row.p50_p99[0] < row.p99_bounds.low <= row.p50_p99[1] <= row.p99_bounds.high


def test_stored_sketches(spark, tmp_path):
    example = load("stored_sketches")
    requests = example.made_up_requests(spark)
    path = str(tmp_path / "daily")
    example.store(requests, path)
    rows = example.p99_between(spark, path, "2026-01-10", "2026-01-19").collect()
    requests.createOrReplaceTempView("stored_sketches_requests")
    exact = spark.sql(
        """
        SELECT host, count(*) AS n, percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS p99
        FROM stored_sketches_requests WHERE day BETWEEN DATE '2026-01-10' AND DATE '2026-01-19'
        GROUP BY host ORDER BY host
        """
    ).collect()
    assert [(row.host, row.n) for row in rows] == [(row.host, row.n) for row in exact]
    for row, truth in zip(rows, exact, strict=True):
        assert row.bounds.low <= truth.p99 <= row.bounds.high
        assert row.certified <= 1e-3


@pytest.mark.classic
def test_rolling_delays(spark, tmp_path):
    example = load("rolling_delays")
    delays = example.flights(spark)
    rolling = example.rolling_delays(delays).cache()
    assert rolling.count() == 336_776
    rolling.createOrReplaceTempView("rolling_delays")
    # compute a few moments by the definition
    checked = spark.sql(
        """
        WITH moments AS (
          SELECT DISTINCT origin, scheduled, p50_p99 FROM rolling_delays
          WHERE scheduled IN ('2013-01-01 05:00:00', '2013-03-10 12:00:00', '2013-12-31 18:00:00'))
        SELECT m.p50_p99, percentile_disc(0.5) WITHIN GROUP (ORDER BY delay) AS p50,
          percentile_disc(0.99) WITHIN GROUP (ORDER BY delay) AS p99
        FROM moments m JOIN rolling_delays r ON r.origin = m.origin
          AND r.scheduled BETWEEN m.scheduled - INTERVAL 7 DAYS AND m.scheduled
        GROUP BY m.origin, m.scheduled, m.p50_p99
        """
    ).collect()
    assert len(checked) == 9
    for row in checked:
        assert row.p50_p99 == [row.p50, row.p99]
    assert [file.stat().st_size > 10_000 for file in example.draw(rolling, tmp_path)] == [True, True]


@pytest.mark.classic
def test_bounds(spark):
    by_host, certified = answers(spark, "bounds.sql")
    assert len(by_host) == len(certified) == 3
    for row in by_host:
        assert row.bounds.low <= row.exact <= row.bounds.high
        assert row.bounds.low < row.bounds.high
    assert all(0 < row.certified <= 0.01 for row in certified)


@pytest.mark.classic
def test_share_within_limit(spark):
    (rows,) = answers(spark, "share_within_limit.sql")
    assert len(rows) == 3
    for row in rows:
        shares = row.shares_within_50_100_200_ms
        assert shares == sorted(shares)
        assert row.at_least_within_100_ms <= shares[1] <= row.at_most_within_100_ms
        assert row.at_most_within_100_ms - row.at_least_within_100_ms <= 2e-3


@pytest.mark.classic
def test_counted_values(spark):
    ((row,),) = answers(spark, "counted_values.sql")
    assert row.p50_p99 == [4096, 65536]
    assert (row.bounds.low, row.bounds.high) == (65536, 65536)


@pytest.mark.classic
def test_windows(spark):
    (rows,) = answers(spark, "windows.sql")
    assert len(rows) == 3 * 5
    exact = spark.sql(
        """
        SELECT host, asked, count(*) AS n, percentile_disc(0.9) WITHIN GROUP (ORDER BY latency_ms) AS p90
        FROM (SELECT *, max(ts) OVER (PARTITION BY host) - ts AS age,
              row_number() OVER (PARTITION BY host ORDER BY ts DESC) AS nth FROM requests)
        LATERAL VIEW explode(map(
          '10 minutes', age < INTERVAL '10' MINUTE, '1 day', age < INTERVAL '1' DAY,
          '5 000 requests', nth <= 5000,
          'errors of 6 hours', age < INTERVAL '6' HOUR AND status >= 500,
          'errors of 6 hours, or the last 100', age < INTERVAL '6' HOUR AND status >= 500 OR nth <= 100
        )) windows AS asked, inside
        WHERE inside GROUP BY host, asked ORDER BY host, asked
        """
    ).collect()
    for row, truth in zip(rows, exact, strict=True):
        assert (row.host, row.asked) == (truth.host, truth.asked)
        assert row.n.low <= truth.n <= row.n.high
        assert row.bounds.low <= truth.p90 <= row.bounds.high
        assert row.certified <= 0.02
    assert any(row.bounds.low < row.bounds.high for row in rows)


@pytest.mark.classic
def test_hopping(spark):
    frames = answers(spark, "hopping.sql")
    ours, rewritten = frames[0], frames[2]
    spark.conf.unset("spark.chronosketch.hopping.rewrite")
    assert len(ours) == 3 * (100 + 9)
    exact = spark.sql(
        """
        SELECT host, window.start AS `from`, count(*) AS n,
          percentile_disc(0.5) WITHIN GROUP (ORDER BY latency_ms) AS p50,
          percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS p99
        FROM hopping_requests GROUP BY host, window(ts, '10 minutes', '1 minute') ORDER BY host, `from`
        """
    ).collect()
    for row, same, truth in zip(ours, rewritten, exact, strict=True):
        assert (row.host, row["from"], row.n) == (truth.host, truth["from"], truth.n)
        assert [row.p50, row.p99] == [truth.p50, truth.p99] == same.q
        assert row.bounds.low <= truth.p99 <= row.bounds.high


@pytest.mark.classic
def test_windows_of_a_stream(spark, tmp_path):
    example = load("windows_of_a_stream")
    path = str(tmp_path / "requests")
    example.arrive(spark, 0, path)
    stream = example.keep_summaries(spark, path)
    try:
        for hour in (1, 2):
            stream.processAllAvailable()
            rows = example.p90_up_to_now(spark).collect()
            spark.read.parquet(path).createOrReplaceTempView("streamed_requests")
            exact = spark.sql(
                """
                SELECT host, count_if(age < INTERVAL '90' MINUTE OR nth <= 20000) AS n,
                  percentile_disc(0.9) WITHIN GROUP (
                    ORDER BY IF(age < INTERVAL '10' MINUTE, latency_ms, NULL)) AS p90,
                  percentile_disc(0.9) WITHIN GROUP (
                    ORDER BY IF(age < INTERVAL '90' MINUTE OR nth <= 20000, latency_ms, NULL)) AS either
                FROM (SELECT *, max(ts) OVER (PARTITION BY host) - ts AS age,
                      row_number() OVER (PARTITION BY host ORDER BY ts DESC) AS nth FROM streamed_requests)
                GROUP BY host ORDER BY host
                """
            ).collect()
            for row, truth in zip(rows, exact, strict=True):
                assert row.host == truth.host
                assert row.bounds_of_10_minutes.low <= truth.p90 <= row.bounds_of_10_minutes.high
                assert (
                    row.requests_of_90_minutes_or_20_000.low
                    <= truth.n
                    <= row.requests_of_90_minutes_or_20_000.high
                )
                bounds = row.bounds_of_90_minutes_or_20_000
                assert bounds.low <= truth.either <= bounds.high
            example.arrive(spark, hour, path)
    finally:
        stream.stop()


@pytest.mark.classic
def test_live_dashboard(spark, tmp_path):
    example = load("live_dashboard")
    path = str(tmp_path / "requests")
    key, provider = example.STATE
    before = spark.conf.get(key)
    spark.conf.set(key, provider)
    example.arrive(spark, 0, path)
    stream = example.keep_dashboard(example.from_files(spark, path))
    try:
        for minute in (1, 2):
            stream.processAllAvailable()
            example.arrive(spark, minute, path)
        stream.processAllAvailable()
        table = example.dashboard(spark)
        spark.read.parquet(path).createOrReplaceTempView("dashboard_requests")
        exact = spark.sql(
            """
            SELECT host, window.end AS until, count(*) AS n,
              percentile_disc(0.5) WITHIN GROUP (ORDER BY latency_ms) AS p50,
              percentile_disc(0.99) WITHIN GROUP (ORDER BY latency_ms) AS p99,
              percentile_disc(0.999) WITHIN GROUP (ORDER BY latency_ms) AS p999
            FROM dashboard_requests GROUP BY host, window(ts, '1 minute', '10 seconds') ORDER BY until, host
            """
        ).collect()
        assert len(exact) == 3 * 23
        assert table.collect() == exact
        assert [file.stat().st_size > 10_000 for file in example.draw(table, tmp_path)] == [True, True]
    finally:
        stream.stop()
        spark.conf.set(key, before)


@pytest.mark.classic
@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.sql")), ids=lambda file: file.name)
def test_a_file_of_sql_says_how_to_run_it(file):
    assert f"chronosketch sql examples/{file.name}" in file.read_text("utf-8")


@pytest.mark.classic
def test_history(spark):
    days, changes = answers(spark, "history.sql")
    exact = spark.sql(
        """
        SELECT region, day, count(*) AS n, percentile_disc(0.99) WITHIN GROUP (ORDER BY amount) AS p99,
          count_if(amount <= 50) AS small
        FROM orders
        JOIN (SELECT explode(sequence(DATE'2026-01-01', DATE'2026-12-01', INTERVAL 1 MONTH)) AS day)
          ON opened <= day AND (closed IS NULL OR closed > day)
        GROUP BY region, day ORDER BY region, day
        """
    ).collect()
    assert len(days) == 3 * 12
    for row, truth in zip(days, exact, strict=True):
        assert (row.region, row.day) == (truth.region, truth.day)
        assert row.n.low <= truth.n <= row.n.high
        assert row.bounds.low <= truth.p99 <= row.bounds.high
        assert row.certified <= 0.02
    assert any(row.bounds.low < row.bounds.high for row in days)
    small = {(row.region, row.day.month): row.small for row in exact}
    for row in changes:
        truth = small[row.region, 4] - small[row.region, 3]
        assert row.at_least <= truth <= row.at_most
        assert row.at_least <= row.more <= row.at_most


@pytest.mark.classic
def test_aircraft_in_the_air(spark):
    example = load("aircraft_in_the_air")
    flown = example.flights(spark)
    histories = example.in_the_air(flown)
    hours = example.hours_of(spark, "2013-11-27")
    rows = example.at(histories, hours).orderBy("origin", "moment").collect()
    assert len(rows) == 3 * 24
    flown.createOrReplaceTempView("flown")
    hours.createOrReplaceTempView("hours")
    exact = spark.sql(
        """
        SELECT o.origin, moment, count(distance) AS n,
          percentile_disc(0.5) WITHIN GROUP (ORDER BY distance) AS median
        FROM (SELECT DISTINCT origin FROM flown) o CROSS JOIN hours
        LEFT JOIN flown f ON f.origin = o.origin AND took_off <= moment AND landed > moment
        GROUP BY o.origin, moment ORDER BY o.origin, moment
        """
    ).collect()
    for row, truth in zip(rows, exact, strict=True):
        assert (row.origin, row.moment) == (truth.origin, truth.moment)
        assert row.n.low <= truth.n <= row.n.high
        if truth.n:
            assert row.bounds.low <= truth.median <= row.bounds.high
    assert max(row.n.low for row in rows) > 30


@pytest.mark.classic
def test_delays_over_time(spark, tmp_path):
    example = load("delays_over_time")
    known = example.delays(spark).cache()
    months = example.moments(spark, "1 MONTH")
    answers = example.over_time(example.history_of(known), months).orderBy("moment").collect()
    exact = example.exact(known, months).orderBy("moment").collect()
    assert len(answers) == len(exact) == 12
    for row, truth in zip(answers, exact, strict=True):
        assert row.moment == truth.moment
        for bounds, value in zip(row.bounds, truth.exact, strict=True):
            assert bounds.low <= value <= bounds.high
    assert any(row.bounds[1].low < row.bounds[1].high for row in answers)
    files = example.draw(
        example.over_time(example.history_of(known), months), example.exact(known, months), tmp_path
    )
    assert [file.stat().st_size > 10_000 for file in files] == [True, True]


@pytest.mark.classic
def test_drift(spark, tmp_path):
    example = load("drift")
    spark.sql("CREATE DATABASE drift")
    spark.sql("USE drift")
    try:
        example.run_page(spark)
        rows, truth = example.compared(spark).collect(), example.exact(spark)
        assert [row.day for row in rows] == [one.day for one in truth] == list(range(7, 28))
        for row, one in zip(rows, truth, strict=True):
            assert row.psi.low - 1e-12 <= one.psi <= row.psi.high + 1e-12
            assert row.ks.low <= one.ks <= row.ks.high
        files = example.draw(example.compared(spark), truth, tmp_path)
        assert [file.stat().st_size > 10_000 for file in files] == [True, True]
    finally:
        for view in ("requests", "compared"):
            spark.catalog.dropTempView(view)
        spark.sql("USE default")
        spark.sql("DROP DATABASE drift CASCADE")


@pytest.mark.classic
def test_warehouse(spark, tmp_path):
    example = load("warehouse")
    known = example.flights(spark).cache()
    truth = np.sort(known.select("speed").toPandas()["speed"].to_numpy())
    made = example.warehouse_of(known, str(tmp_path / "speeds"), 0.01)
    windows = example.by_window(made, spark).collect()
    counts = dict(known.groupBy("quarter").count().collect())
    assert [row.n for row in windows] == [sum(counts[q] for q in range(5 - k, 5)) for k in range(1, 5)]
    for row in windows:
        since = np.sort(known.where(f"quarter > 4 - {row.quarters}").toPandas()["speed"].to_numpy())
        for phi, value in zip((0.5, 0.99), row.p50_p99, strict=True):
            assert example.rank_error(since, phi, value) <= 0.01 * len(since)
    quick, accurate = (example.measured(made, kind, truth, [0.5, 0.99]) for kind in ("quick", "accurate"))
    assert quick.rows_read == accurate.certified == 0
    assert 0 < accurate.rows_read < len(truth) / 10
    sample = example.sampled(truth, 1000, np.random.default_rng(1))
    files = example.draw({0.01: (quick, accurate)}, [sample], len(truth), tmp_path)
    assert [file.stat().st_size > 10_000 for file in files] == [True, True]
