"""Attach to a session that was started without the jar."""

import re

import chronosketch as cs
import pytest

PROGRAM = """
import chronosketch as cs
from chronosketch import functions as cf
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession, functions as F

spark = (SparkSession.builder.master("{master}").config("spark.ui.enabled", "false")
         .config("spark.executor.memory", "512m").config("spark.log.level", "OFF").getOrCreate())
spark.range(10).repartition(2).count()  # the executors run already
beside = spark.newSession()
beside.range(10).count()

def installed(session):
    try:
        return cs.check_installed(session) == cs.__version__
    except cs.ChronosketchError as missing:
        return missing

print(installed(spark))
cs.attach(spark)
print(installed(spark))
parts = spark.range(1, 1001, 1, 4).groupBy(F.col("id") % 7).agg(cf.quantile_sketch_agg("id").alias("s"))
print(parts.agg(cf.sketch_quantile(cf.sketch_merge_agg("s"), 0.5, "bigint")).first()[0])
print(spark.sql("SELECT approx_quantile(id, 0.5) FROM range(1, 101)").first()[0])

print(installed(beside))
print(installed(cs.attach(beside)))
later = spark.newSession()
print(installed(later))
try:
    spark.sql("SET spark.chronosketch.hopping.rewrite = true")
except AnalysisException as refused:
    print(refused.getCondition())
later.sql("SET spark.chronosketch.hopping.rewrite = true")
windows = later.range(60).groupBy(F.window(F.timestamp_seconds("id"), "30 seconds", "20 seconds")).count()
print("SketchHopping" in windows._jdf.queryExecution().toString(), windows.count())

def called(session, folder):
    try:
        return session.sql(f"CALL chronosketch.create('{{folder}}', 'latency_ms')").count()
    except AnalysisException as refused:
        return refused.getCondition()

print(called(spark, "made"))
print(called(later, "later"))
later.sql("{setting}")
print(called(later, "later"))
"""

MISSING = (
    "This Spark session does not have the chronosketch functions. "
    "Call chronosketch.attach(spark), or start the session with chronosketch.session(name)."
)
# Spark ignores the jar of a builder if a session runs.
FOUND = """
import chronosketch as cs
from pyspark.sql import SparkSession

def builder():
    quiet = SparkSession.builder.config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
    return quiet.master("local[1]")

running = builder().getOrCreate()
running.range(1).count()
found = {start}.getOrCreate()
print(found is running, cs.check_installed(found) == cs.__version__)
print(found.sql("SELECT approx_quantile(id, 0.5) FROM range(1, 101)").first()[0])
"""


@pytest.mark.parametrize("start", ["cs.session()", "cs.configure(builder())"])
def test_a_builder_attaches_to_a_session_that_runs_without_the_functions(run_python, start):
    done = run_python(FOUND.format(start=start))
    assert done.stdout == "True True\n50\n", done.stderr


ANSWERS = f"""\
{MISSING}
True
500
50
{MISSING}
True
True
CHRONOSKETCH_HOPPING_REWRITE
True 4
1
UNRESOLVED_ROUTINE
1
"""


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[1,1,600]"])
def test_attach_gives_a_running_session_the_functions(run_python, master, top):
    page = (top / "docs" / "settings.md").read_text("utf-8")
    (setting,) = re.findall(r"^(SET spark\.sql\.catalog\.chronosketch = .+);$", page, re.MULTILINE)
    done = run_python(PROGRAM.format(master=master, setting=setting))
    assert done.stdout == ANSWERS, done.stderr


# The list of the quickstart, in an attached session and in one that it creates.
LACKING = """
import chronosketch as cs
from chronosketch import functions as cf
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, functions as F

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
spark = cs.attach(
    SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    .config("spark.log.level", "OFF").config("spark.sql.adaptive.enabled", "false")
    .config("spark.sql.streaming.stateStore.providerClass", ROCKSDB).getOrCreate()
)
spark.range(100).selectExpr("id % 7 AS k", "id AS v", "timestamp_seconds(id) AS ts").write.parquet("stored")

def refusal(run):
    try:
        run()
    except PySparkException as refused:
        return refused.getCondition()

for session in spark, spark.newSession():
    rows = session.read.parquet("stored")
    rows.createOrReplaceTempView("rows")

    def has(operator, query):
        return operator in session.sql(f"EXPLAIN {query}").first()[0]

    frame = "OVER (PARTITION BY k ORDER BY v ROWS 9 PRECEDING)"
    print(has("SketchAggregateByColumns", "SELECT approx_quantile(v, 0.5) FROM rows"), end=" ")
    print(has("SketchPack", f"SELECT approx_quantile(v, 0.5) {frame} FROM rows"), end=" ")
    session.conf.set("spark.chronosketch.hopping.rewrite", "true")
    hops = "GROUP BY window(ts, '9 seconds', '3 seconds')"
    print(has("SketchHopping", f"SELECT count(*) FROM rows {hops}"), end=" ")
    stream = session.readStream.schema(rows.schema).parquet("stored").withWatermark("ts", "1 second")
    windows = cs.hopping(stream, "ts", "9 seconds", "3 seconds", aggs=F.count("*"))
    print("TransformWithState" in windows._jdf.queryExecution().analyzed().toString())
    print(refusal(lambda: session.sql("SELECT sketch_percentile(1, 2)")), end=" ")
    print(refusal(lambda: stream.agg(cf.history_sketch_agg("v", "ts"))))
"""


def test_an_attached_session_lacks_what_the_quickstart_lists(run_python):
    done = run_python(LACKING)
    assert done.stdout.splitlines() == [
        "False False False False",
        "UNRESOLVED_ROUTINE None",
        "True True True True",
        "CHRONOSKETCH_UNKNOWN_FUNCTION CHRONOSKETCH_HISTORY_OF_STREAM",
    ], done.stderr


# The server of Connect's local mode, without the jar.
SERVER = """
import os
import sys
import warnings

import chronosketch as cs
from pyspark.sql import SparkSession

# its workers run this Python, which has pyarrow
os.environ["PYSPARK_PYTHON"] = sys.executable
spark = SparkSession.builder.remote("local[1]").config("spark.log.level", "OFF").getOrCreate()
try:
    cs.check_installed(spark)
except cs.ChronosketchError as refused:
    print(refused)
with warnings.catch_warnings(record=True) as caught:
    assert cs.session().remote("local[1]").getOrCreate() is spark
print(next(str(one.message) for one in caught if "jar" in str(one.message)))
assert cs.attach(spark) is spark
print(cs.check_installed(spark))
"""


def test_a_connect_server_without_the_jar_gets_the_functions_of_python(run_python):
    done = run_python(SERVER)
    jar = f"--jars chronosketch-spark_2.13-{cs.__version__}.jar"
    assert done.stdout.splitlines() == [
        f"This Spark session does not have the chronosketch functions. Start its server with {jar}, a file "
        "on the server's machine, or call chronosketch.attach(spark), which registers Python's functions.",
        "This session does not have the jar, and gets none: a client cannot load a jar into a Connect "
        f"server, which has to start with {jar}. It now has the functions of chronosketch.portable, in "
        "Python and under the same names. Their aggregates move all rows of a group to one task; "
        "chronosketch.portable.sketch(df, by, values) does not.",
        cs.__version__,
    ], done.stderr
