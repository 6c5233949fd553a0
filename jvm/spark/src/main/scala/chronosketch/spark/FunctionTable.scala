package chronosketch.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import chronosketch.spark.advisor.AdviceRows
import chronosketch.spark.aggregate.AggregateRows
import chronosketch.spark.history.HistoryRows
import chronosketch.spark.history.following.HistoryCalls
import chronosketch.spark.hopping.HoppingRows
import chronosketch.spark.interchange.ImportRows
import chronosketch.spark.rollup.RollupFunctions
import chronosketch.spark.sample.SampleRows
import chronosketch.spark.sketch.{ComparisonRows, MomentRows, QuestionRows}
import chronosketch.spark.table.{SqlFunction, UserFunctions}
import chronosketch.spark.warehouse.WarehouseRows
import chronosketch.spark.window.WindowRows

/** Collects all SQL functions with their names, arguments, defaults and texts. Each package lists its own. Tests compare Scala,
  * Python and docs/reference.md with it.
  */
object FunctionTable {

  /** Scalar and aggregate functions, under the headings of the reference. */
  val chapters: Seq[(String, Seq[SqlFunction[Expression]])] = Seq(
    "Aggregates that answer at once" ->
      (AggregateRows.quantiles ++ WindowRows.answers ++ AggregateRows.extremes),
    "Aggregates that build a sketch" ->
      (AggregateRows.quantileSketch ++ WindowRows.builders ++ AggregateRows.otherSketches ++ SampleRows.builders ++
        WindowRows.samples),
    "Windows" -> WindowRows.windows,
    "Any past version" -> HistoryRows.all,
    "Summaries of other libraries" -> ImportRows.all,
    "Merging sketches" -> (AggregateRows.merging ++ QuestionRows.merging),
    "Questions to a sketch" -> QuestionRows.questions,
    "Comparing sketches" -> (ComparisonRows.questions ++ ComparisonRows.designEffects),
    "Moments" -> MomentRows.questions,
    "Samples" -> QuestionRows.samples,
    "Facts about sketches and the jar" -> QuestionRows.facts
  )

  val all: Seq[SqlFunction[Expression]] = chapters.flatMap { case (_, functions) => functions }

  /** Table functions. */
  val tables: Seq[SqlFunction[LogicalPlan]] =
    HoppingRows.all ++ WarehouseRows.all ++ RollupFunctions.all ++ HistoryCalls.functions ++ AdviceRows.all

  /** The scalar and aggregate functions to register in a session. */
  def registrations: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)] =
    all.flatMap(_.registrations(UserFunctions.expression))

  /** The table functions to register in a session. */
  def tableRegistrations: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)] =
    tables.flatMap(_.registrations(UserFunctions.table))
}
