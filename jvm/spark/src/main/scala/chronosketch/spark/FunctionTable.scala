package chronosketch.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import chronosketch.spark.table._

/** THE list of functions: names, arguments, defaults and texts. SQL has these; Scala, Python and docs/reference.md are held to
  * them by tests.
  */
object FunctionTable {

  /** The functions that stand where a value does, under the headings of the reference. */
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

  /** The functions that stand where a table does. */
  val tables: Seq[SqlFunction[LogicalPlan]] = HoppingRows.all ++ WarehouseRows.all ++ AdviceRows.all

  /** What a session is given. */
  def registrations: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)] =
    all.flatMap(_.registrations(UserFunctions.expression))

  /** The table functions that a session is given. */
  def tableRegistrations: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)] =
    tables.flatMap(_.registrations(UserFunctions.table))
}
