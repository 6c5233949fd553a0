package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types.DataType

import chronosketch.grouped.GroupedSummaries
import chronosketch.spark.sql.{Conditions, Phis, SqlValues}
import chronosketch.summary.Summary

/** A function call of the query, answered from the summary of a group.
  *
  * @param text      the call, for EXPLAIN
  * @param column    the index of the operator's sketch column that has the summary
  * @param valueType the type of the summarised values
  * @param phi       the quantile level, if the answer takes one
  * @param isDescending whether phi counts down from the greatest value
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
