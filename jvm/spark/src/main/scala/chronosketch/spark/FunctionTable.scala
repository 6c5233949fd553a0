package chronosketch.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import chronosketch.spark.table._

/** The list of all SQL functions with their names, arguments, defaults and texts. Tests compare Scala, Python and docs/reference.md
  * with it.
  */
object FunctionTable {

  /** Scalar and aggregate functions, under the headings of the reference. */
  val chapters: Seq[(String, Seq[SqlFunction[Expression]])] = Seq(
    "Aggregates that answer at once" -> OneShotRows.all,
    "Aggregates that build a sketch" -> (BuildingRows.all ++ MomentRows.builders ++ SampleRows.builders),
    "Windows" -> WindowRows.all,
    "Any past version" -> HistoryRows.all,
    "Summaries of other libraries" -> ImportRows.all,
    "Merging sketches" -> MergingRows.all,
    "Questions to a sketch" -> ReaderRows.questions,
    "Moments" -> MomentRows.questions,
    "Samples" -> SampleRows.questions,
    "Facts about sketches and the jar" -> ReaderRows.facts
  )

  val all: Seq[SqlFunction[Expression]] = chapters.flatMap { case (_, functions) => functions }

  /** Table functions. */
  val tables: Seq[SqlFunction[LogicalPlan]] = HoppingRows.all ++ WarehouseRows.all ++ AdviceRows.all

  /** The scalar and aggregate functions to register in a session. */
  def registrations: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)] =
    all.flatMap(_.registrations(UserFunctions.expression))

  /** The table functions to register in a session. */
  def tableRegistrations: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)] =
    tables.flatMap(_.registrations(UserFunctions.table))
}
