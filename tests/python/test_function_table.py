"""Python's functions match SQL's table of functions: names, order, defaults and first sentences."""

import ast
import inspect
import re
from pathlib import Path

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from pyspark.sql import functions as F

PREFIX = "chronosketch_"
# Table-valued functions, with the Python function that takes a DataFrame or a warehouse instead.
TABLES = {
    "hopping": cs.hopping,
    "warehouse_quantile": cs.warehouse.Warehouse.quantile,
    "warehouse_rank": cs.warehouse.Warehouse.rank,
}

# Table-valued functions whose Python function takes the session first.
SESSION_TABLES = {"history_at": cs.history.at, "rollup_now": cs.rollup.now}

# Older names that stay.
OLDER = {"hopping_sketch"}

# Functions whose names include the prefix.
PREFIXED = ("chronosketch_version", "chronosketch_advise")


def sql_names(spark):
    names = {row[0] for row in spark.sql("SHOW ALL FUNCTIONS LIKE 'chronosketch_*'").collect()}
    return {name if name in PREFIXED else name.removeprefix(PREFIX) for name in names}


def test_python_has_the_functions_of_sql_and_no_others(spark):
    assert sql_names(spark) == {*cf.__all__, *TABLES, *SESSION_TABLES, *OLDER, "chronosketch_advise"}


def test_advice_takes_the_arguments_of_sql(spark):
    names = [argument.strip("[]") for argument in signature_and_usage(spark, "chronosketch_advise")[0]]
    assert set(names) < set(inspect.signature(cs.advise).parameters)


def test_bare_names_are_there_too(spark):
    for name in (*cf.__all__, *TABLES, *SESSION_TABLES, *OLDER):
        assert spark.catalog.functionExists(name), name


def test_a_users_udf_with_a_name_of_ours_answers_until_it_is_dropped(spark):
    spark.udf.register("passing", lambda x: x * 2, "int")
    spark.sql("CREATE OR REPLACE TEMPORARY FUNCTION n_least(x INT) RETURNS INT RETURN x + 41")
    try:
        row = spark.sql("SELECT passing(21) AS a, n_least(1) AS b").first()
        assert (row.a, row.b) == (42, 42)
        assert spark.range(1).select(F.call_function("passing", F.lit(4))).first()[0] == 8
        assert spark.range(9).select(cf.n_least("id", 2)).first()[0] == [0, 1]
        assert spark.sql("SELECT chronosketch_n_least(id, 2) FROM range(9)").first()[0] == [0, 1]
    finally:
        spark.sql("DROP TEMPORARY FUNCTION passing")
        spark.sql("DROP TEMPORARY FUNCTION n_least")
    assert spark.sql("SELECT n_least(id, 2) FROM range(9)").first()[0] == [0, 1]


def test_the_older_name_of_hopping_windows_answers_the_same(spark):
    assert cs.hopping_sketch is cs.hopping
    call = (
        "(TABLE(SELECT timestamp_seconds(id * 60) AS ts, id FROM range(60)), event_time => 'ts', "
        "size => '20 minutes', slide => '10 minutes', aggs => array('approx_quantile(id, 0.5) AS q'))"
    )
    names = ("hopping", "hopping_sketch", "chronosketch_hopping", "chronosketch_hopping_sketch")
    answers = [spark.sql(f"SELECT * FROM {name}{call} ORDER BY window").collect() for name in names]
    assert len(answers[0]) == 7
    assert all(answer == answers[0] for answer in answers)


def page(spark, name):
    return "\n".join(row[0] for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect())


def signature_and_usage(spark, name):
    text = page(spark, name)
    usage = re.search(rf"{name}\((.*?)\) - (.*)", text)
    assert usage, text
    return [argument.strip() for argument in usage.group(1).split(",") if argument.strip()], usage.group(2)


def sql_arguments(spark, name):
    """Return each argument's name and its default as a Python value, or `inspect.Parameter.empty`."""
    text = page(spark, name)
    arguments = []
    for argument in signature_and_usage(spark, name)[0]:
        bare = argument.strip("[]")
        line = re.search(rf"^ *\* {bare} - (.*)$", text, flags=re.MULTILINE)
        assert line, text
        if argument == bare:
            arguments.append((bare, inspect.Parameter.empty))
        else:
            default = re.search(r"Default: (\S+)\.$", line.group(1))
            # an optional argument without a stated default is NULL
            arguments.append((bare, as_python(default.group(1)) if default else None))
    return arguments


def signature_on_page(name):
    page = (Path(__file__).resolve().parents[2] / "docs" / "reference.md").read_text("utf-8")
    section = re.search(rf"^### {name}$(.*?)(?=^##|\Z)", page, flags=re.MULTILINE | re.DOTALL).group(1)
    return re.search(r"^\| Python \| `(.*)` \|$", section, flags=re.MULTILINE).group(1)


def signature_of(called, function):
    """Write a call in Python's syntax, without types and self."""
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name != "self"
    ]
    return f"{called}{inspect.Signature(parameters)}"


CALLS = {
    **{name: (f"cf.{name}", getattr(cf, name)) for name in cf.__all__},
    "hopping": ("cs.hopping", cs.hopping),
    "history_at": ("cs.history.at", cs.history.at),
    "rollup_now": ("cs.rollup.now", cs.rollup.now),
    "warehouse_quantile": ("warehouse.quantile", cs.warehouse.Warehouse.quantile),
    "warehouse_rank": ("warehouse.rank", cs.warehouse.Warehouse.rank),
    "chronosketch_advise": ("cs.advise", cs.advise),
}


def test_the_reference_has_a_python_signature_of_every_function(spark):
    assert set(CALLS) == sql_names(spark) - OLDER


@pytest.mark.parametrize(("name", "call"), CALLS.items())
def test_the_reference_shows_the_signature_of_python(name, call):
    assert signature_on_page(name) == signature_of(*call)


BOOLEANS = {"true": True, "false": False}


def as_python(literal):
    """Return the Python value of a SQL literal."""
    return BOOLEANS[literal] if literal in BOOLEANS else ast.literal_eval(literal)


@pytest.mark.parametrize("name", cf.__all__)
def test_arguments_have_the_names_the_order_and_the_defaults_of_sql(spark, name):
    parameters = inspect.signature(getattr(cf, name)).parameters.values()
    assert sql_arguments(spark, name) == [(p.name, p.default) for p in parameters]


@pytest.mark.parametrize(("name", "function"), TABLES.items())
def test_a_table_function_takes_a_data_frame_first(spark, name, function):
    names = [argument.strip("[]") for argument in signature_and_usage(spark, name)[0]]
    assert names[1:] == list(inspect.signature(function).parameters)[1:]


@pytest.mark.parametrize(("name", "function"), SESSION_TABLES.items())
def test_a_table_function_takes_the_session_first(spark, name, function):
    names = [argument.strip("[]") for argument in signature_and_usage(spark, name)[0]]
    assert ["spark", *names] == list(inspect.signature(function).parameters)


@pytest.mark.parametrize("name", cf.__all__)
def test_a_docstring_begins_with_the_sentence_of_sql(spark, name):
    sentence = re.match(r".*?\.(?= |$)", signature_and_usage(spark, name)[1]).group()
    verb, rest = sentence.split(" ", 1)
    # SQL says "Returns", Python "Return"
    assert getattr(cf, name).__doc__.splitlines()[0] == f"{verb.removesuffix('s')} {rest}"


@pytest.mark.parametrize("name", cf.__all__)
def test_the_page_of_a_function_has_all_its_parts(spark, name):
    text = page(spark, name)
    assert "Examples:" in text
    assert "Since:" in text
    assert "Arguments:" in text or not inspect.signature(getattr(cf, name)).parameters
