"""Run a query many times on two executors: parts arrive in another order, and the answer is the same."""

PROGRAM = """
import chronosketch as cs

spark = (cs.session("one answer").master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
         .config("spark.executor.memory", "1g").config("spark.sql.shuffle.partitions", "3")
         .config("spark.log.level", "OFF").getOrCreate())
spark.range(0, 1_200_000, 1, 12).selectExpr(
    "id % 7 AS k", "pmod(id * 1103515245 + 12345, 2147483647) AS v", "sin(id) AS x"
).write.parquet("rows")
spark.read.parquet("rows").createOrReplaceTempView("rows")
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


def test_eight_runs_on_two_executors_give_one_answer(run_python):
    done = run_python(PROGRAM)
    assert done.stdout.split() == ["1", "1", "1", "1"], done.stderr
