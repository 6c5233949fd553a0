"""Test executors of their own: answers do not depend on the order of parts, and other jars are refused."""

import shutil
import zipfile

from chronosketch.jar import jar_path

PROGRAM = """
import chronosketch as cs
from delta import configure_spark_with_delta_pip

builder = (cs.session("one answer").master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
         .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
         .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
         .config("spark.executor.memory", "1g").config("spark.sql.shuffle.partitions", "3")
         .config("spark.plugins", "chronosketch.spark.SameJarPlugin")
         .config("spark.log.level", "OFF"))
spark = configure_spark_with_delta_pip(builder).getOrCreate()
spark.range(0, 1_200_000, 1, 12).selectExpr(
    "id % 7 AS k", "pmod(id * 1103515245 + 12345, 2147483647) AS v", "sin(id) AS x"
).write.format("delta").save("rows")
spark.read.format("delta").load("rows").createOrReplaceTempView("rows")
QUERIES = [
    "SELECT approx_quantile(v, array(0.5, 0.99)), approx_quantile(x, 0.999, 0.01) FROM rows",
    "SELECT k, approx_quantile(v, 0.5), hex(quantile_sketch_agg(x)), hex(moments_agg(x)) "
    "FROM rows GROUP BY k ORDER BY k",
    "SELECT hex(sketch_merge_agg(s)) "
    "FROM (SELECT k, v % 5, quantile_sketch_agg(x, 0.01) AS s FROM rows GROUP BY k, v % 5)",
    "SELECT k, max(string(v)), approx_quantile(x, 0.5) FROM rows GROUP BY k ORDER BY k",
]
for query in QUERIES:
    print(len({str(spark.sql(query).collect()) for _ in range(8)}))
spark.stop()
"""


def test_eight_runs_on_two_executors_beside_delta_give_one_answer(run_python):
    done = run_python(PROGRAM)
    assert done.stdout.split() == ["1", "1", "1", "1"], done.stderr


OTHER_JAR = """
import chronosketch as cs

spark = (cs.session("other jar").master("local-cluster[1,1,600]").config("spark.ui.enabled", "false")
         .config("spark.executor.memory", "600m").config("spark.executor.extraClassPath", {other!r})
         .config("spark.deploy.maxExecutorRetries", "1").config("spark.plugins", {plugins!r}).getOrCreate())
print(spark.range(9).selectExpr("approx_quantile(id, 0.5)").first()[0])
"""


def test_an_executor_with_another_jar_is_refused_when_it_starts(run_python, tmp_path):
    other = tmp_path / "other.jar"
    shutil.copy(jar_path(), other)
    with zipfile.ZipFile(other, "a") as added:
        added.writestr("another.txt", "")
    undisturbed = run_python(OTHER_JAR.format(other=str(other), plugins=""))
    assert undisturbed.stdout.split() == ["4"], undisturbed.stderr
    refused = run_python(OTHER_JAR.format(other=str(other), plugins="chronosketch.spark.SameJarPlugin"))
    assert refused.returncode != 0
    assert "CHRONOSKETCH_JARS_DIFFER" in refused.stderr
