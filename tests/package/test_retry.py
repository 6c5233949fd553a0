"""Tasks that fail half way and are retried. The number of retries depends on the session's master."""

PROGRAM = """
import chronosketch as cs
from chronosketch import functions as cf
from pyspark import TaskContext
from pyspark.sql import functions as F

spark = (cs.session("retry").master("local[2,4]").config("spark.ui.enabled", "false")
         .config("spark.log.level", "OFF").getOrCreate())
rows = spark.range(0, 40_000, 1, 4)

@F.udf("bigint", useArrow=False)
def dying(value):
    if TaskContext.get().attemptNumber() == 0 and value % 10_000 == 7_777:
        raise RuntimeError("died half way through")
    return value

def answers(value, *keys):
    grouped = rows.groupBy(*keys).agg(
        F.count("*"), F.sum(value), cf.approx_quantile(value, [0.01, 0.5, 0.99]),
        F.hex(cf.quantile_sketch_agg(value, epsilon=1e-4)))
    return sorted(grouped.collect())

for keys in ([], [F.col("id") % 7], [F.concat(F.lit("host-"), F.col("id") % 5)]):
    print(answers(dying("id"), *keys) == answers(F.col("id"), *keys))
"""


def test_answers_are_the_same_if_tasks_fail_and_are_retried(run_python):
    done = run_python(PROGRAM)
    assert done.stdout.split() == ["True"] * 3, done.stderr
