package chronosketch.spark

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.functions.{col, expr}

import chronosketch.spark.aggregate.operator.SketchAggregation
import chronosketch.spark.aggregate.{AggregateConf, ChronosketchAggregate, SketchFunction}
import chronosketch.spark.sketch.{Ask, DesignEffectAggregate, SketchCount}
import chronosketch.spark.window.{AmongLast, Passing, WithinLast}

/** Tests that a query builds a sketch once even if it is called several times, and that equal expressions stay equal after copying and
  * serialisation.
  */
class SharedSketchesSuite extends SparkSuite {

  /** The number of sketches that each aggregation of the plan builds. */
  private def sketchesBuilt(df: DataFrame): Seq[Int] = withConf("spark.sql.adaptive.enabled" -> "false") {
    df.select("*").queryExecution.executedPlan.collect {
      case a: SketchAggregation => a.columns.length
      case a: BaseAggregateExec =>
        a.aggregateExpressions.map(_.aggregateFunction).count(_.isInstanceOf[SketchFunction])
    }
  }

  private def inSparksOperator[A](body: => A): A = withConf(AggregateConf.Enabled -> "false")(body)

  private val calledTwice = Seq(
    "SELECT sketch_quantile(quantile_sketch_agg(id), 0.5), sketch_quantile(quantile_sketch_agg(id), 0.9), sketch_count(quantile_sketch_agg(id)) FROM range(9)",
    "SELECT sketch_quantile(quantile_sketch_agg(id), 0.5), sketch_min(chronosketch_quantile_sketch_agg(id, epsilon => 0.001)) FROM range(9)",
    "SELECT approx_quantile(id, array(0.5, 0.9, 0.99)) FROM range(9)",
    "SELECT approx_quantile(r.id, 0.5), approx_quantile(id, 0.5) + 1 FROM range(9) AS r HAVING approx_quantile(id, 0.5) > 3",
    "SELECT approx_quantile(id, 0.5, frequency => id), approx_quantile(r.id, 0.5, frequency => r.id) FROM range(9) AS r",
    "SELECT sketch_max(sketch_window(window_sketch_agg(id, id), 3)), sketch_count(window_sketch_agg(id, id)) FROM range(9)",
    "SELECT sketch_quantile(qlove_sketch_agg(id, id, 0.5, 8), 0.5), sketch_count(qlove_sketch_agg(id, id, 0.5, panes => 8)) FROM range(9)",
    "SELECT sketch_max(s), sketch_quantile(s, 0.5) FROM (SELECT quantile_sketch_agg(id) AS s FROM range(9))",
    "SELECT sketch_count(sketch_merge_agg(r.s)), sketch_min(sketch_merge_agg(s)) FROM (SELECT X'00' AS s FROM range(9)) AS r"
  )

  private val asksDiffer = Seq(
    "SELECT approx_quantile(id, 0.5), approx_quantile(id, 0.9) FROM range(9)",
    "SELECT approx_quantile(id, 0.5), approx_quantile_bounds(id, 0.5) FROM range(9)",
    "SELECT approx_window_quantile(id, id, 0.5, 3), approx_window_quantile(id, id, 0.9, among_last(3)), window_sketch_agg(id, id) FROM range(9)",
    "SELECT approx_window_quantile(id, id, 0.5, within_last(3) AND id > 2), approx_window_quantile(id, id, 0.9, id > 2) FROM range(9)",
    "SELECT approx_quantile(id, 0.5, 0.001), sketch_count(quantile_sketch_agg(id)), approx_quantile(r.id, 0.9, 1e-3) FROM range(9) AS r",
    "SELECT qlove_sketch_agg(id, id, array(0.5, 0.9), 8), qlove_sketch_agg(r.id, r.id, array(0.9BD, 0.50, 0.5), 8L) FROM range(9) AS r",
    "SELECT approx_quantile(id, 0.5) FILTER (WHERE id > 3), approx_quantile(id, 0.9) FILTER (WHERE id > 3) FROM range(9)"
  )

  private val summariesDiffer = Seq(
    "SELECT approx_quantile(id, 0.5), approx_quantile(id, 0.5, epsilon => 0.01) FROM range(9)",
    "SELECT window_sketch_agg(id, id), window_sketch_agg(id, id, retention => 5) FROM range(9)",
    "SELECT qlove_sketch_agg(id, id, 0.5, 8), qlove_sketch_agg(id, id, 0.5, 8, 3) FROM range(9)",
    "SELECT ddsketch_agg(id), ddsketch_agg(id, 0.1) FROM range(9)",
    "SELECT approx_window_quantile(id, id, 0.5, 3), approx_window_quantile(id, id, 0.5, 3, as_of => 5) FROM range(9)",
    "SELECT approx_window_quantile(id, id, 0.5, 3), approx_window_quantile(id, id, 0.5, within_last(3) AND id > 2) FROM range(9)",
    "SELECT approx_quantile(id, 0.5), approx_quantile(id, 0.5, frequency => id) FROM range(9)",
    "SELECT approx_quantile(id, 0.5), approx_quantile(id, 0.5) FILTER (WHERE id > 3) FROM range(9)",
    "SELECT approx_quantile(id, 0.5), approx_quantile(cast(id as int), 0.5) FROM range(9)"
  )

  calledTwice.foreach { text =>
    test(s"built once: $text") {
      assertEquals(sketchesBuilt(sql(text)).filter(_ > 0), Seq(1, 1)) // partial and final
      inSparksOperator(assertEquals(sketchesBuilt(sql(text)).filter(_ > 0), Seq(1, 1)))
    }
  }

  asksDiffer.foreach { text =>
    test(s"built once, answered in several ways: $text") {
      assertEquals(sketchesBuilt(sql(text)).filter(_ > 0), Seq(1, 1))
    }
  }

  summariesDiffer.foreach { text =>
    test(s"built twice: $text") {
      assertEquals(sketchesBuilt(sql(text)).filter(_ > 0), Seq(2, 2))
      inSparksOperator(assertEquals(sketchesBuilt(sql(text)).filter(_ > 0), Seq(2, 2)))
    }
  }

  test("equal aggregations reuse one exchange") {
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val half = "SELECT id % 3 AS k, approx_quantile(id, 0.5) AS q FROM range(100) GROUP BY 1"
      val plan = sql(s"SELECT * FROM ($half) AS a JOIN ($half) AS b USING (k)").queryExecution.executedPlan
      assert(plan.toString.contains("ReusedExchange"), plan.toString)
    }
  }

  test("a cached query is used for an equal query") {
    def half: DataFrame =
      spark.range(100).groupBy(expr("id % 3")).agg(expr("sketch_count(quantile_sketch_agg(id))").as("n"))
    val cached = half.cache()
    try assert(half.queryExecution.withCachedData.toString.contains("InMemoryRelation"))
    finally { cached.unpersist(blocking = true); () }
  }

  private def serialized[A <: AnyRef](value: A): A = {
    val bytes = new java.io.ByteArrayOutputStream
    val out = new java.io.ObjectOutputStream(bytes)
    out.writeObject(value)
    out.close()
    new java.io.ObjectInputStream(
      new java.io.ByteArrayInputStream(bytes.toByteArray)
    ).readObject().asInstanceOf[A]
  }

  /** All of our expressions in the example queries of all functions. */
  private lazy val ours: Seq[Expression] = FunctionTable.all.flatMap(_.examples).flatMap { e =>
    sql(e.query).queryExecution.analyzed.flatMap(_.expressions).flatMap(_.collect {
      case x: Ask => x
      case x: ChronosketchAggregate[_] => x
    })
  }

  test("expressions and their canonical forms equal themselves after serialisation") {
    // window marks do not remain in the analysed plan
    val marks = Set(WithinLast.Name, AmongLast.Name, Passing.Name)
    val withoutSketch = Set(DesignEffectAggregate.Name)
    assertEquals(ours.map(_.prettyName).toSet, FunctionTable.all.map(_.name).toSet -- marks -- withoutSketch)
    ours.foreach { e =>
      assertEquals(serialized(e), e)
      assertEquals(serialized(e).hashCode, e.hashCode)
      assertEquals(serialized(e.canonicalized), e.canonicalized)
      assert(e.deterministic && !e.foldable, e)
    }
  }

  test("a copy with the same children is equal, by each of Spark's ways to copy") {
    ours.foreach { e =>
      assertEquals(e.withNewChildren(e.children), e)
      assertEquals(e.clone(), e)
      assertEquals(e.makeCopy(e.productIterator.map(_.asInstanceOf[AnyRef]).toArray), e)
      assertEquals(e.transformDown { case x => x }, e)
    }
    ours.collectFirst { case a: Ask if a.question == SketchCount => a }.foreach { a =>
      assertEquals(a.withNewChildren(Seq(a.children.head)).canonicalized, a.canonicalized)
    }
  }

  test("the column of a call has the call's name") {
    assertEquals(
      spark.range(9).select(expr("approx_quantile(id, 0.5)")).columns.toSeq,
      Seq("approx_quantile(id, 0.5)")
    )
    assertEquals(
      spark.range(
        9
      ).select(functions.sketch_count(functions.quantile_sketch_agg(col("id")))).columns.toSeq.size,
      1
    )
  }
}
