package chronosketch.spark.memory

import org.apache.spark.SparkThrowable

import chronosketch.Cases
import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.operator.OperatorSuite

/** Tests each request for memory that Spark may refuse: every operator gives the same answers if any one of its requests is refused, or all
  * from one on. The session fails tasks that leave memory behind.
  */
class RefusedMemorySuite extends SparkSuite {
  private val groups = 3000

  private def views(): Unit = {
    spark.range(0, 120000, 1, 3).selectExpr(
      "id",
      s"id % $groups AS k",
      s"concat('key ', id % $groups) AS s",
      "pmod(hash(id, 1), 4) AS few",
      "IF(pmod(hash(id, 2), 9) = 0, NULL, pmod(hash(id, 3), 100000)) AS v",
      "CAST(id AS DECIMAL(20,2)) AS d",
      "timestamp_seconds(id) AS t",
      "repeat('x', int(id % 100)) AS text"
    ).createOrReplaceTempView("refused")
  }

  // exact answers, and that certified ones keep their promise, so that answers do not depend on the parts that are merged
  private val functions =
    """approx_quantile(v, 0.5, 0) AS q, count(*) AS n, sum(d) AS total,
      |approx_quantile_bounds(v, 0.5, 0.01).low <= approx_quantile(v, 0.5, 0) AS above,
      |approx_quantile_bounds(v, 0.5, 0.01).high >= approx_quantile(v, 0.5, 0) AS below""".stripMargin

  private def over(frame: String) =
    s"SELECT id, text, approx_quantile(v, 0.5) OVER (PARTITION BY few ORDER BY $frame) AS q FROM refused WHERE id < 40000"

  private val queries = Seq(
    "numbers as keys" -> s"SELECT k, $functions FROM refused GROUP BY k",
    "texts as keys" -> s"SELECT s, $functions FROM refused GROUP BY s",
    "no keys" -> s"SELECT $functions FROM refused",
    "grouping sets" -> s"SELECT few, k % 500, $functions FROM refused GROUP BY CUBE(few, k % 500)",
    "stored sketches" ->
      """SELECT k % 50, sketch_quantile(sketch_merge_agg(s), 0.5)
        |FROM (SELECT k, few, quantile_sketch_agg(v, 0) AS s FROM refused GROUP BY k, few) GROUP BY k % 50""".stripMargin,
    "moments" -> "SELECT k, sketch_count(moments_agg(v)), sketch_min(moments_agg(v)) FROM refused GROUP BY k",
    "samples" -> "SELECT k, sketch_count(sample_sketch_agg(v, 5, id => id)) FROM refused GROUP BY k",
    "rows with times" -> "SELECT k, sketch_count(window_sketch_agg(v, t, 0.1)) FROM refused GROUP BY k",
    "a history" ->
      "SELECT few, sketch_quantile(sketch_at_version(history_sketch_agg(v, id, epsilon => 0), 20000), 0.5) FROM refused WHERE id < 30000 GROUP BY few",
    "preceding rows" -> over("id ROWS 50 PRECEDING"),
    "a range" -> over("id RANGE BETWEEN 60 PRECEDING AND 10 FOLLOWING"),
    "all rows so far" -> over("v, id"),
    "hopping windows" ->
      """SELECT window.start, few, approx_quantile(v, 0.5, 0) FROM refused
        |GROUP BY window(t, '2 hours', '10 minutes'), few""".stripMargin
  )

  private def answers(query: String, refused: String): Seq[String] =
    withConf(TestRefusals.Setting -> refused)(sql(query).collect().toSeq.map(OperatorSuite.text).sorted)

  for ((name, query) <- queries)
    test(s"any request may be refused: $name") {
      views()
      TestRefusals.takeMost()
      val truth = answers(query, "0")
      val requests = TestRefusals.takeMost()
      assert(requests > 0, "no operator of ours asks for memory")
      assert(!truth.exists(_.contains("false")), "an answer lies outside its bounds")
      val tried = Cases.some(4, 1 to requests)
      val asked = tried.map(_.toString) ++ Cases.some(2, tried).map(i => s"$i+")
      val tooLarge = asked.count { refused =>
        try {
          val got = answers(query, refused)
          got.zip(truth).find { case (a, b) => a != b }.foreach { case (a, b) =>
            assertEquals(a, b, s"$refused: $query")
          }
          assertEquals(got.length, truth.length, s"$refused: $query")
          false
        } catch {
          // rows of frames that nothing can free are refused by name
          case e: SparkThrowable
              if query.contains("OVER") && e.getCondition == "CHRONOSKETCH_FRAME_TOO_LARGE" => true
        }
      }
      assert(tooLarge < asked.length, s"each of $asked is refused")
    }
}
