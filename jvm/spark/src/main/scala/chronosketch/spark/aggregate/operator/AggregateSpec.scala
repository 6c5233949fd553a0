package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.DataType

import chronosketch.spark.aggregate.{FunctionCall, SketchColumn}

/** Everything that a task needs to know about an aggregation.
  *
  * @param keys     the types of the grouping columns
  * @param columns  the columns that are summarised, bound to the input
  * @param calls    the calls answered from the summaries; empty if the summaries' bytes are output
  * @param initial  the initial values of the buffers of Spark's own functions
  * @param rows     aggregates a row outside generated code
  */
final case class AggregateSpec(
    keys: Seq[DataType],
    columns: Seq[SketchColumn],
    calls: Seq[FunctionCall],
    initial: Seq[Expression],
    isFinal: Boolean,
    rows: RowRules,
    metrics: Map[String, SQLMetric]
) {
  def isKeyed: Boolean = keys.nonEmpty

  /** Whether each grouping key fits 64 bits. */
  def hasLongKeys: Boolean = KeyTuples.fit(keys)

  /** Whether groups may be output before the input ends. The same groups may then be output again. */
  def flushesPartially: Boolean = isKeyed && !isFinal

  /** Whether rows are buffered so that their groups are looked up together. Only for plain values, or values with times. */
  def isBatched: Boolean = hasLongKeys && !isFinal && initial.isEmpty && columns.forall(_.isPlain)

  def newState(): AggregateState = new AggregateState(this)

  def initialBuffer: UnsafeRow = UnsafeProjection.create(initial)(null).copy()
}
