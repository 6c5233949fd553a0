"""Sessions with the functions, and the errors of sessions that cannot have them."""

import re
import warnings

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


def test_attach_changes_nothing_in_a_session_that_has_the_functions(spark, monkeypatch):
    def refuse(*given):
        raise AssertionError("a session with the jar takes no functions of Python, and no second jar")

    monkeypatch.setattr("chronosketch.portable.registering.register", refuse)
    monkeypatch.setattr("chronosketch.sessions._load", refuse)

    def functions():
        rows = spark.sql("SHOW ALL FUNCTIONS").collect()
        return [row[0] for row in rows], spark.catalog.getFunction("sketch_quantile").className

    before = functions()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cs.attach(spark) is spark
        assert cs.attach(spark) is spark
    assert functions() == before
    assert cs.check_installed(spark) == cs.__version__


def test_a_server_without_the_jar_is_told_no_path_of_the_client(spark, mode, monkeypatch):
    monkeypatch.setattr("chronosketch.sessions.functions_of", lambda spark: None)
    with pytest.raises(cs.ChronosketchError, match="does not have the chronosketch functions") as refused:
        cs.check_installed(spark)
    assert str(jar_path().parent) not in str(refused.value)
    server = f"Start its server with --jars {jar_path().name}, a file on the server's machine"
    assert (server in str(refused.value)) == (mode == "connect")


def test_attach_refuses_another_version_and_names_its_jar(spark, monkeypatch):
    name = jar_path().name
    monkeypatch.setattr("chronosketch.sessions.version", lambda: "9.9.9")
    with pytest.raises(
        cs.ChronosketchError, match=rf"runs chronosketch {cs.__version__}, but Python has 9"
    ) as refused:
        cs.attach(spark)
    assert re.search(rf"\. Its jar is \S*{re.escape(name)}\. Give the session", str(refused.value))


def test_dir_shows_what_users_call():
    seen = dir(cs)
    assert seen == sorted(seen)
    assert set(cs.__all__) <= set(seen)
    assert not {"TYPE_CHECKING", "Any", "annotations", "import_module"} & set(seen)
    for name in seen:
        assert getattr(cs, name) is not None, name


def test_a_session_may_have_no_name():
    assert "spark.app.name" not in cs.session()._options
    assert cs.session("mine")._options["spark.app.name"] == "mine"


def test_a_builder_returns_the_session_that_runs(spark):
    assert cs.session().getOrCreate() is spark or cs.session().getOrCreate().session_id == spark.session_id
    assert cs.check_installed(cs.session("another name").getOrCreate()) == cs.__version__


def test_a_session_with_the_jar_takes_no_functions_of_python(spark):
    with pytest.raises(cs.ChronosketchError, match="This session has the jar"):
        cs.portable.register(spark)


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


def test_what_is_not_a_session_or_a_builder_is_named(spark):
    for given in (None, "spark", SparkSession, SparkSession.builder):
        for function in (cs.attach, cs.check_installed, cs.doctor):
            with pytest.raises(TypeError, match="give a SparkSession"):
                function(given)
    with pytest.raises(TypeError, match=r"give SparkSession\.builder"):
        cs.configure(spark)
