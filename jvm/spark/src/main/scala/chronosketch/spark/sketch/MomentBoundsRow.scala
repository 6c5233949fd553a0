package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.{DoubleType, StructType}

import chronosketch.summary.MomentBounds

/** Converts a number with a lower and an upper bound of the exact one to a row. */
private[spark] object MomentBoundsRow {
  val fields: StructType = new StructType()
    .add("value", DoubleType, nullable = false)
    .add("lower", DoubleType, nullable = false)
    .add("upper", DoubleType, nullable = false)

  def of(bounds: MomentBounds): GenericInternalRow =
    new GenericInternalRow(Array[Any](bounds.value, bounds.lower, bounds.upper))
}
