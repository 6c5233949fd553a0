"""A classic session that was started without the jar."""

import pytest

PROGRAM = """
import chronosketch as cs
from chronosketch import functions as cf
from pyspark.sql import SparkSession, functions as F

spark = (SparkSession.builder.master("{master}").config("spark.ui.enabled", "false")
         .config("spark.executor.memory", "512m").config("spark.log.level", "OFF").getOrCreate())
spark.range(10).repartition(2).count()  # the executors run already
try:
    cs.check_installed(spark)
except cs.ChronosketchError as missing:
    print(missing)
cs.attach(spark)
print(cs.check_installed(spark) == cs.__version__)
parts = spark.range(1, 1001, 1, 4).groupBy(F.col("id") % 7).agg(cf.quantile_sketch_agg("id").alias("s"))
print(parts.agg(cf.sketch_quantile(cf.sketch_merge_agg("s"), 0.5, "bigint")).first()[0])
print(spark.sql("SELECT approx_quantile(id, 0.5) FROM range(1, 101)").first()[0])
"""

ANSWERS = """\
This Spark session does not have the chronosketch functions: \
call chronosketch.attach(spark), or start it with chronosketch.session(name).
True
500
50
"""


@pytest.mark.parametrize("master", ["local[2]", "local-cluster[1,1,600]"])
def test_attach_gives_a_running_session_the_functions(run_python, master):
    done = run_python(PROGRAM.format(master=master))
    assert done.stdout == ANSWERS, done.stderr
