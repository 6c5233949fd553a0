package chronosketch.spark.rollup

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.spark.table.{Argument, Example, SqlFunction}

/** The table function `rollup_now`. */
private[spark] object RollupFunctions {
  val Name = "rollup_now"

  val all: Seq[SqlFunction[LogicalPlan]] = Seq(
    SqlFunction(
      Name,
      SqlFunction.Tables,
      "Returns the rows that a roll-up would have if it were refreshed now: its own rows, and those of the buckets in which the source has changed since its last step. Nothing is written.",
      Seq(Argument("into", "the roll-up's table, as SQL names it: text.")),
      Seq(Example(
        "SELECT sum(rows) AS n FROM rollup_now('requests_hourly') WHERE level = '1 hour'",
        "90000"
      )),
      now
    )
  )

  private def now(arguments: Seq[Expression]): LogicalPlan = {
    val into = arguments.head
    def refuse(): Nothing = throw Conditions.analysisError(
      "CHRONOSKETCH_ROLLUP_ARGUMENT",
      into.origin,
      "function" -> Name,
      "argument" -> "into",
      "required" -> "the name of a roll-up's table, as constant text",
      "sql" -> into.sql
    )
    if (!into.resolved || !into.foldable) refuse()
    (into.dataType, Arguments.constant(into)) match {
      case (_: StringType, name: UTF8String) =>
        Rollups.now(SparkSession.active, name.toString).queryExecution.analyzed
      case _ => refuse()
    }
  }
}
