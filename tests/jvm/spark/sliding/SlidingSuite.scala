package chronosketch.spark.sliding

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.SortExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}

import chronosketch.spark.{SparkQueries, SparkSuite}
import chronosketch.spark.aggregate.operator.OperatorSuite
import chronosketch.spark.sliding.plan.SketchWindowExec

/** The base of suites that compare our window operator with Spark's own. */
abstract class SlidingSuite extends SparkSuite with SlidingQueries

/** Runs queries in our operator and in Spark's own, which summarises each frame anew. With so few elements both are exact.
  */
trait SlidingQueries extends SparkQueries {
  protected def ask(isEnabled: Boolean)(query: => DataFrame): SlidingAnswers =
    withConf(SlidingConf.Enabled -> isEnabled.toString) {
      val asked = query
      val rows = asked.collect().toSeq
      SlidingAnswers(asked.schema, rows, asked.queryExecution.executedPlan)
    }

  protected def inOurs(query: => DataFrame): SlidingAnswers = {
    val answers = ask(isEnabled = true)(query)
    assert(answers.operators.nonEmpty, s"on, and yet not in the plan:\n${answers.plan}")
    answers
  }

  // not compiled: compiling code that runs once takes longer than running it
  protected def inSparks(query: => DataFrame): SlidingAnswers = withConf(OperatorSuite.notCompiled: _*) {
    val answers = ask(isEnabled = false)(query)
    assertEquals(answers.operators.size, 0, "off, and yet in the plan")
    answers
  }

  protected def assertEqual(ours: SlidingAnswers, sparks: SlidingAnswers, clue: => String): Unit = {
    assertEquals(ours.schema, sparks.schema, clue)
    ours.texts.zip(sparks.texts).find { case (a, b) => a != b }.foreach { case (a, b) =>
      assertEquals(a, b, clue)
    }
    assertEquals(ours.rows.size, sparks.rows.size, clue)
  }

  /** The EXPLAIN text without predicted costs. */
  protected def unpredicted(explained: String): String = explained.replaceAll(" \\[predicted [^]]*\\]", "")

  protected def assertSame(query: String): SlidingAnswers = {
    val ours = inOurs(sql(query))
    assertEqual(ours, inSparks(sql(query)), query)
    ours
  }
}

/** The answers of a query, and its executed plan. */
final case class SlidingAnswers(schema: StructType, rows: Seq[Row], plan: SparkPlan) {
  def texts: Seq[String] = rows.map(OperatorSuite.text).sorted

  /** The answers with only some of the columns. */
  def only(columns: Seq[String]): SlidingAnswers = {
    val places = columns.map(schema.fieldIndex)
    copy(StructType(places.map(schema(_))), rows.map(row => Row.fromSeq(places.map(row.get))))
  }

  def operators: Seq[SketchWindowExec] = find { case w: SketchWindowExec => w }
  def exchanges: Int = find { case e: ShuffleExchangeLike => e }.size
  def sorts: Int = find { case s: SortExec => s }.size

  def metric(name: String): Long = operators.map(_.metrics(name).value).sum

  private def find[A](wanted: PartialFunction[SparkPlan, A]): Seq[A] =
    OperatorSuite.plans.collectWithSubqueries(plan)(wanted)
}
