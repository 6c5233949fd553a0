package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types._

import chronosketch.domain.DoubleKeys
import chronosketch.spark.warehouse.manifest.Definition

/** A row with one column, which is set to the value of a key. */
private[runs] final class ValueOfKey(valueType: DataType) {
  private val values = Definition.values(valueType)
  private val mutable = new SpecificInternalRow(Seq(valueType))

  def row: InternalRow = mutable

  def set(key: Long): Unit = valueType match {
    case DoubleType => mutable.setDouble(0, DoubleKeys.value(key))
    case LongType | TimestampType | TimestampNTZType => mutable.setLong(0, key)
    case _ => mutable.update(0, values.value(key))
  }
}
