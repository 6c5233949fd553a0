package chronosketch.spark.aggregate.operator

import java.util.HexFormat

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}

import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.AggregateConf

/** The base of suites that compare our operator with Spark's own. */
abstract class OperatorSuite extends SparkSuite {

  protected def ask(isEnabled: Boolean)(query: => DataFrame): Answers =
    withConf(AggregateConf.Enabled -> isEnabled.toString, OperatorSuite.Fallback -> "false") {
      val asked = query
      val rows = asked.collect().toSeq.map(OperatorSuite.text).sorted
      Answers(asked.schema, rows, operators(asked))
    }

  /** Our operators in the executed plan, including its subqueries and stages. */
  protected def operators(ran: DataFrame): Seq[SketchAggregation] =
    OperatorSuite.plans.collectWithSubqueries(ran.queryExecution.executedPlan) {
      case a: SketchAggregation => a
    }

  // not compiled: compiling code that runs once takes longer than running it
  protected def inSparks(query: => DataFrame): Answers = withConf(OperatorSuite.notCompiled: _*) {
    val answers = ask(isEnabled = false)(query)
    assertEquals(answers.operators.size, 0, "off, and yet in the plan")
    answers
  }

  protected def inOurs(query: => DataFrame): Answers = {
    val answers = ask(isEnabled = true)(query)
    assert(answers.operators.nonEmpty, "on, and yet not in the plan")
    answers
  }

  protected def assertEqual(ours: Answers, sparks: Answers, clue: => String): Unit = {
    assertEquals(ours.schema, sparks.schema, clue)
    // compare the first different row, so that a message does not show thousands of them
    ours.rows.zip(sparks.rows).find { case (a, b) => a != b }.foreach { case (a, b) =>
      assertEquals(a, b, clue)
    }
    assertEquals(ours.rows.size, sparks.rows.size, clue)
  }

  /** Asserts that both operators give the same answers, and returns those of ours. */
  protected def assertSame(query: String): Answers = assertSame(query, sql(query))

  protected def assertSame(name: String, query: => DataFrame): Answers = {
    val ours = inOurs(query)
    assertEqual(ours, inSparks(query), name)
    ours
  }

  /** Asserts that both operators refuse the query with the same condition. */
  protected def assertSameRefusal(query: String): SparkThrowable = {
    val ours = withConf(AggregateConf.Enabled -> "true")(refusal(query))
    val sparks = withConf(AggregateConf.Enabled -> "false")(refusal(query))
    assertEquals(ours.getCondition, sparks.getCondition, query)
    assertEquals(ours.getClass.getName, sparks.getClass.getName, query)
    ours
  }
}

/** The answers of a query: each row as text that shows every bit, sorted, so that the order does not depend on the plan. */
final case class Answers(schema: StructType, rows: Seq[String], operators: Seq[SketchAggregation])

object OperatorSuite {
  // off in these suites, so that generated code that does not compile is an error
  val Fallback = "spark.sql.codegen.fallback"

  val notCompiled: Seq[(String, String)] =
    Seq("spark.sql.codegen.wholeStage" -> "false", "spark.sql.codegen.factoryMode" -> "NO_CODEGEN")

  object plans extends AdaptiveSparkPlanHelper

  /** A value as text. The zeros of a double have different texts, and every NaN has the same. */
  def text(value: Any): String = value match {
    case null => "NULL"
    case bytes: Array[Byte] => HexFormat.of.formatHex(bytes)
    case row: Row => row.toSeq.map(text).mkString("{", ", ", "}")
    case map: scala.collection.Map[_, _] =>
      map.toSeq.map { case (k, v) => s"${text(k)} -> ${text(v)}" }.sorted.mkString("<", ", ", ">")
    case many: scala.collection.Seq[_] => many.map(text).mkString("[", ", ", "]")
    case other => other.toString
  }
}
