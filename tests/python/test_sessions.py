"""Sessions with the functions, and the errors of sessions that cannot have them."""

import chronosketch as cs
import pytest
from chronosketch.jar import jar_path
from pyspark.sql import SparkSession


def test_sql_and_python_are_of_one_version(spark):
    assert cs.check_installed(spark) == cs.__version__
    assert spark.sql("SELECT chronosketch_version()").collect()[0][0] == cs.__version__


def test_another_version_is_named(spark, monkeypatch):
    monkeypatch.setattr("chronosketch.sessions.version", lambda: "9.9.9")
    with pytest.raises(
        cs.ChronosketchError, match=rf"runs chronosketch {cs.__version__}, but Python has 9\.9\.9\. .*install"
    ):
        cs.check_installed(spark)


def test_attach_keeps_a_session_that_has_them_and_refuses_connect(spark, mode):
    if mode == "classic":
        assert cs.attach(spark) is spark
        assert cs.check_installed(spark) == cs.__version__
    else:
        with pytest.raises(
            cs.ChronosketchError,
            match=r"Connect server\. Start the server with --conf spark\.jars=.*\.jar\.$",
        ):
            cs.attach(spark)


def test_configure_keeps_what_the_builder_has():
    builder = SparkSession.builder.config("spark.jars", "mine.jar,yours.jar").config(
        "spark.sql.extensions", "com.example.Mine"
    )
    options = cs.configure(cs.configure(builder))._options
    assert options["spark.jars"] == f"mine.jar,yours.jar,{jar_path().as_uri()}"
    assert options["spark.sql.extensions"] == "com.example.Mine"


def test_configure_leaves_a_running_server_alone():
    assert "spark.jars" not in cs.configure(SparkSession.builder.remote("sc://example.com"))._options


def test_a_second_session_has_the_functions_too(spark, mode):
    second = spark.newSession() if mode == "classic" else spark.cloneSession()
    assert cs.check_installed(second) == cs.__version__
