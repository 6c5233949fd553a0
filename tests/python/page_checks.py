"""Check the answers on documentation pages against the rows, computed in other ways."""

import json
import math
import tempfile

import numpy as np
import pytest
from chronosketch import functions as cf
from pages import TOP, blocks
from pyspark.sql import functions as F


def check_readme(spark, answers):
    by_host = answers.of("FROM requests GROUP BY host").collect()
    assert len(by_host) == 3
    for _, quantiles, bounds in by_host:
        assert quantiles[0] < bounds.low <= quantiles[1] <= bounds.high
    ((p99, bounds, share),) = answers.of("BETWEEN 7 AND 13").collect()
    week = np.sort(columns_of(spark.table("requests").where("day BETWEEN 7 AND 13"))["latency_ms"])
    assert bounds.low <= nearest_rank(week, 0.99)[0] <= bounds.high
    check_recipe(week, 0.99, p99)
    assert 0.9 < share < 1


def check_recipe(ordered, phi, answer):
    """Check an answer of epsilon => 0.01, tail => 'high': off by at most 1 % of the values from it up."""
    rank, n = math.ceil(phi * len(ordered)), len(ordered)
    first, last = np.searchsorted(ordered, answer) + 1, np.searchsorted(ordered, answer, "right")
    assert first - 0.01 * (n - rank + 1) <= rank <= last + 0.01 * (n - rank + 1)


def columns_of(frame):
    """Collect a large DataFrame as one NumPy array for each column."""
    table = frame.toArrow()
    return {name: table[name].to_numpy() for name in table.column_names}


def nearest_rank(values, *phis):
    ordered = np.sort(values)
    return [float(ordered[math.ceil(phi * len(ordered)) - 1]) for phi in phis]


def check_rolling(_, answers):
    rolling = answers.of("SELECT *, approx_quantile(latency_ms, array(0.5, 0.99)) OVER")
    rows = columns_of(rolling.withColumn("p50_p99", F.to_json("p50_p99")))
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
    assert checked == 90


def hits_of(spark):
    return columns_of(spark.table("hits").withColumn("ts", F.unix_seconds("ts")))


def check_windows(spark, answers):
    hits = hits_of(spark)
    stored = answers.of("among_last(10000)").collect()
    at_once = answers.of("approx_window_quantile(").collect()
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


def check_hopping(_, answers):
    windows = answers.of("'10 minutes', slide => '10 seconds'")
    assert windows.selectExpr("sum(n)").first()[0] == 60 * 300_000
    rewritten = answers.of("GROUP BY host, window(ts, '10 minutes', '10 seconds')")
    assert rewritten.selectExpr("sum(n)").first()[0] == 60 * 300_000


def check_history(spark, answers):
    opened = answers.of("DATE'2026-07-01'").collect()
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


def check_warehouse(_, answers):
    """Compare exact values with the page. The bounds of quick answers depend on the number of cores."""
    asked = answers.of("UNION ALL")
    page = (TOP / "docs" / "warehouse.md").read_text("utf-8")
    (shown,) = (b.code for b in blocks(page) if b.language == "text" and "rank_error" in b.code)
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


def check_telemetry(spark, answers):
    hits = hits_of(spark)
    tails = answers.of("ddsketch_agg(latency_ms, 0.01)").collect()
    once = answers.of("SELECT host, approx_quantile(").collect()
    stored = answers.of("quantile_sketch_agg(latency_ms, 0.01, tail => 'high')").collect()
    assert len(tails) == 3
    for host, p999, bounds in tails:
        (truth,) = nearest_rank(hits["latency_ms"][hits["host"] == host], 0.999)
        assert bounds.low <= truth <= bounds.high
        assert abs(p999 - truth) <= 0.01 * truth
    check_tails(hits, once, stored)
    check_pareto(spark, answers.of("AS values_off").collect())


def check_pareto(spark, rows):
    """Check how far the answers of the sketches are from values that NumPy sorts."""
    phis = (0.99, 0.999, 0.9999)
    exact = nearest_rank(columns_of(spark.table("latencies"))["v"], *phis)
    asked = spark.table("sketches").select("sketch", cf.sketch_quantile("s", list(phis)).alias("answers"))
    off = {
        row.sketch: [100 * abs(a / e - 1) for a, e in zip(row.answers, exact, strict=True)]
        for row in asked.collect()
    }
    assert len(rows) == len(off) == 4
    for row in rows:
        assert row.values_off == pytest.approx(off[row.sketch], abs=0.051)


def check_qlove(spark, answers):
    hits = hits_of(spark)
    panes = answers.of("ROWS 9 PRECEDING").orderBy("host", "minute").collect()
    hosts = sorted(set(hits["host"]))
    assert len(panes) == len(hosts) * 5000
    for i, host in enumerate(hosts):
        of_host = hits["host"] == host
        latency, since = hits["latency_ms"][of_host], hits["ts"][of_host] - 1767225600
        medians = [nearest_rank(latency[since // 60 == minute], 0.5)[0] for minute in range(10)]
        # in the first ten minutes, 200 rows of each host: the mean of the medians, and the maximum
        answers = panes[5000 * i + 9].p50_p999
        assert abs(answers[0] - np.mean(medians)) <= 1e-12 * answers[0]
        assert answers[1] == latency[since < 600].max()


def check_tails(hits, once, stored):
    """Check that answers are off by at most 1 % of the values from them up."""
    for (host, quantiles), (_, p999, bounds, _) in zip(sorted(once), sorted(stored), strict=True):
        latency = np.sort(hits["latency_ms"][hits["host"] == host])
        for phi, answer in [*zip((0.5, 0.999, 0.9999), quantiles, strict=True), (0.999, p999)]:
            check_recipe(latency, phi, answer)
        assert bounds.low <= nearest_rank(latency, 0.999)[0] <= bounds.high


def exact_distance(one, other):
    """Return the greatest difference of the shares of two arrays of values."""
    points = np.unique(np.concatenate([one, other]))
    shares = [np.searchsorted(np.sort(values), points, "right") / len(values) for values in (one, other)]
    return np.abs(shares[0] - shares[1]).max()


def exact_index(one, other, edges):
    """Return the population stability index of two arrays over bins that end at these edges."""
    edges = np.concatenate([[-np.inf], edges, [np.inf]])
    counts = [np.diff(np.searchsorted(np.sort(values), edges, "right")) for values in (one, other)]
    p, q = (np.maximum(n, 0.5) / n.sum() for n in counts)
    return ((p - q) * np.log(p / q)).sum()


def check_drift(spark, answers):
    requests = columns_of(spark.table("requests"))
    reference = requests["latency_ms"][requests["day"] < 7]
    deciles = [i / 10 for i in range(1, 10)]
    (edges,) = spark.table("compared").select(cf.sketch_quantile("reference", deciles)).first()
    days = {row.day: row for row in answers.of("psi.value AS psi").collect()}
    assert sorted(days) == list(range(7, 28))
    for day, row in days.items():
        values = requests["latency_ms"][requests["day"] == day]
        assert row.low - 1e-12 <= exact_index(reference, values, edges) <= row.high + 1e-12
        assert row.distance == pytest.approx(exact_distance(reference, values), abs=0.004)
    verdicts = {row.day: row.verdict for row in answers.of("AS verdict").collect()}
    assert {verdicts[day] for day in range(7, 23)} == {"as before"}
    assert verdicts[27] == "drifted"
    assert answers.names["drifted"] == [day for day in sorted(verdicts) if verdicts[day] == "drifted"]
    moved = answers.of("AS moved_ms").collect()
    assert [row.day for row in moved] == list(range(21, 28))
    assert moved[-1].p50_p99_ms[1] > moved[-1].p50_p99_ms[0] > 0


def check_experiments(spark, answers):
    (ignoring,) = answers.of("SELECT sketch_quantile_interval(a, 0.5), ").collect()
    (clustered,) = answers.of("design_effect => effect").collect()
    rows, users = ignoring[1], clustered[0]
    assert rows.value == users.value
    assert users.low < rows.low < rows.value < rows.high < users.high


def with_event_log(spark, folder, query):
    """Run a query while Spark writes an event log. Return the log's path."""
    jvm, context = spark._jvm, spark._jsc.sc()
    conf = context.conf().clone()
    for feature in ("rolling.enabled", "compress"):
        conf.set(f"spark.eventLog.{feature}", "false")
    log = jvm.org.apache.spark.scheduler.EventLoggingListener(
        "page", jvm.scala.Option.empty(), jvm.java.net.URI(f"file:{folder}"), conf
    )
    log.start()
    context.addSparkListener(log)
    try:
        spark.sql(query).collect()
        context.listenerBus().waitUntilEmpty()
    finally:
        context.removeSparkListener(log)
        log.stop()
    return f"{folder}/page"


def check_production(spark, answers):
    query = "SELECT host, approx_quantile(latency_ms, 0.99) FROM requests GROUP BY host"
    with tempfile.TemporaryDirectory() as folder:
        found = answers.names["metrics_of_operators"](with_event_log(spark, folder, query))
    assert found["SketchAggregateByColumns", "number of input rows"] >= 30_000
    assert found["SketchAggregateByColumns", "number of partial flushes"] == 0
    assert found["SketchAggregate", "number of output rows"] >= 3
    assert found["SketchAggregate", "peak memory"] > 0


def check_dashboards(spark, answers):
    requests = columns_of(spark.table("requests").selectExpr("service", "to_date(ts) AS day", "latency_ms"))
    values = {
        service: np.sort(requests["latency_ms"][requests["service"] == service])
        for service in ("search", "checkout")
    }
    stored = answers.of("p50_p99_p999").collect()
    once = answers.of("latency_ms, 0.99, 0.01").collect()
    assert len(stored) == len(once) == 2
    for service, quantiles, bounds in stored:
        for phi, answer in zip((0.5, 0.99, 0.999), quantiles, strict=True):
            check_recipe(values[service], phi, answer)
        assert bounds.low <= nearest_rank(values[service], 0.99)[0] <= bounds.high
    for service, p99, bounds in once:
        check_recipe(values[service], 0.99, p99)
        assert bounds.low <= nearest_rank(values[service], 0.99)[0] <= bounds.high
    assert {(row.n, row.p99) for row in answers.of("LEFT JOIN").collect()} == {(0, None)}
    check_measures(spark, requests, answers.of("MEASURE(n)").collect())
    check_otel(spark.table("otel_metrics").collect(), spark.table("otel_points"))


def check_measures(spark, requests, by_day):
    """Check a metric view: its query by day, and other groups than the page has."""
    all_days = np.sort(requests["latency_ms"])
    for day, n, p99, bounds in by_day:
        of_day = np.sort(requests["latency_ms"][requests["day"] == np.datetime64(day)])
        assert n == len(of_day)
        check_recipe(of_day, 0.99, p99)
        assert bounds.low <= nearest_rank(of_day, 0.99)[0] <= bounds.high
    ((n, p99),) = spark.sql("SELECT MEASURE(n), MEASURE(p99) FROM latency_metrics").collect()
    assert n == len(all_days) == sum(row.n for row in by_day)
    check_recipe(all_days, 0.99, p99)
    per_service = spark.sql("SELECT service, MEASURE(p99) FROM latency_metrics GROUP BY service")
    plan = per_service._jdf.queryExecution().executedPlan().toString()
    assert "SketchAggregate" in plan
    for service, p99 in per_service.collect():
        check_recipe(np.sort(requests["latency_ms"][requests["service"] == service]), 0.99, p99)


def check_otel(points, sketches):
    """Check that the bounds of a service's p99 are the ends of the buckets that may have it."""
    merged = sketches.groupBy("service").agg(cf.sketch_merge_agg("s").alias("s"))
    p99 = F.expr("sketch_quantile(s, 0.99)")
    rows = merged.select("service", p99, F.expr("sketch_quantile_bounds(s, 0.99)")).collect()
    assert len(rows) == 2
    for service, answer, bounds in rows:
        ends = [end for point in points if point.service == service for end in ends_of(point)]
        lows, highs, counts = zip(*ends, strict=True)
        rank = math.ceil(0.99 * sum(counts))
        low, high = (np.sort(np.repeat(side, counts))[rank - 1] for side in (lows, highs))
        # edges of exponential buckets are moved outward by at most 5e-13 of themselves
        assert (bounds.low, bounds.high) == pytest.approx((low, high), rel=5e-13)
        assert bounds.low <= answer <= bounds.high


def ends_of(point):
    """Return the lower end, the upper end and the count of each bucket of a point of OpenTelemetry."""
    if point.histogram is not None:
        bounds = point.histogram.explicit_bounds
        edges = [point.histogram.min, *bounds, point.histogram.max]
        return list(zip(edges, edges[1:], point.histogram.bucket_counts, strict=False))
    e = point.exponential
    edges = [2 ** ((e.positive.offset + i) / 2**e.scale) for i in range(len(e.positive.bucket_counts) + 1)]
    return [(0, 0, e.zero_count), *zip(edges, edges[1:], e.positive.bucket_counts, strict=False)]


CHECKS = {
    "dashboards.md": check_dashboards,
    "README.md": check_readme,
    "sliding.md": check_rolling,
    "windows.md": check_windows,
    "hopping.md": check_hopping,
    "history.md": check_history,
    "warehouse.md": check_warehouse,
    "telemetry.md": check_telemetry,
    "qlove.md": check_qlove,
    "drift.md": check_drift,
    "experiments.md": check_experiments,
    "production.md": check_production,
}
