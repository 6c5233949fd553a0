"""cs.hopping accepts any column name and any length, whatever the session's rules for literals."""

from datetime import timedelta

import chronosketch as cs
import pytest
from chronosketch import functions as cf
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F

LITERALS = "spark.sql.parser.escapedStringLiterals"

# Column names, and how they are written for F.col.
NAMES = {
    "ts": "ts",
    "sent at": "sent at",
    'it\'s "late"': 'it\'s "late"',
    "back\\slash\\": "back\\slash\\",
    "\\'": "\\'",
    "back`tick": "`back``tick`",
    "dot.ted": "`dot.ted`",
    "{braces} {0}": "{braces} {0}",
    "${spark.app.name}": "`${spark.app.name}`",
    ":marker ?": ":marker ?",
    "-- no comment": "-- no comment",
    "Zeit\u00a0\u23f1\n": "Zeit\u00a0\u23f1\n",
}


def counted(df, event_time, size="30 minutes", slide="20 minutes", **by):
    aggs = [cf.approx_quantile("v", 0.5).alias("p50"), F.count("*").alias("n")]
    rows = cs.hopping(df, event_time, size, slide, aggs=aggs, **by).orderBy("window").collect()
    return [(row.window.start.strftime("%H:%M"), row.p50, row.n) for row in rows]


TRUTH = [("23:40", 4, 10), ("00:00", 14, 30), ("00:20", 34, 30), ("00:40", 49, 20)]


@pytest.fixture
def hour(spark):
    return spark.range(60).select(F.timestamp_seconds(F.col("id") * 60).alias("ts"), F.col("id").alias("v"))


@pytest.fixture(params=["false", "true"])
def literals(spark, request):
    """Run with both settings for backslashes in literals. Spark 1.6 took them literally."""
    # set by SQL, which does not warn that this setting is deprecated
    spark.sql(f"SET {LITERALS} = {request.param}")
    yield
    spark.sql(f"RESET {LITERALS}")


@pytest.mark.usefixtures("literals")
@pytest.mark.parametrize("name", NAMES)
def test_the_time_may_have_any_name(hour, name):
    assert counted(hour.withColumnRenamed("ts", name), NAMES[name]) == TRUTH


@pytest.mark.parametrize("name", [name for name in NAMES if name != "ts"])
def test_keys_and_aggregates_may_have_any_name(hour, name):
    keyed = hour.withColumn(name, F.lit("k"))
    aggs = [F.max("v").alias(f"m{name}")]
    windows = cs.hopping(keyed, "ts", "30 minutes", "20 minutes", by=[NAMES[name]], aggs=aggs)
    assert windows.columns == [name, "window", f"m{name}"]
    assert len(windows.collect()) == len(TRUTH)


def test_the_time_may_lie_in_a_struct(hour):
    nested = hour.select(F.struct(F.col("ts").alias("sent.at")).alias("the request"), "v")
    assert counted(nested, "the request.`sent.at`") == TRUTH


@pytest.mark.parametrize(
    ("size", "slide"),
    [
        (timedelta(minutes=30), timedelta(minutes=20)),
        ("1800 seconds", "20 minutes 0 seconds"),
        ("interval 30 minutes", timedelta(seconds=1200)),
        ("interval '30' minute", "INTERVAL '0:20' HOUR TO MINUTE"),
    ],
)
@pytest.mark.usefixtures("literals")
def test_lengths_are_text_or_timedelta(hour, size, slide):
    assert counted(hour, "ts", size, slide) == TRUTH


def test_a_timedelta_keeps_its_microseconds(hour):
    with pytest.raises(AnalysisException, match=r"20 minutes 0\.000001 seconds|1200\.000001"):
        counted(hour, "ts", timedelta(minutes=20), timedelta(minutes=20, microseconds=1))


@pytest.mark.parametrize("length", ["ten minutes", "10 minutes'", "", timedelta(0), timedelta(minutes=-5)])
def test_an_invalid_length_is_refused(hour, length):
    with pytest.raises(AnalysisException) as caught:
        counted(hour, "ts", length, length)
    assert caught.value.getCondition().startswith("CHRONOSKETCH_"), caught.value


@pytest.mark.parametrize("length", [600, None, F])
def test_a_length_of_another_type_is_refused(hour, length):
    with pytest.raises(
        cs.ChronosketchError, match=r"^slide is .*\. Give text such as '10 minutes', or a timedelta\.$"
    ):
        counted(hour, "ts", "30 minutes", length)


@pytest.mark.parametrize("name", ["", "a..b", ".a", "a.", "`a", "a`b", "`a`b", "a`b`", "`a``", None, 7])
def test_invalid_names_are_rejected(hour, name):
    with pytest.raises(cs.ChronosketchError, match=r"^event_time is .* not the name of a column"):
        counted(hour, name)


@pytest.mark.parametrize("name", ["other", "`ts.v`", "' OR 1=1 --"])
def test_a_missing_column_is_refused(hour, name):
    with pytest.raises(AnalysisException) as caught:
        counted(hour, name)
    assert caught.value.getCondition() == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
