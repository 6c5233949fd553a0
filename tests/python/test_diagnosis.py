"""`cs.doctor` tries each operator of a session, and says why one is not ours."""

import json

import chronosketch as cs
import pytest
from chronosketch import diagnosis
from chronosketch.portable.needs_jar import TABLES, sentence
from pyspark.sql import SparkSession

PARTS = {
    "functions": "the jar and Python have version",
    "GROUP BY": "SketchAggregate",
    "stored sketches": "SketchAggregate",
    "OVER (PARTITION BY)": "SketchWindow",
    "OVER (ORDER BY)": "SketchWindow",
    "hopping windows": "SketchHopping",
    "history": "HistoryAggregate",
    "warehouse": "WarehouseAnswer",
    "sketches in Python": "Python reads what the session writes",
}


def rows(spark):
    return {row.part: row for row in cs.doctor(spark).rows}


@pytest.fixture
def setting(spark):
    """Return a function that changes a setting for one test."""
    changed = []

    def _setting(name, value):
        changed.append(name)
        spark.conf.set(name, value)

    yield _setting
    for name in changed:
        spark.conf.unset(name)


def test_all_parts_are_ours_in_a_session_with_the_jar(spark, mode):
    found = cs.doctor(spark)
    assert [(row.part, row.status) for row in found.rows] == [(part, "ours") for part in PARTS]
    for row in found.rows:
        assert PARTS[row.part] in row.reason
        assert row.remedy == ""
    assert not found.is_refused
    assert (found.functions, found.session) == ("jar", "classic" if mode == "classic" else "Connect")
    assert found.spark == spark.version
    assert found.java.split(".")[0].isdigit()


def test_the_table_has_a_line_for_each_part(spark):
    found = cs.doctor(spark)
    head, blank, *lines = repr(found).splitlines()
    assert head.startswith(f"chronosketch {cs.__version__} by its jar, on Spark {spark.version} (")
    assert blank == ""
    assert [line[:20].strip() for line in lines] == list(PARTS)
    written = json.loads(json.dumps(found.to_dict()))
    assert written["version"] == cs.__version__
    assert written["rows"][1] == {
        "part": "GROUP BY",
        "status": "ours",
        "reason": "SketchAggregate",
        "remedy": "",
    }


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("spark.chronosketch.aggregate.enabled", ["GROUP BY", "stored sketches", "history"]),
        ("spark.chronosketch.sliding.enabled", ["OVER (PARTITION BY)", "OVER (ORDER BY)"]),
    ],
)
def test_a_setting_that_is_off_is_the_reason_and_its_remedy_runs(spark, setting, name, parts):
    setting(name, "false")
    found = cs.doctor(spark)
    assert [row.part for row in found.rows if row.status == "fell back"] == parts
    for row in found.rows:
        if row.part in parts:
            assert (row.reason, row.remedy) == (f"{name} is false", f"RESET {name}")
            spark.sql(row.remedy)
    assert not found.is_refused
    assert {row.status for row in cs.doctor(spark).rows} == {"ours"}


def test_a_misspelt_setting_is_named_and_its_remedy_runs(spark, setting):
    setting("spark.chronosketch.slidng.packRows", "false")
    setting("spark.chronosketch.warehouse.traffic", "/data/traffic")
    setting("spark.chronosketch.zzz", "1")
    near, far = [row for row in cs.doctor(spark).rows if row.part == "settings"]
    assert near.status == far.status == "fell back"
    assert near.reason == "spark.chronosketch.slidng.packRows is not a setting, so it does nothing"
    reset = "RESET spark.chronosketch.slidng.packRows"
    assert near.remedy == f"Did you mean spark.chronosketch.sliding.packRows? Take it away: {reset}"
    assert far.remedy == "Take it away: RESET spark.chronosketch.zzz"
    for row in (near, far):
        spark.sql(row.remedy.rpartition(": ")[2])
    assert "settings" not in rows(spark)


def test_the_rewrite_is_tried_if_it_is_set(spark, setting):
    setting("spark.chronosketch.hopping.rewrite", "true")
    row = rows(spark)["GROUP BY window(…)"]
    assert (row.status, row.reason) == ("ours", "SketchHopping")


def test_functions_of_the_user_with_our_names_do_not_confuse_the_rest(spark):
    spark.udf.register("approx_quantile", lambda x: x, "int")
    try:
        assert {row.status for row in cs.doctor(spark).rows} == {"ours"}
    finally:
        spark.sql("DROP TEMPORARY FUNCTION approx_quantile")


def test_another_version_is_refused(spark, monkeypatch):
    monkeypatch.setattr("chronosketch.sessions.version", lambda: "9.9.9")
    found = cs.doctor(spark)
    assert found.is_refused
    assert (
        found.rows[0].reason == f"This Spark session runs chronosketch {cs.__version__}, but Python has 9.9.9"
    )
    assert "Give the session the jar of 9.9.9, or install" in found.rows[0].remedy


class Broken:
    """A session whose queries with a word fail, or have another plan or answer."""

    def __init__(self, spark, word, mistake=None, plan=None, query=None):
        self._spark, self._word, self._mistake, self._plan, self._query = spark, word, mistake, plan, query

    def __getattr__(self, name):
        return getattr(self._spark, name)

    def sql(self, query):
        """Run a query, unless it has the word."""
        if self._word in query:
            if self._mistake is not None:
                raise self._mistake
            if self._plan is not None and query.startswith("EXPLAIN"):
                return self._spark.sql(f"SELECT '{self._plan}' AS plan")
            if self._query is not None and not query.startswith("EXPLAIN"):
                return self._spark.sql(self._query)
        return self._spark.sql(query)


@pytest.fixture
def broken(spark, monkeypatch, mode):
    monkeypatch.setattr(diagnosis, "is_classic", lambda one: mode == "classic")
    monkeypatch.setattr("chronosketch.sessions.is_classic", lambda one: mode == "classic")
    return lambda word, **how: {row.part: row for row in cs.doctor(Broken(spark, word, **how)).rows}


@pytest.mark.parametrize(
    ("mistake", "remedy"),
    [
        (
            "java.lang.ClassNotFoundException: chronosketch.spark.X\n at y",
            "The executors do not have the jar",
        ),
        ("NoSuchMethodError: org.apache.spark.X\nmore", "This is not Apache Spark's own code"),
        ("[UNRESOLVED_ROUTINE] Cannot resolve", "report the error with its stack trace"),
        ("", "report the error with its stack trace"),
    ],
)
def test_an_error_is_one_line_with_a_remedy(broken, mistake, remedy):
    found = broken("hopping", mistake=RuntimeError(mistake))
    row = found["hopping windows"]
    assert row.status == "refused"
    assert row.reason == (mistake.splitlines()[0] if mistake else "RuntimeError")
    assert remedy in row.remedy
    assert {part for part, row in found.items() if row.status == "refused"} == {"hopping windows"}


def test_operators_of_a_platform_are_named(broken):
    plan = "== Physical Plan ==\nAdaptiveSparkPlan\n+- PhotonGroupingAgg(keys)\n   +- PhotonScan"
    row = broken("approx_quantile(v, 0.5) AS a FROM (", plan=plan)["GROUP BY"]
    assert row.status == "fell back"
    assert row.reason == "these operators ran it: PhotonGroupingAgg, PhotonScan"
    assert "The platform plans with its own operators" in row.remedy


def test_a_wrong_answer_is_refused(broken):
    row = broken("history_sketch_agg", query="SELECT 5L AS a")["history"]
    assert (row.status, row.reason) == ("refused", "it answered [5], and the right answer is [4]")
    assert "Report it with this query: SELECT " in row.remedy


def test_a_session_without_the_functions_is_refused_part_by_part(spark, monkeypatch, mode):
    monkeypatch.setattr(diagnosis, "_functions", lambda spark: "none")
    monkeypatch.setattr("chronosketch.sessions.functions_of", lambda spark: None)
    found = cs.doctor(spark)
    assert found.is_refused
    assert {row.status for row in found.rows} == {"refused"}
    assert [row.part for row in found.rows] == list(PARTS)
    remedy = "Call chronosketch.attach(spark)" if mode == "classic" else "Start its server with --jars"
    assert found.rows[0].remedy.startswith(remedy)
    assert "without its functions" in repr(found)


def test_functions_of_python_fall_back_where_they_answer(spark, monkeypatch):
    """As in a session where chronosketch.portable has registered some of the functions."""
    monkeypatch.setattr(diagnosis, "functions_of", lambda spark: "portable")
    found = {row.part: row for row in cs.doctor(spark).rows}
    assert found["functions"].status == "fell back"
    assert found["functions"].reason.startswith("Python's functions answer")
    assert isinstance(spark, SparkSession) or found["functions"].remedy.startswith("Start its server")


@pytest.mark.classic
def test_a_function_that_needs_the_jar_is_named_with_what_to_use_instead():
    text = (
        "\n  An exception was thrown from the Python worker. Please see the stack trace below.\n"
        "Traceback (most recent call last):\n"
        f"chronosketch.errors.ChronosketchError: {sentence('hopping', TABLES['hopping'])}\n"
    )
    found = diagnosis._failed("hopping windows", RuntimeError(text), "portable")
    assert found.status == "refused"
    assert found.reason == "hopping needs the jar, which this session does not have"
    assert found.remedy == TABLES["hopping"]
