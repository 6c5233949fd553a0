package chronosketch.spark.rollup

import org.apache.spark.sql.{DataFrame, Row}

import chronosketch.spark.rollup.rewrite.RewriteConf

/** Runs queries with the rewrite and without it, and asserts whether they were rewritten. */
abstract class RewriteTests extends RollupTests {
  protected val epsilon = 0.02
  protected val all =
    "count(*), count(latency_ms), sum(latency_ms), min(latency_ms), max(latency_ms), avg(latency_ms), {p90}"

  protected def on[A](body: => A): A = withConf(RewriteConf.Rewrite -> "true")(body)

  protected def quantile(e: Double) = s"approx_quantile(latency_ms, 0.9D, ${e}D)"

  protected def plan(frame: DataFrame): String = frame.queryExecution.executedPlan.toString

  /** Runs a query with `{p90}` and compares its answers. The first columns are the keys.
    *
    * @return
    *   the plan
    */
  protected def checked(text: String, keys: Int, isRewritten: Boolean): String = {
    val explained = compared(text, keys)
    assertEquals(explained.contains("SketchRollup"), isRewritten, s"$text\n$explained")
    explained
  }

  /** [[checked]], whether or not the query is rewritten. */
  protected def compared(text: String, keys: Int): String = {
    val exact = sql(text.replace("{p90}", "array_sort(collect_list(latency_ms))")).collect()
    val (found, explained) = on {
      val frame = sql(text.replace("{p90}", quantile(epsilon)))
      (frame.collect(), plan(frame))
    }
    compare(text, exact, found, keys)
    explained
  }

  protected def compare(text: String, exact: Array[Row], found: Array[Row], keys: Int): Unit = {
    def sorted(rows: Array[Row]) = rows.map(r => r.toSeq.take(keys).toString -> r).sortBy(_._1)
    assertEquals(sorted(found).map(_._1).toSeq, sorted(exact).map(_._1).toSeq, text)
    sorted(exact).map(_._2).zip(sorted(found).map(_._2)).foreach { case (e, f) =>
      e.toSeq.zip(f.toSeq).zipWithIndex.drop(keys).foreach {
        case ((values: scala.collection.Seq[_], quantile), _) =>
          val measured = values.map(_.asInstanceOf[Double])
          if (measured.isEmpty) assertEquals(quantile, null, text)
          else {
            val (q, n, slack) = (quantile.asInstanceOf[Double], measured.size, epsilon * measured.size)
            assert(
              measured.count(_ < q) <= 0.9 * n + slack && measured.count(_ <= q) >= 0.9 * n - slack,
              s"$text: $q of $n"
            )
          }
        case ((a: Double, b: Double), _) => assertEqualsDouble(b, a, 1e-9 * math.max(1, math.abs(a)), text)
        case ((a, b), i) => assertEquals(b, a, s"$text: column $i of $f and $e")
      }
    }
  }

  protected def declined(text: String, why: String): Unit = {
    val plan = on { sql(text).queryExecution.executedPlan.toString }
    assert(!plan.contains("SketchRollup"), s"$text\n$plan")
    assert(plan.contains("Fallback") && plan.contains(why), s"$text\n$plan")
  }

  protected def rolled(name: String, more: String = hourAndDay): (String, String) = {
    val (source, into) = (requests(s"${name}_source"), dropped(s"${name}_into"))
    sql(
      s"INSERT INTO $source VALUES (NULL, 's1', 7), (NULL, NULL, NULL), (TIMESTAMP'2026-01-01 05:00:00', NULL, 3)"
    )
    follow(source, into, more)
    (source, into)
  }
}
