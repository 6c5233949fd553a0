"""What SQL has, Python has: the same names, the same arguments."""

import inspect
import re

import pytest
from chronosketch import functions as cf

PREFIX = "chronosketch_"


def sql_names(spark):
    names = {row[0] for row in spark.sql("SHOW ALL FUNCTIONS LIKE 'chronosketch_*'").collect()}
    return {name if name == "chronosketch_version" else name.removeprefix(PREFIX) for name in names}


def test_python_has_the_functions_of_sql_and_no_others(spark):
    assert sql_names(spark) == set(cf.__all__)


def test_bare_names_are_there_too(spark):
    for name in cf.__all__:
        assert spark.catalog.functionExists(name), name


@pytest.mark.parametrize("name", cf.__all__)
def test_arguments_have_the_names_and_the_order_of_sql(spark, name):
    rows = spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect()
    text = "\n".join(row[0] for row in rows)
    usage = re.search(rf"{name}\((.*?)\) - ", text)
    assert usage, text
    arguments = [argument.strip(" []") for argument in usage.group(1).split(",") if argument.strip()]
    assert arguments == list(inspect.signature(getattr(cf, name)).parameters)


@pytest.mark.parametrize("name", cf.__all__)
def test_the_page_of_a_function_has_all_its_parts(spark, name):
    text = "\n".join(row[0] for row in spark.sql(f"DESCRIBE FUNCTION EXTENDED {name}").collect())
    assert "Examples:" in text
    assert "Since:" in text
    assert "Arguments:" in text or not inspect.signature(getattr(cf, name)).parameters
