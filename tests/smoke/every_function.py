"""Runs in an environment of another Spark version: all examples of functions, and what may differ there."""

import re
import sys
import tempfile

import chronosketch as cs
from chronosketch import functions as cf
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def start(mode):
    """Start a session by mode: with the jar, with the jar on Connect, or attached later."""
    if mode == "attach":
        running = _quiet(SparkSession.builder.master("local[2]")).getOrCreate()
        running.range(1).count()  # a session reads its rules at its first query
        return cs.attach(running)
    builder = _quiet(cs.session("smoke"))
    return (builder.remote("local[2]") if mode == "connect" else builder.master("local[2]")).getOrCreate()


def _quiet(builder):
    return (
        builder.config("spark.ui.enabled", "false")
        .config("spark.log.level", "OFF")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.ui.explainMode", "simple")
    )


def text(value):
    """Format a value as the examples do."""
    if hasattr(value, "asDict"):
        return "{" + ",".join(f'"{k}":{text(v)}' for k, v in value.asDict().items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(text(v) for v in value) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def run_examples(spark, every):
    """Run the examples of DESCRIBE FUNCTION, and compare with the answers they show.

    By default only the first example of each function, which shows that it exists. `every` runs all of them.
    """
    ran = 0
    for name in (*cf.__all__, "hopping_sketch"):
        page = "\n".join(row[0] for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect())
        examples = re.findall(r"> (.*);\n\s*(.*)", page)
        assert examples, f"{name} shows no example:\n{page}"
        for query, answer in examples if every else examples[:1]:
            got = text(spark.sql(query).collect()[0][0])
            assert got == answer, f"{query}: {got}, not {answer}"
            ran += 1
    return ran


def run_operators(spark, kinds):
    """Aggregate with every operator of Spark: hash, sort, rollup and window; then store and merge.

    `kinds` selects keys and frames. If a session plans an operator for one kind, it plans it for all.
    """
    df = spark.range(1, 10_001, 1, 2).withColumn("k", F.col("id") % 200)
    for threshold in (1, 128):
        spark.conf.set("spark.sql.objectHashAggregate.sortBased.fallbackThreshold", str(threshold))
        sketches = df.groupBy("k").agg(cf.quantile_sketch_agg("id").alias("s"))
        merged = cf.sketch_merge_agg("s")
        row = sketches.agg(cf.sketch_quantile(merged, 0.5, "bigint"), cf.sketch_count(merged)).collect()[0]
        assert abs(row[0] - 5000) <= 10, row
        assert row[1] == 10_000, row
    run_generated(spark, kinds)
    run_over(spark, kinds)
    run_hopping(spark)
    run_streamed_hopping(spark)


def run_kinds_of_sketches(spark):
    """Store and query sketches whose plans do not depend on the session."""
    run_windows(spark)
    run_histories(spark)
    run_panes(spark)
    run_ddsketch(spark)


def run_generated(spark, kinds):
    """Aggregate with our operator, with all kinds of keys, beside Spark's functions."""
    columns = "id, id % 7 AS i, concat('host-', id % 5) AS s, CAST(id % 3 AS DOUBLE) AS d"
    rows = f"(SELECT {columns} FROM range(1, 10001, 1, 3))"
    answers = "count(*), avg(id), max(d), approx_quantile(id, 0.5), approx_quantile_bounds(id, 0.9), "
    answers += "sketch_count(quantile_sketch_agg(id) FILTER (WHERE d > 0)), "
    answers += "approx_quantile(d, 0.5, frequency => i)"
    for keys in ("i, s", "", "i", "s", "d", "ROLLUP(i, s)")[kinds]:
        grouping = f"GROUP BY {keys}" if keys else ""
        columns = keys.replace("ROLLUP(", "").rstrip(")") or "1"
        query = f"SELECT {columns}, {answers} FROM {rows} {grouping} ORDER BY ALL"
        plan = spark.sql(f"EXPLAIN {query}").collect()[0][0]
        merges = int(keys.startswith("ROLLUP"))  # its sets are merged between two aggregations
        assert plan.count("SketchGroupingSets(") == merges, plan
        assert plan.count("SketchAggregate(") == 2 + merges, plan
        spark.conf.set("spark.chronosketch.aggregate.enabled", "false")
        assert "ObjectHashAggregate" in spark.sql(f"EXPLAIN {query}").collect()[0][0]
        expected = spark.sql(query).collect()
        spark.conf.unset("spark.chronosketch.aggregate.enabled")
        for codegen in ("true", "false")[kinds]:
            spark.conf.set("spark.sql.codegen.wholeStage", codegen)
            assert spark.sql(query).collect() == expected, query
        spark.conf.unset("spark.sql.codegen.wholeStage")


def run_over(spark, kinds):
    """Slide over frames with our operator, sorted by it and by Spark, beside Spark's functions."""
    frames = spark.sql(
        "SELECT approx_quantile(id, 0.5) OVER (ORDER BY id ROWS 2 PRECEDING) FROM range(1, 6)"
    ).collect()
    assert [row[0] for row in frames] == [1, 1, 2, 3, 4], frames
    rows = (
        "(SELECT id, id % 7 AS k, CAST(id % 50 AS STRING) AS s, TIMESTAMP_MICROS(id * 60000000) AS t, "
        "IF(id % 5 = 0, NULL, pmod(id * 37, 101)) AS v FROM range(0, 3000, 1, 3))"
    )
    # Spark 4.0 and 4.1 do not support FILTER in window functions
    kept = "" if spark.version.startswith(("4.0", "4.1")) else "FILTER (WHERE v > 9)"
    for over in (
        "PARTITION BY k ORDER BY id ROWS BETWEEN 10 PRECEDING AND 2 FOLLOWING",
        "PARTITION BY k ORDER BY t RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND CURRENT ROW",
        "PARTITION BY k ORDER BY t DESC RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND CURRENT ROW",
        "PARTITION BY s, k ORDER BY v DESC NULLS LAST",
        "PARTITION BY k ORDER BY s, id ROWS 20 PRECEDING",
        "PARTITION BY k",
        "ORDER BY id ROWS 100 PRECEDING",
    )[kinds]:
        query = (
            "SELECT id, approx_quantile(v, array(0.5, 0.99)) OVER w, approx_quantile_bounds(v, 0.5) OVER w, "
            f"approx_quantile(v, 0.1) {kept} OVER w, count(v) OVER w "
            f"FROM {rows} WINDOW w AS ({over}) ORDER BY id"
        )
        assert "SketchWindow" in spark.sql(f"EXPLAIN {query}").collect()[0][0], query
        spark.conf.set("spark.chronosketch.sliding.enabled", "false")
        assert "SketchWindow" not in spark.sql(f"EXPLAIN {query}").collect()[0][0], query
        expected = spark.sql(query).collect()
        spark.conf.unset("spark.chronosketch.sliding.enabled")
        assert spark.sql(query).collect() == expected, query


def run_windows(spark):
    """Query windows directly and from stored sketches, in our operator and Spark's, beside its functions."""
    columns = "id, id % 7 AS k, timestamp_seconds(id * 60) AS t, id % 5 AS status"
    rows = f"(SELECT {columns} FROM range(1, 10001, 1, 3))"
    window = "within_last('3 days') AND status >= 3 OR among_last(20)"
    named = "within_last('3 days') AND passing('high') OR among_last(20)"
    meant = "(id > newest - 4320 AND status >= 3 OR nth <= 20)"
    exact = (
        "SELECT k, array(min(id), max(id)), count(*) FROM ("
        "SELECT *, max(id) OVER (PARTITION BY k) AS newest, "
        f"row_number() OVER (PARTITION BY k ORDER BY id DESC) AS nth FROM {rows}) WHERE {meant} "
        "GROUP BY k ORDER BY k"
    )
    sketch = "window_sketch_agg(id, t, filters => map('high', status >= 3))"
    query = (
        f"SELECT k, approx_window_quantile(id, t, array(0, 1), {window}), "
        f"sketch_count(sketch_window({sketch}, {named})), avg(id) FROM {rows} GROUP BY k ORDER BY k"
    )
    expected = [tuple(row) for row in spark.sql(exact).collect()]
    for enabled in ("true", "false"):
        spark.conf.set("spark.chronosketch.aggregate.enabled", enabled)
        operator = "SketchAggregate(" if enabled == "true" else "ObjectHashAggregate("
        assert operator in spark.sql(f"EXPLAIN {query}").collect()[0][0], query
        assert [tuple(row)[:3] for row in spark.sql(query).collect()] == expected, query
    spark.conf.unset("spark.chronosketch.aggregate.enabled")
    last = cf.within_last(60) | cf.among_last(3)
    odd = {"odd": F.col("id") % 2 == 1}
    parts = (
        spark.range(1, 10_001)
        .groupBy(F.col("id") % 5)
        .agg(cf.window_sketch_agg("id", "id", epsilon=0.05, retention=1000, filters=odd).alias("s"))
    )
    of_last = cf.sketch_window(cf.sketch_merge_agg("s"), last & cf.passing("odd"))
    row = parts.agg(cf.sketch_count(of_last), cf.sketch_quantile(of_last, [0, 1])).collect()[0]
    assert tuple(row) == (30, [9941.0, 9999.0]), row
    moments = (
        spark.range(1, 10_001)
        .groupBy(F.col("id") % 5)
        .agg(cf.window_moments_agg("id", "id", epsilon=0.05, retention=1000, filters=odd).alias("s"))
    )
    bounds = cf.sketch_moment_bounds(of_last, "variance_pop")
    row = moments.agg(cf.sketch_mean(of_last), bounds).collect()[0]
    assert row[0] == 9970.0, row
    assert row[1].lower <= row[1].value <= row[1].upper, row
    over = (
        "SELECT id, approx_window_quantile(id, id, array(0, 1), 3) OVER w AS q, "
        "sketch_count(sketch_window(window_sketch_agg(id, id) OVER w, 3)) AS n "
        "FROM range(1, 50) WINDOW w AS (ORDER BY id ROWS 10 PRECEDING) ORDER BY id"
    )
    for row in spark.sql(over).collect():
        assert (row.q, row.n) == ([max(1, row.id - 2), row.id], min(3, row.id)), row


def run_histories(spark):
    """Build histories in our operator and in Spark's, and query every day."""
    begin = "date_add(DATE'2026-01-01', CAST(pmod(id * 31, 60) AS INT))"
    end = f"IF(id % 5 = 0, NULL, date_add({begin}, CAST(id % 9 AS INT)))"
    columns = f"id % 3 AS k, pmod(id * 37, 101) AS v, {begin} AS d, {end} AS e"
    rows = f"(SELECT {columns} FROM range(0, 3000, 1, 3))"
    query = f"SELECT k, history_sketch_agg(v, d, until => e) AS s FROM {rows} GROUP BY k ORDER BY k"
    assert "HistoryAggregate(" in spark.sql(f"EXPLAIN {query}").collect()[0][0]
    spark.conf.set("spark.chronosketch.aggregate.enabled", "false")
    assert "ObjectHashAggregate" in spark.sql(f"EXPLAIN {query}").collect()[0][0]
    expected = spark.sql(query).collect()
    spark.conf.unset("spark.chronosketch.aggregate.enabled")
    assert spark.sql(query).collect() == expected, query
    spark.sql(query).createOrReplaceTempView("smoke_histories")
    then = "sketch_at_version(s, day)"
    known = "sequence(sketch_versions(s, 'date').first, sketch_versions(s, 'date').last)"
    days = f"(SELECT k, s, explode({known}) AS day FROM smoke_histories)"
    asked = spark.sql(
        f"SELECT k, day, sketch_count_bounds({then}) AS n, sketch_quantile_bounds({then}, 0.5, 'int') AS b "
        f"FROM {days} ORDER BY k, day"
    ).collect()
    truth = spark.sql(
        "SELECT days.k, day, count(v) AS n, percentile_disc(0.5) WITHIN GROUP (ORDER BY v) AS median "
        f"FROM {days} AS days LEFT JOIN {rows} AS r "
        "ON r.k = days.k AND d <= day AND (e IS NULL OR e > day) GROUP BY days.k, day ORDER BY days.k, day"
    ).collect()
    assert len(asked) == len(truth) >= 3 * 60
    for row, exact in zip(asked, truth, strict=True):
        assert row.n.low <= exact.n <= row.n.high, (row, exact)
        assert row.b.low <= exact.median <= row.b.high, (row, exact)


def run_panes(spark):
    """Merge panes into windows, over frames and in groups, in our operators and in Spark's."""
    rows = "(SELECT id, id DIV 100 AS pane, pmod(id * 37, 101) AS v FROM range(0, 1200, 1, 3))"
    panes = f"(SELECT pane, qlove_sketch_agg(v, id, array(0.5, 0.99), 8) AS s FROM {rows} GROUP BY pane)"
    joined = "sketch_merge_agg(s) OVER (ORDER BY pane ROWS 7 PRECEDING)"
    query = f"SELECT pane, sketch_quantile({joined}, array(0.5, 0.99)) AS q FROM {panes} ORDER BY pane"
    answers = []
    for enabled in ("true", "false"):
        for switch in ("aggregate", "sliding"):
            spark.conf.set(f"spark.chronosketch.{switch}.enabled", enabled)
        answers.append([tuple(row) for row in spark.sql(query).collect()])
    for switch in ("aggregate", "sliding"):
        spark.conf.unset(f"spark.chronosketch.{switch}.enabled")
    assert answers[0] == answers[1], answers
    assert len(answers[0]) == 12, answers
    exact = f"SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY v) FROM {rows} WHERE pane = 0"
    assert answers[0][0][1][1] == spark.sql(exact).collect()[0][0], answers[0][0]


def run_ddsketch(spark):
    """Check the relative error in groups, after merging, and over frames."""
    rows = "(SELECT id, id % 4 AS k, pow(id % 1009 - 300, 3) AS v FROM range(0, 5000, 1, 3))"
    parts = f"(SELECT ddsketch_agg(v, 0.02) AS s FROM {rows} GROUP BY k)"
    exact = spark.sql(f"SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY v) FROM {rows}").collect()[0][0]
    asked = "SELECT s, sketch_quantile(s, 0.9) AS q, sketch_max(s) AS m"
    row = spark.sql(f"{asked} FROM (SELECT sketch_merge_agg(s) AS s FROM {parts})").collect()[0]
    assert abs(row.q - exact) <= 0.02 * abs(exact), (row.q, exact)
    assert row.m == 708.0**3, row.m
    for enabled in ("true", "false"):
        spark.conf.set("spark.chronosketch.aggregate.enabled", enabled)
        assert spark.sql(f"SELECT ddsketch_agg(v, 0.02) FROM {rows}").collect()[0][0] == row.s, enabled
    spark.conf.unset("spark.chronosketch.aggregate.enabled")
    frame = "ddsketch_agg(id) OVER (ORDER BY id ROWS 4 PRECEDING)"
    for row in spark.sql(f"SELECT id, sketch_quantile({frame}, 0.5) AS q FROM range(9)").collect():
        assert row.q == max(row.id // 2, row.id - 2), row


def run_hopping(spark):
    """Compute hopping windows by the function, by the rewrite rule, and by Spark's copies of rows."""
    columns = "id % 3 AS k, timestamp_seconds(id * 7) AS t, pmod(id * 37, 101) AS v, 'x' AS name"
    spark.sql(f"SELECT {columns} FROM range(-500, 1500, 1, 3)").createOrReplaceTempView("hopping_rows")
    aggregates = (
        "approx_quantile(v, array(0.5, 0.99)) AS q",
        "count(*) AS n",
        "avg(v) AS mean",
        "sum(v) AS total",
    )
    copied = (
        f"SELECT k, window, {', '.join(aggregates)} FROM hopping_rows "
        "GROUP BY k, window(t, '10 minutes', '4 minutes') ORDER BY k, window"
    )
    expected = spark.sql(copied).collect()
    aggs = "array(" + ", ".join(f"'{a}'" for a in aggregates) + ")"
    hopping = (
        "SELECT * FROM hopping_sketch(TABLE(hopping_rows), event_time => 't', size => '10 minutes', "
        f"slide => '4 minutes', by => array('k'), aggs => {aggs}) ORDER BY k, window"
    )
    assert "SketchHopping" in spark.sql(f"EXPLAIN {hopping}").collect()[0][0]
    assert spark.sql(hopping).collect() == expected
    frame = cs.hopping(
        spark.table("hopping_rows"),
        "t",
        "10 minutes",
        "4 minutes",
        by=["k"],
        aggs=[F.max("name").alias("name"), F.count("*").alias("n")],
    )
    counts = [(row.k, row.window, row.n) for row in expected]
    assert [(r.k, r.window, r.n) for r in frame.orderBy("k", "window").collect()] == counts
    # after `attach`, only sessions created later have the rewrite rule
    attached = "chronosketch" not in spark.conf.get("spark.jars", "")
    rewriting = spark.newSession() if attached else spark
    rewriting.conf.set("spark.sql.shuffle.partitions", "2")
    rewriting.conf.set("spark.chronosketch.hopping.rewrite", "true")
    rewritten = copied.replace("hopping_rows", "global_temp.hopping_rows")
    spark.table("hopping_rows").createOrReplaceGlobalTempView("hopping_rows")
    assert "SketchHopping" in rewriting.sql(f"EXPLAIN {rewritten}").collect()[0][0]
    assert rewriting.sql(rewritten).collect() == expected
    rewriting.conf.unset("spark.chronosketch.hopping.rewrite")
    if attached:
        refused(
            spark, "SET spark.chronosketch.hopping.rewrite = true", "CHRONOSKETCH_HOPPING_REWRITE", "0A000"
        )


def run_streamed_hopping(spark):
    """Keep one pane for each key of a stream. After `attach`, Spark aggregates twice."""
    key = "spark.sql.streaming.stateStore.providerClass"
    before = spark.conf.get(key)
    spark.conf.set(key, "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
    hops = "event_time => 't', size => '10 minutes', slide => '4 minutes', by => array('k'), "
    hops += "aggs => array('approx_quantile(v, 0.5) AS q', 'avg(v) AS mean', 'count(*) AS n')"
    columns = "id % 3 AS k, timestamp_seconds(id * 7) AS t, pmod(id * 37, 101) AS v"
    with tempfile.TemporaryDirectory() as folder:
        last = "SELECT -1L AS k, TIMESTAMP'2027-01-01' AS t, 0L AS v"
        for rows in (f"SELECT {columns} FROM range(1000)", f"SELECT {columns} FROM range(1000, 1500)", last):
            spark.sql(rows).coalesce(1).write.mode("append").parquet(folder)
        files = spark.readStream.schema("k LONG, t TIMESTAMP, v LONG").option("maxFilesPerTrigger", "1")
        stream = files.parquet(folder).withWatermark("t", "1 minute")
        stream.createOrReplaceTempView("hopping_stream")
        windows = spark.sql(f"SELECT * FROM hopping_sketch(TABLE(hopping_stream), {hops})")
        query = windows.writeStream.format("memory").queryName("hopping_windows").start()
        query.processAllAvailable()
        query.stop()
        spark.read.parquet(folder).where("k >= 0").createOrReplaceTempView("hopping_table")
        expected = spark.sql(f"SELECT * FROM hopping_sketch(TABLE(hopping_table), {hops}) ORDER BY k, window")
        assert spark.table("hopping_windows").orderBy("k", "window").collect() == expected.collect()
        run_streamed_count(spark, files.parquet(folder))
    spark.conf.set(key, before)


def run_streamed_count(spark, stream):
    """Run an aggregation of a stream that has no function of ours. Our rules see it, too."""
    counts = stream.groupBy("k").count().writeStream.format("memory").queryName("own_counts")
    query = counts.outputMode("complete").start()
    query.processAllAvailable()
    query.stop()
    found = spark.table("own_counts").where("k >= 0").orderBy("k").collect()
    assert [tuple(row) for row in found] == [(0, 500), (1, 500), (2, 500)]


def run_warehouse(spark):
    """Sort steps into files, merge them, read a stream, and answer from summaries and from rows."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        warehouse = cs.warehouse.create(spark, folder, value="v", by=["k"], epsilon=0.1, kappa=1)
        for step in range(3):
            rows = spark.range(900).selectExpr(
                f"id * 7 % 901 + {step} / 2 AS v", "CAST(id % 3 AS STRING) AS k"
            )
            assert warehouse.append(rows).step == step + 1
        found = [(row.k, row.value, row.rank_error) for row in warehouse.quantile([0.5, 1]).collect()]
        assert [error for _, _, error in found] == [0] * 6, found
        assert max(value for _, value, _ in found) == 901
        quick = warehouse.quantile([0.5, 1], "quick").where("k = '1'").collect()
        exact = [value for k, value, _ in found if k == "1"]
        assert all(row.low <= value <= row.high for row, value in zip(quick, exact, strict=True)), quick
        (rank,) = warehouse.rank(450.25, window=1).where("k = '1'").collect()
        assert 0 < rank.rank_low == rank.rank_high < 300, rank
        # the two merged runs
        assert warehouse.vacuum("1 microsecond") == 2
        assert warehouse.describe()["rows"] == 2700
        rows.write.parquet(f"{other}/source")
        stream = spark.readStream.schema(rows.schema).parquet(f"{other}/source")
        query = warehouse.attach(stream, checkpoint=f"{other}/checkpoint", trigger={"availableNow": True})
        assert query.awaitTermination(60)
        (live,) = warehouse.quantile(0.5, window=1).where("k = '1'").collect()
        assert live.low <= rows.where("k = '1'").sort("v").collect()[149].v <= live.high, live
        warehouse.register("smoke")
        groups = spark.table("smoke_summaries").where("last_step > 2")
        assert list(groups.selectExpr("sum(rows)", "sum(sketch_count(sketch))").first()) == [1800, 1800]
        assert warehouse.end_step().rows == 900


def run_errors(spark):
    """Check messages as users see them: filled in, with condition and SQLSTATE."""
    for query, condition, state in (
        ("SELECT approx_quantile('x', 0.5)", "CHRONOSKETCH_UNSUPPORTED_TYPE", "42K09"),
        ("SELECT approx_quantile(id, 2) FROM range(3)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE", "42K09"),
        ("SELECT sketch_count(X'00')", "CHRONOSKETCH_NOT_A_SKETCH", "22000"),
        (
            "SELECT approx_quantile(id, 0.9) WITHIN GROUP (ORDER BY id % 7) FROM range(3)",
            "CHRONOSKETCH_WITHIN_GROUP",
            "42K0K",
        ),
        ("CALL chronosketch.refresh('nothing')", "CHRONOSKETCH_ROLLUP_NOT_FOUND", "42704"),
        (
            "CALL chronosketch.rollup('nothing', 'hourly', time => 't', bucket => '1 hour', "
            "values => map('v', 'v'))",
            "CHRONOSKETCH_SOURCE_NOT_FOUND",
            "42P01",
        ),
    ):
        refused(spark, query, condition, state)


def refused(spark, query, condition, state):
    """Check one message."""
    try:
        spark.sql(query).collect()
    except PySparkException as error:
        message = (error.getCondition(), error.getSqlState())
        assert message == (condition, state), (message, str(error))
        assert condition in error.getMessage(), error.getMessage()
    else:
        raise AssertionError(f"{query} was answered")


if __name__ == "__main__":
    session = start(sys.argv[1])
    assert cs.check_installed(session) == cs.__version__
    classic = sys.argv[1] == "classic"
    found = cs.doctor(session)
    assert {row.status for row in found.rows} == {"ours"}, found
    examples = run_examples(session, every=classic)
    run_operators(session, slice(None) if classic else slice(1))
    if classic:
        run_kinds_of_sketches(session)
    run_warehouse(session)
    run_errors(session)
    print(f"Spark {session.version}: {examples} examples")
    session.stop()
