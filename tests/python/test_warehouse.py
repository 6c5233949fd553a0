"""Warehouses from Python and SQL, on classic sessions and on Connect: exact answers, and errors."""

import math
import re
import threading
from pathlib import Path

import chronosketch as cs
import pytest
from chronosketch.sql_text import split_statements
from pyspark.errors import AnalysisException, PySparkException, SparkRuntimeException

PHIS = [0, 0.07, 0.5, 0.99, 1]


def rows(spark, step, count=1000):
    """Return the rows of a step. The same step number gives the same rows."""
    return spark.range(count).selectExpr(
        f"CAST(abs(hash(id, {step})) % 10007 AS INT) AS latency", "IF(id % 3 = 0, NULL, id % 3) AS service"
    )


def exact(values, phi):
    # use the decimal digits of phi, so that 0.07 of 100 is the seventh value
    return sorted(values)[max(1, math.ceil(round(phi * len(values), 6))) - 1]


@pytest.fixture
def warehouse(spark, tmp_path):
    made = cs.warehouse.create(
        spark, str(tmp_path / "it's"), value="latency", by=["service"], epsilon=0.05, kappa=2
    )
    for step in range(4):
        assert made.append(rows(spark, step)).step == step + 1
    # creating an equal warehouse again opens this one
    return cs.warehouse.create(
        spark, made.path, value="latency", by=["service"], epsilon=0.05, kappa=2, if_not_exists=True
    )


def values(spark, steps):
    found = {}
    for step in steps:
        for row in rows(spark, step).collect():
            found.setdefault(row.service, []).append(row.latency)
    return found


@pytest.mark.parametrize("accuracy", ["accurate", "quick"])
def test_answers_are_exact_or_within_what_they_certify(spark, warehouse, accuracy):
    truth = values(spark, range(4))
    answers = warehouse.quantile(PHIS, accuracy).collect()
    assert len(answers) == len(PHIS) * len(truth)
    for row in answers:
        right = exact(truth[row.service], row.phi)
        assert row.low <= right <= row.high
        assert row.count_low == row.count_high == len(truth[row.service])
        if accuracy == "accurate":
            assert (row.value, row.rank_error) == (right, 0)
            assert 0 < row.rows_read <= row.rows_total == 4000
        else:
            assert (row.rows_read, row.bytes_read) == (0, 0)


def test_a_window_has_the_last_steps(spark, warehouse):
    assert [(w.steps, w.first_step, w.rows) for w in warehouse.windows()] == [(1, 4, 1000), (4, 1, 4000)]
    truth = values(spark, [3])
    for row in warehouse.quantile(0.5, window=1).collect():
        assert row.value == exact(truth[row.service], 0.5)


def test_sql_answers_the_same(spark, warehouse):
    path = warehouse.path.replace("'", "\\'")
    asked = (
        f"SELECT value FROM warehouse_quantile('{path}', array(0.5, 0.9), accuracy => 'quick') "
        "WHERE service = 1 ORDER BY phi"
    )
    frame = warehouse.quantile([0.5, 0.9], "quick").where("service = 1").orderBy("phi").select("value")
    assert spark.sql(asked).collect() == frame.collect()
    (described,) = spark.sql(f"CALL chronosketch.describe('{path}')").collect()
    assert described.asDict() == warehouse.describe()
    assert (described.rows, described.steps, described.last_step) == (4000, 4, 4)


def test_a_name_stands_for_the_path_and_its_views_for_one_version(spark, warehouse):
    # four appends, one merge
    assert warehouse.register("Latency") == 5
    rows(spark, 4).createOrReplaceTempView("more_rows")
    (appended,) = spark.sql("CALL chronosketch.append('latency', 'more_rows')").collect()
    assert (appended.step, cs.warehouse.open(spark, "LATENCY").path) == (5, warehouse.path)
    # queries by name read the newest version; views show one version until they are registered again
    new = spark.sql("SELECT * FROM warehouse_quantile('latency', 0.5, 'quick')")
    assert new.collect() == warehouse.quantile(0.5, "quick").collect()
    both = "SELECT version FROM latency_runs UNION SELECT version FROM latency_summaries"
    assert [row.version for row in spark.sql(both).collect()] == [5]
    assert warehouse.register("latency") == 6
    assert [row.version for row in spark.sql(both).collect()] == [6]
    runs = spark.table("latency_runs").orderBy("first_step").collect()
    assert [(r.first_step, r.last_step, r.rows) for r in runs] == [(1, 3, 3000), (4, 4, 1000), (5, 5, 1000)]
    # a window can be written in plain SQL
    truth = values(spark, [3, 4])
    window = spark.sql(
        """
        SELECT service, sketch_count(s) AS n, sketch_quantile_bounds(s, 0.5) AS m FROM
          (SELECT service, sketch_merge_agg(sketch) AS s FROM latency_summaries
           WHERE last_step > 3 GROUP BY service)
        """
    )
    for row in window.collect():
        assert row.m.low <= exact(truth[row.service], 0.5) <= row.m.high
        assert row.n == len(truth[row.service])


def test_views_say_when_their_version_is_gone(spark, warehouse):
    warehouse.register("old")
    for step in (4, 5):
        warehouse.append(rows(spark, step))
    assert warehouse.vacuum("1 microsecond") > 0
    with pytest.raises(SparkRuntimeException, match=r"VERSION_GONE. This view shows version 5 of"):
        spark.table("old_summaries").collect()
    warehouse.register("old")
    assert spark.sql("SELECT sum(rows) FROM old_summaries").first()[0] == 6000


def test_an_empty_warehouse_can_be_registered(spark, tmp_path):
    made = cs.warehouse.create(spark, str(tmp_path / "empty"), value="v", by=["k"])
    assert made.register("empty") == 0
    assert [spark.table(f"empty_{view}").count() for view in ("runs", "live", "summaries")] == [0, 0, 0]
    spark.sql("SELECT 1 AS v, 2 AS k").createOrReplaceTempView("one_row")
    assert spark.sql("CALL chronosketch.append('empty', 'one_row')").first().rows == 1


def test_a_batch_is_appended_once(spark, warehouse):
    assert warehouse.append(rows(spark, 9), writer="loader", batch=3).is_new
    again = warehouse.append(rows(spark, 9), writer="loader", batch=3)
    assert (again.is_new, again.step, again.rows) == (False, 5, 0)
    with pytest.raises(SparkRuntimeException, match=r"last batch of this writer .* is 3") as error:
        warehouse.append(rows(spark, 9), writer="loader", batch=2)
    assert error.value.getCondition() == "CHRONOSKETCH_WAREHOUSE_BATCH_PASSED"
    assert warehouse.describe()["rows"] == 5000
    with pytest.raises(cs.ChronosketchError, match="writer and batch together"):
        warehouse.append(rows(spark, 9), writer="loader")
    rows(spark, 9).createOrReplaceTempView("more_rows")
    path = warehouse.path.replace("'", "\\'")
    for given in ("batch => 4L", "writer => 'loader'"):
        with pytest.raises(AnalysisException, match="CHRONOSKETCH_WAREHOUSE_ARGUMENT"):
            spark.sql(f"CALL chronosketch.append('{path}', 'more_rows', {given})").collect()
    assert warehouse.describe()["rows"] == 5000
    assert spark.sql("SHOW VIEWS LIKE 'chronosketch_rows_*'").count() == 0


def test_a_query_can_be_cancelled_and_the_next_is_right(spark, tmp_path, mode):
    many = spark.range(40_000).selectExpr("hash(id) AS v", "id % 400 AS k")
    warehouse = cs.warehouse.create(spark, str(tmp_path / "many"), value="v", by=["k"], epsilon=0.5)
    warehouse.append(many)
    failed = []

    def ask():
        while not failed:
            try:
                warehouse.quantile(PHIS).collect()
            except Exception as error:
                failed.append(str(error))

    asking = threading.Thread(target=ask)
    asking.start()
    while asking.is_alive():
        spark.interruptAll() if mode == "connect" else spark.sparkContext.cancelAllJobs()
        asking.join(0.01)
    assert re.search("(?i)cancel", failed[0])
    truth = {}
    for row in many.collect():
        truth.setdefault(row.k, []).append(row.v)
    answers = warehouse.quantile(0.5).collect()
    assert {row.k: row.value for row in answers} == {k: exact(of, 0.5) for k, of in truth.items()}


def test_vacuum_deletes_unneeded_files(warehouse):
    assert warehouse.compact() == 0
    assert warehouse.vacuum() == 0
    # three runs had been merged into one
    assert warehouse.vacuum("1 microsecond") == 3
    assert warehouse.quantile(0.5).count() == 3


@pytest.mark.parametrize(
    ("ask", "kind", "condition", "word"),
    [
        (lambda w: w.quantile(1.5), AnalysisException, "CHRONOSKETCH_WAREHOUSE_ARGUMENT", "phi"),
        (lambda w: w.quantile([]), AnalysisException, "CHRONOSKETCH_WAREHOUSE_ARGUMENT", "phi"),
        (lambda w: w.quantile(0.5, "fast"), AnalysisException, "CHRONOSKETCH_WAREHOUSE_ARGUMENT", "quick"),
        (lambda w: w.quantile(0.5, window=0), AnalysisException, "CHRONOSKETCH_WAREHOUSE_ARGUMENT", "steps"),
        (
            lambda w: w.append(w._spark.range(3).selectExpr("id AS latency")),
            SparkRuntimeException,
            "CHRONOSKETCH_WAREHOUSE_COLUMN",
            "service",
        ),
        (
            lambda w: w.append(rows(w._spark, 1), step=2),
            SparkRuntimeException,
            "CHRONOSKETCH_STEP_TAKEN",
            "step 2",
        ),
        (
            lambda w: cs.warehouse.create(w._spark, w.path, value="v"),
            SparkRuntimeException,
            "CHRONOSKETCH_WAREHOUSE_EXISTS",
            "it's",
        ),
        (
            lambda w: cs.warehouse.create(w._spark, w.path, value="v", if_not_exists=True),
            SparkRuntimeException,
            "CHRONOSKETCH_WAREHOUSE_EXISTS",
            "the same columns",
        ),
        (
            lambda w: cs.warehouse.open(w._spark, w.path + "-not"),
            SparkRuntimeException,
            "CHRONOSKETCH_WAREHOUSE_NOT_FOUND",
            "-not",
        ),
        (
            lambda w: cs.warehouse.create(w._spark, w.path + "2", value="v", epsilon=0.9),
            SparkRuntimeException,
            "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE",
            "epsilon",
        ),
        (
            lambda w: w.register("it's"),
            SparkRuntimeException,
            "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
            "letters",
        ),
    ],
)
def test_errors_name_the_reason(warehouse, ask, kind, condition, word):
    with pytest.raises(kind) as refused:
        ask(warehouse).collect()
    assert refused.value.getCondition() == condition
    assert word in str(refused.value)


def test_the_error_of_a_missing_procedure_lists_the_others(spark, warehouse):
    with pytest.raises(PySparkException, match="append"):
        spark.sql("CALL chronosketch.optimise('x')").collect()


@pytest.fixture
def source(spark, tmp_path):
    """Return a folder for a stream to read, with a method that adds the rows of a step as a file."""

    class Source:
        folder = str(tmp_path / "source")
        checkpoint = str(tmp_path / "checkpoint")

        def add(self, step, count=30):
            rows(spark, step, count).coalesce(1).write.mode("append").parquet(self.folder)

        def stream(self):
            reader = spark.readStream.schema("latency INT, service BIGINT").option("maxFilesPerTrigger", 1)
            return reader.parquet(self.folder)

        def run(self, warehouse, **options):
            query = warehouse.attach(
                self.stream(), checkpoint=self.checkpoint, trigger={"availableNow": True}, **options
            )
            assert query.awaitTermination(60)

    return Source()


def test_a_stream_is_in_answers_at_once_and_sorted_when_its_step_ends(spark, warehouse, source):
    source.add(4)
    source.add(5)
    source.run(warehouse)
    described = warehouse.describe()
    assert (described["live_batches"], described["live_rows"], described["rows"]) == (2, 60, 4060)
    assert described["step_ends"] is None
    assert [(w.steps, w.first_step, w.rows, w.live_rows) for w in warehouse.windows()] == [
        (1, 5, 60, 60),
        (2, 4, 1060, 60),
        (5, 1, 4060, 60),
    ]
    # with the same checkpoint the stream continues, now with steps of a fixed length
    source.add(6)
    source.run(warehouse, step="36500 days")
    assert warehouse.describe()["step_ends"].year > 2060
    truth = values(spark, range(4))
    for step in (4, 5, 6):
        for row in rows(spark, step, 30).collect():
            truth[row.service].append(row.latency)

    def check():
        for row in warehouse.quantile(PHIS).collect():
            right = exact(truth[row.service], row.phi)
            # few rows are kept exactly
            assert (row.value, row.low, row.high, row.rank_error) == (right, right, right, 0)

    check()
    ended = warehouse.end_step()
    assert (ended.step, ended.rows) == (5, 90)
    assert warehouse.end_step() is None
    check()
    assert warehouse.describe()["live_rows"] == 0


def test_an_invalid_stream_is_refused_at_the_start(warehouse, source):
    source.add(4)
    with pytest.raises(AnalysisException, match="CHRONOSKETCH_INVALID_WINDOW"):
        source.run(warehouse, step="1 month")
    other = cs.warehouse.open(warehouse._spark, warehouse.path)
    other.path += "-not"
    with pytest.raises(SparkRuntimeException, match="CHRONOSKETCH_WAREHOUSE_NOT_FOUND"):
        source.run(other)


def example_of(section, language):
    page = Path(__file__).resolve().parents[2] / "docs" / "warehouse.md"
    rest = page.read_text("utf-8").partition(f"## {section}\n")[2]
    return re.search(rf"```{language}\n(.*?)```", rest, re.DOTALL).group(1)


def test_the_example_of_names_runs(spark, warehouse):
    path = warehouse.path.replace("'", "\\'")
    rows(spark, 4).createOrReplaceTempView("arrived")
    example = example_of("By a name", "sql").replace("/data/latencies", path)
    example = example.replace("host", "service").replace("last_step > 1", "last_step > 3")
    frames = [spark.sql(statement) for statement in split_statements(example)]
    first, quantiles, appended, again, windows, runs = [frame.collect() for frame in frames]
    assert (first[0].version, appended[0].step, again[0].version) == (5, 5, 6)
    assert len(quantiles) == 6
    assert [(row.steps, row.rows) for row in runs] == [(3, 3000), (1, 1000), (1, 1000)]
    truth = {True: values(spark, [3, 4]), False: values(spark, range(3))}
    assert len(windows) == 6
    for row in windows:
        right = exact(truth[row.is_recent][row.service], 0.99)
        assert row.bounds.low <= right <= row.bounds.high


def test_the_example_of_streams_runs(spark, tmp_path):
    example = example_of("A stream beside the history", "python").replace("/data", str(tmp_path))
    rows(spark, 1).withColumnsRenamed({"latency": "latency_ms", "service": "host"}).createOrReplaceTempView(
        "arrived"
    )
    given = {"cs": cs, "spark": spark}
    exec(example, given)
    described = given["w"].describe()
    assert (described["rows"], described["runs"], described["live_rows"]) == (2000, 2, 0)


def test_rows_of_groups_and_steps_are_replaced_and_deleted(spark, warehouse):
    truth = values(spark, range(4))
    assert warehouse.delete("service = 2") == (len(truth[2]), 6)
    fewer = spark.range(10).selectExpr("CAST(id AS INT) AS latency", "CAST(NULL AS BIGINT) AS service")
    replaced = warehouse.replace(fewer, where="service IS NULL", writer="w", batch=1)
    assert (replaced.rows, replaced.deleted, replaced.is_new) == (10, len(truth[None]), True)
    assert not warehouse.replace(fewer, where="service IS NULL", writer="w", batch=1).is_new
    medians = {row.service: row.value for row in warehouse.quantile(0.5).collect()}
    assert medians == {None: 4, 1: exact(truth[1], 0.5)}

    with pytest.raises(SparkRuntimeException, match="Select step => 1, last_step => 3"):
        warehouse.replace(rows(spark, 0), step=2)
    assert warehouse.replace(rows(spark, 0), step=1, last_step=3).step == 3
    assert warehouse.delete(step=4).rows > 0
    medians = {row.service: row.value for row in warehouse.quantile(0.5).collect()}
    assert medians == {service: exact(found, 0.5) for service, found in values(spark, [0]).items()}


@pytest.mark.parametrize(
    ("ask", "kind", "word"),
    [
        (lambda w, df: w.delete(), SparkRuntimeException, "step"),
        (lambda w, df: w.delete("hour = 3"), AnalysisException, "service"),
        (lambda w, df: w.replace(df, where="service = 1"), SparkRuntimeException, "Filter the rows"),
        (lambda w, df: w.replace(df, step=1, writer="w"), cs.ChronosketchError, "batch is None"),
        (lambda w, df: w.replace(df, step=1.5), cs.ChronosketchError, "step"),
    ],
)
def test_a_refused_edit_changes_nothing(spark, warehouse, ask, kind, word):
    with pytest.raises(kind, match=word):
        ask(warehouse, rows(spark, 0))
    assert warehouse.quantile(0.5).first()["version"] == 5
