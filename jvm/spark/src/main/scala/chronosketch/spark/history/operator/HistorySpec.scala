package chronosketch.spark.history.operator

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.DataType

import chronosketch.history.HistoryRecipe
import chronosketch.spark.history.HistoryAnswer

/** The description of an aggregation that tasks get.
  *
  * @param keys    the grouping columns, bound to the input
  * @param version the index of the version's key
  */
final case class HistorySpec(
    keys: Seq[Expression],
    version: Int,
    calls: Seq[HistoryCall],
    rowsOut: SQLMetric,
    peakMemory: SQLMetric
) {
  def outputTypes: Array[DataType] = (keys.map(_.dataType) ++ calls.map(_.dataType)).toArray
}

/** One call of a history function: the indexes of its arguments in an input row (64-bit values), and its answer.
  *
  * @param value  the index of the value's key, which is NULL if the row does not pass the call's filter
  * @param change the index of the change; -1: each row adds one copy
  * @param until  the index of the end; -1: rows do not end
  * @param text   the call as EXPLAIN shows it
  */
final case class HistoryCall(
    recipe: HistoryRecipe,
    answer: HistoryAnswer,
    value: Int,
    change: Int,
    until: Int,
    dataType: DataType,
    text: String,
    context: Map[String, String]
)
