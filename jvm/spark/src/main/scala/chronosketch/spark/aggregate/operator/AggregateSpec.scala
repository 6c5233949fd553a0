package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.DataType

import chronosketch.spark.aggregate.{Asked, PairedValues, SketchColumn, StoredSketches, TimedValues, Values}

/** All that a task must know of an aggregation.
  *
  * @param keys     of the grouping columns
  * @param columns  what is summarised; bound to the input
  * @param asked    what is answered of the summaries; empty where their bytes are handed on
  * @param initial  the initial values of the buffers of Spark's own functions
  * @param rows     how one row is aggregated outside generated code
  */
final case class AggregateSpec(
    keys: Seq[DataType],
    columns: Seq[SketchColumn],
    asked: Seq[Asked],
    initial: Seq[Expression],
    isFinal: Boolean,
    rows: RowRules,
    metrics: Map[String, SQLMetric]
) {
  def isKeyed: Boolean = keys.nonEmpty

  /** Whether each key is numbered by its 64 bits. */
  def hasLongKeys: Boolean = KeyTuples.fit(keys)

  /** Whether groups may be handed on before the input ends: more of them may then follow. */
  def flushesPartially: Boolean = isKeyed && !isFinal

  /** Whether rows wait until their groups are looked up together: nothing but values goes into summaries, or values and their times. */
  def isBatched: Boolean = hasLongKeys && !isFinal && initial.isEmpty && columns.forall { column =>
    column.collected match {
      case _: Values => column.copies.isEmpty
      case _: TimedValues => column.copies.isEmpty && column.conditions.isEmpty && column.id.isEmpty
      case _: PairedValues | StoredSketches => false
    }
  }

  def newState(): AggregateState = new AggregateState(this)

  def initialBuffer: UnsafeRow = UnsafeProjection.create(initial)(null).copy()
}
