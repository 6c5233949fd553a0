package chronosketch.spark.history.operator

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.DataType

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
