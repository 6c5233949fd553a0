package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.DataType

import chronosketch.grouped.GroupedSummaries
import chronosketch.spark.sql.{Conditions, Phis, SqlValues}
import chronosketch.summary.Summary

/** What a function of the query answers from the summary of a group.
  *
  * @param text      the call, for EXPLAIN
  * @param column    which of the operator's sketch columns has the summary
  * @param valueType of what was summarised
  * @param phi       what is asked, where the answer takes one
  * @param isDescending whether phi counts from the greatest value
  */
final case class Asked(
    function: String,
    text: String,
    column: Int,
    answer: Answer,
    valueType: DataType,
    phi: Option[Literal],
    isDescending: Boolean = false
) {
  @transient private lazy val values: SqlValues = SqlValues.of(valueType).orNull
  @transient private lazy val phis: Phis =
    phi.fold(Phis.none)(p => Phis.of(p.value, p.dataType, isDescending))

  def dataType: DataType = answer.dataType(values, phi)

  def of(summary: Summary): Any = answer.of(summary, values, phis)

  def of(summaries: GroupedSummaries[_ <: Summary], group: Int): Any =
    Conditions.answering(Map("function" -> function)) {
      if (answer == AsSketch) summaries.seal(group) else of(summaries.ask(group))
    }
}
