"""Names that do not exist: SQL and Python name the same function instead."""

import re

import pytest
from chronosketch import functions as cf
from chronosketch.functions.guesses import GUESSES
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

# functions of Spark's; only in Python, where they are not
SPARKS = {"approx_percentile", "percentile_approx"}
CALLS = {
    name: f"{name}(s, 0.5)" if function == "sketch_quantile" else f"{name}(s)"
    for name, function in GUESSES.items()
}


@pytest.fixture
def sketches(spark):
    df = spark.range(1, 101).agg(cf.quantile_sketch_agg("id").alias("s"))
    df.createOrReplaceTempView("guessed_in_python")
    yield df
    spark.catalog.dropTempView("guessed_in_python")


@pytest.mark.parametrize("name", sorted({*GUESSES, "sketch_p99", "approx_p95", "sketch_cuont"} - SPARKS))
def test_sql_and_python_name_the_same_function(spark, sketches, name):
    with pytest.raises(AttributeError, match=r"Use \w+: help\(cf\.\w+\)") as of_python:
        getattr(cf, name)
    found = re.search(r"Use (\w+):", str(of_python.value)).group(1)
    assert hasattr(cf, found)
    with pytest.raises(AnalysisException) as of_sql:
        spark.sql(f"SELECT {CALLS.get(name, f'{name}(s)')} FROM guessed_in_python").collect()
    assert of_sql.value.getCondition() == "CHRONOSKETCH_UNKNOWN_FUNCTION"
    assert of_sql.value.getSqlState() == "42883"
    assert of_sql.value.getMessageParameters()["nearest"] == found


def test_the_fix_runs_when_it_is_pasted(spark, sketches):
    for call in ("sketch_percentile(s, 99)", "sketch_p99(s)"):
        with pytest.raises(AnalysisException) as refused:
            spark.sql(f"SELECT {call} FROM guessed_in_python").collect()
        fix = refused.value.getMessageParameters()["fix"]
        assert fix == "sketch_quantile(s, 0.99)"
        assert spark.sql(f"SELECT {fix} FROM guessed_in_python").first()[0] == 99.0


def test_a_call_by_name_from_a_data_frame(sketches):
    with pytest.raises(AnalysisException) as refused:
        sketches.select(F.call_function("sketch_percentile", "s", F.lit(0.5))).collect()
    assert refused.value.getMessageParameters()["fix"] == "sketch_quantile(s, 0.5)"


def test_sparks_own_error_stays_for_other_names(spark):
    for name in ("my_function", "percentil", "tumble"):
        with pytest.raises(AnalysisException) as refused:
            spark.sql(f"SELECT {name}(1)").collect()
        assert refused.value.getCondition() == "UNRESOLVED_ROUTINE"
    with pytest.raises(AttributeError, match=r"no attribute 'my_function'$"):
        cf.my_function  # noqa: B018


def test_a_users_own_function_answers(spark):
    spark.udf.register("sketch_percentile", lambda x: x + 1, "int")
    try:
        assert spark.sql("SELECT sketch_percentile(41)").first()[0] == 42
    finally:
        spark.sql("DROP TEMPORARY FUNCTION sketch_percentile")
