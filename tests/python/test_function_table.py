"""What SQL has, Python has: the same names, the same arguments."""

import inspect
import re

import chronosketch as cs
import pytest
from chronosketch import functions as cf

PREFIX = "chronosketch_"
# What stands where a table does, and what takes a data frame for it.
TABLES = {"hopping_sketch": cs.hopping}


def sql_names(spark):
    names = {row[0] for row in spark.sql("SHOW ALL FUNCTIONS LIKE 'chronosketch_*'").collect()}
    return {name if name == "chronosketch_version" else name.removeprefix(PREFIX) for name in names}


def test_python_has_the_functions_of_sql_and_no_others(spark):
    assert sql_names(spark) == {*cf.__all__, *TABLES}


def test_bare_names_are_there_too(spark):
    for name in (*cf.__all__, *TABLES):
        assert spark.catalog.functionExists(name), name


def sql_arguments(spark, name):
    rows = spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect()
    text = "\n".join(row[0] for row in rows)
    usage = re.search(rf"{name}\((.*?)\) - ", text)
    assert usage, text
    return [argument.strip(" []") for argument in usage.group(1).split(",") if argument.strip()]


@pytest.mark.parametrize("name", cf.__all__)
def test_arguments_have_the_names_and_the_order_of_sql(spark, name):
    assert sql_arguments(spark, name) == list(inspect.signature(getattr(cf, name)).parameters)


@pytest.mark.parametrize(("name", "function"), TABLES.items())
def test_a_table_function_takes_a_data_frame_first(spark, name, function):
    assert sql_arguments(spark, name)[1:] == list(inspect.signature(function).parameters)[1:]


@pytest.mark.parametrize("name", cf.__all__)
def test_the_page_of_a_function_has_all_its_parts(spark, name):
    text = "\n".join(row[0] for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect())
    assert "Examples:" in text
    assert "Since:" in text
    assert "Arguments:" in text or not inspect.signature(getattr(cf, name)).parameters
